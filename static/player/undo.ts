/**
 * Undo: goes back to the step before the last intervention, where the run is as it was, on a branch that goes on
 * without the intervention. No step is deleted: the branch with the intervention stays, and redo goes there again.
 */

import type { Done } from "./done.ts";
import { lastDone, placeBefore } from "./done.ts";
import type { PlayerStore } from "./store.ts";

export class Undo extends EventTarget {
  /**
   * The intervention that was undone last, and the branch on which the reader was then; null: none, or it was redone.
   */
  #taken: { done: Done; from: string } | null = null;
  readonly #store: PlayerStore;

  constructor(store: PlayerStore) {
    super();
    this.#store = store;
  }

  /** The last intervention up to the step on show, which undo would undo; null: none. */
  get next(): Done | null {
    return lastDone(this.#store.lines.branches, this.#store.branch, this.#store.target);
  }

  /** The intervention that the step on show carries out; null: none. */
  get here(): Done | null {
    const done = this.next;
    return done !== null && done.after === this.#store.target - 1 ? done : null;
  }

  /** The intervention that was undone last, as long as the reader is at the step to which undo led; else null. */
  get taken(): Done | null {
    const taken = this.#taken;
    if (taken === null) return null;
    const { branch, step } = placeBefore(this.#store.lines.branches, taken.done);
    return this.#store.branch === branch && this.#store.target === step ? taken.done : null;
  }

  /** False if there is no intervention to undo. A live session makes the branch without it if there is none yet. */
  undo(): boolean {
    const [store, done] = [this.#store, this.next];
    if (done === null) return false;
    this.#taken = { done, from: store.branch };
    const { branch, step, repeats } = placeBefore(store.lines.branches, done);
    if (repeats && store.source.live) void this.#without(branch, step);
    else this.#go(branch, step);
    return true;
  }

  /** Goes to the step that carries out the undone intervention; false if there is none. */
  redo(): boolean {
    const taken = this.#taken;
    if (taken === null || this.taken === null) return false;
    this.#taken = null;
    this.#go(taken.from, taken.done.after + 1);
    return true;
  }

  dismiss(): void {
    this.#taken = null;
    this.dispatchEvent(new Event("change"));
  }

  async #without(branch: string, step: number): Promise<void> {
    if (await this.#store.branchHere(branch, step)) this.dispatchEvent(new Event("change"));
    else this.#go(branch, step);
  }

  #go(branch: string, step: number): void {
    this.#store.switchTo(branch, step);
    this.dispatchEvent(new Event("change"));
  }
}
