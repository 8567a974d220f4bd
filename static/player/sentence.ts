/**
 * `<eos-sentence .store=${store} rules="/reference/requirements/{rule}">`: what happened and why, the largest text
 * of the page and a live region; beside it the rules, the place in Kafka's source, and what else happened.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { isPreview } from "../diagrams/log-case.ts";
import type { Said, Step } from "./frame.ts";
import type { Check } from "./checks.ts";
import type { PlayerStore } from "./store.ts";
import { StoreElement } from "./store-element.ts";
import { say, words } from "./text.ts";
import { unbroken } from "./unbroken.ts";
import { askWhyEvent } from "./why-answer.ts";
import type { Zoom } from "./zoom.ts";

export const defaults = {
  /** Longer sentences are set smaller: letters of Latin script; a Chinese one counts twice, three capitals as four. */
  long: 180,
  longest: 300,
};

export function textLength(text: string): number {
  let length = 0;
  for (let index = 0; index < text.length; index += 1) length += text.charCodeAt(index) > 0x2e80 ? 2 : 1;
  const capitals = text.match(/[A-Z_]/g)?.length ?? 0;
  return length + Math.round(capitals / 3);
}

/** A test that asks is answered; one that states something is said to decide. */
function outcomeText(outcome: NonNullable<Check["outcome"]>, text: string): string {
  if (!/[?？]/.test(text) || outcome === "off") return say(`player.check.${outcome}`);
  return say(outcome === "decided" ? "diagram.decision.yes" : "diagram.decision.no");
}

export class Sentence extends StoreElement {
  static override properties = { ...StoreElement.properties, rules: {}, zoom: { attribute: false }, check: { attribute: false } };

  declare rules: string;
  /** Inside a step, the check that the reader looks at is what is said. */
  declare check: Check | null;
  declare zoom: Zoom | undefined;

  constructor() {
    super();
    this.rules = "";
    this.check = null;
    this.zoom = undefined;
  }

  protected override render(): TemplateResult | typeof nothing {
    const store = this.store;
    if (store === undefined || store.header === null) return nothing;
    const step = store.frame?.step ?? null;
    const check = step === null ? null : this.check;
    const text = check === null ? this.#text(store, step) : this.#checkText(check);
    const length = textLength(text);
    const size = length > defaults.longest ? "longest" : length > defaults.long ? "long" : "";
    return html`<p class="s ${size}" role="status" aria-live="polite" tabindex="-1">${unbroken(text)}</p>
      ${step === null ? html`<div class="refs"><span class="run-summary">${store.header.summary?.[words.language] ?? nothing}</span></div>` : check === null ? this.#references(step) : this.#checkReferences(check)}`;
  }

  /** `2/7 Is epoch 0 lower than the known 0? No` */
  #checkText(check: Check): string {
    const place = { at: (this.zoom?.at ?? 0) + 1, count: this.zoom?.checks.length ?? 0 };
    const text = say(check.key, check.params);
    const answer = check.outcome === null ? "" : outcomeText(check.outcome, text);
    return place.count < 2 ? text : say("player.check.at", { ...place, text, answer });
  }

  #checkReferences(check: Check): TemplateResult {
    const source = words.source(check.key);
    return html`<div class="refs">
      <div class="chips">${check.rules.map((rule) => this.#chip(rule))}</div>
      ${source === null ? nothing : html`<div class="mono source" title=${say("player.kafka_source")}>${source}</div>`}
    </div>`;
  }

  #text(store: PlayerStore, step: Step | null): string {
    if (step !== null) return say(step.key, step.params);
    if (store.newest === 0 && store.canGrow) return say("player.nothing_yet");
    return say("player.at_the_beginning");
  }

  #references(step: Step): TemplateResult {
    const source = words.source(step.key);
    return html`<div class="refs">
      <div class="chips">${step.rules.map((rule) => this.#chip(rule))}${this.#whyRefused(step)}</div>
      ${source === null ? nothing : html`<div class="mono source" title=${say("player.kafka_source")}>${source}</div>`}
      ${step.notes.length === 0 ? nothing : this.#notes(step)}
    </div>`;
  }

  /** The numbers, the rule, the row and the error, in one click. */
  #whyRefused(step: Step): TemplateResult | typeof nothing {
    if (step.refusal === null || this.store?.source.live !== true) return nothing;
    return html`<button class="chip why-refused" @click=${() => this.dispatchEvent(askWhyEvent("refused", ""))}>${say("player.why.refused")}</button>`;
  }

  #chip(rule: string): TemplateResult {
    if (this.rules === "") return html`<span class="chip">${rule}</span>`;
    return html`<a class="chip" href=${this.rules.replace("{rule}", encodeURIComponent(rule))} target="_blank" rel="noopener">${rule}</a>`;
  }

  #notes(step: Step): TemplateResult {
    return html`<details class="notes">
      <summary>${say(isPreview(step) ? "player.also.preview" : "player.also", { count: step.notes.length })}</summary>
      <ul>${step.notes.map((note: Said) => html`<li>${say(note.key, note.params)} ${note.rules.map((rule) => this.#chip(rule))}</li>`)}</ul>
    </details>`;
  }
}

customElements.define("eos-sentence", Sentence);
