/** Width of a sign of the legend, and the heights of a row with a sign and of a line of words, in units. */
export const SIGN = { width: 26, row: 18, line: 18 };
/**
 * `head`: px of a legend besides its rows; `least`: with fewer rows, no legend is shown; `most`: rows in it; `width`:
 * px of its own column.
 */
export const LEGEND = { head: 16, least: 3, most: 8, width: 210 };
