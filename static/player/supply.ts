/**
 * What the page requests from its source, and when.
 *
 * Near the reader, whole slices of steps are requested. For a jump, the page requests a difference (`difference`): the
 * changes from a held view to the wanted one, and the step there, instead of all steps between. For a farther jump, it
 * requests a near view (`near_view`): the view there without the parts that lie far back, and its step. One such
 * request is in transit at a time, so that a drag requests no more than it can get; its result is shown even if the
 * reader is elsewhere by then. When the reader rests, the page fetches the slices around them, then those never seen,
 * and last the step after the newest one, if the reader is there and did not get it with the last step.
 */

import type { Ahead } from "./ahead.ts";
import type { View } from "./frame.ts";
import type { Lines } from "./lines.ts";
import type { Answer, Command } from "./source.ts";
import { SLICE_SIZE, WINDOW_SIZE, sliceOf, windowOf } from "./windows.ts";

export const defaults = {
  /** The most steps that count as stepping; more are a jump. */
  near: 20,
  /** The most steps of a difference; beyond them, a near view is the smaller answer. */
  wayAtMost: 300,
  /** The number of steps ahead of the reader that are requested before they are needed. */
  ahead: 24,
  /** Milliseconds without a frame after which the reader rests; also between the fetches that follow. */
  rest: 160,
  /** The factor of `rest` while the knob is held, because an answer may take longer than a rest. */
  restsDragged: 5,
};

/** The reader's place. */
export interface Place {
  branch: string;
  shown: number;
}

/** What the supply needs from its store. */
export interface Asking {
  lines: Lines;
  ahead: Ahead;
  /** Sends a request; null if it was refused, and the page has shown that. */
  ask: (command: Command) => Promise<Answer | null>;
  later: (milliseconds: number, action: () => void) => void;
  /** Called with the step to which a difference or a near view led. */
  landed: (branch: string, number: number) => void;
  /** The reader's place; null while only requested steps may be fetched. */
  resting: () => (Place & { isDragged: boolean }) | null;
}

export class Supply {
  readonly #lines: Lines;
  readonly #with: Asking;
  #fetching = new Set<string>();
  #isAsked = false;
  #hasBegun = false;
  /** False after the server has refused a difference: steps and near views lead everywhere, too. */
  #hasDifferences = true;
  /** Near views that were refused: the same request, sent again at once, would be refused again. */
  readonly #refused = new Set<string>();
  #waits = false;
  #frames = 0;
  /** Branch → the step up to which everything has been seen. */
  readonly #seen = new Map<string, number>();

  constructor(asking: Asking) {
    this.#with = asking;
    this.#lines = asking.lines;
  }

  /** Forgets the requests from before a lost connection; they are made again as needed. */
  reconnected(): void {
    this.#fetching.clear();
  }

  /** Requests what is missing for a frame at `number`, starting from the step on show. */
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

  /** Requests the slices back to a held view, within the window of `number`; false: there is no such view. */
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

  /** After a frame was drawn: fetches the following steps for a reader who steps, and the rest once the reader rests. */
  drew({ branch, shown }: Place, stepped: boolean): void {
    const ahead = Math.min(shown + defaults.ahead, this.#lines.newest(branch));
    if (stepped && ahead > shown && this.#lines.peek(branch, ahead) === undefined) this.slice(branch, ahead);
    this.#frames += 1;
    if (this.#lines.isOutgrown(branch, shown)) this.#see(branch, shown, false);
  }

  /** Requests the slice of `number`, with one request for each branch that owns steps in it. */
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

  /** Requests the difference from a held view. If it is refused, the same view is requested in another way. */
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

  /** Requests the view at `number` with its step: all that a frame needs. */
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
    // A refused fetch stays in the set: the same request, sent again at once, would be refused again.
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
   * Fetches the nearest slice that the page lacks: near the reader any slice, farther away only those never seen.
   * False: there is none.
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
      if (this.#lines.peek(branch, number) === undefined) return false;
    }
    return true;
  }
}
