/**
 * `<eos-message-acts .store=${store} .at=${box}>`: on the message that is selected, what can be done to it: drop, delay,
 * duplicate, and what else the server offers. The acts are those of the selection bar; the key `d` drops.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { Action } from "../player/source.ts";
import type { SelectionBar } from "../player/selection-bar.ts";
import { StoreElement } from "../player/store-element.ts";
import { say } from "../player/text.ts";
import type { Box } from "./contract.ts";

/** Those that have a button on the message; the others are in the list. */
export const OFFERED = ["drop_message", "delay_message", "duplicate_message"];
export const defaults = {
  /** Milliseconds that a selection rests until it is asked what can be done. */
  ask: 120,
};

export class MessageActs extends StoreElement {
  static override properties = { ...StoreElement.properties, at: { attribute: false }, actions: { state: true } };

  /** Where the message stands, in px of the element that this one is placed in; null: it is not in the picture. */
  declare at: Box | null;
  declare actions: Action[] | null;
  #askedFor = "";

  constructor() {
    super();
    this.at = null;
    this.actions = null;
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    super.willUpdate(changed);
    const store = this.store;
    const selection = store?.selection ?? null;
    const question = store === undefined || selection?.kind !== "message" || this.at === null ? "" : `${store.branch} ${store.shown} ${selection.id}`;
    if (question === this.#askedFor) return;
    this.#askedFor = question;
    this.actions = null;
    if (question !== "" && store?.source.live === true) setTimeout(() => void this.#ask(question), defaults.ask);
  }

  async #ask(question: string): Promise<void> {
    const { store } = this;
    if (question !== this.#askedFor || store === undefined || store.selection === null) return;
    const actions = await store.actions(store.selection);
    if (question === this.#askedFor) this.actions = actions;
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, at, actions } = this;
    if (store === undefined || at === null || this.#askedFor === "" || !store.source.live || actions === null) return nothing;
    const offered = OFFERED.flatMap((name) => actions.find((one) => one.action === name && one.enabled) ?? []);
    if (offered.length === 0) return nothing;
    return html`<div class="message-acts" role="toolbar" aria-label=${say("stage.act.heading")}>${offered.map(
      (action) => html`<button title=${say(action.key, action.params)} @click=${() => void this.#bar()?.perform(action.action)}>${
        say(`stage.act.${action.action}`)}${action.action === "drop_message" ? html` <kbd>d</kbd>` : nothing}</button>`,
    )}<button class="more" aria-haspopup="true" @click=${this.#more}>${say("stage.act.more")}</button></div>`;
  }

  /** Over the message where there is room, else under it; never outside the picture. */
  protected override updated(): void {
    const bar = this.querySelector<HTMLElement>(".message-acts");
    if (bar === null || this.at === null) return;
    const { x, y, width, height } = this.at;
    const own = bar.getBoundingClientRect();
    const room = (this.parentElement?.clientWidth ?? own.width) - own.width - 8;
    bar.style.left = `${Math.round(Math.max(8, Math.min(x + width / 2 - own.width / 2, room)))}px`;
    bar.style.top = `${Math.round(y > own.height + 8 ? y - own.height - 8 : y + height + 8)}px`;
  }

  #bar(): SelectionBar | null {
    return this.closest(".player")?.querySelector<SelectionBar>("eos-selection-bar") ?? null;
  }

  readonly #more = (event: Event): void => {
    const selection = this.store?.selection ?? null;
    const { left, bottom } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    if (selection !== null) this.#bar()?.openAt(selection, { x: left, y: bottom + 4 });
  };
}

customElements.define("eos-message-acts", MessageActs);
