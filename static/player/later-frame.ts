/**
 * The frame of the parts that are drawn last: the stage, or the side columns of *Inspect*. While the scrubber's knob
 * is held, or when frames follow each other quickly as at the highest speed, these parts are drawn one paint after
 * everything else, and the next frame one paint after them. Each of the two paints then has half the work, and
 * neither stutters.
 */

import type { Frame } from "./frame.ts";

export const defaults = {
  /** Milliseconds: frames that follow each other more quickly than this are hurried, as at the highest speed. */
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

  /** `update` draws the page again; `alone` calls back before the next paint and keeps all other drawing out of it. */
  constructor(isHeld: () => boolean, update: () => void, alone: (action: () => void) => void, clock: () => number = () => performance.now()) {
    this.#isHeld = isHeld;
    this.#update = update;
    this.#alone = alone;
    this.#clock = clock;
  }

  /** The frame for the parts that are drawn last, when everything else draws this one. */
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
