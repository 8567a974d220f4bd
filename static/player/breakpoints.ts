/**
 * The breakpoints of one session: their list, the steps at which they hold, and the moves to these steps.
 *
 * The server decides where a condition holds. The page asks it about stored steps as they arrive, so that playing stops
 * at a breakpoint and the scrubber marks it. After the stored steps, the server makes further ones until a breakpoint
 * holds. This browser stores the breakpoints of a session; they are also in the page's address, so that a copied
 * address keeps them.
 */

import type { Condition } from "./conditions.ts";
import { inShort, inWords, outOfShort } from "./conditions.ts";
import type { Keeper } from "./kept-breakpoints.ts";
import type { Answer } from "./source.ts";
import type { PlayerStore } from "./store.ts";
import { say } from "./text.ts";

export const defaults = {
  /** The most breakpoints that the server takes (`breakpoints` of its limits). */
  most: 32,
  /** The most stored steps that one request asks about. */
  stretch: 5000,
};

export interface Breakpoint {
  condition: Condition;
  isOn: boolean;
}

/**
 * How the last search for the next breakpoint ended: why (`stopped`), at which step, and which conditions hold there.
 */
export interface Outcome {
  stopped: "breakpoint" | "limit" | "end" | "pause";
  step: number;
  /** The step to which the reader was moved: `step`, or an earlier one before which a question has to be answered. */
  at: number;
  conditions: Condition[];
}

interface Known {
  numbers: number[];
  /** The last step for which it is known whether a breakpoint holds. */
  upTo: number;
}

/** The sentence about an outcome. */
export function outcomeInWords({ stopped, step, at, conditions }: Outcome): string {
  const met = conditions.map(inWords).join(" · ");
  if (stopped === "breakpoint" && at < step) return say("stops.question", { step, met });
  return stopped === "breakpoint" ? say("stops.reached", { step, met }) : say(`stops.${stopped}`, { step });
}

export class Breakpoints extends EventTarget {
  list: Breakpoint[] = [];
  outcome: Outcome | null = null;
  running = false;
  readonly #store: PlayerStore;
  readonly #keeper: Keeper;
  #known = new Map<string, Known>();
  #asking = false;
  #refused = false;

  constructor(store: PlayerStore, keeper: Keeper) {
    super();
    this.#store = store;
    this.#keeper = keeper;
    for (const text of keeper.read().slice(0, defaults.most)) {
      const condition = outOfShort(text.replace(/^-/, ""));
      if (condition !== null) this.list.push({ condition, isOn: !text.startsWith("-") });
    }
    store.addEventListener("change", () => void this.#look());
  }

  get active(): Condition[] {
    return this.list.filter((one) => one.isOn).map((one) => one.condition);
  }

  has(condition: Condition): boolean {
    return this.list.some((one) => inShort(one.condition) === inShort(condition));
  }

  /** Adds a breakpoint. Returns whether the list has it now: false if the list is full. */
  add(condition: Condition): boolean {
    if (this.has(condition)) return true;
    if (this.list.length >= defaults.most) return false;
    this.#change([...this.list, { condition, isOn: true }]);
    return true;
  }

  remove(condition: Condition): void {
    this.#change(this.list.filter((one) => inShort(one.condition) !== inShort(condition)));
  }

  toggle(condition: Condition): void {
    const isSame = (one: Breakpoint): boolean => inShort(one.condition) === inShort(condition);
    this.#change(this.list.map((one) => (isSame(one) ? { ...one, isOn: !one.isOn } : one)));
  }

  clear(): void {
    this.#change([]);
  }

  #change(list: Breakpoint[]): void {
    this.list = list;
    this.outcome = null;
    this.#known.clear();
    this.#refused = false;
    this.#keeper.write(list.map((one) => (one.isOn ? "" : "-") + inShort(one.condition)));
    this.#announce();
    void this.#look();
  }

  #announce(): void {
    this.dispatchEvent(new Event("change"));
  }

  dismiss(): void {
    this.outcome = null;
    this.#announce();
  }

  // Where breakpoints hold among stored steps

  /** The numbers of the steps of the branch on show at which a breakpoint holds, as far as they are known. */
  get numbers(): readonly number[] {
    return this.#known.get(this.#store.branch)?.numbers ?? [];
  }

  /** Whether playing has to stop at this step; null while that is not known yet. */
  holdsAt(number: number): boolean | null {
    if (this.active.length === 0 || this.#refused) return false;
    const known = this.#known.get(this.#store.branch);
    if (known === undefined || number > known.upTo) return null;
    return known.numbers.includes(number);
  }

  /** Asks the server where breakpoints hold among the stored steps not asked about yet, one range after the other. */
  async #look(): Promise<void> {
    const { branch, newest, source } = this.#store;
    const conditions = this.active;
    if (this.#asking || this.#refused || !source.live || branch === "" || conditions.length === 0) return;
    const known = this.#known.get(branch) ?? { numbers: [], upTo: 0 };
    if (known.upTo >= newest) return;
    this.#asking = true;
    const to = Math.min(newest, known.upTo + defaults.stretch);
    const answer = await this.#store.question({ type: "search", branch, from: known.upTo + 1, to, conditions, any: true });
    this.#asking = false;
    // An answer to a request from before the list was changed says nothing about the new list.
    const isStale = JSON.stringify(conditions) !== JSON.stringify(this.active);
    if (answer === null) this.#refused = true;
    else if (!isStale) this.#known.set(branch, { numbers: [...known.numbers, ...(answer.numbers ?? [])], upTo: Math.max(answer.to ?? to, known.upTo) });
    this.#announce();
    if (answer !== null) await this.#look();
  }

  // Going to breakpoints

  /** Goes to the next step at which a breakpoint holds. If it is not among the stored steps, the server makes steps. */
  async runToNext(): Promise<void> {
    const conditions = this.active;
    if (conditions.length === 0 || this.running) return;
    this.running = true;
    this.outcome = null;
    this.#announce();
    const answer = await this.#store.runToBreakpoint(conditions);
    this.running = false;
    this.outcome = answer === null ? null : outcomeOf(answer, conditions, this.#store.target);
    this.#announce();
  }

  /** Goes back to the nearest earlier step at which a breakpoint holds; false if none is known. */
  back(): boolean {
    const earlier = this.numbers.filter((number) => number < this.#store.target);
    const last = earlier[earlier.length - 1];
    if (last === undefined) return false;
    this.#store.moveTo(last);
    return true;
  }
}

function outcomeOf(answer: Answer, conditions: Condition[], at: number): Outcome | null {
  const stopped = answer.stopped;
  if (stopped !== "breakpoint" && stopped !== "limit" && stopped !== "end" && stopped !== "pause") return null;
  const positions = (answer.hits ?? []) as number[];
  return { stopped, step: answer.reached ?? at, at, conditions: positions.flatMap((position) => conditions[position] ?? []) };
}
