/**
 * The transactions of the branch on show, one line each, as the server sends them for the whole branch
 * (docs/websocket.md, `transactions`); a recording contains them. They are requested only while the list is open, and
 * again when steps have arrived since.
 */

import type { TransactionLine, TransactionLines } from "../generated/messages.ts";
import type { PlayerStore } from "./store.ts";

export type { TransactionLine, TransactionLines };

export const defaults = {
  /** Milliseconds between two requests while steps are being made. */
  every: 400,
};

/** Steps at which a transaction begins, is decided or ends, in ascending order. */
export function stopsOf(lines: readonly TransactionLine[]): number[] {
  const stops = lines.flatMap((line) => [line.first_step, ...(line.decided_step === null ? [] : [line.decided_step]), ...(line.over ? [line.last_step] : [])]);
  return [...new Set(stops)].sort((one, other) => one - other);
}

/** The line as it is after a step of its run at this virtual time, without later knowledge; null before it begins. */
export function lineAt(line: TransactionLine, step: number, time: number): TransactionLine | null {
  if (line.first_step > step) return null;
  if (line.last_step <= step) return line;
  const isDecided = line.decided_step !== null && line.decided_step <= step;
  // The state at that time is not stored.
  return { ...line, over: false, last_step: step, last_at: time, state: "", decided_step: isDecided ? line.decided_step : null, result: isDecided ? line.result : "open" };
}

/** Fires `change` when the lines of the branch on show change. */
export class Transactions extends EventTarget {
  readonly #store: PlayerStore;
  readonly #later: (milliseconds: number, action: () => void) => void;
  #answered: { branch: string; lines: TransactionLines | null } | null = null;
  #watched = false;
  #asking = false;

  constructor(store: PlayerStore, later: (milliseconds: number, action: () => void) => void = (milliseconds, action) => void setTimeout(action, milliseconds)) {
    super();
    this.#store = store;
    this.#later = later;
    store.addEventListener("change", this.#look);
  }

  /** The lines of the branch on show; null until they have arrived. */
  get lines(): TransactionLines | null {
    return this.#answered?.branch === this.#store.branch ? this.#answered.lines : null;
  }

  /** Whether they were requested without success: the recording was made without them. */
  get isUnknown(): boolean {
    return this.#answered?.branch === this.#store.branch && this.#answered.lines === null;
  }

  /** Says whether the list is open. */
  watch(watched: boolean): void {
    this.#watched = watched;
    this.#look();
  }

  readonly #look = (): void => {
    const store = this.#store;
    if (!this.#watched || this.#asking || store.header === null || store.branch === "") return;
    const { lines } = this;
    const isWhole = lines !== null && (lines.through >= store.newest || !store.source.live);
    if (isWhole || (this.isUnknown && !store.source.live)) return;
    this.#asking = true;
    void this.#ask(store.branch).finally(() => this.#later(defaults.every, () => {
      this.#asking = false;
      this.#look();
    }));
  };

  async #ask(branch: string): Promise<void> {
    const answer = await this.#store.question({ type: "transactions", branch });
    if (answer === null) return;
    this.#answered = { branch, lines: answer.transactions ?? null };
    this.dispatchEvent(new Event("change"));
  }
}
