/**
 * Chooses the sizes of letters for a step's text: the first sentence is large, the rest smaller below it, and both are
 * as large as their place allows. In a wide place, the rest has the reading size, except with `isWhole`. Sentences that
 * do not fit are counted, and a press shows them. Pure: measuring in the page would cost a layout of the page at every
 * step.
 */

import { isChinese } from "./phrases.ts";
import { wrapPhrases } from "./wrap-phrases.ts";

export const defaults = {
  /**
   * Rows [largest px of the place's width, sizes of the first sentence]. A size is [px of letters, px of a line]; the
   * first one is used if everything fits, else the second one. From 560 to 700 px (one of two compared runs) there is
   * only one.
   */
  leads: [[560, [[18, 22], [16, 20]]], [700, [[16, 20]]], [1300, [[22, 27], [19, 23]]], [Number.POSITIVE_INFINITY, [[26, 31], [22, 27]]]] as const,
  /**
   * Sizes of the rest, [px of letters, px of a line]: the reading size, and a small one for places or texts that need
   * all the room.
   */
  rests: [[15, 20], [13, 16]] as const,
  /** In a place up to so many px wide, the rest has its small size if the first sentence has. */
  narrow: 560,
  /** The size of the first sentence, [px of letters, px of a line], if not even it alone fits in the sizes above. */
  least: [14, 18] as const,
  /**
   * `around`: rows [largest px of the place's width, px above and below the text]; `between`: px between both parts.
   */
  around: [[700, 6], [Number.POSITIVE_INFINITY, 13]] as const,
  between: 3,
  /**
   * The width of a text in the page's typeface, as a share of the width that `textWidth` estimates. Chinese characters
   * are as wide as estimated.
   */
  narrower: 0.87,
};

type Type = readonly [letter: number, line: number];

export interface Fitted {
  lead: string;
  rest: string;
  /** The sizes of both parts, [px of letters, px of a line]. */
  leadType: Type;
  restType: Type;
  /** The number of sentences that are not shown. */
  hidden: number;
}

/** The sentences of a text. A full stop ends one only before a space; a Chinese one always does. */
export function sentencesOf(text: string): string[] {
  return text.trim().split(/(?<=[.!?])\s+|(?<=[。！？])\s*/).filter((part) => part !== "");
}

function lines(text: string, size: number, width: number): number {
  if (text === "") return 0;
  return wrapPhrases(text, isChinese(text) ? width : width / defaults.narrower, size).length;
}

/** The value for a place of this width, from rows (largest width, value). */
function forWidth<T>(rows: readonly (readonly [upTo: number, value: T])[], width: number): T {
  const [, value] = rows.find(([upTo]) => width <= upTo) ?? (rows[rows.length - 1] as (typeof rows)[number]);
  return value;
}

/**
 * Chooses the sizes of a text's letters for a place of `width` × `height` px, and how many of its sentences are shown.
 * `largest`: the largest letters allowed for the first sentence, in px. `isWhole`: whether the other sentences may have
 * the small size in a wide place, too, so that fewer are hidden.
 */
export function fit(text: string, width: number, height: number, largest = Number.POSITIVE_INFINITY, isWhole = false): Fitted {
  const types = forWidth<readonly Type[]>(defaults.leads, width);
  const leads = types.filter(([letter]) => letter <= largest);
  const [lead = "", ...others] = sentencesOf(text);
  const between = /[\u2e80-\uffff]/.test(text) ? "" : " ";
  const room = height - forWidth(defaults.around, width);
  const high = (said: string, [letter, line]: Type): number => lines(said, letter, width) * line;
  const hasSmall = isWhole || width <= defaults.narrow;
  const restOf = (leadType: Type): Type => defaults.rests[hasSmall && leadType !== types[0] ? 1 : 0];
  for (let count = others.length; count > 0; count -= 1) {
    const rest = others.slice(0, count).join(between);
    const leadType = leads.find((one) => high(lead, one) + defaults.between + high(rest, restOf(one)) <= room);
    if (leadType !== undefined) return { lead, rest, leadType, restType: restOf(leadType), hidden: others.length - count };
  }
  const alone = leads.find((one) => high(lead, one) <= room) ?? defaults.least;
  return { lead, rest: "", leadType: alone, restType: restOf(alone), hidden: others.length };
}
