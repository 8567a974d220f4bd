/**
 * The step that the server made before it was asked for (docs/websocket.md, *Ahead*).
 *
 * Its reader sees it the moment they step on, and the command that stores it follows. Until the answer it is no
 * step of the session: whatever is asked or done waits, another step that was stored in its place takes it, and a
 * refused command takes it back.
 */

import type { Step, View } from "./frame.ts";
import type { Lines } from "./lines.ts";
import type { Command } from "./source.ts";

/** What stores the step on show, and what depends on the stored one, cannot wait for it. */
const NEVER_WAITS: ReadonlySet<Command["type"]> = new Set(["advance", "window"]);

interface Sent {
  branch: string;
  step: Step;
  /** The step as it came, as text: a step that is held may share lists with its neighbours. */
  text: string;
  /** The view after the step, once it was needed. */
  view: View | null;
}

export class Ahead {
  readonly #lines: Lines;
  /** It was not requested yet. */
  #sent: Sent | null = null;
  /** The step after which it was last asked what follows. */
  #asked = { branch: "", after: 0 };
  /** On show, and not stored as far as this page knows. */
  #shown: Sent | null = null;
  #waiting: (() => void)[] = [];

  constructor(lines: Lines) {
    this.#lines = lines;
  }

  came(branch: string, after: number, step: Step): void {
    if (this.#shown === null && after === this.#lines.newest(branch)) this.#sent = { branch, step, text: JSON.stringify(step), view: null };
  }

  /** What the reader of a branch sees if they step on now: the step and the view behind it. */
  foreseen(branch: string): { step: Step; view: View } | null {
    const sent = this.#sent;
    if (sent?.branch !== branch || this.#lines.newest(branch) !== sent.step.number - 1) return null;
    sent.view ??= this.#lines.behind(branch, sent.step);
    return sent.view === null ? null : { step: sent.step, view: sent.view };
  }

  /** Whether what follows this step, the newest, was neither sent nor asked for; if so, the page asks. */
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

  /** The number of the step on show that is not known to be stored. */
  get shown(): number | null {
    return this.#shown?.step.number ?? null;
  }

  /** What of a branch is certainly stored, of what is held of it. */
  storedOf(branch: string, seen: number): number {
    return this.#shown?.branch === branch ? Math.min(seen, this.#shown.step.number - 1) : seen;
  }

  /** Steps as they were stored, with the one on show in the place of its equal. Another in its place makes it go. */
  settle(branch: string, steps: Step[]): Step[] {
    const shown = this.#shown;
    const place = shown?.branch === branch ? steps.findIndex(({ number }) => number === shown.step.number) : -1;
    if (shown === null || place === -1) return steps;
    this.#end();
    if (JSON.stringify(steps[place]) === shown.text) return steps.map((step, at) => (at === place ? shown.step : step));
    this.#lines.letGo(branch, shown.step.number);
    return steps;
  }

  /** The command was refused. Returns the number of the last step that is stored. */
  takeBack(): number | null {
    const shown = this.#shown;
    if (shown === null) return null;
    const last = shown.step.number - 1;
    this.#lines.letGo(shown.branch, shown.step.number);
    this.#lines.reach(shown.branch, last);
    this.#end();
    return last;
  }

  /** Whether this has to wait until it is known what was stored. */
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
