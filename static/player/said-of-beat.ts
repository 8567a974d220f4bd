/** Composes the text of a step at which a beat lands. Pure, no DOM. */

import type { Beat } from "./beats.ts";
import { clauses } from "./joins.ts";
import { sentencesOf } from "./sentence-fit.ts";
import { say, words } from "./text.ts";

export const defaults = {
  /** The most steps in `also` of a beat that the text names. */
  also: 3,
};

/**
 * The sentences of a step at which a beat lands, in this order: the title of the beat with its explanation, if the
 * author wrote a title or the step's text does not say all of it (not if a guarantee is broken here: then ""); the
 * first sentence of the step; the note that follows it; the other steps that the title is about; the steps that the
 * reader has passed; the other sentences of the step. `said`: the leading note of the step, if it has one, and the
 * step's own text. After a title, the own text comes first, because the title says the outcome, and the own text its
 * cause. `from`: the number of the step that the reader saw before; null: none. `note`: the note without which the step
 * says too little.
 */
export function saidOfBeat(beat: Beat | undefined, said: readonly string[], isBroken: boolean, from: number | null = null, note = ""): string[] {
  const title = beat?.title?.[words.language] ?? (beat?.says === undefined ? undefined : say(beat.says, beat.params));
  const isLed = title !== undefined && !isBroken;
  const [text = "", ...rest] = isLed ? said.toReversed() : said;
  const [first = "", ...more] = sentencesOf(text);
  const also = (beat?.also ?? []).slice(0, defaults.also).map(({ step, names }) => say("player.also_step", { step, names }));
  const led = isLed ? [say("player.titled", { title }), ...(beat?.because === undefined ? [] : [say(beat.because.key, beat.because.params)])] : [""];
  return [...led, first, ...(note === "" ? [] : [note]), ...also, ...passedText(beat?.passed, from), ...more, ...rest];
}

/**
 * A list with one sentence about the passed steps after step `from`, in their order: `On the way: p1 begins a transaction
 * (step 14); AddPartitionsToTxn adds t-0 (step 22).` Empty if there are none.
 */
export function passedText(all: Beat["passed"], from: number | null): string[] {
  const passed = from === null ? [] : (all ?? []).filter(({ step }) => step > from);
  if (passed.length === 0) return [];
  return [say("player.passed", { things: clauses(passed.map(({ step, key, params }) => say("player.passed_step", { step, title: say(key, params) }))) })];
}
