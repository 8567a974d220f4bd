/**
 * Collects the content of the reports of `<eos-trail>`: how far a reader looked, and from which steps they went back.
 * Knows no clock and no network.
 *
 * A reader went back if they come to rest at an earlier step than the one where they rested before. So a drag over
 * fifty steps, or five presses of a key, count as going back once.
 */

export const defaults = {
  /** Milliseconds without a move after which the reader is at rest. */
  restAfter: 1_000,
  /** Milliseconds between two reports. */
  tellEvery: 15_000,
  /** The most entries for going back in one report: more than a reader makes in that time. */
  backsMax: 100,
};

export interface TrailReport {
  branch: string;
  last: number;
  furthest: number;
  backs: number[];
}

/** What is reported about one reader. */
export class Trail {
  #branch = "";
  #last = 0;
  #rested = 0;
  #furthest = 0;
  #backs: number[] = [];
  #isNews = false;

  /**
   * The element calls this when the reader has moved to a step. If they have switched to another branch, returns the
   * report on the branch before; else null.
   */
  moved(branch: string, step: number): TrailReport | null {
    const left = branch === this.#branch ? null : this.take();
    if (branch !== this.#branch) {
      this.#branch = branch;
      this.#rested = step;
      this.#furthest = 0;
    } else if (step === this.#last) return null;
    this.#last = step;
    this.#furthest = Math.max(this.#furthest, step);
    this.#isNews = true;
    return left;
  }

  /** The element calls this when the reader has not moved for `restAfter` ms. */
  rests(): void {
    if (this.#last < this.#rested && this.#backs.length < defaults.backsMax) this.#backs.push(this.#rested);
    this.#rested = this.#last;
  }

  /** The report; null if nothing has changed since the last one. */
  take(): TrailReport | null {
    if (!this.#isNews) return null;
    this.rests();
    const report = { branch: this.#branch, last: this.#last, furthest: this.#furthest, backs: this.#backs };
    this.#backs = [];
    this.#isNews = false;
    return report;
  }
}
