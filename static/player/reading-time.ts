/**
 * Computes how long a sentence takes to read, for playing a run and for the moving picture of the front page. Pure.
 */

export const defaults = {
  /** Milliseconds for any sentence, plus those for each letter: about 20 letters or 10 Chinese characters a second. */
  sentence: 900,
  letter: 48,
};

/**
 * The length of a text for reading, in letters: a Chinese character counts as two letters, and three capitals count as
 * four.
 */
export function textLength(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index += 1) length += text.charCodeAt(index) > 0x2e80 ? 2 : 1;
  const capitals = text.match(/[A-Z_]/g)?.length ?? 0;
  return length + Math.round(capitals / 3);
}

/** The time to read a sentence, in ms. */
export function readingTime(sentence: string): number {
  return defaults.sentence + defaults.letter * textLength(sentence);
}
