/**
 * `<eos-steps-text .store=${store}>`: the whole run as text, with a search: its beats, then one line for each step.
 *
 * Only the lines around the step on show are in the page; during a search, only the first found ones. The others are
 * counted.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { planOf } from "./axis-of.ts";
import { placeOf, titleOf } from "./beats.ts";
import type { Step } from "./frame.ts";
import type { PlayerStore } from "./store.ts";
import { lookingOf } from "./looking.ts";
import { searchResults } from "./search-results.ts";
import { StoreElement } from "./store-element.ts";
import { linePartsOf } from "./line-parts.ts";
import type { StepSearch } from "./step-search.ts";
import { say, words } from "./text.ts";
import { unbroken } from "./unbroken.ts";
import { whenText } from "./when.ts";

export const defaults = {
  around: 60,
  /** Milliseconds without a further letter until the search begins. */
  pause: 250,
};

export class StepsText extends StoreElement {
  readonly #changed = (): void => this.requestUpdate();
  #heard: StepSearch | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The step whose line was scrolled into view last, and the number of lines at that time, as one text. */
  #seen = "";

  protected override render(): TemplateResult | typeof nothing {
    const store = this.store;
    if (store === undefined || store.header === null) return nothing;
    const search = this.#searchOf(store);
    const text = search?.conditions.find((condition) => condition.on === "text")?.text ?? "";
    return html`<div class="steps-text">
      <search><label>${say("player.search_steps")}
        <input type="search" maxlength="200" .value=${text} @input=${(event: Event) => this.#typed((event.target as HTMLInputElement).value.trim())} /></label></search>
      ${search === null || !search.active ? this.#around(store) : searchResults(search, store, (number) => store.moveUpTo(number))}
    </div>`;
  }

  #searchOf(store: PlayerStore): StepSearch | null {
    const search = lookingOf(store)?.search ?? null;
    if (this.#heard === null && search !== null) {
      search.addEventListener("change", this.#changed);
      this.#heard = search;
    }
    return search;
  }

  #typed(text: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#heard?.start(text === "" ? [] : [{ on: "text", text, language: words.language }]), defaults.pause);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#heard?.removeEventListener("change", this.#changed);
    this.#heard = null;
    clearTimeout(this.#timer);
  }

  protected override updated(): void {
    const line = this.querySelector("[aria-current=step]");
    // Lines that arrive later move the lines below them, so it scrolls again if the number of lines has changed.
    const seen = `${this.store?.shown ?? 0} of ${this.querySelectorAll("li").length}`;
    if (this.#heard?.active === true || line === null || seen === this.#seen) return;
    this.#seen = seen;
    // The line is put in the middle of its place, so that the lines after it are visible, too.
    line.scrollIntoView({ block: "center" });
  }

  #around(store: PlayerStore): TemplateResult {
    const from = Math.max(1, store.shown - defaults.around);
    const to = Math.min(store.newest, store.shown + defaults.around);
    const steps: Step[] = [];
    for (let number = from; number <= to; number += 1) {
      const step = store.lines.step(store.branch, number);
      if (step !== undefined) steps.push(step);
    }
    const missing = Math.max(0, to - from + 1) - steps.length;
    return html`${this.#beats(store)} ${from > 1 ? html`<p class="quiet">${say("player.earlier_steps", { count: from - 1 })}</p>` : nothing}
      ${missing > 0 ? html`<p class="quiet">${say("player.unseen_steps", { count: missing })}</p>` : nothing}
      ${this.#list(steps, store)}
      ${to < store.newest ? html`<p class="quiet">${say("player.later_steps", { count: store.newest - to })}</p>` : nothing}
      ${store.newest === 0 ? html`<p class="quiet">${say("player.nothing_yet")}</p>` : nothing}`;
  }

  /** The beats of the whole run, which come before the steps. */
  #beats(store: PlayerStore): TemplateResult | typeof nothing {
    const plan = planOf(store);
    if (plan === null) return nothing;
    const here = placeOf(plan.beats, store.shown);
    return html`<h2>${say("player.beats")}</h2><ol class="beats-text">${plan.beats.map((beat, place) => html`<li aria-current=${place === here ? "true" : nothing}>
      <button @click=${() => store.moveUpTo(Math.min(beat.lands, store.newest))}><span class="num">${place + 1}</span> <span class="num quiet">${beat.first}–${Math.max(beat.first, beat.last)}</span> <span>${titleOf(beat)}</span></button></li>`)}</ol>
      <h2>${say("player.steps")}</h2>`;
  }

  #list(steps: Step[], store: PlayerStore): TemplateResult {
    return html`<ol>${repeat(
      steps,
      (step) => step.number,
      (step) => html`<li aria-current=${step.number === store.shown ? "step" : nothing}>
        <button @click=${() => store.moveTo(step.number)}>
          <span class="num">${step.number}</span> <span class="num quiet">${whenText(store.header, step.at)}</span>
          <span class=${step.broken.length > 0 ? "bad" : ""}>${linePartsOf(step)} <span class="quiet">${unbroken(step.rules.join(" "))}</span></span>
        </button></li>`,
    )}</ol>`;
  }
}

customElements.define("eos-steps-text", StepsText);
