/**
 * `<eos-steps-text .store=${store}>`: the text twin of the whole run. Every step as one line, searchable.
 *
 * Only the lines around the step on show are in the page, or the first that match; what is left out is counted.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Step } from "./frame.ts";
import type { PlayerStore } from "./store.ts";
import { StoreElement } from "./store-element.ts";
import { say } from "./text.ts";

export const defaults = { around: 60, matches: 200 };

/** One step as one line of text, as it is searched. */
export function lineOf(step: Step): string {
  const notes = step.notes.map((note) => say(note.key, note.params));
  return [say(step.key, step.params), ...notes].join(" ");
}

export interface Found {
  steps: Step[];
  /** Steps that match but are not listed, steps that have not been fetched. */
  more: number;
  unseen: number;
}

/** Steps whose line, actor or rules contain every word of the query. */
export function search(store: PlayerStore, query: string, limit: number): Found {
  const wanted = query.toLowerCase().split(/\s+/).filter((word) => word !== "");
  const found: Found = { steps: [], more: 0, unseen: 0 };
  for (let number = 1; number <= store.newest; number += 1) {
    const step = store.lines.peek(store.branch, number);
    if (step === undefined) {
      found.unseen += 1;
      continue;
    }
    const text = `${step.number} ${step.actor} ${step.rules.join(" ")} ${lineOf(step)}`.toLowerCase();
    if (!wanted.every((word) => text.includes(word))) continue;
    if (found.steps.length < limit) found.steps.push(step);
    else found.more += 1;
  }
  return found;
}

export class StepsText extends StoreElement {
  static override properties = { ...StoreElement.properties, query: { state: true } };

  declare query: string;

  constructor() {
    super();
    this.query = "";
  }

  protected override render(): TemplateResult | typeof nothing {
    const store = this.store;
    if (store === undefined || store.header === null) return nothing;
    return html`<div class="steps-text">
      <search><label>${say("player.search_steps")}
        <input type="search" .value=${this.query} @input=${(event: Event) => (this.query = (event.target as HTMLInputElement).value)} /></label></search>
      ${this.query.trim() === "" ? this.#around(store) : this.#matches(store)}
    </div>`;
  }

  protected override updated(): void {
    if (this.query.trim() === "") this.querySelector("[aria-current=step]")?.scrollIntoView({ block: "nearest" });
  }

  #around(store: PlayerStore): TemplateResult {
    const from = Math.max(1, store.shown - defaults.around);
    const to = Math.min(store.newest, store.shown + defaults.around);
    const steps: Step[] = [];
    for (let number = from; number <= to; number += 1) {
      const step = store.lines.peek(store.branch, number);
      if (step !== undefined) steps.push(step);
    }
    const missing = Math.max(0, to - from + 1) - steps.length;
    return html`${from > 1 ? html`<p class="quiet">${say("player.earlier_steps", { count: from - 1 })}</p>` : nothing}
      ${missing > 0 ? html`<p class="quiet">${say("player.unseen_steps", { count: missing })}</p>` : nothing}
      ${this.#list(steps, store)}
      ${to < store.newest ? html`<p class="quiet">${say("player.later_steps", { count: store.newest - to })}</p>` : nothing}
      ${store.newest === 0 ? html`<p class="quiet">${say("player.nothing_yet")}</p>` : nothing}`;
  }

  #matches(store: PlayerStore): TemplateResult {
    const { steps, more, unseen } = search(store, this.query, defaults.matches);
    return html`<p class="quiet" role="status">${say("player.matches", { count: steps.length + more })}
        ${unseen > 0 ? say("player.unseen_steps", { count: unseen }) : nothing}</p>
      ${this.#list(steps, store)}
      ${more > 0 ? html`<p class="quiet">${say("player.more_matches", { count: more })}</p>` : nothing}`;
  }

  #list(steps: Step[], store: PlayerStore): TemplateResult {
    return html`<ol>${repeat(
      steps,
      (step) => step.number,
      (step) => html`<li aria-current=${step.number === store.shown ? "step" : nothing}>
        <button @click=${() => store.moveTo(step.number)}>
          <span class="num">${step.number}</span> <span class="num quiet">${step.at} ms</span>
          <span class=${step.broken.length > 0 ? "bad" : ""}>${lineOf(step)} <span class="quiet">${step.rules.join(" ")}</span></span>
        </button></li>`,
    )}</ol>`;
  }
}

customElements.define("eos-steps-text", StepsText);
