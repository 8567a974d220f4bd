/**
 * Requests the transactions of the branch on show, one line for each (docs/websocket.md, `transactions`); a recording
 * contains them. They are requested only while the list is open, and again when further steps have arrived.
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

/**
 * A line as it was after step `step` of its run, at virtual time `time` (ms): it contains nothing that happened later.
 * Null before the transaction begins.
 */
export function lineAt(line: TransactionLine, step: number, time: number): TransactionLine | null {
  if (line.first_step > step) return null;
  if (line.last_step <= step) return line;
  const isDecided = line.decided_step !== null && line.decided_step <= step;
  // The line has only the last state of the transaction, so its state at that step is not known.
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

  /** Whether the answer has no lines, because the recording was made without them. */
  get isUnknown(): boolean {
    return this.#answered?.branch === this.#store.branch && this.#answered.lines === null;
  }

  /** The list calls this when it opens (`watched` true) or closes. */
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
