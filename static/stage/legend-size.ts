/** Width of a sign of the legend, and the heights of its row and of a line of words, in units. */
export const SIGN = { width: 26, row: 18, line: 18 };
/** px of a legend besides its rows; rows with which it is worth its place, and at most; and its width where it has a column. */
export const LEGEND = { head: 16, least: 3, most: 8, width: 210 };
