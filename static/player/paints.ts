/**
 * Decides when to draw: at once if nothing was drawn since the last paint, else once before the next paint.
 *
 * A browser paints at moments of its own. A drawing that is made at once is ready at that moment; one that waits for
 * the moment only begins then. So the first drawing after a paint is made at once, and all further ones are made
 * together before the next paint. A drawing that needs a paint to itself (`alone`) gets the next one for which nothing
 * was drawn yet; everything else waits for the paint after that.
 */

export class Paints {
  readonly #beforePaint: (action: () => void) => void;
  readonly #soon: (action: () => void) => void;
  /**
   * Whether the next paint already has a drawing or is reserved. Further drawings are then not made at once, but before
   * a later paint.
   */
  #isTaken = false;
  /** Whether a drawing was made at once and is not painted yet. */
  #drewAtOnce = false;
  #isPassed = false;
  #asked = false;
  #waiting: (() => void)[] = [];
  #alone: (() => void)[] = [];

  /** `beforePaint` calls its argument before the browser's next paint, `soon` when the running task has ended. */
  constructor(
    beforePaint: (action: () => void) => void = (action) => void requestAnimationFrame(action),
    soon: (action: () => void) => void = (action) => queueMicrotask(action),
  ) {
    this.#beforePaint = beforePaint;
    this.#soon = soon;
  }

  /**
   * Requests a drawing. Without `atOnce`, it is made before the next paint, together with all others requested by then.
   */
  readonly schedule = (draw: () => void, atOnce = true): void => {
    this.#ask();
    if (this.#isTaken || !atOnce) {
      this.#waiting.push(draw);
    } else {
      this.#isTaken = this.#drewAtOnce = true;
      this.#soon(draw);
    }
  };

  readonly alone = (draw: () => void): void => {
    this.#alone.push(draw);
    this.#ask();
    this.#isTaken = true;
  };

  /** Keeps all drawing out of the next paint. */
  readonly pass = (): void => {
    this.#ask();
    this.#isTaken = this.#isPassed = true;
  };

  #ask(): void {
    if (!this.#asked) this.#beforePaint(() => this.#paints());
    this.#asked = true;
  }

  #paints(): void {
    const draws = this.#isPassed ? [] : (this.#drewAtOnce || this.#alone.length === 0 ? this.#waiting : this.#alone).splice(0);
    this.#isTaken = draws.length + this.#alone.length + this.#waiting.length > 0;
    this.#isPassed = this.#drewAtOnce = this.#asked = false;
    if (this.#isTaken) this.#ask();
    for (const draw of draws) draw();
  }
}
