/**
 * Requests steps and views from the source when the page needs them.
 *
 * Near the step on show, whole slices of steps are requested. For a jump, the page requests a difference
 * (`difference`): the changes from a view that it holds to the wanted one, and the step there, instead of all steps
 * between. For a farther jump, it requests a near view (`near_view`): the view there without its old parts, and the
 * step. Only one such request is in transit at a time, so that a drag requests no more than the server can answer; its
 * result is shown even if the reader is elsewhere by then. When the reader rests, the page fetches the slices around
 * the step on show, then those never seen, and last the step after the newest one, if the newest one is on show.
 */

import type { Ahead } from "./ahead.ts";
import type { View } from "./frame.ts";
import type { Lines } from "./lines.ts";
import type { Answer, Command } from "./source.ts";
import { SLICE_SIZE, WINDOW_SIZE, sliceOf, windowOf } from "./windows.ts";

export const defaults = {
  /** The most steps by which the reader moves near the step on show; a longer move is a jump. */
  near: 20,
  /** The most steps over which a difference is requested; over more, a near view is the smaller answer. */
  wayAtMost: 300,
  /** The number of steps ahead of the reader that are requested before they are needed. */
  ahead: 24,
  /** Milliseconds without a new frame after which the reader counts as resting. */
  rest: 160,
  /** While the knob is held, `rest` has to pass so many times, because an answer may take longer than one rest. */
  restsDragged: 5,
};

/** The reader's place. */
export interface Place {
  branch: string;
  shown: number;
}

/** The functions and objects of the store that the supply uses. */
export interface Asking {
  lines: Lines;
  ahead: Ahead;
  /** Sends a request; null if it was refused, and the page has shown that. */
  ask: (command: Command) => Promise<Answer | null>;
  later: (milliseconds: number, action: () => void) => void;
  /** Called with the step to which a difference or a near view led. */
  landed: (branch: string, number: number) => void;
  /** The reader's place; null without a live connection, when nothing is fetched in advance. */
  resting: () => (Place & { isDragged: boolean }) | null;
}

export class Supply {
  readonly #lines: Lines;
  readonly #with: Asking;
  #fetching = new Set<string>();
  #isAsked = false;
  #hasBegun = false;
  /** False after the server has refused a difference. The page then requests only steps and near views. */
  #hasDifferences = true;
  /** `branch/number` of near views that were refused: they are not requested again. */
  readonly #refused = new Set<string>();
  #waits = false;
  #frames = 0;
  /** Branch → the step up to which the page has seen all steps. */
  readonly #seen = new Map<string, number>();

  constructor(asking: Asking) {
    this.#with = asking;
    this.#lines = asking.lines;
  }

  /** Forgets the requests from before a lost connection; they are made again as needed. */
  reconnected(): void {
    this.#fetching.clear();
  }

  /** Requests the steps or the view that are missing for a frame at step `number`. */
  need({ branch, shown }: Place, number: number): void {
    const before = Math.max(number - 1, 0);
    const isLost = [before, number].find((one) => this.#lines.isLost(branch, one));
    if (isLost !== undefined) return this.#see(branch, isLost);
    const isFar = Math.abs(number - shown) > defaults.near;
    const anchor = isFar && this.#hasDifferences ? this.#lines.anchor(branch, number, defaults.wayAtMost) : null;
    if (anchor !== null) return this.#go(branch, anchor, number);
    if (!isFar && this.#askSlices(branch, before, number)) return;
    this.#see(branch, number);
    if (!this.#hasBegun) this.slice(branch, number); // When the page opens, the steps before are needed for the messages in transit.
    this.#hasBegun = true;
  }

  /**
   * Requests the slices of steps from which the view at `before` can be folded, back to a view that the page holds.
   * Returns false if there is no such view in the window of `number`.
   */
  #askSlices(branch: string, before: number, number: number): boolean {
    const first = windowOf(Math.max(number, 1)) * WINDOW_SIZE + 1;
    for (let from = number; from >= first; ) {
      from = sliceOf(from) * SLICE_SIZE; // The last step of the slice before.
      if (!this.#lines.isReachableWith(branch, before, from + 1, number)) continue;
      for (let at = number; at > from; at = sliceOf(at) * SLICE_SIZE) this.slice(branch, at);
      return true;
    }
    return false;
  }

  /** The store calls this after it drew a frame. Requests the next steps if the reader moved by a step (`stepped`). */
  drew({ branch, shown }: Place, stepped: boolean): void {
    const ahead = Math.min(shown + defaults.ahead, this.#lines.newest(branch));
    if (stepped && ahead > shown && this.#lines.step(branch, ahead) === undefined) this.slice(branch, ahead);
    this.#frames += 1;
    if (this.#lines.isOutgrown(branch, shown)) this.#see(branch, shown, false);
  }

  /** Requests the slice of steps with step `number`, by one request for each branch that owns steps in it. */
  slice(branch: string, number: number): void {
    const from = sliceOf(number) * SLICE_SIZE + 1;
    const to = Math.min(from + SLICE_SIZE - 1, this.#lines.newest(branch));
    for (const stretch of this.#lines.stretches(branch)) {
      const first = Math.max(from, stretch.from + 1, 1);
      const last = Math.min(to, stretch.to, this.#lines.newest(stretch.owner));
      if (first > last || this.#isLoaded(branch, first, last)) continue;
      this.#once({ type: "window", branch: stretch.owner, from: first, to: last });
    }
  }

  /** Requests the difference from the view `from` to step `to`. If it is refused, no more differences are requested. */
  #go(branch: string, from: { number: number; view: View }, to: number): void {
    if (this.#isAsked) return;
    this.#isAsked = true;
    void this.#with.ask({ type: "difference", branch, from: from.number, to }).then((answer) => {
      this.#isAsked = false;
      if (answer === null) this.#hasDifferences = false;
      if (answer?.difference === undefined) return;
      this.#lines.arrive(branch, to, from.view, answer.difference);
      this.#with.landed(branch, to);
    });
  }

  /** Requests the near view at step `number`. `toBeShown`: whether the store is informed, so that it shows the step. */
  #see(branch: string, number: number, toBeShown = true): void {
    const place = `${branch}/${number}`;
    if (this.#isAsked || this.#refused.has(place)) return;
    this.#isAsked = true;
    void this.#with.ask({ type: "near_view", branch, number }).then((answer) => {
      this.#isAsked = false;
      if (answer === null) this.#refused.add(place);
      else if (toBeShown) this.#with.landed(branch, number);
    });
  }

  #once(command: Command): void {
    const name = JSON.stringify(command);
    if (this.#fetching.has(name)) return;
    this.#fetching.add(name);
    // A refused request stays in the set, so that it is not sent again.
    void this.#with.ask(command).then((answer) => {
      if (answer !== null) this.#fetching.delete(name);
    });
  }

  /** Waits until the reader rests (no frame was drawn for a while), and then fetches the steps around them. */
  rest(rests = 1): void {
    if (this.#waits) return;
    this.#waits = true;
    const frames = this.#frames;
    this.#with.later(defaults.rest, () => {
      this.#waits = false;
      const place = this.#with.resting();
      if (place === null) return;
      if (frames !== this.#frames) this.rest();
      else if (place.isDragged && rests < defaults.restsDragged) this.rest(rests + 1);
      else if (this.#fetchAround(place)) this.rest(defaults.restsDragged);
      else if (place.shown === this.#lines.newest(place.branch)) this.#lookAhead(place);
    });
  }

  #lookAhead({ branch, shown }: Place): void {
    if (this.#with.ahead.isUnasked(branch, shown)) void this.#with.ask({ type: "ahead", branch, after: shown });
  }

  /**
   * Requests the nearest slice that the page lacks. At most one slice away from the step on show, this is any slice
   * that is not held; farther away only one that was never seen. Returns false if there is none.
   */
  #fetchAround({ branch, shown }: Place): boolean {
    const newest = this.#lines.newest(branch);
    const here = sliceOf(Math.max(1, shown));
    const last = sliceOf(newest);
    for (let far = 0; far <= last; far += 1) {
      if (far > 1 && this.#seen.get(branch) === newest) return false;
      for (const slice of far === 0 ? [here] : [here - far, here + far]) {
        if (slice < 0 || slice > last || !this.#lacksSlice(branch, slice, far <= 1)) continue;
        this.slice(branch, slice * SLICE_SIZE + 1);
        return true;
      }
    }
    this.#seen.set(branch, newest);
    return false;
  }

  #lacksSlice(branch: string, slice: number, around: boolean): boolean {
    const from = slice * SLICE_SIZE + 1;
    const to = Math.min(from + SLICE_SIZE - 1, this.#lines.newest(branch));
    if (around) return !this.#isLoaded(branch, from, to);
    for (let number = from; number <= to; number += 1) if (this.#lines.mark(branch, number) === 0) return true;
    return false;
  }

  #isLoaded(branch: string, from: number, to: number): boolean {
    for (let number = from; number <= to; number += 1) {
      if (this.#lines.step(branch, number) === undefined) return false;
    }
    return true;
  }
}
