/**
 * JSON whose whole numbers stay exact. A producer id may reach 2⁶³−1; a number of the browser is exact to 2⁵³ only,
 * and would show the last id of the space as a larger one. Such numbers become strings of their digits.
 */

const LONG = /\d{16}/;
/** A string, or a whole number of 16 digits and more; what stands in strings is left alone. */
const STRING_OR_LONG = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

export function parseExactly(text: string): unknown {
  if (!LONG.test(text)) return JSON.parse(text);
  return JSON.parse(text.replace(STRING_OR_LONG, (found) => (found.startsWith('"') || Number.isSafeInteger(Number(found)) ? found : `"${found}"`)));
}
