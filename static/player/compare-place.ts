/** The line over two compared runs: where they stand, and at which virtual times. Pure. */

import type { RunNames } from "./compare-facts.ts";
import type { PlaceKind } from "./compare-walk.ts";
import { listed, sentences } from "./joins.ts";
import { say } from "./text.ts";

export const defaults = {
  /** The line contains the times of both runs if they are at least this far apart, in ms. */
  apart: 500,
  /** The most names of things that differ at the ends. */
  names: 4,
};

/** If one of the times beside each other is at least this, in ms, all are written in seconds. */
const SECONDS_FROM = 10_000;
/** If one of them is at least this, in ms, they are not in seconds, because moments are then written as on a clock. */
const SECONDS_TO = 60_000;

/** Virtual times that stand beside each other, in one unit. */
export function timesText(times: readonly number[]): string[] {
  const most = Math.max(...times);
  const inSeconds = most >= SECONDS_FROM && most < SECONDS_TO;
  return times.map((at) => (inSeconds ? say("duration.seconds", { count: (at / 1000).toFixed(3) }) : say("player.compare.at", { at })));
}

export interface Standing {
  kind: PlaceKind | null;
  /** Whether the runs differ in time alone. */
  isOfTime: boolean;
  /** The place in words from which on the runs differ. */
  since: string;
  /** The names of things that differ at the ends; null: not known. */
  lasting: readonly string[] | null;
}

/** Where both runs are; "" while it is not known. */
export function placeText({ kind, isOfTime, since, lasting }: Standing): string {
  if (kind === null) return "";
  if (kind === "times" && isOfTime) return say("player.compare.place.only_times");
  if (kind === "after") return say("player.compare.place.after", { since });
  if (kind !== "ends" || lasting === null) return say(`player.compare.place.${kind}`);
  if (lasting.length === 0) return say("player.compare.place.ends_alike");
  const names = lasting.slice(0, defaults.names);
  return say("player.compare.place.ends_apart", { names: listed(names.length < lasting.length ? [...names, "…"] : names) });
}

/** A text with the virtual times of both runs, if they are far apart; else "". */
export function apartText([left, right]: readonly [number, number], runs: RunNames): string {
  if (Math.abs(left - right) < defaults.apart) return "";
  const [ours = "", theirs = ""] = timesText([left, right]);
  return say("player.compare.times_apart", { ...runs, left: ours, right: theirs });
}

/**
 * The two texts of the line. `waits`: sentences about what a run waits for. They replace the text with the times, which
 * also stand over each side.
 */
export function standingText(standing: Standing, times: readonly [number, number], runs: RunNames, waits: readonly string[]): readonly [place: string, further: string] {
  return [placeText(standing), waits.length > 0 ? sentences([...waits]) : apartText(times, runs)];
}
