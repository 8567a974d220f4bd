/**
 * `<eos-stage …></eos-stage><eos-message-acts .store=${store}></eos-message-acts>`: on the message that is selected, what
 * can be done to it: drop, delay, duplicate, and the list of all that the server offers. The acts are those of the
 * selection bar; the key `d` drops.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { SelectionBar } from "../player/selection-bar.ts";
import type { Action } from "../player/source.ts";
import { StoreElement } from "../player/store-element.ts";
import { say } from "../player/text.ts";
import type { Box } from "./contract.ts";
import type { Stage } from "./stage.ts";

/** Those that have a button on the message; the others are in the list. */
export const OFFERED = ["drop_message", "delay_message", "duplicate_message"];
export const defaults = {
  /** Milliseconds that a selection rests until it is asked what can be done. */
  ask: 120,
};

export class MessageActs extends StoreElement {
  static override properties = { ...StoreElement.properties, actions: { state: true } };

  declare actions: Action[] | null;
  #askedFor = "";

  constructor() {
    super();
    this.actions = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.parentElement?.addEventListener("landed", this.#place);
    addEventListener("resize", this.#place);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.parentElement?.removeEventListener("landed", this.#place);
    removeEventListener("resize", this.#place);
  }

  /** What is asked: the message that is selected, at the step on show; "" while none is. */
  get #question(): string {
    const { store } = this;
    const selection = store?.selection ?? null;
    return store === undefined || !store.source.live || selection?.kind !== "message" ? "" : `${store.branch} ${store.shown} ${selection.id}`;
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    super.willUpdate(changed);
    const question = this.#question;
    if (question === this.#askedFor) return;
    this.#askedFor = question;
    this.actions = null;
    if (question !== "") setTimeout(() => void this.#ask(question), defaults.ask);
  }

  async #ask(question: string): Promise<void> {
    const { store } = this;
    if (question !== this.#askedFor || store === undefined || store.selection === null) return;
    const actions = await store.actions(store.selection);
    if (question === this.#askedFor) this.actions = actions;
  }

  protected override render(): TemplateResult | typeof nothing {
    const { actions } = this;
    if (this.#askedFor === "" || actions === null) return nothing;
    const offered = OFFERED.flatMap((name) => actions.find((one) => one.action === name && one.enabled) ?? []);
    if (offered.length === 0) return nothing;
    return html`<div class="message-acts" role="toolbar" aria-label=${say("stage.act.heading")} hidden>${offered.map(
      (action) => html`<button title=${say(action.key, action.params)} @click=${() => void this.#bar()?.perform(action.action)}>${
        say(`stage.act.${action.action}`)}${action.action === "drop_message" ? html` <kbd>d</kbd>` : nothing}</button>`,
    )}<button class="more" aria-haspopup="true" title=${say("stage.act.more_means")} @click=${this.#more}>${say("stage.act.more")}</button></div>`;
  }

  protected override updated(): void {
    void this.#place();
  }

  /** Under the message where there is room, else over it; never outside the picture, and not shown without its message. */
  readonly #place = async (): Promise<void> => {
    const bar = this.querySelector<HTMLElement>(".message-acts");
    const stage = this.parentElement?.querySelector<Stage>("eos-stage");
    if (bar === null || stage == null) return;
    await stage.updateComplete;
    const at: Box | null = stage.boxOf(`m:${this.store?.selection?.id ?? ""}`);
    bar.hidden = at === null;
    if (at === null) return;
    const own = bar.getBoundingClientRect();
    const left = Math.max(8, Math.min(at.x + at.width / 2 - own.width / 2, stage.clientWidth - own.width - 8));
    const under = at.y + at.height + 6;
    const top = under + own.height <= stage.clientHeight - 4 ? under : Math.max(4, at.y - own.height - 6);
    bar.style.left = `${Math.round(stage.offsetLeft + left)}px`;
    bar.style.top = `${Math.round(stage.offsetTop + top)}px`;
  };

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
