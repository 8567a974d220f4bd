/**
 * When to draw: at once, when nothing was drawn since the last paint, and otherwise once before the next paint.
 *
 * A browser paints at moments of its own. A drawing made at once is ready at that moment; a drawing that waited for
 * the moment would only begin then. At most two drawings fall on one paint, however many are requested. A drawing
 * that needs a paint to itself gets the next one for which nothing was drawn yet; everything else waits for the paint
 * after it.
 */

export class Paints {
  readonly #beforePaint: (action: () => void) => void;
  readonly #soon: (action: () => void) => void;
  /** Whether this paint has its drawing already, or is kept for one drawing alone: later ones wait for the next paint. */
  #isTaken = false;
  /** Whether a drawing was made at once and is not painted yet. */
  #drewAtOnce = false;
  #isPassed = false;
  #asked = false;
  #waiting: (() => void)[] = [];
  #alone: (() => void)[] = [];

  /** `beforePaint` calls back before the browser paints, `soon` when the task that runs has ended. */
  constructor(
    beforePaint: (action: () => void) => void = (action) => void requestAnimationFrame(action),
    soon: (action: () => void) => void = (action) => queueMicrotask(action),
  ) {
    this.#beforePaint = beforePaint;
    this.#soon = soon;
  }

  /** Without `atOnce`, it is drawn before the next paint, together with everything else requested by then. */
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

  /** Draws nothing before the next paint: what was done since the last one is enough for it. */
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
