/**
 * Holds back a frame for the most expensive parts: the stage with the sentence, or the side columns of *Inspect*. They
 * are drawn one paint after everything else, so that each of the two paints has half of the work, and neither is late.
 * The next frame is drawn only after that.
 */

import type { Frame } from "./frame.ts";

export class LaterFrame {
  readonly #update: () => void;
  readonly #alone: (action: () => void) => void;
  #newest: Frame | undefined;
  #drawn: Frame | undefined;
  #waits = false;

  /**
   * `update` draws the page again. `alone` calls its argument before a paint for which nothing else is drawn.
   */
  constructor(update: () => void, alone: (action: () => void) => void) {
    this.#update = update;
    this.#alone = alone;
  }

  /**
   * The frame that the expensive parts draw while everything else draws `frame`: the one before, until their own paint.
   * The very first frame is drawn by all parts at once.
   */
  of(frame: Frame | undefined): Frame | undefined {
    this.#newest = frame;
    if (this.#drawn === undefined) this.#drawn = frame;
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
