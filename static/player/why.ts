/**
 * `<eos-why .store=${store} rules="/reference/requirements/{rule}">`: the panel in which the engine answers why
 * something is as it is. The page derives nothing itself (docs/websocket.md, `why`).
 *
 * First comes the sentence that answers, then the chain from the symptom to its cause, all numbered as on the stage
 * (static/stage/chain.ts); of a long chain, the beginning is shown and the rest counted. The subject of a sentence is a
 * button that selects it in every picture. The panel is in the place of the timeline and covers the foot of the
 * picture, so that it moves nothing. On a phone, the question takes the place of the step's sentence, and each sentence
 * of the chain is cut to two lines until the reader opens it; only then may the panel cover the picture. While the
 * panel is open, the same question is asked again at each step to which the reader goes, and the panel closes at a step
 * at which the engine does not have this question; selecting things does not change the question. A follower sees the presenter's answer (`present`) and asks nothing.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { errorText } from "../diagrams/field-words.ts";
import type { Selection } from "./frame.ts";
import { deepFocus, nameOf } from "./selection-bar.ts";
import { Small, UPRIGHT } from "./small.ts";
import { Problem } from "./source.ts";
import type { PlayerStore } from "./store.ts";
import { StoreElement } from "./store-element.ts";
import { ruleChip, termed } from "./terms.ts";
import { say } from "./text.ts";
import { unbroken } from "./unbroken.ts";
import type { Asked, ShownWhy, WhyAnswer, WhyLink, WhyQuestion } from "./why-answer.ts";
import { answerFirst, currentQuestion, offeredQuestions, sameThing } from "./why-answer.ts";

export const defaults = {
  /** Milliseconds that a step must stay on show before the engine is asked about it: scrubbing asks nothing. */
  settle: 150,
  /** The number of sentences after the answer that are shown at first. */
  first: 4,
  /** If at most so many more sentences follow, they are shown, too: a button to them would take as much room. */
  few: 2,
  /**
   * On a phone: `opened` is the share of the page's height that stays free above an answer with an opened sentence;
   * `under` is the px between the picture and any other answer.
   */
  opened: 0.4,
  under: 8,
};

/** The key of the problem that the question does not exist at the step. */
const UNKNOWN = "problem.why_unknown";

export class Why extends StoreElement {
  static override properties = {
    ...StoreElement.properties,
    rules: {},
    asked: { state: true },
    answer: { state: true },
    problem: { state: true },
    presented: { state: true },
    whole: { state: true },
    isInstead: { state: true },
    unfolded: { state: true },
  };

  declare rules: string;
  /** The question; null while the panel is closed. */
  declare asked: Asked | null;
  declare answer: WhyAnswer | null;
  declare problem: Problem | null;
  /** The presenter's answer, on a follower's page; null: none. */
  declare presented: ShownWhy | null;
  /** Whether all sentences of a long chain are shown. */
  declare whole: boolean;
  /** Whether the answer is about the step, because nothing can be asked about the selection at this step. */
  declare isInstead: boolean;
  /** On a phone: the numbers of the sentences that are shown whole; the others are cut to two lines. */
  declare unfolded: ReadonlySet<number>;
  readonly #upright = new Small(this, UPRIGHT);
  /** The step and the question of the answer on show, or of the one that was requested. */
  #place = "";
  /**
   * While the reader looks at steps that the answer names, the answer stays. Then: its question, the branch and step at
   * which it was given, and the steps that it names; else null.
   */
  #kept: { asked: Asked; branch: string; step: number; steps: ReadonlySet<number> } | null = null;
  #opener: HTMLElement | null = null;

  constructor() {
    super();
    this.rules = "";
    this.asked = null;
    this.answer = null;
    this.problem = null;
    this.presented = null;
    this.whole = false;
    this.isInstead = false;
    this.unfolded = new Set();
  }

  get isOpen(): boolean {
    return this.asked !== null || this.presented !== null;
  }

  /** The sentences on show, the one that answers first: of the presenter's answer if there is one, else of the own. */
  get links(): readonly WhyLink[] {
    const links = answerFirst(this.presented?.links ?? this.answer?.links ?? []);
    return this.whole || links.length <= defaults.first + 1 + defaults.few ? links : links.slice(0, defaults.first + 1);
  }

  get #folded(): number {
    return (this.presented?.links ?? this.answer?.links ?? []).length - this.links.length;
  }

  /** Scrolls the sentence with a number into view, opens it, and gives it the focus. */
  showLink(number: number): void {
    if (!this.#upright.matches) this.#showNow(number);
    else {
      this.unfolded = new Set([...this.unfolded, number]);
      void this.updateComplete.then(() => this.#showNow(number));
    }
  }

  #sentence(number: number): HTMLElement | undefined {
    return this.querySelectorAll<HTMLElement>(".why-answer, .why-chain > li")[number - 1];
  }

  /** Scrolls a sentence into view; sentences above it are shown whole or not at all. */
  #bringIntoView(sentence: HTMLElement | undefined): void {
    sentence?.scrollIntoView({ block: "nearest" });
    const body = sentence?.closest<HTMLElement>(".why-body");
    if (sentence === undefined || body == null) return;
    const top = body.getBoundingClientRect().top + body.clientTop;
    const all = [...body.querySelectorAll<HTMLElement>(".why-answer, .why-chain > li")].map((one) => one.getBoundingClientRect());
    const next = all.find((one) => one.top >= top - 1);
    const isCut = all.some((one) => one.top < top - 1 && one.bottom > top + 1);
    if (isCut && next !== undefined && next.top <= sentence.getBoundingClientRect().top + 1) body.scrollBy({ top: next.top - top, behavior: "instant" });
  }

  #showNow(number: number): void {
    const sentence = this.#sentence(number);
    this.#bringIntoView(sentence);
    sentence?.focus({ preventScroll: true });
  }

  /**
   * The answer in the form that followers get; null if there is none, or its question is not one that the engine
   * offers.
   */
  get shown(): ShownWhy | null {
    const { answer } = this;
    const current = answer === null ? null : currentQuestion(answer);
    return answer === null || current === null ? null : { key: current.key, params: current.params, links: answer.links };
  }

  /** Shows a presenter's answer in place of the reader's own; null: the presenter has closed it. */
  present(presented: ShownWhy | null): void {
    if (presented !== null) this.close();
    this.presented = presented;
  }

  /**
   * Asks a question; null: the first one about the selection or, if nothing is selected, about the most unusual thing.
   */
  ask(question: Pick<WhyQuestion, "question" | "subject"> | null): void {
    const store = this.store;
    if (store === undefined) return;
    const selection = question === null ? store.selection : null;
    const wasOpen = this.isOpen;
    this.presented = null;
    if (!wasOpen) this.#opener = deepFocus();
    this.#kept = null;
    this.asked = { selection, question: question?.question ?? null, subject: question?.subject ?? "" };
    this.#place = "";
    void this.#fetch(0);
    if (!wasOpen) void this.updateComplete.then(() => this.querySelector<HTMLElement>(".why-head")?.focus());
  }

  /** Closes the open panel; if it is closed, or if something else was selected since, asks about the selection. */
  toggle(): void {
    const selection = this.store?.selection ?? null;
    const isNew = selection !== null && this.asked !== null && !sameThing(selection, this.asked.selection) && !this.#isInChain(selection);
    if (this.isOpen && !isNew) this.close();
    else this.ask(null);
  }

  close(): void {
    if (!this.isOpen) return;
    const hadFocus = this.contains(document.activeElement);
    this.asked = null;
    this.answer = null;
    this.problem = null;
    this.presented = null;
    this.#kept = null;
    this.#place = "";
    if (hadFocus) this.#opener?.focus();
  }

  #isInChain(selection: Selection): boolean {
    return this.answer?.links.some((link) => link.subject !== null && sameThing(link.subject, selection)) ?? false;
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    super.willUpdate(changed);
    if (changed.has("answer") || changed.has("presented")) [this.whole, this.unfolded] = [false, new Set()];
    if (this.isOpen) void this.#fetch(defaults.settle);
  }

  protected override updated(changed: Map<string, unknown>): void {
    this.markPlayer("why", this.querySelector(".why-panel") !== null);
    this.#grow();
    if (["answer", "presented", "whole"].some((name) => changed.has(name))) this.dispatchEvent(new CustomEvent("shown-why", { bubbles: true }));
  }

  /**
   * On a phone, sets the height of the answer: the free room below the picture; with an opened sentence, a large part
   * of the page's height.
   */
  #grow(): void {
    const body = this.querySelector<HTMLElement>(".why-body");
    if (body === null || !this.#upright.matches) return;
    body.style.setProperty("--grow", "0px");
    const lacks = body.scrollHeight - body.clientHeight;
    const { top } = body.getBoundingClientRect();
    const drawn = this.closest(".player")?.querySelector(".mid > .panel > *")?.shadowRoot?.querySelectorAll("svg.scene > [data-key]") ?? [];
    const foot = Math.max(...[...drawn].map((one) => one.getBoundingClientRect().bottom));
    const from = this.unfolded.size > 0 ? innerHeight * defaults.opened : drawn.length === 0 ? top : foot + defaults.under;
    body.style.setProperty("--grow", `${Math.max(0, Math.min(lacks, top - from))}px`);
  }

  #keepsAnswer({ branch, shown }: PlayerStore, asked: Asked): boolean {
    const kept = this.#kept;
    if (kept?.asked === asked && kept.branch === branch && (shown === kept.step || kept.steps.has(shown))) return true;
    this.#kept = null;
    return false;
  }

  /** Goes to a step that the answer names; the answer stays. */
  #lookAt(step: number): void {
    const { store, asked, answer } = this;
    if (store === undefined) return;
    if (asked !== null && answer !== null && this.#kept === null) {
      // An answer without questions only names another step at which there is something to ask.
      if (answer.questions.length === 0) return store.moveTo(step);
      const steps = new Set(answer.links.map((link) => link.step).filter((one) => one !== null));
      this.#kept = { asked, branch: store.branch, step: store.shown, steps };
    }
    store.moveTo(step);
  }

  #back(): TemplateResult | typeof nothing {
    const kept = this.#kept;
    if (kept === null || kept.step === this.store?.shown) return nothing;
    return html`<button class="why-about" @click=${() => this.#lookAt(kept.step)}>${say("player.why.back", { number: kept.step })}</button>`;
  }

  async #fetch(delay: number): Promise<void> {
    const { store, asked } = this;
    if (store === undefined || asked === null || store.target !== store.shown) return;
    if (this.#keepsAnswer(store, asked)) return;
    const place = `${store.branch}/${store.shown}/${JSON.stringify(asked)}`;
    if (place === this.#place) return;
    this.#place = place;
    if (delay > 0) await new Promise((resume) => setTimeout(resume, delay));
    if (place !== this.#place) return;
    try {
      let answer = await store.why(asked);
      const isInstead = asked.selection !== null && answer.question === null && answer.links.length === 0;
      if (isInstead) answer = await store.why({ ...asked, selection: null });
      if (place !== this.#place) return;
      this.answer = answer;
      this.isInstead = isInstead;
      this.problem = null;
    } catch (error) {
      if (place !== this.#place) return;
      if (error instanceof Problem && error.key === UNKNOWN && delay > 0) return this.close();
      this.answer = null;
      this.problem = error instanceof Problem ? error : new Problem("unavailable", "player.why.failed");
    }
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.store === undefined) return nothing;
    if (this.presented !== null) return this.#presentedWhy(this.presented);
    if (this.asked === null) return nothing;
    const current = this.answer === null ? null : currentQuestion(this.answer);
    return html`<section class="why-panel" aria-label=${say("player.why")}>
      <header class="why-head" tabindex="-1">${this.#instead(this.asked)}${current === null ? html`<b>${say("player.why")}</b>` : html`<span class="why-asked">${unbroken(say(current.key, current.params))}</span>`}
        ${this.answer === null ? nothing : this.#others(this.answer)} ${this.#aboutSelection()} ${this.#aboutStep(this.asked)} ${this.#back()}</header>
      <button class="close" aria-label=${say("player.why.close")} @click=${() => this.close()}>✕</button>
      <p class="sr" role="status" aria-live="polite">${announcement(this.answer?.links ?? [], current)}</p>
      ${this.problem === null ? this.#chain() : html`<p class="why-none">${say(this.problem.key, this.problem.params)}
        ${this.problem.remedyKey === null ? nothing : say(this.problem.remedyKey, this.problem.params)}</p>`}
    </section>`;
  }

  #presentedWhy({ key, params, links }: ShownWhy): TemplateResult {
    return html`<section class="why-panel" aria-label=${say("player.why")}>
      <header class="why-head" tabindex="-1"><span class="why-asked">${unbroken(say(key, params))}</span> <span class="badge">${say("player.why.presented")}</span></header>
      <button class="close" aria-label=${say("player.why.close")} @click=${() => this.close()}>✕</button>
      <p class="sr" role="status" aria-live="polite">${announcement(links, { key, params })}</p>
      ${this.#links()}
    </section>`;
  }

  /** A list from which the reader chooses another question that can be asked here. */
  #others(answer: WhyAnswer): TemplateResult | typeof nothing {
    const others = offeredQuestions(answer).filter((one) => one.question !== answer.question || one.subject !== answer.subject);
    if (others.length === 0) return nothing;
    return html`<select class="why-others" aria-label=${say("player.why.question")} @change=${(event: Event) => this.#choose(others, event)}>
      <option value="" .selected=${true} disabled hidden>${say("player.why.others", { count: others.length })}</option>
      ${others.map((one, at) => html`<option value=${at}>${say(one.key, one.params)}</option>`)}</select>`;
  }

  #choose(others: readonly WhyQuestion[], event: Event): void {
    const select = event.target as HTMLSelectElement;
    const chosen = others[Number(select.value)];
    select.value = "";
    if (chosen === undefined || this.asked === null) return;
    const selection = this.isInstead ? null : this.asked.selection;
    this.asked = { selection, question: chosen.question, subject: chosen.subject };
  }

  /** A sentence that says that the answer is not about the selection (`isInstead`); nothing if it is. */
  #instead({ selection }: Asked): TemplateResult | typeof nothing {
    if (!this.isInstead || selection === null || this.answer === null) return nothing;
    return html`<span class="why-instead">${say("player.why.instead", { what: nameOf(selection, this.store?.frame) })}</span> `;
  }

  readonly #askOfStep = (): void => {
    this.asked = { selection: null, question: null, subject: "" };
    this.querySelector<HTMLElement>(".why-head")?.focus();
  };

  /** If the answer is about an earlier selection: a button that asks about the step instead. */
  #aboutStep({ selection }: Asked): TemplateResult | typeof nothing {
    if (selection === null || this.isInstead || this.answer === null) return nothing;
    return html`<button class="why-about" @click=${this.#askOfStep}>${say("player.why.about_step")}</button>`;
  }

  /** If something is selected that the answer does not mention: a button that asks about it. */
  #aboutSelection(): TemplateResult | typeof nothing {
    const store = this.store;
    const selection = store?.selection ?? null;
    if (store === undefined || selection === null || this.asked === null) return nothing;
    if (sameThing(selection, this.asked.selection) || this.#isInChain(selection)) return nothing;
    const what = nameOf(selection, store.frame);
    return html`<button class="why-about" @click=${() => this.ask(null)}>${say("player.why.about", { what })}</button>`;
  }

  #chain(): TemplateResult {
    if (this.answer === null) return html`<p class="why-none quiet">${say(this.store?.status === "reconnecting" ? "player.offline" : "player.why.asking")}</p>`;
    const [first = { key: "player.why.nothing_to_ask", params: {}, step: null }, ...others] = this.answer.links;
    if (this.answer.question === null && others.length === 0) return html`<p class="why-none">${say(first.key, first.params)} ${this.#way(first.step)}</p>`;
    return this.#links();
  }

  #links(): TemplateResult {
    const [answer, ...others] = this.links;
    const folded = this.#folded;
    return html`<div class="why-body"><div class="why-flow"><div class=${answer?.subject === null ? "why-answer placeless" : "why-answer"} tabindex="-1">${answer === undefined ? nothing : this.#link(answer)}</div>
      <ol class="why-chain" start="2" tabindex="0" aria-label=${say("player.why.chain")}>${repeat(others, (_link, index) => index, (link, index) => html`<li class=${classesOf(link, this.#upright.matches && this.unfolded.has(index + 2))} tabindex="-1">${this.#folding(link, index + 2)}</li>`)}
        ${folded === 0 ? nothing : html`<li class="why-folded"><button @click=${this.#unfold}>${say("player.why.more", { count: folded })}</button></li>`}</ol></div></div>`;
  }

  readonly #unfold = (): void => {
    const number = this.links.length + 1;
    this.whole = true;
    void this.updateComplete.then(() => this.showLink(number));
  };

  /** A sentence of the chain. On a phone, it is cut to two lines until a press opens it. */
  #folding(link: WhyLink, number: number): TemplateResult {
    if (!this.#upright.matches) return this.#link(link);
    const isOpen = this.unfolded.has(number);
    const turn = (): void => {
      this.unfolded = new Set(isOpen ? [...this.unfolded].filter((one) => one !== number) : [...this.unfolded, number]);
      void this.updateComplete.then(() => this.#bringIntoView(this.#sentence(number)));
    };
    return html`<button class="why-line" aria-expanded=${isOpen} aria-label=${isOpen ? say("player.why.fold") : nothing} @click=${turn}>${isOpen ? nothing : html`<span>${sentenceOf(link)}</span>`}<span aria-hidden="true">${isOpen ? "▴" : "▾"}</span></button>
      ${isOpen ? this.#link(link) : nothing}`;
  }

  #link(link: WhyLink): TemplateResult {
    const { subject, step, compared } = link;
    return html`<span class="why-said">${termed(sentenceOf(link))}</span>
      ${compared.length === 0 ? nothing : html`<ul class="why-compared">${compared.map(([what, number]) => html`<li>${errorText(what, number)}</li>`)}</ul>`}
      <span class="why-refs">${subject === null ? nothing : this.#subject(subject)}
        ${this.#way(step)}
        ${link.rules.map((rule) => ruleChip(rule, this.rules))}</span>`;
  }

  #way(step: number | null): TemplateResult | typeof nothing {
    if (step === null || (this.#kept === null && step === this.store?.shown)) return nothing;
    return html`<button class="why-step" aria-current=${step === this.store?.shown ? "step" : nothing} title=${say("player.why.step_means", { number: step })} @click=${() => this.#lookAt(step)}>${say("player.why.step", { number: step })}</button>`;
  }

  #subject(subject: Selection): TemplateResult {
    const store = this.store;
    const isSelected = sameThing(subject, store?.selection ?? null);
    return html`<button class="why-subject" aria-pressed=${isSelected} title=${say("player.why.select")}
      @click=${() => store?.select(isSelected ? null : subject)}>${nameOf(subject, store?.frame)}</button>`;
  }

}

function classesOf({ subject }: WhyLink, isOpened: boolean): string | typeof nothing {
  return [...(subject === null ? ["placeless"] : []), ...(isOpened ? ["opened"] : [])].join(" ") || nothing;
}

/** The text of a sentence. A quoted check is the one that decided, so its question is followed by the answer yes. */
function sentenceOf({ key, params }: WhyLink): string {
  const text = say(key, params);
  return key.startsWith("decision.") && /[?？]$/.test(text) ? `${text}${text.endsWith("?") ? " " : ""}${say("diagram.decision.yes")}` : text;
}

/**
 * The text that a screen reader announces for an answer: the question, the first sentence and the number of sentences.
 */
function announcement(links: readonly WhyLink[], asked: Pick<WhyQuestion, "key" | "params"> | null): string {
  const [first, ...others] = answerFirst(links);
  if (first === undefined) return "";
  const question = asked === null ? "" : say(asked.key, asked.params);
  return say("player.why.heard", { question, count: others.length + 1, first: say(first.key, first.params) });
}

customElements.define("eos-why", Why);
