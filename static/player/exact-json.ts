/**
 * JSON whose whole numbers stay exact. A producer id may reach 2⁶³−1; a number of the browser is exact to 2⁵³ only,
 * and would show the last id of the space as a larger one. Such numbers become strings of their digits.
 */

const LONG = /\d{16}/;
/** A string, or a whole number of 16 digits and more; what stands in strings is left alone. */
const STRING_OR_LONG = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

export function parseExactly(text: string): unknown {
  return JSON.parse(marked(text, ""));
}

/** The same for code that writes the JSON back: such numbers become `bigint`, and texts stay texts. */
export function parseToBigint(text: string): unknown {
  if (!LONG.test(text)) return JSON.parse(text);
  return JSON.parse(marked(text, "\\u0000"), (_key, value: unknown) => (typeof value === "string" && BIG.test(value) ? BigInt(value.slice(1)) : value));
}

export function stringifyWithBigint(value: unknown): string {
  const text = JSON.stringify(value, (_key, inner: unknown) => (typeof inner === "bigint" ? `\0${inner}` : inner));
  return text.replaceAll(MARKED, "$1");
}

const BIG = /^\0-?\d+$/;
const MARKED = /"\\u0000(-?\d+)"/g;

function marked(text: string, mark: string): string {
  if (!LONG.test(text)) return text;
  return text.replace(STRING_OR_LONG, (found) => (found.startsWith('"') || Number.isSafeInteger(Number(found)) ? found : `"${mark}${found}"`));
}
