/**
 * When to draw: at once, when nothing was drawn since the last paint, and otherwise once before the next paint.
 *
 * A browser paints at moments of its own. What is drawn at once is ready when that moment comes; what waited for it
 * would only begin then. However often it is asked, at most two drawings fall on one paint. What shall have a paint to
 * itself gets the next one, and everything else waits for the one after.
 */

export class Paints {
  readonly #beforePaint: (action: () => void) => void;
  readonly #soon: (action: () => void) => void;
  #drew = false;
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
    if (this.#drew || !atOnce) this.#waiting.push(draw);
    else this.#soon(draw);
    this.#ask();
    this.#drew ||= atOnce;
  };

  readonly alone = (draw: () => void): void => {
    this.#alone.push(draw);
    this.#ask();
    this.#drew = true;
  };

  #ask(): void {
    if (!this.#asked) this.#beforePaint(() => this.#paints());
    this.#asked = true;
  }

  #paints(): void {
    const draws = (this.#alone.length > 0 ? this.#alone : this.#waiting).splice(0);
    this.#drew = draws.length > 0;
    this.#asked = false;
    if (this.#drew) this.#ask();
    for (const draw of draws) draw();
  }
}
