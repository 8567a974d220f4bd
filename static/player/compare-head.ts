/**
 * The results of two runs, above both: the cost of the changes to one of them, or else the counts at their ends that
 * differ; and for each run the beats that the other does not have. Computed from the plans, which know the ends before
 * the last steps are made.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { Outcome, Plan, Words } from "../generated/messages.ts";
import type { Beat } from "./beats.ts";
import { leavesOf, titleOf } from "./beats.ts";
import { othersButton } from "./compare-facts.ts";
import type { RunNames, Unfolding } from "./compare-facts.ts";
import { aside, sentences } from "./joins.ts";
import { costParts, endOf, planCost } from "./outcome.ts";
import { say } from "./text.ts";

export const defaults = {
  /** The most beats of one side that are named; the others are counted. */
  beats: 3,
};

/** Count → the name of the guarantee whose breaks are the same number. */
const GUARANTEES: Readonly<Record<string, string>> = { duplicates: "duplicated" };
const COUNTS = ["lost", "duplicates", "reordered", "failed", "hanging", "committed", "aborted", "retries", "questions_repeated", "marker_retries", "messages", "markers", "time"] as const;
export interface Count {
  name: (typeof COUNTS)[number];
  left: number;
  right: number;
}

/**
 * The counts that differ at the ends, losses first and durations last. A count that is also the number of breaks of a
 * broken guarantee is left out.
 */
export function differingCounts(left: Outcome, right: Outcome): Count[] {
  const broken = { ...left.broken, ...right.broken };
  return COUNTS.flatMap((name) => {
    const [one, other] = [left[name] ?? 0, right[name] ?? 0];
    return one === other || (GUARANTEES[name] ?? name) in broken ? [] : [{ name, left: one, right: other }];
  });
}

/** The guarantees that the runs break a different number of times. */
export function differingBreaks(left: Outcome, right: Outcome): { name: string; left: number; right: number }[] {
  return Object.keys({ ...left.broken, ...right.broken }).flatMap((name) => {
    const [one, other] = [left.broken?.[name] ?? 0, right.broken?.[name] ?? 0];
    return one === other ? [] : [{ name, left: one, right: other }];
  });
}

/**
 * The beats of a run, from step `from` on, that only this run has: no beat of the other run has the same title, and the
 * step at which it lands is not in both runs (`isShared`), because a longer beat of the other run may contain it.
 */
export function beatsOnlyIn(beats: readonly Beat[], others: readonly Beat[], from: number, isShared: (step: number) => boolean = () => false): Beat[] {
  const known = allOf(others).filter(({ last }) => last >= from).map(titleOf);
  // A beat's title is about the step at which it lands; a beat that lands before the difference is in both runs.
  return leavesOf(beats).filter((beat) => {
    if (beat.lands < from) return false;
    const place = known.indexOf(titleOf(beat));
    if (place >= 0) known.splice(place, 1);
    return place < 0 && !isShared(beat.lands);
  });
}

/** All beats, also those inside others. */
function allOf(beats: readonly Beat[]): Beat[] {
  return beats.flatMap((beat) => [beat, ...allOf(beat.beats ?? [])]);
}

/**
 * The results of both runs; empty until both ends are known. `isOneRun`: both are branches of one run; only then is a
 * cost, which is counted from the run as written, about these two.
 */
export function endsOf(left: Plan | null, right: Plan | null, isOneRun: boolean, runs: RunNames, verdict: readonly Words[] = []): TemplateResult | typeof nothing {
  const ends = [left, right].map((plan) => (plan?.complete === true ? endOf(plan) : undefined));
  const [leftEnd, rightEnd] = ends;
  if (left === null || right === null || leftEnd === undefined || rightEnd === undefined) return nothing;
  const [costly] = [right, left].filter((plan) => plan.cost !== undefined);
  if (isOneRun && costly?.cost !== undefined && (left.cost === undefined || right.cost === undefined)) {
    const numbers = costParts(costly.cost)[1];
    return html`<p class="compare-came"><b>${planCost(costly.cost).slice(0, -numbers.length)}</b><b class="cost">${numbers}</b></p>`;
  }
  const breaks = differingBreaks(leftEnd, rightEnd);
  const counts = differingCounts(leftEnd, rightEnd);
  const order = { left: runs.left_run, right: withoutShared(runs.right_run, runs.left_run) };
  const said = verdict.length === 0 ? nothing : html`<p class="compare-came"><b>${sentences(verdict.map(({ key, params }) => say(key, { ...params, ...runs })))}</b></p>`;
  if (breaks.length + counts.length === 0) return html`${said}<p class="compare-came">${say("player.compare.ends_alike")}</p>`;
  return html`${said}<ul class="compare-came" aria-label=${say("player.compare.ends", order)}><li class="quiet">${say("player.compare.ends_order", order)}</li>${breaks.map(({ name, ...sides }) => endRow(say(`player.guarantee.${name}`), sides, "bad"))}${counts.map(({ name, ...sides }) => endRow(say(`player.compare.end_${name}`), sides))}</ul>`;
}

function endRow(said: string, sides: { left: number; right: number }, kind: "bad" | "" = ""): TemplateResult {
  return html`<li class=${kind}>${said} <b class="num">${say("player.compare.end_sides", sides)}</b></li>`;
}

/** The titles of beats; beats with the same title also get their steps. */
export function beatNames(beats: readonly Beat[]): string[] {
  const titles = beats.map(titleOf);
  return beats.map(({ lands }, place) => {
    const title = titles[place] ?? "";
    return aside(title, titles.indexOf(title) === titles.lastIndexOf(title) ? null : say("player.compare.at_step", { step: lands }));
  });
}

/** A name without the words with which both names begin: `Kafka 2.8 → 3.9`. */
function withoutShared(name: string, other: string): string {
  const [words, others] = [name.split(" "), other.split(" ")];
  return words.slice(words.findIndex((word, place) => word !== others[place])).join(" ");
}

/** The beats of this run alone, after the first difference; a press goes to one. */
export function onlyHere(own: Plan | null, other: Plan | null, first: number, isShared: (step: number) => boolean, go: (step: number) => void, unfolding: Unfolding): TemplateResult | typeof nothing {
  if (own?.complete !== true || other?.complete !== true) return nothing;
  const beats = beatsOnlyIn(own.beats, other.beats, first, isShared);
  if (beats.length === 0) return html`<p class="only-here">${say("player.compare.only_here_none")}</p>`;
  const shown = unfolding.whole ? beats : beats.slice(0, defaults.beats);
  const names = beatNames(shown);
  return html`<p class="only-here"><span>${say("player.compare.only_here")}</span>${shown.map(({ lands }, place) => html` <button @click=${() => go(lands)}>${names[place]}</button>`)}${
    beats.length > defaults.beats ? html` ${othersButton(beats.length - defaults.beats, unfolding)}` : nothing}</p>`;
}
