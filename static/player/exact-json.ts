/**
 * Parses JSON so that whole numbers stay exact. A producer id may be up to 2⁶³−1, but JavaScript numbers are exact only
 * up to 2⁵³: `JSON.parse` would change the largest ids. Numbers that are too long become strings of their digits.
 */

const LONG = /\d{16}/;
/**
 * Matches a string, or a whole number of at least 16 digits. Strings are matched so that digits inside them are not
 * taken for numbers.
 */
const STRING_OR_LONG = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

export function parseExactly(text: string): unknown {
  return JSON.parse(marked(text, ""));
}

/** Reads JSON for code that writes it back: long numbers become `bigint`, and strings stay strings. */
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
