/**
 * Divides Chinese text into pieces between which a line of a narrow label may end: words, as `Intl.Segmenter` finds
 * them. A single character stays with its neighbour, because the segmenter cuts technical words there: 参与|者, 写|入. Pure,
 * no DOM.
 */

const CHINESE = /([\u4e00-\u9fff]+)/;
/** Marks that may not begin a line, and marks that may not end one. */
const CLOSES = /^[，。：；、！？）》」』”]+/;
const OPENS = /[（《「『“]+$/;
/** `NUMBER`: a text that ends with a number. `COUNTED`: a Chinese measure word, which stays with it: 2 条. */
const NUMBER = /\d ?$/;
const COUNTED = /^[条个次步批份项名台段]/;

let segmenter: Intl.Segmenter | undefined;

/** The last results of `phrasesOf`: the search for a size of letters asks for the same sentence many times. */
const kept = new Map<string, string[]>();
const KEPT_MOST = 40;

/** Whether a text has Chinese words, inside which a browser may break a line. */
export function isChinese(text: string): boolean {
  return CHINESE.test(text);
}

/** The text, divided into pieces that each stay on one line; text that is not Chinese is divided after its spaces. */
export function phrasesOf(text: string): string[] {
  const before = kept.get(text);
  if (before !== undefined) return before;
  if (kept.size >= KEPT_MOST) kept.clear();
  const pieces = cut(text);
  kept.set(text, pieces);
  return pieces;
}

function cut(text: string): string[] {
  const pieces: string[] = [];
  for (const part of text.split(CHINESE).flatMap((run) => (CHINESE.test(run) ? wordsOf(run) : run.split(/(?<=\s)|(?<=[，。：；、！？）》」』”])/)))) {
    if (part === "") continue;
    const before = pieces.at(-1);
    if (before !== undefined && (CLOSES.test(part) || OPENS.test(before) || part.trim() === "" || (NUMBER.test(before) && COUNTED.test(part)))) pieces[pieces.length - 1] = before + part;
    else pieces.push(part);
  }
  return pieces;
}

function wordsOf(run: string): string[] {
  segmenter ??= new Intl.Segmenter("zh-Hans", { granularity: "word" });
  const words: string[] = [];
  let alone = "";
  for (const { segment } of segmenter.segment(run)) {
    const isLetter = segment.length === 1;
    if (isLetter && words.length > 0) words[words.length - 1] += segment;
    else if (isLetter) alone += segment;
    else {
      words.push(alone + segment);
      alone = "";
    }
  }
  return alone === "" ? words : [...words, alone];
}
