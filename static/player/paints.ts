/**
 * When to draw: at once, when nothing was drawn since the last paint, and otherwise once before the next paint.
 *
 * A browser paints at moments of its own. What is drawn at once is ready when that moment comes; what waited for it
 * would only begin then. However often it is asked, at most two drawings fall on one paint.
 */

export class Paints {
  readonly #beforePaint: (action: () => void) => void;
  readonly #soon: (action: () => void) => void;
  #drew = false;
  #waiting: (() => void)[] = [];

  /** `beforePaint` calls back before the browser paints, `soon` when the task that runs has ended. */
  constructor(
    beforePaint: (action: () => void) => void = (action) => void requestAnimationFrame(action),
    soon: (action: () => void) => void = (action) => queueMicrotask(action),
  ) {
    this.#beforePaint = beforePaint;
    this.#soon = soon;
  }

  readonly schedule = (draw: () => void): void => {
    if (this.#drew) {
      this.#waiting.push(draw);
      return;
    }
    this.#drew = true;
    this.#soon(draw);
    this.#beforePaint(() => this.#paints());
  };

  #paints(): void {
    const draws = this.#waiting;
    this.#waiting = [];
    this.#drew = draws.length > 0;
    if (this.#drew) this.#beforePaint(() => this.#paints());
    for (const draw of draws) draw();
  }
}
