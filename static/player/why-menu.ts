/**
 * `<eos-why-menu .store=${store} .selection=${selection}>`: what can be asked about a thing, as the engine lists it.
 * A choice is asked of `<eos-why>` (`ask-why`, why-answer.ts). Nothing is shown where nobody can be asked.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { Selection } from "./frame.ts";
import { StoreElement } from "./store-element.ts";
import { say } from "./text.ts";
import type { WhyQuestion } from "./why-answer.ts";
import { askWhyEvent } from "./why-answer.ts";

export class WhyMenu extends StoreElement {
  static override properties = { ...StoreElement.properties, selection: { attribute: false }, questions: { state: true } };

  declare selection: Selection | null;
  declare questions: WhyQuestion[];
  #place = "";

  constructor() {
    super();
    this.selection = null;
    this.questions = [];
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    super.willUpdate(changed);
    const { store, selection } = this;
    if (store === undefined || selection === null || !store.source.live || store.target !== store.shown) return;
    const place = `${store.branch}/${store.shown}/${selection.kind}/${selection.id}`;
    if (place === this.#place) return;
    this.#place = place;
    store.why({ selection, question: null, subject: "" }).then(
      (answer) => {
        if (place === this.#place) this.questions = answer.questions;
      },
      () => {
        if (place === this.#place) this.questions = []; // Whoever may not ask is told so by the panel, when asking.
      },
    );
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.questions.length === 0) return nothing;
    return html`<ul class="why-menu" aria-label=${say("player.why")}>${this.questions.map(
      ({ question, subject, key, params }) => html`<li><form @submit=${(event: SubmitEvent) => this.#ask(event, question, subject)}><button>${say("player.why")}</button> <span>${say(key, params)}</span></form></li>`,
    )}</ul>`;
  }

  #ask(event: SubmitEvent, question: string, subject: string): void {
    event.preventDefault();
    this.dispatchEvent(askWhyEvent(question, subject));
  }
}

customElements.define("eos-why-menu", WhyMenu);
