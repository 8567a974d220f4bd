/**
 * Moves the reader from beat to beat. It makes the missing steps, stops before a question or at a breakpoint, and ends
 * at the step at which the beat lands, which is animated. In a run without a plan it moves by steps.
 */

import { planOf } from "./axis-of.ts";
import type { BeatPlan } from "./beats.ts";
import { landingAfter, landingBefore } from "./beats.ts";
import type { PlayerStore } from "./store.ts";

export const defaults = {
  /**
   * The most milliseconds that a walk waits until a step is on show, or until it is known whether breakpoints hold. The
   * walk then goes on all the same.
   */
  patience: 3000,
  /** The most steps that one request makes. */
  atOnce: 500,
};

/** What → and ↓ do. `beats`: → goes on by a beat and ↓ by a step; `steps`: the other way round. */
export type Arrows = "beats" | "steps";
const KEPT_AS = "eosviz-arrows";

export class BeatWalk extends EventTarget {
  arrows: Arrows = keptArrows();
  readonly #store: PlayerStore;
  readonly #plan: () => BeatPlan | null;
  #walking = false;
  /** The place at which one more step was requested, to find out whether the run ends there. */
  #looked = "";
  /** How often the reader asked for a further beat while the walk was running. */
  #more = 0;
  #came: { branch: string; from: number; to: number } | null = null;

  constructor(store: PlayerStore, plan: () => BeatPlan | null = () => planOf(store)) {
    super();
    this.#store = store;
    this.#plan = plan;
    store.addEventListener("change", this.#learnTheEnd);
  }

  /**
   * When the last planned step is on show, requests one more step, so that the page knows whether the run ends there.
   * Otherwise the reader's next press would seem to have no effect at the end of a run.
   */
  readonly #learnTheEnd = (): void => {
    const store = this.#store;
    const plan = this.#plan();
    if (plan === null || !plan.complete || !store.canGrow || store.busy || store.newest !== plan.steps || store.shown !== plan.steps) return;
    const place = `${store.branch}/${store.newest}`;
    if (this.#looked === place) return;
    this.#looked = place;
    void store.grow(1);
  };

  useArrows(arrows: Arrows): void {
    this.arrows = arrows;
    keep(arrows);
    this.dispatchEvent(new Event("change"));
  }

  /** Whether the run has beats. */
  get hasBeats(): boolean {
    return this.#plan() !== null;
  }

  /**
   * The number of the step from which a walk over several steps has led to the step on show; null if the reader came to
   * it in another way.
   */
  get cameFrom(): number | null {
    const { branch, shown } = this.#store;
    const came = this.#came;
    return came !== null && came.branch === branch && came.to === shown && came.to - came.from > 1 ? came.from : null;
  }

  /** Whether the next press leads to the end of the run: true from the landing of the last beat on. */
  get leadsToEnd(): boolean {
    const plan = this.#plan();
    const at = Math.min(this.#store.target, this.#store.newest);
    return plan !== null && (at === plan.steps || (!plan.beats.some(({ lands }) => lands > at) && landingAfter(plan, at) === plan.steps));
  }

  async forward(): Promise<void> {
    if (this.#walking) {
      this.#more += 1;
      this.#store.asks();
      return;
    }
    this.#walking = true;
    try {
      do await this.#next();
      while (this.#more-- > 0);
    } finally {
      this.#more = 0;
      this.#walking = false;
    }
  }

  back(): void {
    const store = this.#store;
    const plan = this.#plan();
    if (plan === null) store.back();
    else store.moveTo(landingBefore(plan, Math.min(store.target, store.newest)));
  }

  /** Goes to a step; a later one is made if it is missing, and is reached as by a walk, with its motion. */
  async goTo(number: number): Promise<void> {
    if (number <= this.#store.target) this.#store.moveTo(number);
    else await this.#toward(number);
  }

  /** Goes to the last step of the plan, and makes missing steps; without a plan, to the newest step. */
  async toEnd(): Promise<void> {
    const store = this.#store;
    const { branch } = store;
    const ahead = (): number => (store.canGrow && store.branch === branch ? (this.#plan()?.steps ?? 0) : 0);
    if (ahead() <= store.newest) store.toNewest();
    // The plan of a new branch may arrive while its steps are made.
    for (let end = ahead(); end > store.newest; end = ahead()) {
      await this.#toward(end);
      if (store.newest < end || store.target !== end) return;
    }
  }

  async #next(): Promise<void> {
    const store = this.#store;
    const plan = this.#plan();
    const landing = plan === null ? null : landingAfter(plan, Math.min(store.target, store.newest));
    if (landing === null) store.forward();
    else await this.#toward(landing);
  }

  async #toward(landing: number): Promise<void> {
    const store = this.#store;
    const { branch } = store;
    await store.gate?.coming(branch);
    const from = Math.min(store.target, store.newest);
    const waits = store.gate?.waitsIn(branch, from + 1, landing) ?? null;
    if (waits === from + 1) {
      store.gate?.blocked();
      return;
    }
    const open = waits === null ? landing : waits - 1;
    if (open > store.newest) store.asks();
    await this.#make(branch, open);
    const made = Math.min(open, store.newest);
    const stop = await this.#stopIn(branch, from + 1, made);
    if (store.branch !== branch || store.target !== from || made <= from) return;
    this.#came = { branch, from, to: stop ?? made };
    await this.#land(stop ?? made);
  }

  async #make(branch: string, to: number): Promise<void> {
    const store = this.#store;
    for (let newest = -1; store.branch === branch && store.newest < to && store.newest !== newest && store.canGrow; ) {
      newest = store.newest;
      await store.grow(Math.min(defaults.atOnce, to - newest));
    }
  }

  /** The number of the first step in `from`…`to` at which a breakpoint holds; null if none does. */
  async #stopIn(branch: string, from: number, to: number): Promise<number | null> {
    const store = this.#store;
    if (store.stops === null || to < from) return null;
    await this.#until(() => store.branch !== branch || store.stops?.holdsAt(to) !== null);
    for (let number = from; number <= to; number += 1) if (store.stops.holdsAt(number) === true) return number;
    return null;
  }

  /** Shows a step. The step before it is shown first, so that the motion is only that of this one step. */
  async #land(number: number): Promise<void> {
    const store = this.#store;
    if (store.shown !== number - 1) {
      store.moveTo(number - 1);
      await this.#until(() => store.shown === number - 1 || store.target !== number - 1);
      if (store.target !== number - 1) return;
    }
    store.moveTo(number, "surely");
  }

  #until(holds: () => boolean): Promise<void> {
    return new Promise((resume) => {
      if (holds()) {
        resume();
        return;
      }
      const store = this.#store;
      const done = (): void => {
        clearTimeout(timer);
        clearInterval(again);
        store.removeEventListener("change", look);
        resume();
      };
      const look = (): void => {
        if (holds()) done();
      };
      const timer = setTimeout(done, defaults.patience);
      // The store fires no `change` when the answer about breakpoints arrives, so this looks again by itself.
      const again = setInterval(look, 50);
      store.addEventListener("change", look);
    });
  }
}

/** The choice of `Arrows` that this browser stores; `beats` if the reader did not choose. */
export function keptArrows(): Arrows {
  try {
    return localStorage.getItem(KEPT_AS) === "steps" ? "steps" : "beats";
  } catch {
    return "beats"; // The browser stores nothing.
  }
}

function keep(arrows: Arrows): void {
  try {
    localStorage.setItem(KEPT_AS, arrows);
  } catch {
    // The browser stores nothing: the choice holds for this page.
  }
}
