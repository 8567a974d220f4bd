/**
 * The messages that were lost, delayed or duplicated in one of two runs only, and what this run waits for because of
 * them. Computed from both runs' arrows; pure.
 */

import { isLost, sentAgain } from "../diagrams/sent-again.ts";
import type { Ahead } from "./compare-facts.ts";
import type { Arrow } from "./frame.ts";
import { listed } from "./joins.ts";
import { say } from "./text.ts";

/** A message of one run that was lost, delayed or duplicated there, but not in the other run. */
export interface Decisive {
  arrow: Arrow;
  /** The request that was sent again because of it, as far as it is known. */
  again: Arrow | null;
}

/** Whether a message was lost, delayed or duplicated, in words; "" if it arrived once and in time. */
function fateOf(arrow: Arrow): string {
  const { fate, delayed, duplicated } = arrow;
  return [isLost(arrow) ? fate : "", delayed ? "delayed" : "", duplicated ? "duplicated" : ""].join(" ").trim();
}

/**
 * Whether two arrows of two runs are the same message. `same`: the last step up to which both runs are equal; up to
 * there, a message has the same id in both.
 */
function isAlike(same: number, { id, sentStep, message }: Arrow, other: Arrow): boolean {
  return sentStep <= same ? other.id === id : other.sentStep > same && other.message.api === message.api && other.message.from === message.from && other.message.to === message.to && other.message.is_response === message.is_response;
}

/** The messages of `ours` that were lost, delayed or duplicated, but not in `theirs`, in the order of sending. */
export function decisiveIn(ours: readonly Arrow[], theirs: readonly Arrow[], same: number): Decisive[] {
  const again = sentAgain(ours);
  return ours.filter((arrow) => fateOf(arrow) !== "" && !theirs.some((other) => isAlike(same, arrow, other) && fateOf(other) === fateOf(arrow)))
    .map((arrow) => ({ arrow, again: again.get(arrow) ?? null }));
}

/**
 * Ids of the messages of `ours` that show how the runs part: those that end differently in either run, and those that
 * were sent again because of it.
 */
export function decisiveIds(ours: readonly Arrow[], theirs: readonly Arrow[], same: number): number[] {
  const own = decisiveIn(ours, theirs, same);
  const ids = new Set(decisiveIn(theirs, ours, same).map(({ arrow }) => arrow.id));
  const counterparts = ours.filter(({ id, sentStep }) => sentStep <= same && ids.has(id));
  return [...new Set([...own.map(({ arrow }) => arrow), ...counterparts, ...own.flatMap(({ again }) => again ?? [])].map(({ id }) => id))];
}

/** A sentence about what the run on this side waits for; null if it is not behind, or not because of a message. */
export function waitsFor(decisive: readonly Decisive[], ahead: readonly Ahead[], side: "left" | "right", { run, most }: { run: string; most: number }): string | null {
  const names = ahead.filter((one) => one.side !== side && one.side !== "both").map(({ about }) => about);
  const late = decisive.findLast(({ arrow }) => isLost(arrow) || arrow.delayed);
  if (names.length === 0 || late === undefined) return null;
  const { arrow: { message, settledAt, delayed, sentAt }, again } = late;
  const said = { run, names: listed(names.slice(0, most)), api: message.api, kind: message.is_response ? "response" : "request", source: message.from, destination: message.to, at: settledAt ?? sentAt };
  if (!isLost(late.arrow)) return delayed && settledAt !== null ? say("player.compare.waits.delayed", said) : null;
  return again === null ? say("player.compare.waits.lost", said) : say("player.compare.waits.again", { ...said, until: again.sentAt });
}
