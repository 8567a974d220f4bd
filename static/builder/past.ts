/**
 * Earlier versions of a text, for undo and redo.
 *
 *      const past = new Past();
 *      past.typed("id = 1", 0);   // the text before the change
 *      past.back("id = 12");      // "id = 1"
 *
 * Letters typed without a pause are one change.
 */

export const PAUSE_MS = 1000;
export const CHANGES_MAX = 200;
export const CHARACTERS_MAX = 4_000_000;

export class Past {
  #before: string[] = [];
  #after: string[] = [];
  #typedAt: number | null = null;

  get canGoBack(): boolean {
    return this.#before.length > 0;
  }

  get canGoForth(): boolean {
    return this.#after.length > 0;
  }

  /** Notes that the form is about to change the text `before`. */
  changed(before: string): void {
    this.#typedAt = null;
    this.#keep(before);
  }

  /** Notes that the author changed the text, which was `before`, at `now` (ms). */
  typed(before: string, now: number): void {
    const goesOn = this.#typedAt !== null && now - this.#typedAt < PAUSE_MS;
    this.#typedAt = now;
    if (!goesOn) this.#keep(before);
  }

  #keep(before: string): void {
    this.#after = [];
    this.#before.push(before);
    let characters = this.#before.reduce((sum, text) => sum + text.length, 0);
    while (this.#before.length > CHANGES_MAX || (characters > CHARACTERS_MAX && this.#before.length > 1)) {
      characters -= this.#before.shift()?.length ?? 0;
    }
  }

  /** The text before the last change. `now`: the present text, which `forth` returns to. Undefined if there is none. */
  back(now: string): string | undefined {
    return this.#go(this.#before, this.#after, now);
  }

  forth(now: string): string | undefined {
    return this.#go(this.#after, this.#before, now);
  }

  #go(from: string[], to: string[], now: string): string | undefined {
    const text = from.pop();
    if (text !== undefined) to.push(now);
    this.#typedAt = null;
    return text;
  }
}

/** The index at which two texts begin to differ. */
export function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}
