/**
 * When to draw: at once, when nothing was drawn since the last paint, and otherwise once before the next paint.
 *
 * A browser paints at moments of its own. What is drawn at once is ready when that moment comes; what waited for it
 * would only begin then. However often it is asked, at most two drawings fall on one paint. What shall have a paint to
 * itself gets the next one for which nothing was drawn yet, and everything else waits for the one after.
 */

export class Paints {
  readonly #beforePaint: (action: () => void) => void;
  readonly #soon: (action: () => void) => void;
  /** Whether this paint has its drawing already, or is kept for one drawing alone: later ones wait for the next paint. */
  #isTaken = false;
  /** What was drawn at once was not painted yet. */
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

  /** Without `atOnce` it is drawn before the next paint, together with what else is by then. */
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
