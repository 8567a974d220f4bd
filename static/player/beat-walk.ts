/**
 * Goes from beat to beat: makes the steps that are missing, stops where a question is due or a breakpoint holds, and
 * comes to rest on a beat's landing with that step's motion. Without a plan it goes by steps.
 */

import { planOf } from "./axis-of.ts";
import type { BeatPlan } from "./beats.ts";
import { landingAfter, landingBefore } from "./beats.ts";
import type { PlayerStore } from "./store.ts";

export const defaults = {
  /**
   * Milliseconds to wait until a new step is on show, or until breakpoints have answered for it; then the walk goes on
   * without.
   */
  patience: 3000,
  /** Steps that one request makes at most. */
  atOnce: 500,
};

/** What → and ↓ do: → a beat and ↓ a step, or the other way round. */
export type Arrows = "beats" | "steps";
const KEPT_AS = "eosviz-arrows";

export class BeatWalk extends EventTarget {
  arrows: Arrows = keptArrows();
  readonly #store: PlayerStore;
  readonly #plan: () => BeatPlan | null;
  #walking = false;
  /** The place at which one more step was requested, to learn whether the run ends there. */
  #looked = "";
  /** How often the key was pressed while the walk was running. */
  #more = 0;
  #came: { branch: string; from: number; to: number } | null = null;

  constructor(store: PlayerStore, plan: () => BeatPlan | null = () => planOf(store)) {
    super();
    this.#store = store;
    this.#plan = plan;
    store.addEventListener("change", this.#learnTheEnd);
  }

  /** At the last planned step of a run, one more is requested: the page then knows at once whether the run ends
   * there, and no press is without effect. */
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

  /** Whether there are beats to go by. */
  get hasBeats(): boolean {
    return this.#plan() !== null;
  }

  /**
   * If the landing of a beat is on show and was reached over other steps: the step where the reader was before; else
   * null.
   */
  get cameFrom(): number | null {
    const { branch, shown } = this.#store;
    const came = this.#came;
    return came !== null && came.branch === branch && came.to === shown && came.to - came.from > 1 ? came.from : null;
  }

  /** Whether the next press leads to the end of the run: after the last beat's landing, or at the last step. */
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

  /** To where a beat lands, as a press on its name does. */
  async goTo(number: number): Promise<void> {
    if (number <= this.#store.target) this.#store.moveTo(number);
    else await this.#toward(number);
  }

  /** To the last step of the plan, made where it is missing; without a plan to the newest step. */
  async toEnd(): Promise<void> {
    const store = this.#store;
    const { branch } = store;
    const ahead = (): number => (store.canGrow && store.branch === branch ? (this.#plan()?.steps ?? 0) : 0);
    if (ahead() <= store.newest) store.toNewest();
    // The plan of a branch that was just made is known while its steps are made.
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

  /** The first step in `from`…`to` at which a breakpoint holds. */
  async #stopIn(branch: string, from: number, to: number): Promise<number | null> {
    const store = this.#store;
    if (store.stops === null || to < from) return null;
    await this.#until(() => store.branch !== branch || store.stops?.holdsAt(to) !== null);
    for (let number = from; number <= to; number += 1) if (store.stops.holdsAt(number) === true) return number;
    return null;
  }

  /** The step before it comes first, so that only this step is animated. */
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
      // An answer about breakpoints is no change of the store.
      const again = setInterval(look, 50);
      store.addEventListener("change", look);
    });
  }
}

/** As the reader chose them in this browser. */
export function keptArrows(): Arrows {
  try {
    return localStorage.getItem(KEPT_AS) === "steps" ? "steps" : "beats";
  } catch {
    return "beats"; // A browser that keeps nothing.
  }
}

function keep(arrows: Arrows): void {
  try {
    localStorage.setItem(KEPT_AS, arrows);
  } catch {
    // It holds for this page.
  }
}
