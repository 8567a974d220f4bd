/**
 * `<eos-references .store=${store} rules="/reference/requirements/{rule}">`: the line with references about a step: its
 * rules, the place in Kafka's source, a button that asks why it was refused, and its further notes. A press opens each.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { isPreview } from "../diagrams/log-case.ts";
import type { Check } from "./checks.ts";
import type { Said, Step } from "./frame.ts";
import { leadOf, notesOf, sentencesIn } from "./leading.ts";
import { closeLists, PagePresses } from "./page-presses.ts";
import { shortSource } from "./short-source.ts";
import { Small } from "./small.ts";
import { StoreElement } from "./store-element.ts";
import { keeperOf, requirementText, ruleChip } from "./terms.ts";
import { say, words } from "./text.ts";
import { askWhyEvent } from "./why-answer.ts";

/** The most rules that the line shows. */
const MOST = 4;

export class References extends StoreElement {
  static override properties = { ...StoreElement.properties, rules: {}, check: { attribute: false } };

  declare rules: string;
  /** At the level of checks: the check on show. */
  declare check: Check | null;

  constructor() {
    super();
    this.rules = "";
    this.check = null;
    new PagePresses(this, (event) => closeLists(this, "details", event));
  }

  readonly #small = new Small(this);
  #shown = "";

  /** When the step on show changes, closes an opened list, which is about the step before and covers the picture. */
  protected override updated(): void {
    const { store } = this;
    const here = `${store?.branch}/${store?.shown}`;
    if (here === this.#shown) return;
    this.#shown = here;
    for (const list of this.querySelectorAll<HTMLDetailsElement>("details[open]")) list.open = false;
  }

  protected override render(): TemplateResult | typeof nothing {
    const step = this.store?.frame?.step ?? null;
    if (this.store === undefined || this.store.header === null) return nothing;
    if (step === null) return this.#none();
    return this.check === null ? this.#ofStep(step) : this.#ofCheck(this.check);
  }

  #ofCheck(check: Check): TemplateResult {
    const source = words.source(check.key);
    return html`<div class="refs" tabindex=${this.#reached}>
      <div class="chips">${this.#rules(check.rules, source)}</div>
      ${this.#small.matches ? nothing : this.#source(source)}
    </div>`;
  }

  #ofStep(step: Step): TemplateResult {
    const source = words.source(leadOf(step).key);
    const rules = [...new Set(sentencesIn(step).flatMap((said) => said.rules))];
    return html`<div class="refs" tabindex=${this.#reached}>
      <div class="chips">${this.#rules(rules, source)}${this.#whyRefused(step)} ${notesOf(step).length === 0 ? nothing : this.#notes(step)}</div>
      ${this.#small.matches ? nothing : this.#source(source)}
    </div>`;
  }

  /** The line without content. On a phone it keeps its place, because it also counts the sentences that do not fit. */
  #none(): TemplateResult | typeof nothing {
    return this.#small.matches ? html`<div class="refs"></div>` : nothing;
  }

  /**
   * The first rules and the number of the others; on a phone only the number. A press shows all rules and the source.
   */
  #rules(rules: readonly string[], source: string | null): unknown {
    const isSmall = this.#small.matches;
    const shown = isSmall ? (rules.length < 2 && source === null ? 1 : 0) : rules.length > MOST ? MOST - 1 : MOST;
    const chips = (some: readonly string[]) => some.map((rule) => ruleChip(rule, this.rules));
    if (rules.length <= shown) return chips(rules);
    const all = say("player.rules_count", { count: rules.length });
    return html`${chips(rules.slice(0, shown))}<details class="notes by-rules"><summary class="chip" aria-label=${all} title=${all}>${isSmall ? all : `+${rules.length - shown}`}</summary>
      <ul>${(isSmall ? rules : rules.slice(shown)).map((rule) => html`<li>${ruleChip(rule, this.rules)} ${this.#ruleText(rule)}</li>`)}${isSmall && source !== null ? html`<li>${say("player.kafka_source")}${say("join.colon")}${this.#source(source)}</li>` : nothing}</ul></details>`;
  }

  /** The text of a rule, true of the run on show; "" if the catalogue has none. */
  #ruleText(rule: string): string {
    const view = this.store?.frame?.view;
    const key = requirementText(rule, view === undefined ? null : keeperOf(view));
    return words.knows(key) ? say(key) : "";
  }

  #source(source: string | null): TemplateResult | typeof nothing {
    return source === null ? nothing : html`<div class="mono source" title=${`${say("player.kafka_source")}${say("join.colon")}${source}`}>${(this.#small.matches ? source : shortSource(source)).split(/(?<=[.(])/).map((part) => html`${part}<wbr>`)}</div>`;
  }

  /**
   * A button that asks the engine why the request of the step was refused; nothing if it was not, or without an engine.
   */
  #whyRefused(step: Step): TemplateResult | typeof nothing {
    if (step.refusal === null || this.store?.source.live !== true) return nothing;
    return html`<button class="chip why-refused" @click=${() => this.dispatchEvent(askWhyEvent("refused", ""))}>${say("player.why.refused")}</button>`;
  }

  /** The tabindex of the scrolling list: if its rules are no links, the list itself takes the focus, to be scrolled. */
  get #reached(): 0 | typeof nothing {
    return this.rules === "" ? 0 : nothing;
  }

  #notes(step: Step): TemplateResult {
    const notes = notesOf(step);
    return html`<details class="notes">
      <summary>${say(isPreview(step) ? "player.also.preview" : "player.also", { count: notes.length })}</summary>
      <ul>${notes.map((note: Said) => html`<li>${say(note.key, note.params)} ${note.rules.map((rule) => ruleChip(rule, this.rules))}</li>`)}</ul>
    </details>`;
  }
}

customElements.define("eos-references", References);
