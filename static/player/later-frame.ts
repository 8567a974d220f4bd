/**
 * The frame that is drawn last: that of the stage, or of the side columns where they stand beside a middle. While the
 * scrubber's knob is held, or when frames come close together as at the greatest speed, these are drawn one paint after
 * everything else, and the next frame one paint after them: each of the two then has half the work, and neither stutters.
 */

import type { Frame } from "./frame.ts";

export const defaults = {
  /** Milliseconds: frames that come closer together than this are hurried, as at the greatest speed. */
  hurry: 100,
};

export class LaterFrame {
  readonly #isHeld: () => boolean;
  readonly #update: () => void;
  readonly #alone: (action: () => void) => void;
  #newest: Frame | undefined;
  #drawn: Frame | undefined;
  #waits = false;
  readonly #clock: () => number;
  #came = -Infinity;
  #isHurried = false;

  /** `update` has the page drawn again, `alone` calls back before the next paint and keeps everything else out of it. */
  constructor(isHeld: () => boolean, update: () => void, alone: (action: () => void) => void, clock: () => number = () => performance.now()) {
    this.#isHeld = isHeld;
    this.#update = update;
    this.#alone = alone;
    this.#clock = clock;
  }

  /** What is drawn last when everything else draws this. */
  of(frame: Frame | undefined): Frame | undefined {
    if (frame !== this.#newest) this.#follows();
    this.#newest = frame;
    if (!(this.#isHeld() || this.#isHurried) || this.#drawn === undefined) this.#drawn = frame;
    else if (this.#drawn !== frame) this.#wait();
    return this.#drawn;
  }

  #follows(): void {
    const now = this.#clock();
    this.#isHurried = now - this.#came < defaults.hurry;
    this.#came = now;
  }

  #wait(): void {
    if (this.#waits) return;
    this.#waits = true;
    this.#alone(() => {
      this.#waits = false;
      this.#drawn = this.#newest;
      this.#update();
    });
  }
}
