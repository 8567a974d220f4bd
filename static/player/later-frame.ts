/**
 * The frame of the parts that are drawn last: the stage with the sentence, or the side columns of *Inspect*. They are
 * drawn one paint after everything else, and the next frame one paint after them. Each of the two paints then has half
 * the work, and neither is late.
 */

import type { Frame } from "./frame.ts";

export class LaterFrame {
  readonly #update: () => void;
  readonly #alone: (action: () => void) => void;
  #newest: Frame | undefined;
  #drawn: Frame | undefined;
  #waits = false;

  /**
   * `update` draws the page again; `alone` calls its argument before the next paint and keeps all other drawing out of
   * it.
   */
  constructor(update: () => void, alone: (action: () => void) => void) {
    this.#update = update;
    this.#alone = alone;
  }

  /**
   * The frame for the parts that are drawn last, when everything else draws `frame`. The first frame is drawn by all
   * parts at once.
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
