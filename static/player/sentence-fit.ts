/**
 * How a step's text stands in its place: up to its first full stop large, the rest smaller under it, as large as both
 * fit. What does not fit is counted, and is one press away. Pure: a layout that asked the page would cost every step.
 */

import { wrap } from "../diagrams/geometry.ts";

export const defaults = {
  /** px of letters and lines, of the first sentence and of what follows; the first that fits. */
  sizes: [
    { lead: [26, 31], rest: [16, 21] },
    { lead: [23, 28], rest: [16, 20] },
    { lead: [20, 25], rest: [15, 19] },
    { lead: [18, 22], rest: [14, 18] },
    { lead: [16, 20], rest: [13, 17] },
    { lead: [14, 18], rest: [13, 16] },
    { lead: [14, 18], rest: [12, 15] },
  ] as const,
  /** Place of the smallest at which sentences are left out, so that the first does not become tiny for the others' sake. */
  readable: 4,
  /** px above and below both, and between them. */
  around: 13,
  between: 3,
  /** Of a width that was measured: the page's own typeface is narrower; Chinese letters are as wide as they were measured. */
  narrower: 0.9,
};

export interface Fitted {
  lead: string;
  rest: string;
  /** Place in `sizes`. */
  size: number;
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
  return text === "" ? 0 : wrap(text, /[\u2e80-\uffff]/.test(text) ? width : width / defaults.narrower, size).length;
}

/** `width`, `height`: px of the place; `from`: the largest size that may be used. */
export function fit(text: string, width: number, height: number, from = 0): Fitted {
  const [lead = "", ...others] = sentencesOf(text);
  const rest = others.join(/[\u2e80-\uffff]/.test(text) ? "" : " ");
  const room = height - defaults.around;
  const leadHeight = (size: number): number => {
    const [letter, line] = (defaults.sizes[size] as (typeof defaults.sizes)[number]).lead;
    return lines(lead, letter * 1.04, width) * line + defaults.between;
  };
  const restHeight = (size: number, words: string): number => {
    const [letter, line] = (defaults.sizes[size] as (typeof defaults.sizes)[number]).rest;
    return lines(words, letter, width) * line;
  };
  // A first sentence of a few words says little without the next: then both may be a little smaller.
  const [least] = (defaults.sizes.at(-1) ?? defaults.sizes[0]).lead;
  const isBrief = lines(lead, least, width) === 1;
  const last = defaults.sizes.length - (isBrief ? 1 : 2);
  for (let size = Math.min(from, last); size <= last; size += 1) {
    if (leadHeight(size) + restHeight(size, rest) <= room) return { lead, rest, size, hidden: 0 };
  }
  const joined = (count: number): string => others.slice(0, count).join(/[\u2e80-\uffff]/.test(text) ? "" : " ");
  const found = (count: number, sizes: readonly number[]): Fitted | undefined => {
    const size = sizes.find((one) => leadHeight(one) + restHeight(one, joined(count)) <= room);
    return size === undefined ? undefined : { lead, rest: joined(count), size, hidden: others.length - count };
  };
  const largest = Math.min(Math.max(from, 2), last);
  const upTo = (smallest: number): number[] => Array.from({ length: Math.max(0, smallest - largest + 1) }, (_, index) => largest + index);
  const counts = others.map((_, index) => others.length - 1 - index);
  const some = counts.filter((count) => count > 0);
  for (const count of some) {
    const fitted = found(count, upTo(defaults.readable));
    if (fitted !== undefined) return fitted;
  }
  for (const count of isBrief ? some : []) {
    const fitted = found(count, upTo(last));
    if (fitted !== undefined) return fitted;
  }
  const alone = found(0, upTo(last));
  if (alone !== undefined) return alone;
  return { lead, rest: "", size: last, hidden: others.length };
}
