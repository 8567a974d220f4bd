/**
 * What the page requests from its source, and when.
 *
 * Near the reader whole slices of steps are asked for. A jump asks for a difference (`way`): the changes from a view that
 * is held to the wanted one, and its step, instead of all steps between. A farther jump asks for a near view (`near_view`): the
 * view there, without what is far back, and its step. One such request is in transit at a time, so that a drag
 * requests no more than it can get; its result is shown even if the reader is elsewhere by then. When the reader
 * rests, the slices around them are fetched, then those never seen, and last the step after the newest one, if the
 * reader is there and did not get it with the last step.
 */

import type { Ahead } from "./ahead.ts";
import type { View } from "./frame.ts";
import type { Lines } from "./lines.ts";
import type { Answer, Command } from "./source.ts";
import { SLICE_SIZE, WINDOW_SIZE, sliceOf, windowOf } from "./windows.ts";

export const defaults = {
  /** Steps beyond which the reader jumps; up to there they step. */
  near: 20,
  /** The most steps of a difference; beyond them, a near view is the smaller answer. */
  wayAtMost: 300,
  /** Steps ahead of the reader that are asked for before they are needed. */
  ahead: 24,
  /** Milliseconds without a frame after which the reader rests, and between what is fetched then. */
  rest: 160,
  /** So many times as long while the knob is held, because an answer may take longer than a rest. */
  restsDragged: 5,
};

/** Where the reader is. */
export interface Place {
  branch: string;
  shown: number;
}

/** What the supply needs of its store. */
export interface Asking {
  lines: Lines;
  ahead: Ahead;
  /** Null when it was refused, and the page has shown that. */
  ask: (command: Command) => Promise<Answer | null>;
  later: (milliseconds: number, action: () => void) => void;
  /** A difference or a near view led there. */
  landed: (branch: string, number: number) => void;
  /** Where the reader is; null while only requested steps may be fetched. */
  resting: () => (Place & { isDragged: boolean }) | null;
}

export class Supply {
  readonly #lines: Lines;
  readonly #with: Asking;
  #fetching = new Set<string>();
  #isAsked = false;
  #hasBegun = false;
  /** The server refused a difference: steps and near views lead everywhere, too. */
  #hasDifferences = true;
  /** Near views that were refused: the same request, sent again immediately, would be refused again. */
  readonly #refused = new Set<string>();
  #waits = false;
  #frames = 0;
  /** Branches of which everything up to this step has been seen. */
  readonly #seen = new Map<string, number>();

  constructor(asking: Asking) {
    this.#with = asking;
    this.#lines = asking.lines;
  }

  /** Requests from before a lost connection are made again as needed. */
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
    if (!this.#hasBegun) this.slice(branch, number); // The messages on their way when the page opens.
    this.#hasBegun = true;
  }

  /** Asks for the slices back to a view that is held, within the window of `number`; false: there is none. */
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

  /** One request for each owner of the steps in the slice of `number`. */
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

  /** Asks for the difference from a view that is held. If it is refused, the same view is requested in another way. */
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

  /** The view at `number` with its step: all that a frame takes. */
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
    // A refused fetch stays in the set: asking the same again at once would go round in circles.
    void this.#with.ask(command).then((answer) => {
      if (answer !== null) this.#fetching.delete(name);
    });
  }

  /** Waits until the reader rests (no frame was drawn for a while), and fetches what lies around. */
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

  /** The nearest slice that the page lacks: around the reader all of them, farther away those never seen. */
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
