/**
 * A run in beats (docs/frame.md, *Plan*): which beat a step stands in, where the next one lands, what its title is.
 * Long runs nest beats. Going from beat to beat stays on the level at whose landing the reader is. Pure, no DOM.
 */

import type { Beat, Plan } from "../generated/messages.ts";
import { say, words } from "./text.ts";

export type { Beat, BeatLine } from "../generated/messages.ts";

/** What of a plan the time axis needs, and the messages to drop first. */
export type BeatPlan = Pick<Plan, "steps" | "complete" | "beats" | "losses">;

export function titleOf(beat: Beat): string {
  return beat.title?.[words.language] ?? say(beat.key, beat.params);
}

/** What came of an intervention inside a beat: `+ The EndTxn request is dropped (4 parts)`; empty where nothing did. The
 * number is that of all parts, as the reader goes through them. Of the last beat of a run it names what comes last. */
export function addedText(beat: Beat, isLast = false): string {
  const named = addedIn(beat).at(isLast ? -1 : 0);
  if (named === undefined) return "";
  const title = titleOf(named);
  const count = stopsIn([beat]).length;
  return count > 2 ? say("player.beat_added_more", { title, count }) : say("player.beat_added", { title });
}

/** The beats inside a beat. Even parts of a long one, whose steps repeat each other, are lines of a list and no beats. */
function inside({ beats = [] }: Beat): readonly Beat[] {
  return beats.some(({ kind }) => kind !== "part") ? beats : [];
}

/** The beats that a reader goes through, in order. */
export function leavesOf(beats: readonly Beat[]): Beat[] {
  return beats.flatMap((beat) => (inside(beat).length === 0 ? [beat] : leavesOf(inside(beat))));
}

/** The place of the beat that holds a step; steps behind the last one belong to it. −1 before the first step. */
export function placeOf(beats: readonly Beat[], step: number): number {
  return beats.findLastIndex((beat) => beat.first <= step);
}

/** The beat at a step, and those inside of it that hold the step, outermost first. */
export function pathTo(beats: readonly Beat[], step: number): { beat: Beat; place: number; count: number }[] {
  const place = placeOf(beats, step);
  const beat = beats[place];
  if (beat === undefined) return [];
  return [{ beat, place, count: beats.length }, ...pathTo(inside(beat), step)];
}

/** The levels on which a reader goes from beat to beat, the own one first: the outermost on which a reader stops at the
 * step, then those around it. Elsewhere than at a stop it is the outermost alone. */
function levelsAt(plan: BeatPlan, step: number): (readonly Beat[])[] {
  const path = pathTo(plan.beats, step);
  const own = Math.max(0, path.findIndex(({ beat }) => stopsIn([beat]).includes(step)));
  return [plan.beats, ...path.slice(0, own).map(({ beat }) => inside(beat))].reverse();
}

/** The outermost beat that lands at the step. */
export function landingAt(plan: BeatPlan, step: number): Beat | undefined {
  return pathTo(plan.beats, step).find(({ beat }) => beat.lands === step)?.beat;
}

/** Whether one of the beats that a reader goes through lands at the step. */
export function landsAt(plan: BeatPlan, step: number): boolean {
  return leavesOf(plan.beats).some(({ lands }) => lands === step);
}

/** The beats inside a beat that came of an intervention. */
export function addedIn(beat: Beat): readonly Beat[] {
  return inside(beat).filter(({ added }) => added === true);
}

/** Where a reader stops on a level: where its beats land, and what came of an intervention inside them. */
function stopsIn(beats: readonly Beat[]): number[] {
  const stops = beats.flatMap((beat) => [beat.lands, ...stopsIn(addedIn(beat))]);
  return [...new Set(stops)].sort((one, other) => one - other);
}

/** How many numbers a beat has: one, or one for each of its stops where something inside came of an intervention. */
function numbersOf(beat: Beat): number {
  return addedIn(beat).length === 0 ? 1 : stopsIn([beat]).length;
}

/** How many numbers the beats have together. */
export function countOf(beats: readonly Beat[]): number {
  return beats.reduce((sum, beat) => sum + numbersOf(beat), 0);
}

/** The number of a beat among those of its level: `6`, or `6–8` if a reader stops three times in it. */
export function numberOf(beats: readonly Beat[], place: number): string {
  const first = countOf(beats.slice(0, place)) + 1;
  const last = countOf(beats.slice(0, place + 1));
  return last === first ? String(first) : `${first}–${last}`;
}

/** The number at a step in the beat at `place`: that of the stop to which the step leads or, behind its landing, belongs. */
export function numberAt(beats: readonly Beat[], place: number, step: number): number {
  const beat = beats[place];
  const before = countOf(beats.slice(0, place));
  if (beat === undefined || addedIn(beat).length === 0) return before + 1;
  const stops = stopsIn([beat]);
  const to = pathTo([beat], step).findLast((one) => one.beat === beat || one.beat.added === true)?.beat.lands ?? beat.lands;
  const behind = stops.findLastIndex((one) => one <= step);
  return before + 1 + Math.max(0, stops.indexOf(to) === behind + 1 ? behind + 1 : behind);
}

/** Where the next beat lands. Behind the last landing of these levels the beats inside the last one follow, and then the
 * run's end, if there is more of it. */
export function landingAfter(plan: BeatPlan, step: number): number | null {
  const within = pathTo(plan.beats, step).map(({ beat }) => inside(beat));
  const landings = [...levelsAt(plan, step), ...within].map((beats) => stopsIn(beats).find((lands) => lands > step));
  return landings.find((lands) => lands !== undefined) ?? (plan.steps > step ? plan.steps : null);
}

/** Where the beat before lands; before the first one, the beginning. */
export function landingBefore(plan: BeatPlan, step: number): number {
  const landings = levelsAt(plan, step).map((beats) => stopsIn(beats).findLast((lands) => lands < step));
  return landings.find((lands) => lands !== undefined) ?? 0;
}

/** How many steps the line counts in which a step of plumbing stands; 0: the step has a line of its own. */
export function plumbingAround(plan: BeatPlan, step: number): number {
  let beat = pathTo(plan.beats, step).at(-1)?.beat;
  while (beat?.beats !== undefined && beat.beats.length > 0) beat = beat.beats[placeOf(beat.beats, step)];
  const line = beat?.lines.find((one) => one.key !== null && one.first <= step && step <= one.last);
  return line === undefined ? 0 : line.last - line.first + 1;
}
