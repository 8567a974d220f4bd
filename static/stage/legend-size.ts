/** Width of a sign of the legend, and the heights of its row and of a line of words, in units. */
export const SIGN = { width: 26, row: 18, line: 18 };
/** px of a legend besides its rows; and rows with which it is worth its place, and at most. */
export const LEGEND = { head: 16, least: 3, most: 8 };
