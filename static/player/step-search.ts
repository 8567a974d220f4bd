/**
 * Searches all steps of the branch on show, including those that the page does not hold. The server searches one range
 * of steps after the other; the run may get longer meanwhile. The page itself searches a recording, and only for words.
 */

import type { Condition } from "./conditions.ts";
import type { Step } from "./frame.ts";
import type { Hit } from "./source.ts";
import type { PlayerStore } from "./store.ts";
import { say } from "./text.ts";

export const defaults = {
  /** The most steps of one request, as the server allows (`search_steps` of its limits). */
  stretch: 5000,
  /** The most found steps whose sentences are kept; of the others, only the numbers are. */
  listed: 500,
};

/** A step as one line of text, in which words are searched. */
export function lineOf(step: Step): string {
  const notes = step.notes.map((note) => say(note.key, note.params));
  return [say(step.key, step.params), ...notes].join(" ");
}

/** Whether every word of the query occurs in the step's line, number, actor or rules. */
export function hasWords(step: Step, query: string): boolean {
  const text = `${step.number} ${step.actor} ${step.rules.join(" ")} ${lineOf(step)}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** If the search is only for a text such as `12` or `#12`, the step with this number, if it exists; else null. */
export function stepNamed(conditions: readonly Condition[], newest: number): number | null {
  const [only, ...others] = conditions;
  if (only?.on !== "text" || others.length > 0 || !/^#?[0-9]+$/.test(only.text)) return null;
  const number = Number(only.text.replace("#", ""));
  return number <= newest ? number : null;
}

export class StepSearch extends EventTarget {
  /** The conditions of the search: a step is found if all of them hold. Empty: there is no search. */
  conditions: Condition[] = [];
  numbers: number[] = [];
  hits: Hit[] = [];
  /** The last step that was searched. */
  upTo = 0;
  running = false;
  /** Whether the server refused the search; the store's problem says why. */
  refused = false;
  readonly #store: PlayerStore;
  #branch = "";
  /** Rises with each new search, so that a late answer to an older one is recognised. */
  #turn = 0;

  constructor(store: PlayerStore) {
    super();
    this.#store = store;
    store.addEventListener("change", () => void this.#goOn());
  }

  get active(): boolean {
    return this.conditions.length > 0;
  }

  /** Whether all existing steps were searched. */
  get complete(): boolean {
    return this.upTo >= this.#store.newest;
  }

  start(conditions: Condition[]): void {
    if (JSON.stringify(conditions) === JSON.stringify(this.conditions) && !this.refused) return;
    this.conditions = conditions;
    this.#begin();
    void this.#goOn();
  }

  stop(): void {
    this.start([]);
  }

  #begin(): void {
    this.#turn += 1;
    this.#branch = this.#store.branch;
    this.numbers = [];
    this.hits = [];
    this.upTo = 0;
    this.running = false;
    this.refused = false;
    this.dispatchEvent(new Event("change"));
  }

  async #goOn(): Promise<void> {
    if (!this.active || this.running || this.refused || this.#store.header === null) return;
    if (this.#branch !== this.#store.branch) this.#begin();
    if (this.complete) return;
    if (this.#store.status === "recorded") {
      this.#searchHeld();
      return;
    }
    const turn = this.#turn;
    const { branch, newest } = this.#store;
    this.running = true;
    const from = this.upTo + 1;
    const to = Math.min(newest, this.upTo + defaults.stretch);
    const answer = await this.#store.question({ type: "search", branch, from, to, conditions: this.conditions });
    if (turn !== this.#turn) return;
    this.running = false;
    if (answer === null) this.refused = true;
    else {
      this.#take(answer.numbers ?? [], (answer.hits ?? []) as Hit[], Math.max(this.upTo, answer.to ?? to));
    }
    this.dispatchEvent(new Event("change"));
    await this.#goOn();
  }

  #take(numbers: number[], hits: Hit[], upTo: number): void {
    this.numbers = [...this.numbers, ...numbers];
    this.hits = [...this.hits, ...hits].slice(0, defaults.listed);
    this.upTo = upTo;
  }

  #searchHeld(): void {
    const texts = this.conditions.flatMap((condition) => (condition.on === "text" ? [condition.text] : []));
    const found: Step[] = [];
    for (let number = this.upTo + 1; number <= this.#store.newest; number += 1) {
      const step = this.#store.lines.step(this.#store.branch, number);
      if (step !== undefined && texts.every((text) => hasWords(step, text))) found.push(step);
    }
    this.#take(
      found.map((step) => step.number),
      found,
      this.#store.newest,
    );
    this.dispatchEvent(new Event("change"));
  }

  // Going to found steps

  /** The place of the step on show among the found ones, counted from 1; 0 if it is none of them. */
  get place(): number {
    return this.numbers.indexOf(this.#store.target) + 1;
  }

  /**
   * Goes to the next found step, as soon as one is known; if the search ends without one, to the first found step.
   * Resolves to false if nothing was found.
   */
  async goWhenFound(): Promise<boolean> {
    while (this.running && this.numbers.every((number) => number <= this.#store.target)) {
      await new Promise((resume) => this.addEventListener("change", resume, { once: true }));
    }
    const first = this.numbers[0];
    if (this.go(1)) return true;
    if (first === undefined) return false;
    this.#store.moveUpTo(first);
    return true;
  }

  /** Goes to the next found step, or to the one before; false if there is none in this direction. */
  go(direction: 1 | -1): boolean {
    const here = this.#store.target;
    const found =
      direction === 1 ? this.numbers.find((number) => number > here) : this.numbers.filter((number) => number < here).pop();
    if (found === undefined) return false;
    this.#store.moveUpTo(found);
    return true;
  }
}
