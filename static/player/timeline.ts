/**
 * Geometry of the time axis that the guarantee strip and the scrubber share: pure, no DOM.
 *
 * A step has the same x in both. While a run can go on, the axis ends at a round number beyond the newest step,
 * so that it does not move with every step; the rest of it is not made yet.
 */

import type { BranchInfo } from "./source.ts";
import { MARK_BROKEN, MARK_INTERESTING, MARK_LOST_MESSAGE, MARK_REFUSED, MARK_SEEN } from "./windows.ts";

export interface Axis {
  /** Pixels: where step 0 and step `end` are. */
  left: number;
  right: number;
  end: number;
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

/** One axis for all branches: its end covers the longest. */
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
  return axis.left + ((axis.right - axis.left) * number) / axis.end;
}

/** The step nearest to x, within 0..newest. */
export function stepAt(axis: Axis, x: number, newest: number): number {
  const number = Math.round(((x - axis.left) / (axis.right - axis.left)) * axis.end);
  return Math.max(0, Math.min(newest, number));
}

/** Round numbers to write under the axis, at least `apart` pixels from one another. */
export function labels(axis: Axis, apart: number): number[] {
  const width = axis.right - axis.left;
  let every = axis.end;
  for (let scale = 1; scale <= axis.end * 10; scale *= 10) {
    const fits = [1, 2, 5].map((factor) => factor * scale).find((candidate) => (width * candidate) / axis.end >= apart);
    if (fits !== undefined) {
      every = fits;
      break;
    }
  }
  const numbers: number[] = [];
  for (let number = 0; number < axis.end; number += every) numbers.push(number);
  const lastX = xOf(axis, numbers[numbers.length - 1] ?? 0);
  if (numbers.length > 1 && axis.right - lastX < apart) numbers.pop();
  numbers.push(axis.end);
  return numbers;
}

export interface Ticks {
  /** One path for all plain ticks. */
  plain: string;
  /** Steps with a shape of their own, at most one in a column of pixels. */
  interesting: number[];
  lost: number[];
  refused: number[];
  broken: number[];
  /** Stretches [from, to] of steps that have not been fetched yet. */
  unknown: [number, number][];
}

/** Ticks are gathered by columns, so that 20,000 steps cost no more than the pixels they fall on. */
export function ticks(axis: Axis, newest: number, mark: (number: number) => number, y: number): Ticks {
  const result: Ticks = { plain: "", interesting: [], lost: [], refused: [], broken: [], unknown: [] };
  const perStep = (axis.right - axis.left) / axis.end;
  const columns = Math.max(perStep, 3);
  const parts: string[] = [];
  let column = -1;
  const seen = { interesting: -9, lost: -9, refused: -9, broken: -9 };
  for (let number = 1; number <= newest; number += 1) {
    const bits = mark(number);
    const x = axis.left + perStep * number;
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

export interface BranchRow {
  branch: BranchInfo;
  y: number;
  isCurrent: boolean;
  /** From where the line leaves its parent to its newest step. */
  path: string;
  endX: number;
  startX: number;
}

/** The lines above the scrubber: the current branch lowest, its nearest relatives above it; the rest is counted. */
export function branchRows(
  branches: BranchInfo[],
  current: string,
  axis: Axis,
  room: { lowest: number; pitch: number; rows: number },
): { rows: BranchRow[]; folded: number } {
  const shown = nearestBranches(branches, current, room.rows);
  const yOf = new Map(shown.map((branch, index) => [branch.id, room.lowest - index * room.pitch]));
  const rows = shown.map((branch) => {
    const y = yOf.get(branch.id) as number;
    const startX = xOf(axis, branch.parent === null ? 0 : branch.leaves_at);
    const endX = Math.max(xOf(axis, branch.newest), startX);
    const parentY = branch.parent === null ? undefined : yOf.get(branch.parent);
    const bend = Math.min(16, Math.max(0, endX - startX));
    const path =
      parentY === undefined || parentY === y
        ? `M${startX.toFixed(1)} ${y}H${endX.toFixed(1)}`
        : `M${startX.toFixed(1)} ${parentY}C${(startX + bend).toFixed(1)} ${parentY} ${startX.toFixed(1)} ${y} ${(startX + bend).toFixed(1)} ${y}H${endX.toFixed(1)}`;
    return { branch, y, isCurrent: branch.id === current, path, endX, startX };
  });
  return { rows, folded: branches.length - shown.length };
}

function nearestBranches(branches: BranchInfo[], current: string, count: number): BranchInfo[] {
  const byId = new Map(branches.map((branch) => [branch.id, branch]));
  const chosen: BranchInfo[] = [];
  const choose = (branch: BranchInfo | undefined): void => {
    if (branch !== undefined && chosen.length < count && !chosen.includes(branch)) chosen.push(branch);
  };
  const here = byId.get(current);
  choose(here);
  for (let up = here; up !== undefined && up.parent !== null; ) {
    up = byId.get(up.parent);
    choose(up);
  }
  // Children and siblings, the newest first: what the reader made last is what they compare with.
  for (const branch of [...branches].reverse()) if (branch.parent === current) choose(branch);
  for (const branch of [...branches].reverse()) choose(branch);
  return chosen;
}
