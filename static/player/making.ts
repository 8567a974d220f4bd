/**
 * Requests a file that the server makes, or the publication of a replay, and polls the server until it is done
 * (docs/replay-format.md, "Exports"). Fires `change` at each progress.
 */

import type { JsonObject } from "./frame.ts";
import { csrfToken } from "./page.ts";

export const defaults = { /** Milliseconds between two polls. */ every: 400 };

export interface Refusal {
  key: string;
  params: JsonObject;
}

/** The state of an export, as the server sends it. */
export interface Progress {
  state: "waiting" | "working" | "done" | "failed" | "cancelled";
  done: number;
  total: number;
  bytes: number;
  name: string;
  refusal: Refusal | null;
  address: string;
  cancel: string;
  file: string | null;
  result: string | null;
}

export class Making extends EventTarget {
  readonly form: string;
  progress: Progress | null = null;
  refusal: Refusal | null = null;
  #stopped = false;

  constructor(form: string) {
    super();
    this.form = form;
  }

  get isUnderWay(): boolean {
    return this.refusal === null && (this.progress === null || this.progress.state === "waiting" || this.progress.state === "working");
  }

  /** The progress in percent, 0 to 100. */
  get percent(): number {
    if (this.progress === null || this.progress.total === 0) return 0;
    return Math.floor((100 * this.progress.done) / this.progress.total);
  }

  /** Requests the export and polls it until it has ended, or until `leave` is called. */
  async run(address: string, branch: string): Promise<void> {
    const body = new URLSearchParams({ form: this.form, branch });
    await this.#hear(this.#post(address, body));
    while (this.isUnderWay && !this.#stopped && this.progress !== null) {
      await new Promise((done) => setTimeout(done, defaults.every));
      await this.#hear(fetch(this.progress.address, { headers: { Accept: "application/json" } }));
    }
  }

  async cancel(): Promise<void> {
    if (this.progress !== null) await this.#hear(this.#post(this.progress.cancel, new URLSearchParams()));
  }

  /** Stops polling, when the dialog closes. The server goes on with an export that it has begun. */
  leave(): void {
    this.#stopped = true;
  }

  #post(address: string, body: URLSearchParams): Promise<Response> {
    return fetch(address, { method: "POST", body, headers: { "X-CSRFToken": csrfToken(), Accept: "application/json" } });
  }

  async #hear(asked: Promise<Response>): Promise<void> {
    try {
      const response = await asked;
      const progress = (await response.json()) as Progress | Refusal;
      if ("state" in progress) {
        this.progress = progress;
        this.refusal = progress.refusal;
      } else {
        this.refusal = progress;
      }
    } catch {
      this.refusal = { key: "exports.unreachable", params: {} };
    }
    this.dispatchEvent(new Event("change"));
  }
}
