/** How long a sentence takes to read: a step while a run plays, a scene of the film on the front page. Pure. */

export const defaults = {
  /** Milliseconds for any sentence, and for each letter: some 20 in a second, or 10 Chinese ones. */
  sentence: 900,
  letter: 48,
};

/** Letters by their reading time: a Chinese character counts as two, three capitals count as four. */
export function textLength(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index += 1) length += text.charCodeAt(index) > 0x2e80 ? 2 : 1;
  const capitals = text.match(/[A-Z_]/g)?.length ?? 0;
  return length + Math.round(capitals / 3);
}

/** In ms. */
export function readingTime(sentence: string): number {
  return defaults.sentence + defaults.letter * textLength(sentence);
}
