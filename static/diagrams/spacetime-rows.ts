/**
 * The distances between the rows of the space-time diagram. There is one row per step that sends a drawn message or at
 * which one arrives or is lost, one per turning point, one for this step, and one per awaited arrival. Pure.
 *
 * Spaced by step, rows follow each other closely, and after a longer wait the distance is a little larger. Spaced by
 * time, distances are virtual time on one scale in every picture, so that two pictures can be compared. The exceptions:
 * moments closer than the least distance are still set apart, the texts of this step and of turning points get their
 * room, and a long quiet time becomes a marked break, or a fold if messages that are not drawn lie in it.
 */

import type { Frame, Mark } from "../player/frame.ts";
import type { BandRoom } from "./spacetime-band.ts";
import type { Drawn } from "./spacetime-layout.ts";
import { markHeight } from "./spacetime-margin.ts";

/** `tight`: less room than `step`, if essential messages would not fit otherwise; `close`: the same for `time`. */
export type RowSpacing = Spacing | "tight" | "close";

export const SPACINGS = ["step", "time"] as const;
export type Spacing = (typeof SPACINGS)[number];

export function isSpacing(word: string): word is Spacing {
  return (SPACINGS as readonly string[]).includes(word);
}

/** The least and the most px from one row to the next, spaced by step. */
const ROW_LEAST = 17;
const ROW_MOST = 30;
/** `SHORTENED`: px of a break. `FOLD`: px of a fold; `FOLDED`: with the space around it. */
const SHORTENED = 38;
const FOLD = 26;
const FOLDED = FOLD + ROW_LEAST + 7;

interface Rule {
  /** px between two rows that are `gap` ms apart. */
  apart(gap: number): number;
  /** px between two rows that are `gap` ms apart, if the later one is awaited. */
  awaited(gap: number): number;
  /** A quiet time of more than so many ms becomes a break. */
  cutAfter: number;
  /**
   * If two rows are at most so many ms apart, the messages not drawn between them are counted at the axis, not in a
   * fold.
   */
  countsUpTo: number;
  /** px between the row before and the upper edge of this step's band, in addition to the band's own px. */
  clear: number;
  /** px between two rows, from the px that their distance in time takes (`apart`) and the px that their texts need. */
  both(time: number, texts: number): number;
}

/**
 * The scale by time. `perMillisecond`: px of one virtual millisecond; `least`: the least px between two moments;
 * `cutAfter`, `cutClose`: the longest quiet time, in ms, that is no break, with the spacing `time` and with `close`.
 */
export const TO_SCALE = { perMillisecond: 4, least: 12, cutAfter: 30, cutClose: 10 };

const byTime = (gap: number): number => Math.max(TO_SCALE.least, gap * TO_SCALE.perMillisecond);
export const RULES: Record<RowSpacing, Rule> = {
  step: {
    apart: (gap) => Math.min(ROW_MOST, Math.max(ROW_LEAST, 12 + 2 * gap)),
    awaited: (gap) => Math.min(ROW_MOST, Math.max(ROW_LEAST, 10 + 2 * gap)),
    cutAfter: 25,
    countsUpTo: -1,
    clear: 0,
    both: (time, texts) => time + texts,
  },
  tight: { apart: () => ROW_LEAST, awaited: () => ROW_LEAST, cutAfter: Number.POSITIVE_INFINITY, countsUpTo: Number.POSITIVE_INFINITY, clear: 0, both: (time, texts) => time + texts },
  time: { apart: byTime, awaited: byTime, cutAfter: TO_SCALE.cutAfter, countsUpTo: TO_SCALE.cutAfter, clear: 16, both: Math.max },
  close: { apart: byTime, awaited: byTime, cutAfter: TO_SCALE.cutClose, countsUpTo: TO_SCALE.cutClose, clear: 16, both: Math.max },
};

export interface Row {
  step: number;
  at: number;
  y: number;
  future: boolean;
}

/**
 * A break: the quiet time from `from` to `until` (ms), which the picture shortens. `awaited`: it ends at an arrival.
 */
export interface Cut {
  y: number;
  from: number;
  until: number;
  awaited: boolean;
}

/** Messages that are not drawn: `count` of them, between two rows that are `gap` ms apart. */
interface Hidden {
  y: number;
  count: number;
  gap: number;
}

export interface Rows {
  rows: Row[];
  folds: Hidden[];
  /** Undrawn messages whose number is written at the axis and takes no room; `folds` are the others. */
  counts: Hidden[];
  shortened: Cut[];
  /** The number of undrawn messages before the first row. */
  before: number;
  height: number;
}

/** The room that the texts beside rows take. */
export interface WordsRoom {
  /** px of this step's band above and below the middle of its row. */
  band: BandRoom;
  /** px of the column beside the lanes; null: there is none. */
  column: number | null;
}

/**
 * Places the rows. `kept`: the drawn messages; `candidates`: all of which some could be drawn; `points`: turning
 * points, which have rows of their own.
 */
export function layoutRows(
  frame: Frame, kept: readonly Drawn[], candidates: readonly Drawn[], points: readonly Mark[], { band, column }: WordsRoom, spacing: RowSpacing,
): Rows {
  const rule = RULES[spacing];
  const now = frame.step?.number ?? 0;
  const { at, awaited, tall } = moments(frame, kept, points, column);
  const steps = [...at.keys()].sort((one, other) => one - other);
  const counted = hiddenBetween(kept, candidates, steps);
  // If this step has the first row, its band needs room below the actors' names.
  let y = frame.step !== null && steps[0] === now ? Math.max(0, band.above - 10) : 0;
  const laid: Rows = { rows: [], folds: [], counts: [], shortened: [], before: counted[0] ?? 0, height: 0 };
  steps.forEach((step, index) => {
    const time = at.get(step) as number;
    const previous = laid.rows[index - 1];
    if (previous !== undefined) {
      const gap = time - previous.at;
      const count = counted[index] ?? 0;
      const texts = step === now ? band.above - 8 : 0;
      const apart = rule.both(rule.apart(gap), step === now ? texts + rule.clear : 0);
      if (count > 0 && gap <= rule.countsUpTo) {
        laid.counts.push({ y: y + apart / 2, count, gap });
        y += apart;
      } else if (count > 0) {
        laid.folds.push({ y: y + 11 + FOLD / 2, count, gap });
        y += FOLDED + texts;
      } else if (gap > rule.cutAfter) {
        laid.shortened.push({ y: y + SHORTENED / 2, from: previous.at, until: time, awaited: false });
        y += SHORTENED + texts;
      } else {
        y += apart;
      }
      y = Math.max(y, previous.y + (tall.get(previous.step) ?? 0) + (step === now ? band.above : 0));
    }
    laid.rows.push({ step, at: time, y, future: false });
  });
  awaitedRows(laid, awaited, rule, y, band.below + 8);
  return laid;
}

/**
 * `at`: step with a row → its time (ms). `awaited`: the times of awaited arrivals, ascending. `tall`: step of a turning
 * point → px of its text.
 */
function moments(frame: Frame, kept: readonly Drawn[], points: readonly Mark[], column: number | null) {
  const at = new Map<number, number>();
  const awaited = new Set<number>();
  at.set(frame.step?.number ?? 0, frame.step?.at ?? frame.view.time);
  for (const drawn of kept) {
    at.set(drawn.arrow.sentStep, drawn.arrow.sentAt);
    if (drawn.underWay) awaited.add(Math.max(drawn.endAt, frame.view.time));
    else at.set(drawn.endStep, drawn.endAt);
  }
  const tall = new Map<number, number>();
  for (const point of points) {
    at.set(point.step, point.at);
    tall.set(point.step, markHeight(point, column));
  }
  return { at, awaited: [...awaited].sort((one, other) => one - other), tall };
}

/**
 * For each of `steps`, how many undrawn candidates were sent at it, or after the step before. Both lists are in order.
 */
function hiddenBetween(kept: readonly Drawn[], candidates: readonly Drawn[], steps: readonly number[]): number[] {
  const drawn = new Set(kept.map(({ arrow }) => arrow.id));
  const counts = steps.map(() => 0);
  let row = 0;
  for (const { arrow } of candidates) {
    if (drawn.has(arrow.id)) continue;
    while (row < steps.length && (steps[row] as number) < arrow.sentStep) row += 1;
    if (row < steps.length) counts[row] = (counts[row] as number) + 1;
  }
  return counts;
}

/**
 * Adds the rows of awaited arrivals below y `from`, and sets the height. `below`: px that the last row's text needs.
 */
function awaitedRows(laid: Rows, awaited: readonly number[], rule: Rule, from: number, below: number): void {
  let y = from;
  let last = laid.rows[laid.rows.length - 1]?.at ?? 0;
  awaited.forEach((time, index) => {
    const texts = index === 0 ? below : 0;
    const gap = time - last;
    if (gap > rule.cutAfter) {
      laid.shortened.push({ y: y + texts + SHORTENED / 2, from: last, until: time, awaited: true });
      y += texts + SHORTENED;
    } else {
      y += rule.both(rule.awaited(gap), texts);
    }
    laid.rows.push({ step: Number.POSITIVE_INFINITY, at: time, y, future: true });
    last = time;
  });
  laid.height = awaited.length === 0 ? y + below : y;
}
