/**
 * The zoom level: transactions, steps, or the checks inside a step. Keys, buttons and the scrubber move by the unit of
 * the level, because the store asks this class (`Pace`) before it moves the reader.
 */

import type { Check, Code } from "./checks.ts";
import { checksOf } from "./checks.ts";
import type { Step } from "./frame.ts";
import { inForce } from "./in-force.ts";
import type { Pace } from "./moving.ts";
import type { PlayerStore } from "./store.ts";

export const LEVELS = ["transaction", "message", "decision"] as const;
export type Level = (typeof LEVELS)[number];

export function isLevel(word: string): word is Level {
  return (LEVELS as readonly string[]).includes(word);
}

/** A zoom as text for the address: "" for steps, `transaction`, `decision`, or `decision:3` for the third check. */
export function zoomText(zoom: { level: Level; at: number }): string {
  if (zoom.level === "message") return "";
  return zoom.level === "decision" && zoom.at > 0 ? `decision:${zoom.at + 1}` : zoom.level;
}

/** The zoom in such a text. Any other text means the level of steps. */
export function readZoom(text: string): { level: Level; at: number } {
  const [, level = "", at = "1"] = /^([a-z]+)(?::([1-9]\d{0,3}))?$/.exec(text) ?? [];
  return isLevel(level) ? { level, at: Number(at) - 1 } : { level: "message", at: 0 };
}

/** Fires `change` when the level or the check on show changes. */
export class Zoom extends EventTarget implements Pace {
  level: Level = "message";
  /** Steps at which a transaction begins or ends, in ascending order; the transactions panel sets them. */
  stops: readonly number[] = [];
  readonly #store: PlayerStore;
  #code: Code | null = null;
  #checks: { step: Step; code: Code | null; list: Check[] } | null = null;
  #at = 0;
  #shown: Step | null = null;
  /** Whether the reader came to the step from a later one: they then begin at its last check. */
  #fromBehind = false;

  constructor(store: PlayerStore) {
    super();
    this.#store = store;
    store.addEventListener("change", this.#moved);
  }

  get code(): Code | null {
    return this.#code;
  }

  /** The code panel calls this when its documents have arrived: from then on, checks know their lines of code. */
  learn(code: Code): void {
    this.#code = code;
    this.#changed();
  }

  /** The checks of the step on show. */
  get checks(): readonly Check[] {
    const { frame } = this.#store;
    const step = frame?.step ?? null;
    if (!frame || step === null) return [];
    if (this.#checks?.step !== step || this.#checks.code !== this.#code) {
      this.#checks = { step, code: this.#code, list: checksOf(step, this.#code, inForce(frame, step.actor)) };
    }
    return this.#checks.list;
  }

  /** Number of the check on show, from 0. */
  get at(): number {
    return Math.min(this.#at, Math.max(0, this.checks.length - 1));
  }

  /** The zoom as a text (`zoomText`), even if the step on show does not have this check yet. */
  get wanted(): string {
    return zoomText({ level: this.level, at: this.#at });
  }

  /** The check on show; null if the reader looks at whole steps, or if the step has no checks. */
  get check(): Check | null {
    return this.level === "decision" ? (this.checks[this.at] ?? null) : null;
  }

  use(level: Level, at = 0): void {
    if (this.level === level && this.#at === at) return;
    this.level = level;
    this.#at = at;
    this.#changed();
  }

  /** Zooms one level nearer (+1) or farther (−1); at the last level, nothing happens. */
  by(levels: number): void {
    const place = LEVELS.indexOf(this.level) + levels;
    const level = LEVELS[Math.max(0, Math.min(LEVELS.length - 1, place))];
    if (level !== undefined) this.use(level);
  }

  go(at: number): void {
    this.use("decision", Math.max(0, at));
  }

  // Pace

  within(): boolean {
    if (this.level !== "decision" || this.#store.target !== this.#store.shown || this.at >= this.checks.length - 1) return false;
    this.go(this.at + 1);
    return true;
  }

  forward(): boolean {
    if (this.level === "decision") return this.within();
    return this.#toStop(this.stops.find((stop) => stop > this.#store.target));
  }

  back(): boolean {
    if (this.level === "decision") {
      if (this.#store.target === this.#store.shown && this.at > 0) {
        this.go(this.at - 1);
        return true;
      }
      this.#fromBehind = true;
      return false;
    }
    return this.#toStop(this.stops.findLast((stop) => stop < this.#store.target));
  }

  nearest(number: number): number {
    if (this.level !== "transaction" || this.stops.length === 0) return number;
    return this.stops.reduce((best, stop) => (Math.abs(stop - number) < Math.abs(best - number) ? stop : best));
  }

  /** Moves to a step at the level of transactions, if one begins or ends there; returns whether it moved. */
  #toStop(stop: number | undefined): boolean {
    if (this.level !== "transaction" || stop === undefined) return false;
    this.#store.moveUpTo(stop);
    return true;
  }

  readonly #moved = (): void => {
    const step = this.#store.frame?.step ?? null;
    if (step === this.#shown) return;
    const isFirst = this.#shown === null && this.#at > 0;
    this.#shown = step;
    // At the first step on show, the check that the address names is kept.
    if (!isFirst) this.#at = this.#fromBehind ? Number.MAX_SAFE_INTEGER : 0;
    this.#fromBehind = false;
    if (this.level === "decision") this.#changed();
  };

  #changed(): void {
    this.dispatchEvent(new Event("change"));
  }
}
