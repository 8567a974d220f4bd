/**
 * The frame of the parts that are drawn last: the stage with the sentence, or the side columns of *Inspect*. They are
 * drawn one paint after everything else, and the next frame one paint after them. Each of the two paints then has
 * half the work, and neither stutters.
 */

import type { Frame } from "./frame.ts";

export class LaterFrame {
  readonly #update: () => void;
  readonly #alone: (action: () => void) => void;
  #newest: Frame | undefined;
  #drawn: Frame | undefined;
  #waits = false;

  /** `update` draws the page again; `alone` calls back before the next paint and keeps all other drawing out of it. */
  constructor(update: () => void, alone: (action: () => void) => void) {
    this.#update = update;
    this.#alone = alone;
  }

  /** The frame for the parts that are drawn last, when everything else draws this one. The first frame is drawn whole. */
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
