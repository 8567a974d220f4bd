/**
 * Plays a run: shows one step after the other, each for as long as its sentence takes to read, or a fixed number of
 * steps per second. The server makes steps only on request, so playing requests the next ones before they are needed
 * (`credit`). After a pause, no timer and no request is left running.
 */

import { planOf } from "./axis-of.ts";
import { landsAt, plumbingAround } from "./beats.ts";
import type { PlayerStore } from "./store.ts";
import { readingTime, textLength } from "./reading-time.ts";
import { sentencesOf } from "./sentence-fit.ts";
import { say } from "./text.ts";

export const SPEEDS = [0.5, 1, 2, 4, 8, 16];

export const defaults = {
  /** A speed up to this value is a multiple of reading speed; a greater one is in steps per second. */
  reads: 2,
  /**
   * Milliseconds for each letter of the text after the first sentence. They are not enough to read all of it: a reader
   * who wants to do so pauses.
   */
  further: 20,
  shortest: 2000,
  longest: 7000,
  /**
   * The most milliseconds for a step that is not interesting and at which no beat lands: readers only glance at its
   * first sentence.
   */
  between: 2500,
  /** The most milliseconds for a step that the list of its beat only counts: enough to notice it. */
  plumbing: 500,
  /** `line`: milliseconds for all steps together that one line of the list counts; each gets at least `least`. */
  line: 2500,
  least: 60,
};

/** Whether a speed is a multiple of reading speed. */
export function isReading(speed: number): boolean {
  return speed <= defaults.reads;
}

/** Milliseconds for which the step on show stays until playing shows the next one. */
export function standsFor(store: Pick<PlayerStore, "frame">, speed: number): number {
  if (!isReading(speed)) return 1000 / speed;
  const step = store.frame?.step ?? null;
  if (step === null) return readingTime("") / speed;
  const plan = planOf(store);
  const passed = plan === null ? Number(!step.interesting) : plumbingAround(plan, step.number);
  if (passed > 0) return Math.max(defaults.least, Math.min(defaults.plumbing, defaults.line / passed)) / speed;
  const [headline = "", ...others] = sentencesOf(say(step.key, step.params));
  const reading = readingTime(headline) + defaults.further * textLength(others.join(" "));
  const isBetween = plan !== null && !step.interesting && !landsAt(plan, step.number);
  return Math.max(defaults.shortest, Math.min(isBetween ? defaults.between : defaults.longest, reading)) / speed;
}

export interface Timers {
  after(milliseconds: number, action: () => void): number;
  cancel(timer: number): void;
}

const BROWSER: Timers = {
  after: (milliseconds, action) => setTimeout(action, milliseconds) as unknown as number,
  cancel: (timer) => clearTimeout(timer),
};

export class Play extends EventTarget {
  speed = 1;
  #timer: number | null = null;
  /** The step at which playing began: a breakpoint there does not stop it. */
  #from = 0;
  readonly #store: PlayerStore;
  readonly #timers: Timers;

  constructor(store: PlayerStore, timers: Timers = BROWSER) {
    super();
    this.#store = store;
    this.#timers = timers;
  }

  get running(): boolean {
    return this.#timer !== null;
  }

  /** The number of steps that should be ready ahead of the reader: two seconds' worth, and at least four. */
  get credit(): number {
    return Math.max(4, Math.ceil(this.speed * 2));
  }

  start(): void {
    if (this.running) return;
    this.#from = this.#store.target;
    this.#next();
    this.dispatchEvent(new Event("change"));
  }

  stop(): void {
    if (this.#timer === null) return;
    this.#timers.cancel(this.#timer);
    this.#timer = null;
    void this.#store.pause();
    this.dispatchEvent(new Event("change"));
  }

  toggle(): void {
    if (this.running) this.stop();
    else this.start();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.dispatchEvent(new Event("change"));
  }

  #next(): void {
    this.#timer = this.#timers.after(standsFor(this.#store, this.speed), () => this.#step());
    this.#ask();
  }

  #ask(): void {
    const store = this.#store;
    const ahead = store.newest - store.target;
    if (ahead <= this.credit && store.canGrow && !store.busy) void store.grow(this.credit * 2);
  }

  #step(): void {
    const store = this.#store;
    const isWaiting = store.target > store.newest || store.shown < Math.min(store.target, store.newest) || (store.gate?.coming(store.branch) ?? null) !== null;
    const isNew = store.target !== this.#from && store.target <= store.newest;
    const holds = isNew && store.stops !== null ? store.stops.holdsAt(store.target) : false;
    if (!isWaiting && holds === true) {
      this.stop();
      return;
    }
    // At the level of checks, playing first goes through the checks of the step on show.
    if (!isWaiting && store.pace?.within() === true) {
      this.#next();
      return;
    }
    if (!isWaiting && holds !== null && store.target < store.newest) {
      if (store.mustWait(store.target + 1)) {
        this.stop();
        return;
      }
      store.moveTo(store.target + 1, isReading(this.speed));
    }
    if (store.target >= store.newest && !store.canGrow && !store.busy) {
      this.stop();
      return;
    }
    this.#next();
  }
}
