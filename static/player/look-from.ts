/**
 * The button and the event by which any part of the player asks for a search, a breakpoint, an undo or a comparison.
 * `looking.ts`, which is loaded on demand, carries them out.
 */

import type { TemplateResult } from "lit";
import { html, nothing, svg } from "lit";
import type { Header } from "./frame.ts";
import { aside } from "./joins.ts";
import { StoreElement } from "./store-element.ts";
import { say } from "./text.ts";

export const LOOKING_KEYS = ["search", "next_match", "previous_match", "breakpoints", "run_to_breakpoint", "back_to_breakpoint", "undo", "redo", "compare", "compare_with"] as const;
export type LookingKey = (typeof LOOKING_KEYS)[number];

/** The words of the button that offers other runs to compare with; only in runs with brokers do they name versions. */
export function compareWords(header: Header | null): string {
  return say(header?.actors.some(({ role }) => role === "broker") === true ? "with.choose" : "with.choose_no_version");
}

/** Fires the event by which `<eos-looking>` carries out a key. `part`: any element inside the player. */
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
