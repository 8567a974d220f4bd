/**
 * The wash of a step's row in the space-time diagram, and in words what the step came to: in the column beside the lanes,
 * or else beside its actor. Pure.
 */

import type { Frame } from "../player/frame.ts";
import { facts, named } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { errorText } from "./field-words.ts";
import { TEXT, round, wrapAtMost } from "./geometry.ts";
import type { Arrived } from "./lane-arrival.ts";
import { arrivalWords, arrivedNow } from "./lane-arrival.ts";
import { shownReplica } from "./shown-replica.ts";
import type { LaneHead } from "./spacetime-heads.ts";
import { TO_LANES } from "./spacetime-heads.ts";
import { defaults as margin, marginWidth } from "./spacetime-margin.ts";

/** px of a row's wash at least. */
const BAND = 40;
/** Lines of a text: more than any has. */
const LINES = 6;
/** px from one to the next. */
const LINE = 17;

export interface BandShape {
  y: number;
  height: number;
  /** Its actor's; null when the actor has no lane. */
  x: number | null;
  /** `=` where the arriving batch equals a stored one. */
  sign: string | null;
  texts: { x: number; y: number; text: string; strong: boolean; anchor: "start" | "end" }[];
}

/** The texts of the band as lines for the column beside the lanes. */
function bandLines(frame: Frame): { text: string; strong: boolean }[] {
  return bandText(frame).flatMap((text, index) =>
    wrapAtMost(text, margin.width - 26, TEXT, LINES, index === 0).map((line) => ({ text: line, strong: index === 0 })));
}

export function bandHeight(frame: Frame): number {
  return Math.max(BAND, bandLines(frame).length * LINE + 10);
}

/**
 * The wash of this step, with what was decided in the column beside the lanes, or else beside the actor.
 * `begin`: px from the left edge to where the first lane stands.
 */
export function bandShape(frame: Frame, y: number, lanes: LaneHead[], width: number, begin: number): BandShape {
  const height = bandHeight(frame);
  const x = lanes.find((item) => item.actor === frame.step?.actor)?.x ?? null;
  const place = { y: round(y - height / 2), height, x, sign: arrivedAt(frame)?.fate === "duplicate" ? "=" : null };
  if (marginWidth(width, begin, lanes.length) !== null) {
    const lines = bandLines(frame);
    const left = (lanes[lanes.length - 1]?.x ?? begin) + 16;
    const first = y + 4.5 - ((lines.length - 1) * LINE) / 2;
    return { ...place, texts: lines.map(({ text, strong }, index) => ({ x: round(left), y: round(first + index * LINE), text, strong, anchor: "start" })) };
  }
  const times = begin - TO_LANES;
  const middle = x ?? times;
  const onRight = width - middle >= middle - times;
  const room = onRight ? width - middle - 22 : middle - times - 18;
  const lines = bandText(frame).flatMap((text, index) => wrapAtMost(text, room, TEXT, LINES, index === 0));
  const first = round(y + 5 - ((lines.length - 1) * LINE) / 2);
  return {
    ...place,
    texts: lines.map((text, index) => ({
      x: round(onRight ? middle + 16 : middle - 14), y: first + index * LINE, text, strong: true, anchor: onRight ? "start" : "end",
    })),
  };
}

/** The batch that this step's actor decided about, as the lanes show it. */
function arrivedAt(frame: Frame): Arrived | null {
  const decision = frame.step?.decision;
  const view = decision == null ? undefined : frame.view.partitions?.[decision.subject];
  const id = view === undefined ? null : shownReplica(view);
  const replica = id === null ? undefined : view?.replicas[id];
  if (decision == null || id === null || replica === undefined || decision.by !== frame.step?.actor) return null;
  return arrivedNow(frame, decision.subject, id);
}

/** What the step did, in one text or two: what arrived and what became of it, or the step's sentence. */
function bandText(frame: Frame): string[] {
  const step = frame.step;
  if (step === null) return [];
  const arrived = arrivedAt(frame);
  if (arrived !== null) {
    const { label, detail } = arrivalWords(frame, arrived);
    return [named(step.decision?.subject ?? "", label), detail];
  }
  if (step.refusal !== null) {
    const compared = facts(step.refusal.compared.map(([name, value]) => errorText(name, value)));
    return [step.refusal.error, compared];
  }
  return [say(step.key, step.params)];
}
