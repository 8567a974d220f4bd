/**
 * The keys and buttons that search a run, undo something or compare: `looking.ts` carries them out and is loaded on
 * demand.
 */

import type { TemplateResult } from "lit";
import { html, nothing, svg } from "lit";
import type { Header } from "./frame.ts";
import { aside } from "./joins.ts";
import { StoreElement } from "./store-element.ts";
import { say } from "./text.ts";

export const LOOKING_KEYS = ["search", "next_match", "previous_match", "breakpoints", "run_to_breakpoint", "back_to_breakpoint", "undo", "redo", "compare", "compare_with"] as const;
export type LookingKey = (typeof LOOKING_KEYS)[number];

/** The words of the button that leads to a scenario's other runs; only runs with brokers have versions. */
export function compareWords(header: Header | null): string {
  return say(header?.actors.some(({ role }) => role === "broker") === true ? "with.choose" : "with.choose_no_version");
}

/** Asks `<eos-looking>` to carry out a key, from any part of the player. */
export function lookFrom(part: Element, key: LookingKey): void {
  part.dispatchEvent(new CustomEvent<LookingKey>("look-for", { detail: key, bubbles: true }));
}

/**
 * `<eos-looking-buttons .store=${store}>`: the button for a search, in a player with `<eos-looking>`; breakpoints are
 * in the menu.
 */
export class LookingButtons extends StoreElement {
  protected override render(): TemplateResult | typeof nothing {
    if (this.store === undefined || this.store.session === null) return nothing;
    const name = say("player.key.search");
    return html`<span class="looking-buttons"><button class="icon" aria-label=${name} title=${aside(name, "/")} @click=${() => lookFrom(this, "search")}>${MAGNIFIER}</button></span>`;
  }
}

const MAGNIFIER = svg`<svg width="14" height="14" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2"><circle cx="6" cy="6" r="4.5" /><path d="M9.5 9.5L13 13" /></svg>`;

customElements.define("eos-looking-buttons", LookingButtons);
