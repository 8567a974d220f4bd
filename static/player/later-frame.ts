/**
 * The frame that the side columns have. While the scrubber's knob is held they are drawn one paint after the middle, and
 * the next middle one paint after them: each of the two then has half the work, and neither makes the drag stutter.
 */

import type { Frame } from "./frame.ts";

export class LaterFrame {
  readonly #isHeld: () => boolean;
  readonly #update: () => void;
  readonly #alone: (action: () => void) => void;
  #newest: Frame | undefined;
  #drawn: Frame | undefined;
  #waits = false;

  /** `update` has the page drawn again, `alone` calls back before the next paint and keeps the middle out of it. */
  constructor(isHeld: () => boolean, update: () => void, alone: (action: () => void) => void) {
    this.#isHeld = isHeld;
    this.#update = update;
    this.#alone = alone;
  }

  /** What the side columns draw when the middle draws this. */
  of(frame: Frame | undefined): Frame | undefined {
    this.#newest = frame;
    if (!this.#isHeld() || this.#drawn === undefined) this.#drawn = frame;
    else if (this.#drawn !== frame) this.#wait();
    return this.#drawn;
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
