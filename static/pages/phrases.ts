/** Makes the titles of a Chinese page break between words: browsers break Chinese anywhere. */

import { isChinese, phrasesOf } from "../player/phrases.ts";

const TITLES = "main :is(h1, h2, h3, h4)";

/**
 * Allows a line of a Chinese title to end only between phrases. The phrases are those of the title's whole text, even
 * if it is split over several elements.
 */
function phrase(title: Element): void {
  const walker = document.createTreeWalker(title, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode() !== null) texts.push(walker.currentNode as Text);
  const whole = texts.map(({ data }) => data).join("");
  if (!isChinese(whole)) return;
  let length = 0;
  const ends = new Set(phrasesOf(whole).map((piece) => (length += piece.length)));
  let start = 0;
  for (const text of texts) {
    const { data } = text;
    const cuts = [...Array(data.length).keys()].filter((at) => at > 0 && ends.has(start + at));
    const pieces = [0, ...cuts].map((at, place) => data.slice(at, cuts[place]));
    const before = start > 0 && ends.has(start) ? [document.createElement("wbr")] : [];
    text.replaceWith(...before, ...pieces.flatMap((piece, place) => (place === 0 ? [piece] : [document.createElement("wbr"), piece])));
    start += data.length;
  }
  title.classList.add("phrased");
}

if (document.documentElement.lang.startsWith("zh")) for (const title of document.querySelectorAll(TITLES)) phrase(title);
