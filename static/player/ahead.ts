/**
 * The step that the server sent before the page requested it (docs/websocket.md, *Ahead*).
 *
 * When the reader steps on, the page shows this step at once, and then sends the command that stores it. Until the
 * server answers, it is not yet a step of the session: requests and interventions wait. If the server stored another
 * step instead, that one takes its place; if it refused the command, the step is removed.
 */

import type { Step, View } from "./frame.ts";
import type { Lines } from "./lines.ts";
import type { Command } from "./source.ts";

/** The commands that never wait for the step on show to be stored: the one that stores it, and requests for steps. */
const NEVER_WAITS: ReadonlySet<Command["type"]> = new Set(["advance", "window"]);

interface Sent {
  branch: string;
  step: Step;
  /** The step as text, as it came: a parsed step may share lists with its neighbours. */
  text: string;
  /** The view after the step; null until it is needed. */
  view: View | null;
}

export class Ahead {
  readonly #lines: Lines;
  /** The step that was sent and is not on show yet. */
  #sent: Sent | null = null;
  /** The step after which the page last requested the following one. */
  #asked = { branch: "", after: 0 };
  /** The step on show that, as far as this page knows, is not stored. */
  #shown: Sent | null = null;
  #waiting: (() => void)[] = [];

  constructor(lines: Lines) {
    this.#lines = lines;
  }

  came(branch: string, after: number, step: Step): void {
    if (this.#shown === null && after === this.#lines.newest(branch)) this.#sent = { branch, step, text: JSON.stringify(step), view: null };
  }

  /** The step that the reader of a branch would see next, and the view after it; null if either is not known. */
  foreseen(branch: string): { step: Step; view: View } | null {
    const sent = this.#sent;
    if (sent?.branch !== branch || this.#lines.newest(branch) !== sent.step.number - 1) return null;
    sent.view ??= this.#lines.behind(branch, sent.step);
    return sent.view === null ? null : { step: sent.step, view: sent.view };
  }

  /**
   * Whether the step that follows `after`, the newest step, was neither sent nor requested. If so, it counts as
   * requested from now on: the caller has to request it.
   */
  isUnasked(branch: string, after: number): boolean {
    const isSent = this.#sent?.branch === branch && this.#sent.step.number === after + 1;
    if (isSent || (this.#asked.branch === branch && this.#asked.after === after)) return false;
    this.#asked = { branch, after };
    return true;
  }

  /** Makes the page show the step after the newest as if it were stored; false if it was not sent. */
  show(branch: string, number: number): boolean {
    const sent = this.#sent;
    if (sent?.branch !== branch || sent.step.number !== number || this.#lines.newest(branch) !== number - 1) return false;
    this.#sent = null;
    this.#shown = sent;
    this.#lines.windows(branch).put([sent.step], number);
    this.#lines.reach(branch, number);
    if (sent.view !== null) this.#lines.keep(branch, number, sent.view);
    return true;
  }

  /** The number of the step on show that is not known to be stored; null: there is none. */
  get shown(): number | null {
    return this.#shown?.step.number ?? null;
  }

  /** The number of the last step of a branch, at most `seen`, of which the page knows that it is stored. */
  storedOf(branch: string, seen: number): number {
    return this.#shown?.branch === branch ? Math.min(seen, this.#shown.step.number - 1) : seen;
  }

  /**
   * Ends the wait if the server's `steps` contain the number of the step on show. Returns `steps`, with the object on
   * show in place of an equal one; if a different step was stored, the page drops the one on show.
   */
  settle(branch: string, steps: Step[]): Step[] {
    const shown = this.#shown;
    const place = shown?.branch === branch ? steps.findIndex(({ number }) => number === shown.step.number) : -1;
    if (shown === null || place === -1) return steps;
    this.#end();
    if (JSON.stringify(steps[place]) === shown.text) return steps.map((step, at) => (at === place ? shown.step : step));
    this.#lines.letGo(branch, shown.step.number);
    return steps;
  }

  /**
   * Removes the step on show, because the command was refused. Returns the number of the last stored step; null if no
   * step was on show.
   */
  takeBack(): number | null {
    const shown = this.#shown;
    if (shown === null) return null;
    const last = shown.step.number - 1;
    this.#lines.letGo(shown.branch, shown.step.number);
    this.#lines.reach(shown.branch, last);
    this.#end();
    return last;
  }

  /** Whether a command has to wait until the page knows what was stored. */
  holds(command: Pick<Command, "type">): boolean {
    return this.#shown !== null && !NEVER_WAITS.has(command.type);
  }

  settled(): Promise<void> {
    return new Promise((resume) => this.#waiting.push(resume));
  }

  #end(): void {
    this.#shown = null;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }
}
