/**
 * Undo is going back: to the step before the last thing that was done, where the world is as it was. Nothing is
 * erased; the branch that it was done on stays, and redo goes there again.
 */

import type { Done } from "./done.ts";
import { lastDone, placeBefore } from "./done.ts";
import type { PlayerStore } from "./store.ts";

export class Undo extends EventTarget {
  /** What was taken back last and on which branch, while the reader stands where that led; null otherwise. */
  #taken: { done: Done; from: string } | null = null;
  readonly #store: PlayerStore;

  constructor(store: PlayerStore) {
    super();
    this.#store = store;
  }

  /** What an undo would take back here. */
  get next(): Done | null {
    return lastDone(this.#store.lines.branches, this.#store.branch, this.#store.target);
  }

  /** The intervention that made the step on show, or null. */
  get here(): Done | null {
    const done = this.next;
    return done !== null && done.after === this.#store.target - 1 ? done : null;
  }

  /** What was taken back, as long as the reader has not gone elsewhere since. */
  get taken(): Done | null {
    const taken = this.#taken;
    if (taken === null) return null;
    const { branch, step } = placeBefore(this.#store.lines.branches, taken.done);
    return this.#store.branch === branch && this.#store.target === step ? taken.done : null;
  }

  undo(): boolean {
    const done = this.next;
    if (done === null) return false;
    this.#taken = { done, from: this.#store.branch };
    const { branch, step } = placeBefore(this.#store.lines.branches, done);
    this.#store.switchTo(branch, step);
    this.dispatchEvent(new Event("change"));
    return true;
  }

  /** To the step that it made happen. */
  redo(): boolean {
    const taken = this.#taken;
    if (taken === null || this.taken === null) return false;
    this.#taken = null;
    this.#store.switchTo(taken.from, taken.done.after + 1);
    this.dispatchEvent(new Event("change"));
    return true;
  }

  dismiss(): void {
    this.#taken = null;
    this.dispatchEvent(new Event("change"));
  }
}
