/**
 * The steps of one branch that the page holds, in windows of 500, and a small mark for every step ever seen.
 *
 * Windows that are far from the reader are dropped. Marks stay, so the scrubber keeps its ticks.
 */

import type { Step } from "./frame.ts";
import { shareGrown } from "./grown.ts";

export const WINDOW_SIZE = 500;
/** The most steps of one request. A message is parsed in one go, during which no frame can be drawn, so it is small. */
export const SLICE_SIZE = 125;

export const MARK_SEEN = 1;
export const MARK_INTERESTING = 2;
/** The mark of a step in which a message is lost. */
export const MARK_LOST_MESSAGE = 4;
export const MARK_REFUSED = 8;
export const MARK_BROKEN = 16;

function markOf(step: Step): number {
  let mark = MARK_SEEN;
  if (step.interesting) mark |= MARK_INTERESTING;
  if (step.messages.some((message) => message.event === "dropped" || message.event === "lost")) mark |= MARK_LOST_MESSAGE;
  if (step.refusal !== null) mark |= MARK_REFUSED;
  if (step.broken.length > 0) mark |= MARK_BROKEN;
  return mark;
}

/** The index of the window with this step: steps 1–500 are in window 0. */
export function windowOf(number: number): number {
  return Math.floor((number - 1) / WINDOW_SIZE);
}

/** The index of the slice with this step: steps 1–125 are in slice 0. A window consists of whole slices. */
export function sliceOf(number: number): number {
  return Math.floor((number - 1) / SLICE_SIZE);
}

export class StepWindows {
  /** Rises with each change of a mark. Drawings made from marks use it to notice that they are out of date. */
  version = 0;
  #windows = new Map<number, Map<number, Step>>();
  #marks = new Uint8Array(1024);
  #times = new Float64Array(1024);
  #highest = 0;
  readonly #reach: number;

  /** `reach`: the number of windows that are kept on either side of the one with the step on show. */
  constructor(reach: number) {
    this.#reach = reach;
  }

  /** Stores the marks of the steps, and the steps themselves if they are near the reader, who is at step `near`. */
  put(steps: readonly Step[], near: number): void {
    shareGrown(steps);
    const own = windowOf(Math.max(1, near));
    for (const index of this.#windows.keys()) if (this.#isFar(index, own)) this.#windows.delete(index);
    for (const step of steps) this.#putOne(step, own);
    if (steps.length > 0) this.version += 1;
  }

  #putOne(step: Step, own: number): void {
    this.#windowFor(windowOf(step.number), own)?.set(step.number, step);
    this.#reserve(step.number);
    this.#marks[step.number] = markOf(step);
    this.#times[step.number] = step.at;
    if (step.number > this.#highest) this.#highest = step.number;
  }

  /** Removes a step and its mark, as if it had never been seen. */
  remove(number: number): void {
    this.#windows.get(windowOf(number))?.delete(number);
    this.#marks[number] = 0;
    if (number === this.#highest) this.#highest -= 1;
    this.version += 1;
  }

  get(number: number): Step | undefined {
    return this.#windows.get(windowOf(number))?.get(number);
  }

  mark(number: number): number {
    return this.#marks[number] ?? 0;
  }

  time(number: number): number | undefined {
    return this.mark(number) === 0 ? undefined : this.#times[number];
  }

  /** The highest number of a step ever seen. */
  get highest(): number {
    return this.#highest;
  }

  /** The last step up to which every step after `after` has been seen. */
  seenUpTo(after: number): number {
    let number = after;
    while (this.mark(number + 1) !== 0) number += 1;
    return number;
  }

  #reserve(number: number): void {
    if (number < this.#marks.length) return;
    const length = Math.max(number + 1, this.#marks.length * 2);
    const marks = new Uint8Array(length);
    marks.set(this.#marks);
    this.#marks = marks;
    const times = new Float64Array(length);
    times.set(this.#times);
    this.#times = times;
  }

  #isFar(index: number, own: number): boolean {
    return Math.abs(index - own) > this.#reach;
  }

  /** The window with this index, which is made if needed; null if it is too far from the window `own` to be kept. */
  #windowFor(index: number, own: number): Map<number, Step> | null {
    if (this.#isFar(index, own)) return null;
    const made = this.#windows.get(index) ?? new Map<number, Step>();
    this.#windows.set(index, made);
    return made;
  }
}
