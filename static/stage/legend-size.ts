/**
 * In units. `width`: of a sign of the legend; `row`: height of a row with a sign, `close`: where there is little room;
 * `line`: height of a line of words.
 */
export const SIGN = { width: 26, row: 18, close: 15.5, line: 18 };
/**
 * `head`: units of a legend's height besides its rows; `least`: the least number of rows with which it is shown;
 * `most`: the greatest number of rows; `width`: units of a column of its own.
 */
export const LEGEND = { head: 16, least: 3, most: 8, width: 210 };
