/**
 * Playing: one step after another at a chosen speed. The server makes steps only when asked, so play asks for the
 * next ones before it runs out (credit); on pause nothing is left running.
 */

import type { PlayerStore } from "./store.ts";

/** Steps a second. */
export const SPEEDS = [0.5, 1, 2, 4, 8, 16];

export interface Timers {
  after(milliseconds: number, action: () => void): number;
  cancel(timer: number): void;
}

const BROWSER: Timers = {
  after: (milliseconds, action) => setTimeout(action, milliseconds) as unknown as number,
  cancel: (timer) => clearTimeout(timer),
};

export class Play extends EventTarget {
  speed = 2;
  #timer: number | null = null;
  /** Where it began: a breakpoint there has been seen. */
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

  /** Steps that should lie ahead: two seconds' worth. */
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
    this.#timer = this.#timers.after(1000 / this.speed, () => this.#step());
    this.#ask();
  }

  #ask(): void {
    const store = this.#store;
    const ahead = store.newest - store.target;
    if (ahead <= this.credit && store.canGrow && !store.busy) void store.grow(this.credit * 2);
  }

  #step(): void {
    const store = this.#store;
    const isWaiting = store.target > store.newest || store.shown < Math.min(store.target, store.newest);
    const isNew = store.target !== this.#from && store.target <= store.newest;
    const holds = isNew && store.stops !== null ? store.stops.holdsAt(store.target) : false;
    if (!isWaiting && holds === true) {
      this.stop();
      return;
    }
    // Inside a step there is more to see before the next one.
    if (!isWaiting && store.pace?.within() === true) {
      this.#next();
      return;
    }
    if (!isWaiting && holds !== null && store.target < store.newest) {
      if (store.mustWait(store.target + 1)) {
        this.stop();
        return;
      }
      store.moveTo(store.target + 1, this.speed <= 2);
    }
    if (store.target >= store.newest && !store.canGrow && !store.busy) {
      this.stop();
      return;
    }
    this.#next();
  }
}
