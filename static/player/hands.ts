/**
 * `<eos-hands .store .audience>`: for followers, a hand to raise at the step on show; for a presenter, the raised
 * hands and their steps. The key `h` opens it.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { Audience, HandSeen, Heard } from "./audience.ts";
import { AudienceElement } from "./audience-element.ts";
import type { PlayerStore } from "./store.ts";
import { say } from "./text.ts";

export const defaults = {
  /** The most characters of a question, until the server has sent its own limit. */
  characters: 200,
};

const called = (hand: HandSeen): string => hand.name ?? say("hands.number", { number: hand.follower });

export class Hands extends AudienceElement {
  protected override sentenceOf(heard: Heard): string | null {
    if (heard.kind === "lowered") return say("hands.was_lowered");
    if (heard.kind !== "hand") return null;
    return say("hands.raised_with", { who: called(heard.hand), step: heard.hand.step, text: heard.hand.text });
  }

  /** Opens the menu, with the focus inside, or closes it; for the key `h`. */
  toggle(): void {
    const menu = this.querySelector<HTMLDetailsElement>("details");
    if (menu === null) return;
    menu.open = !menu.open;
    menu.querySelector<HTMLElement>(menu.open ? "input, button:not(.lower-all), summary" : "summary")?.focus();
  }

  #close(): void {
    const menu = this.querySelector<HTMLDetailsElement>("details");
    if (menu === null) return;
    menu.open = false;
    menu.querySelector<HTMLElement>("summary")?.focus();
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, audience } = this;
    if (store === undefined || audience === null) return nothing;
    return html`<details class="menu hands">
        ${audience.presents ? this.#seen(store, audience) : this.#own(store, audience)}
      </details><p class="unseen" role="status">${this.said}</p>`;
  }

  #own(store: PlayerStore, audience: Audience): TemplateResult {
    const { raised } = audience;
    const as = audience.name === null ? say("hands.as_number") : say("hands.as_name", { name: audience.name });
    return html`<summary class=${raised === null ? "" : "is-raised"}>✋ ${say(raised === null ? "hands.raise" : "hands.raised")}</summary>
      <div class="hands-panel">${
        raised === null
          ? html`<form @submit=${(event: Event) => this.#raise(event, store, audience)}>
              <label>${say("hands.question", { characters: defaults.characters })}<input name="text" maxlength=${defaults.characters} autocomplete="off"></label>
              <div class="row"><button class="primary">${say("hands.raise")} · ${say("hands.at", { step: store.shown })}</button></div></form>`
          : html`<p>${say("hands.raised_at", { step: raised.step })}${raised.text === "" ? nothing : html` <q>${raised.text}</q>`}</p>
              <div class="row"><button class="primary" @click=${() => this.#lower(audience)}>${say("hands.lower")}</button></div>`
      }<p class="quiet">${as}</p></div>`;
  }

  #raise(event: Event, store: PlayerStore, audience: Audience): void {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const field = form.elements.namedItem("text") as HTMLInputElement;
    void audience.raise(store.branch, store.shown, field.value);
    form.reset();
    this.#close();
  }

  #lower(audience: Audience): void {
    void audience.lower();
    this.#close();
  }

  #seen(store: PlayerStore, audience: Audience): TemplateResult {
    const { hands } = audience;
    return html`<summary class=${hands.length === 0 ? "" : "is-raised"}>✋ ${say("hands.title", { count: hands.length })}</summary>
      <div class="hands-panel">${
        hands.length === 0
          ? html`<p class="quiet">${say("hands.none")}</p>`
          : html`<ol>${hands.map((hand) => this.#one(store, audience, hand))}</ol>
              <div class="row"><button class="lower-all" @click=${() => void audience.lowerHands()}>${say("hands.lower_all")}</button></div>`
      }</div>`;
  }

  #one(store: PlayerStore, audience: Audience, hand: HandSeen): TemplateResult {
    const params = { who: called(hand), step: hand.step };
    return html`<li><button class="go-there" aria-label=${say("hands.go", params)} @click=${() => this.#goThere(store, hand)}>
        <b>${called(hand)}</b> <span class="num">${say("hands.at", { step: hand.step })}</span>
        ${hand.away ? html`<span class="quiet">${say("hands.away")}</span>` : nothing}</button>
      <button class="small" aria-label=${say("hands.lower_one", params)} @click=${() => void audience.lowerHands([hand.follower])}>${say("hands.lower")}</button>
      ${hand.text === "" ? nothing : html`<q>${hand.text}</q>`}</li>`;
  }

  #goThere(store: PlayerStore, hand: HandSeen): void {
    if (store.branch === hand.branch) store.moveTo(hand.step);
    else store.switchTo(hand.branch, hand.step);
    this.#close();
  }
}

customElements.define("eos-hands", Hands);
