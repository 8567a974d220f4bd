/**
 * How a step's text stands in its place: up to its first full stop large, the rest smaller under it, as large as both
 * fit. What does not fit is counted, and is one press away. Pure: a layout that asked the page would cost every step.
 */

import { isChinese, wrapPhrases } from "./phrases.ts";

export const defaults = {
  /** px of letters and of a line: of the first sentence, and of what follows; the largest that fit, the first sentence before the rest. */
  leads: [[26, 31], [23, 28], [20, 25], [18, 22], [16, 20], [14, 18]] as const,
  rests: [[16, 21], [15, 19], [14, 18], [13, 16], [12, 15]] as const,
  /** px of the largest letters in a place up to so wide, so that a short sentence is not half as large again as a long one. */
  most: [[560, 18], [1300, 23]] as const,
  /** Smallest at which sentences are left out, so that the first does not become tiny for the others' sake. */
  readable: { lead: 4, rest: 3 },
  /** px above and below both, and between them. */
  around: 13,
  between: 3,
  /** The share of a measured width that is needed: the page's typeface is narrower; Chinese letters are as wide as measured. */
  narrower: 0.87,
};

type Type = readonly [letter: number, line: number];

export interface Fitted {
  lead: string;
  rest: string;
  /** px of letters and lines of both. */
  leadType: Type;
  restType: Type;
  /** Sentences that are not shown. */
  hidden: number;
}

/** Letters as a reader meets them: a Chinese one counts twice, three capitals as four. */
export function textLength(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index += 1) length += text.charCodeAt(index) > 0x2e80 ? 2 : 1;
  const capitals = text.match(/[A-Z_]/g)?.length ?? 0;
  return length + Math.round(capitals / 3);
}

/** The sentences of a text: a full stop ends one where a space or a Chinese letter follows. */
export function sentencesOf(text: string): string[] {
  return text.trim().split(/(?<=[.!?])\s+|(?<=[。！？])\s*/).filter((part) => part !== "");
}

function lines(text: string, size: number, width: number): number {
  if (text === "") return 0;
  return wrapPhrases(text, isChinese(text) ? width : width / defaults.narrower, size).length;
}

/** `width`, `height`: px of the place; `largest`: px of the largest letters. */
export function fit(text: string, width: number, height: number, largest = Number.POSITIVE_INFINITY): Fitted {
  const { leads, rests, readable, most } = defaults;
  const largestHere = Math.min(largest, most.find(([upTo]) => width <= upTo)?.[1] ?? largest);
  const [lead = "", ...others] = sentencesOf(text);
  const between = /[\u2e80-\uffff]/.test(text) ? "" : " ";
  const room = height - defaults.around;
  const high = (said: string, [letter, line]: Type): number => lines(said, letter, width) * line;
  /** The first `count` of the others, both in the largest type that fits and is no smaller than the places of these. */
  const found = (count: number, smallest: { lead: number; rest: number }): Fitted | undefined => {
    const rest = others.slice(0, count).join(between);
    for (const leadType of leads.slice(0, smallest.lead + 1)) {
      if (leadType[0] > largestHere) continue;
      const left = room - high(lead, leadType) - defaults.between;
      const restType = rests.slice(0, smallest.rest + 1).find((one) => one[0] < leadType[0] && high(rest, one) <= left);
      if (left >= 0 && restType !== undefined) return { lead, rest, leadType, restType, hidden: others.length - count };
    }
    return undefined;
  };
  const all = { lead: leads.length - 1, rest: rests.length - 1 };
  const counts = others.map((_, index) => others.length - index);
  // A first sentence of a few words says little without the next: then both may be a little smaller.
  const isBrief = lines(lead, leads[all.lead]?.[0] ?? 14, width) === 1;
  const tries = [...counts.map((count) => [count, readable] as const), ...(isBrief ? counts : []).map((count) => [count, all] as const), [0, all] as const];
  for (const [count, smallest] of tries) {
    const fitted = found(count, smallest);
    if (fitted !== undefined) return fitted;
  }
  return { lead, rest: "", leadType: leads[all.lead] ?? leads[0], restType: rests[0], hidden: others.length };
}
