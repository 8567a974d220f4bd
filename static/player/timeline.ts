/**
 * The geometry of the time axis that the guarantee strip and the scrubber share, so that a step has the same x in both.
 * Pure, no DOM.
 *
 * While a run without a plan can go on, the axis ends at a round number of steps, greater than that of the newest step,
 * so that it does not change with every new step.
 */

import type { Stretch } from "./lines.ts";
import type { BranchInfo } from "./source.ts";
import { MARK_BROKEN, MARK_INTERESTING, MARK_LOST_MESSAGE, MARK_REFUSED, MARK_SEEN } from "./windows.ts";

export interface Axis {
  /** The x of step 0 and of step `end`, in px. */
  left: number;
  right: number;
  end: number;
  /**
   * In a run with beats: the beats in order, each with its own scale. A step is in the middle of its share of the beat.
   */
  segments?: readonly Segment[];
}

export interface Segment {
  /** The first and the last step of the beat. */
  first: number;
  last: number;
  x: number;
  width: number;
}

const ROUND = [1, 1.5, 2, 3, 4, 6, 8, 10];

/** The smallest round number that leaves room beyond `newest`: 20, 30, 40, 60, 80, 100, 150, … */
export function roundEnd(newest: number): number {
  for (let scale = 10; ; scale *= 10) {
    for (const factor of ROUND) {
      const end = Math.round(scale * factor);
      if (end >= 20 && end >= newest * 1.04) return end;
    }
  }
}

/**
 * The axis of a run without beats. It is the same for all branches, and ends at the last step of the longest or later.
 */
export function axisOf(branches: Iterable<BranchInfo>, left: number, right: number): Axis {
  let newest = 0;
  let open = 0;
  for (const branch of branches) {
    newest = Math.max(newest, branch.newest);
    if (branch.finished === null) open = Math.max(open, branch.newest);
  }
  const grows = roundEnd(open);
  return { left, right, end: open === 0 && newest > 0 ? newest : Math.max(newest, grows, 1) };
}

export function xOf(axis: Axis, number: number): number {
  const { segments } = axis;
  if (segments === undefined) return axis.left + ((axis.right - axis.left) * number) / axis.end;
  const segment = segments.findLast(({ first }) => first <= number);
  if (segment === undefined) return axis.left;
  const { first, last, x, width } = segment;
  // In a run that is over, nothing comes after the end of the axis.
  if (number >= axis.end) return axis.right;
  return x + (width * (Math.min(number, last) - first + 0.5)) / (last - first + 1);
}

/** The number of the step nearest to x (px), from 0 to `newest`. */
export function stepAt(axis: Axis, x: number, newest: number): number {
  const { segments } = axis;
  const within = (number: number): number => Math.max(0, Math.min(newest, number));
  if (segments === undefined) return within(Math.round(((x - axis.left) / (axis.right - axis.left)) * axis.end));
  const segment = segments.findLast((one) => one.x <= x);
  if (segment === undefined || x < (axis.left + xOf(axis, segment.first)) / 2) return 0;
  const { first, last, x: from, width } = segment;
  return within(Math.min(last, first + Math.max(0, Math.round(((x - from) / width) * (last - first + 1) - 0.5))));
}

/** px that a finger has to move until `wayOf` says whether it drags the knob or scrolls the page. */
const SLACK = 6;

/**
 * The direction of a finger that has moved `right` px to the right and `down` px down: along the axis, which drags, or
 * across it, which scrolls. Null if it has not moved far enough.
 */
export function wayOf(right: number, down: number): "along" | "across" | null {
  if (Math.hypot(right, down) < SLACK) return null;
  return Math.abs(right) >= Math.abs(down) ? "along" : "across";
}

export interface Ticks {
  /** The SVG path of all plain ticks. */
  plain: string;
  /** The numbers of steps whose ticks have a shape of their own: of each kind, at most one within 7 px. */
  interesting: number[];
  lost: number[];
  refused: number[];
  broken: number[];
  /** Ranges [from, to] of steps that the page has never seen. */
  unknown: [number, number][];
}

/**
 * The ticks of all steps up to `newest`. Steps in the same column, a few px wide, have one tick, so that 20,000 steps
 * cost no more to draw than the columns that they cover. `mark`: returns the marks of a step (bits, windows.ts); `y`: in
 * px.
 */
export function ticks(axis: Axis, newest: number, mark: (number: number) => number, y: number): Ticks {
  const result: Ticks = { plain: "", interesting: [], lost: [], refused: [], broken: [], unknown: [] };
  const columns = axis.segments === undefined ? Math.max((axis.right - axis.left) / axis.end, 3) : 1.5;
  const parts: string[] = [];
  let column = -1;
  const seen = { interesting: -9, lost: -9, refused: -9, broken: -9 };
  for (let number = 1; number <= newest; number += 1) {
    const bits = mark(number);
    const x = xOf(axis, number);
    if ((bits & MARK_SEEN) === 0) {
      const last = result.unknown[result.unknown.length - 1];
      if (last !== undefined && last[1] === number - 1) last[1] = number;
      else result.unknown.push([number, number]);
      continue;
    }
    const here = Math.floor((x - axis.left) / columns);
    if (here !== column) {
      column = here;
      parts.push(`M${x.toFixed(1)} ${y}v-4`);
    }
    note(bits, MARK_BROKEN, "broken", number, x);
    note(bits, MARK_LOST_MESSAGE, "lost", number, x);
    note(bits, MARK_REFUSED, "refused", number, x);
    note(bits, MARK_INTERESTING, "interesting", number, x);
  }
  result.plain = parts.join("");
  return result;

  function note(bits: number, bit: number, kind: keyof typeof seen, number: number, x: number): void {
    if ((bits & bit) === 0 || x - seen[kind] < 7) return;
    seen[kind] = x;
    result[kind].push(number);
  }
}

/**
 * The steps of the branch on show and its ancestors after which other branches leave, each with these branches.
 * `onShow`: the ranges of the line on show. A branch does not count if it leaves an ancestor only after the step at
 * which the line on show has left it.
 */
export function forksOf(branches: Iterable<BranchInfo>, onShow: readonly Pick<Stretch, "owner" | "to">[]): { at: number; branches: BranchInfo[] }[] {
  const forks = new Map<number, BranchInfo[]>();
  for (const branch of branches) {
    const leaves = onShow.some(({ owner, to }) => owner === branch.parent && branch.leaves_at <= to);
    if (!leaves || onShow.some(({ owner }) => owner === branch.id)) continue;
    forks.set(branch.leaves_at, [...(forks.get(branch.leaves_at) ?? []), branch]);
  }
  return [...forks].map(([at, leaving]) => ({ at, branches: leaving }));
}
