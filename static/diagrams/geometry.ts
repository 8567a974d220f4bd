/**
 * Rounds lengths and estimates the width of texts.
 *
 * Layouts are pure, so they cannot ask a browser for the width of a text. The table below holds the advance widths, in
 * em, of a wide sans-serif (DejaVu Sans); narrower fonts leave a little more space.
 */

/** px of letters in pictures: the tokens `--t-mark` (axes, captions, tags) and `--t-text` (names and contents). */
export const MARK = 12;
export const TEXT = 14;

/** A length with one decimal: this is enough for a picture and keeps the markup short and comparable. */
export function round(value: number): number {
  const rounded = Math.round(value * 10) / 10;
  return rounded === 0 ? 0 : rounded;
}

export function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value));
}

const NARROW: Record<string, number> = {
  " ": 0.32, "i": 0.28, "l": 0.28, "j": 0.28, "I": 0.3, "|": 0.34, "·": 0.32, ".": 0.32, ",": 0.32, ":": 0.34,
  ";": 0.34, "'": 0.28, "(": 0.39, ")": 0.39, "-": 0.36, "f": 0.36, "t": 0.39, "r": 0.41, "/": 0.34, "–": 0.5,
  "_": 0.5, "m": 0.97, "w": 0.82, "M": 0.86, "W": 0.99, "=": 0.84, "+": 0.84,
};
const DIGIT = 0.636;
const LOWER = 0.6;
const UPPER = 0.7;
const WIDE = 1;
const BOLD = 1.12;

function emOf(character: string): number {
  const known = NARROW[character];
  if (known !== undefined) return known;
  if (character >= "0" && character <= "9") return DIGIT;
  if (character >= "a" && character <= "z") return LOWER;
  return UPPER;
}

/**
 * Character code → width in em, for the first 256 characters. Most characters are among them, and a layout measures
 * thousands of texts a second.
 */
const EMS = Float64Array.from({ length: 256 }, (_, code) => emOf(String.fromCharCode(code)));

function emAt(code: number): number {
  if (code < EMS.length) return EMS[code] as number;
  return code > 0x2e80 ? WIDE : emOf(String.fromCharCode(code));
}

/** Width in px of `text` in letters of `size` px; `bold` for weights from 600 up. */
export function textWidth(text: string, size: number, bold = false): number {
  let em = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if ((code & 0xfc00) !== 0xdc00) em += emAt(code); // The second half of a surrogate pair is no further letter.
  }
  return em * size * (bold ? BOLD : 1);
}

/** Splits a word that is wider than a line into pieces that fit: after underscores and hyphens, else anywhere. */
function broken(word: string, width: number, size: number, bold: boolean, widthOf: typeof textWidth): string[] {
  const pieces: string[] = [];
  let rest = word;
  while (widthOf(rest, size, bold) > width && rest.length > 1) {
    let end = 1;
    while (end < rest.length && widthOf(rest.slice(0, end + 1), size, bold) <= width) end += 1;
    const behind = Math.max(rest.lastIndexOf("_", end - 1), rest.lastIndexOf("-", end - 1)) + 1;
    const cut = behind > 0 ? behind : end;
    pieces.push(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  return [...pieces, rest];
}

/** A piece that stays on one line: a Chinese character or a word, with the marks that may not begin or end a line. */
const PIECES = /[（《「『]?(?:[\u2e80-\uffff]|[^\s\u2e80-\uffff]+)[，。：；、）！？》」』]*|\s+/g;

/**
 * The text, divided into lines that `widthOf` measures as at most `width` px wide. Chinese text breaks between any two
 * characters, other text between words.
 */
export function wrap(text: string, width: number, size: number, bold = false, widthOf = textWidth): string[] {
  const whole = text.trimEnd();
  if (whole.trim() !== "" && widthOf(whole, size, bold) <= width) return [whole];
  return wrapPieces(text.match(PIECES) ?? [], width, size, bold, widthOf);
}

/** The lines of a text that may break between the given pieces; a piece that is wider than a line is broken. */
export function wrapPieces(words: readonly string[], width: number, size: number, bold = false, widthOf = textWidth): string[] {
  const pieces = words.flatMap((word) => (widthOf(word, size, bold) <= width ? [word] : broken(word, width, size, bold, widthOf)));
  const lines: string[] = [];
  let line = "";
  for (const piece of pieces) {
    const longer = line + piece;
    if (line.trim() !== "" && widthOf(longer.trimEnd(), size, bold) > width) {
      lines.push(line.trimEnd());
      line = piece.trimStart();
    } else {
      line = longer;
    }
  }
  if (line.trim() !== "") lines.push(line.trimEnd());
  return lines;
}

/** The text in at most `count` lines of `width` px. If it does not fit, the last line ends in an ellipsis. */
export function wrapAtMost(text: string, width: number, size: number, count: number, bold = false): string[] {
  const lines = wrap(text, width, size, bold);
  if (lines.length <= count) return lines;
  const kept = lines.slice(0, count);
  let last = kept[count - 1] ?? "";
  while (last !== "" && textWidth(`${last}…`, size, bold) > width) last = last.slice(0, -1).trimEnd();
  kept[count - 1] = `${last}…`;
  return kept;
}

export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

export function overlap(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

/** The area on which two boxes overlap. */
export function overlapArea(one: Box, other: Box): number {
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return Math.max(0, width) * Math.max(0, height);
}
