/**
 * A run in beats (docs/frame.md, *Plan*): finds the beat of a step, the step at which the next beat lands, and titles.
 * In long runs, beats contain beats. A reader who moves by beats stays on the level of the beat at whose landing they
 * are. Pure, no DOM.
 */

import type { Beat, Plan } from "../generated/messages.ts";
import { say, words } from "./text.ts";

export type { Beat, BeatLine } from "../generated/messages.ts";

/** The part of a plan that the time axis needs, with the messages to drop first (`losses`). */
export type BeatPlan = Pick<Plan, "steps" | "complete" | "beats" | "losses">;

export function titleOf(beat: Beat): string {
  const { title, key, params, apart, ends } = beat;
  const after = ({ key: of, params: about }: NonNullable<Beat["ends"]>): string => say(of, about);
  const own = title?.[words.language] ?? say(key, params) + (apart === undefined ? "" : after(apart));
  return own + (ends === undefined ? "" : after(ends));
}

/**
 * The beats that the tile of the beat at `place` names, in the order of their landings: `head`, and `behind`, which is
 * undefined if the tile names only one. A tile with several stops names the beat itself and an `added` one inside it:
 * the first one, in the last beat of a run the last one.
 */
function namedIn(beats: readonly Beat[], place: number): { head: Beat; behind: Beat | undefined } {
  const own = beats[place] as Beat;
  const added = stopsOf(beats, place).length < 2 ? [] : addedIn(own);
  const other = added.at(place === beats.length - 1 ? -1 : 0);
  return other !== undefined && other.lands < own.lands ? { head: added[0] ?? own, behind: own } : { head: own, behind: other };
}

/**
 * The addition to the name of a beat with several stops: `+` and the title of an `added` beat inside it, from three
 * stops on with their number (`+ The EndTxn request is dropped (4 parts)`). If the added beat lands first, it is the
 * name, and the beat's own title the addition. Only `(4 parts)` if no beat inside is `added`; "" for a beat with one
 * stop.
 */
export function addedText(beats: readonly Beat[], place: number): string {
  const count = stopsOf(beats, place).length;
  if (count < 2) return "";
  const { behind } = namedIn(beats, place);
  if (behind === undefined) return say("player.beat_parts", { count });
  const title = titleOf(behind);
  return count > 2 ? say("player.beat_added_more", { title, count }) : say("player.beat_added", { title });
}

/**
 * The titles of a beat and of the `added` beats inside it, in the order of their landings: `txn-1: commit is decided +
 * LSO passes 1 committed record of p2`.
 */
export function wholeName(beats: readonly Beat[], place: number): string {
  const own = beats[place] as Beat;
  const [first = own, ...others] = [own, ...addedIn(own)].toSorted((one, other) => one.lands - other.lands);
  return [titleOf(first), ...others.map((one) => say("player.beat_added", { title: titleOf(one) }))].join(" ");
}

/**
 * The texts that the tile of the beat at `place` may show, each as [name, addition]. The first one is shown while no
 * stop of the beat is on show. If the beat has several stops, each has a further text with the same name, and with the
 * number and title of the stop as addition.
 */
export function tileTexts(beats: readonly Beat[], place: number): (readonly [string, string])[] {
  const { head } = namedIn(beats, place);
  const stops = stopsOf(beats, place);
  const before = countOf(beats, place);
  const parts = stops.map(({ beat }, at) => [titleOf(head), beat === head ? say("player.beat_part", { part: at + 1, parts: stops.length }) : say("player.beat_part_title", { number: before + at + 1, title: titleOf(beat) })] as const);
  return [[titleOf(head), addedText(beats, place)], ...(stops.length > 1 ? parts : [])];
}

/** The beats inside a beat; empty if they are only equal parts of a long beat (`kind` *part*), which have no stops. */
function inside({ beats = [] }: Beat): readonly Beat[] {
  return beats.some(({ kind }) => kind !== "part") ? beats : [];
}

/** The beats that contain no further beats, in order. */
export function leavesOf(beats: readonly Beat[]): Beat[] {
  return beats.flatMap((beat) => (inside(beat).length === 0 ? [beat] : leavesOf(inside(beat))));
}

/** The index of the beat that contains a step; steps after the last beat count to it. −1 before the first beat. */
export function placeOf(beats: readonly Beat[], step: number): number {
  return beats.findLastIndex((beat) => beat.first <= step);
}

/** All beats that contain a step, the outermost first, each with its index (`place`) among the `count` on its level. */
export function pathTo(beats: readonly Beat[], step: number): { beat: Beat; place: number; count: number }[] {
  const place = placeOf(beats, step);
  const beat = beats[place];
  if (beat === undefined) return [];
  return [{ beat, place, count: beats.length }, ...pathTo(inside(beat), step)];
}

/**
 * The lists of beats among which a reader at a step moves, the preferred one first. At a stop: the beats of the
 * outermost level that stops there, then those of the levels around it. At any other step: only the outermost level.
 */
function levelsAt(plan: BeatPlan, step: number): (readonly Beat[])[] {
  const path = pathTo(plan.beats, step);
  const own = Math.max(0, path.findIndex(({ beat }) => stopsIn([beat]).some((stop) => stop.step === step)));
  return [plan.beats, ...path.slice(0, own).map(({ beat }) => inside(beat))].reverse();
}

/** The outermost beat that lands at the step. */
export function landingAt(plan: BeatPlan, step: number): Beat | undefined {
  return pathTo(plan.beats, step).find(({ beat }) => beat.lands === step)?.beat;
}

/** Whether one of the innermost beats lands at the step. */
export function landsAt(plan: BeatPlan, step: number): boolean {
  return leavesOf(plan.beats).some(({ lands }) => lands === step);
}

/** The `added` beats inside a beat. */
export function addedIn(beat: Beat): readonly Beat[] {
  return inside(beat).filter(({ added }) => added === true);
}

/** A step at which a reader stops, and the outermost beat that lands there. */
interface Stop {
  step: number;
  beat: Beat;
}

/**
 * The stops of a list of beats, in order: where these beats land, and where beats inside them land that have `stop`.
 */
function stopsIn(beats: readonly Beat[]): Stop[] {
  return inOrder(beats.flatMap((beat) => [beat, ...markedIn(beat)]).map((beat) => ({ step: beat.lands, beat })));
}

function markedIn({ beats = [] }: Beat): Beat[] {
  return beats.flatMap((beat) => [...(beat.stop === true ? [beat] : []), ...markedIn(beat)]);
}

/** The stops of the beat at `place`, in order. */
function stopsOf(beats: readonly Beat[], place: number): Stop[] {
  return stopsIn(beats.slice(place, place + 1));
}

function inOrder(stops: readonly Stop[]): Stop[] {
  return stops.filter(({ step }, at) => stops.findIndex((one) => one.step === step) === at).sort((one, other) => one.step - other.step);
}

/** The number of stops of all beats before the one at `place`; without `place`, of all beats. */
export function countOf(beats: readonly Beat[], place = beats.length): number {
  return beats.slice(0, place).reduce((sum, _, at) => sum + stopsOf(beats, at).length, 0);
}

/** The step of the stop with this number, counted from 1; null if the run has fewer stops. */
export function stepNumbered(beats: readonly Beat[], number: number): number | null {
  return beats.flatMap((_, place) => stopsOf(beats, place))[number - 1]?.step ?? null;
}

/** The numbers of the stops of the beat at `place` among all stops of the run: `6`, or `6–8` if it has three. */
export function numberOf(beats: readonly Beat[], place: number): string {
  const first = countOf(beats, place) + 1;
  const last = countOf(beats, place + 1);
  return last === first ? String(first) : `${first}–${last}`;
}

/**
 * The stop to which a step of the beat at `place` leads or, after the beat's last stop, belongs. `number`: its number
 * in the run; `part`: its number among the `parts` stops of the beat; `beat`: the beat that lands there. All count from
 * 1.
 */
export function stopAt(beats: readonly Beat[], place: number, step: number): { number: number; part: number; parts: number; beat: Beat } {
  const stops = stopsOf(beats, place);
  const path = pathTo(beats.slice(place, place + 1), step);
  const to = path.findLast(({ beat }) => stops.some((one) => one.beat === beat))?.beat.lands;
  const behind = stops.findLastIndex((one) => one.step <= step);
  const at = Math.max(0, stops[behind + 1]?.step === to ? behind + 1 : behind);
  return { number: countOf(beats, place) + at + 1, part: at + 1, parts: stops.length, beat: (stops[at] as Stop).beat };
}

/** The next stop after a step; after the last stop, the last planned step; null if `step` is not before that. */
export function landingAfter(plan: BeatPlan, step: number): number | null {
  const landings = levelsAt(plan, step).map((beats) => stopsIn(beats).find((one) => one.step > step)?.step);
  return landings.find((lands) => lands !== undefined) ?? (plan.steps > step ? plan.steps : null);
}

/** The last stop before a step; 0 if there is none. */
export function landingBefore(plan: BeatPlan, step: number): number {
  const landings = levelsAt(plan, step).map((beats) => stopsIn(beats).findLast((one) => one.step < step)?.step);
  return landings.find((lands) => lands !== undefined) ?? 0;
}

/** The number of steps in the line of the beat's list that only counts this step and others; 0: it has its own line. */
export function plumbingAround(plan: BeatPlan, step: number): number {
  let beat = pathTo(plan.beats, step).at(-1)?.beat;
  while (beat?.beats !== undefined && beat.beats.length > 0) beat = beat.beats[placeOf(beat.beats, step)];
  const line = beat?.lines.find((one) => one.key !== null && one.first <= step && step <= one.last);
  return line === undefined ? 0 : line.last - line.first + 1;
}
