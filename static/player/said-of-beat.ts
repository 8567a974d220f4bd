/** What a step says where a beat lands. Pure, no DOM. */

import type { Beat } from "./beats.ts";
import { sentencesOf } from "./sentence-fit.ts";
import { titleOf } from "./beats.ts";
import { say, words } from "./text.ts";

export const defaults = {
  /** Other steps of a beat that are named at most. */
  also: 3,
};

/** The title of the beat leads if the author gave it or the step does not say it, unless a guarantee is broken here;
 * behind the first sentence follow the other steps that the title is about. `said`: the texts of the step. */
export function saidOfBeat(beat: Beat | undefined, said: readonly string[], isBroken: boolean): string[] {
  const title = beat?.title?.[words.language] ?? (beat?.leads === true ? titleOf(beat) : undefined);
  const [text = "", ...rest] = said;
  const [first = "", ...more] = sentencesOf(text);
  const also = (beat?.also ?? []).slice(0, defaults.also).map(({ step, names }) => say("player.also_step", { step, names }));
  return [title === undefined || isBroken ? "" : say("player.titled", { title }), first, ...also, ...more, ...rest];
}
