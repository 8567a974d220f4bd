/**
 * `<eos-predict .store .play address="/sessions/…/questions" predictions="…">`: stops before a decision and asks the
 * reader what will happen. The engine makes the questions, their choices and the reasons, and says which choice is
 * right; the next step of the run shows it. In a track and in an assignment, questions are on from the start;
 * elsewhere, the reader switches them on for a session. The card is beside the picture and never over it. While an
 * answer is due, the keys that would move on say why they wait.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { Selection } from "./frame.ts";
import { csrfToken } from "./page.ts";
import type { Audience, Poll } from "./audience.ts";
import type { Play } from "./play.ts";
import type { Question, Quiz } from "./questions.ts";
import { rightOf, stopBefore } from "./questions.ts";
import { reasonList, unsaid } from "./reasons.ts";
import type { PlayerStore } from "./store.ts";
import { StoreElement } from "./store-element.ts";
import { say } from "./text.ts";
import { unbroken } from "./unbroken.ts";

/**
 * The key under which this browser stores whether questions are on. There is one value for all tracks and assignments,
 * and elsewhere one for each session, because a session looks different with questions.
 */
const SWITCH = "eosviz-questions";
/** Milliseconds after which the page no longer waits for the questions of a run; it then asks none. */
const COMES_WITHIN_MS = 20_000;

export class Predict extends StoreElement {
  static override properties = {
    ...StoreElement.properties,
    play: { attribute: false },
    audience: { attribute: false },
    poll: { attribute: false },
    address: {},
    predictions: {},
    finish: {},
    place: {},
    asks: { type: Boolean },
    waits: { state: true },
    on: { state: true },
    open: { state: true },
    chosen: { state: true },
    revealed: { state: true },
    fault: { state: true },
    left: { state: true },
  };

  declare play: Play | undefined;
  /** The audience, if this page presents: the followers can be asked instead of the reader. */
  declare audience: Audience | null;
  /** The poll that is open now; null: none. */
  declare poll: Poll | null;
  declare address: string;
  declare predictions: string;
  /** In a track: the address to which the page reports that the reader has reached the end of the run; else "". */
  declare finish: string;
  declare place: string;
  /** Whether questions are on unless the reader switches them off, as in a track. */
  declare asks: boolean;
  /** Whether the reader tried to go on although an answer is due. */
  declare waits: boolean;
  /** Whether the reader switched questions on (true) or off (false) since the page was opened; null: neither. */
  declare on: boolean | null;
  declare open: Question | null;
  declare chosen: string;
  declare revealed: boolean;
  declare fault: boolean;
  /**
   * The step from which the reader went back to a question that they had passed; null: they did not go back.
   */
  declare left: number | null;
  #quizzes = new Map<string, Quiz>();
  #asked = new Set<string>();
  /** Branch → the request for its questions, while it is running. */
  #coming = new Map<string, Promise<void>>();
  #seen = "";
  /** Whether the page has reported to the track that the reader reached the end of the run. */
  #isTold = false;

  constructor() {
    super();
    this.play = undefined;
    this.audience = null;
    this.poll = null;
    this.address = "";
    this.predictions = "";
    this.finish = "";
    this.place = "";
    this.asks = false;
    this.waits = false;
    this.on = null;
    this.left = null;
    this.open = null;
    this.chosen = "";
    this.revealed = false;
    this.fault = false;
  }

  #player: Element | null = null;

  override connectedCallback(): void {
    super.connectedCallback();
    this.#player = this.closest(".player");
    this.#player?.addEventListener("landed", this.#landed);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#player?.removeEventListener("landed", this.#landed);
  }

  /** When the picture has drawn the step at which the question is open, marks the subject of the question in it. */
  readonly #landed = (event: Event): void => {
    if (this.open !== null && !this.revealed && (event as CustomEvent<number>).detail === this.open.at) this.#bring(this.open);
  };

  get isOn(): boolean {
    return this.on ?? this.#kept() ?? this.asks;
  }

  #kept(): boolean | null {
    const kept = this.asks ? localStorage.getItem(SWITCH) : sessionStorage.getItem(`${SWITCH} ${this.address}`);
    return kept === "on" ? true : kept === "off" ? false : null;
  }

  #keep(on: boolean): void {
    if (this.asks) localStorage.setItem(SWITCH, on ? "on" : "off");
    else sessionStorage.setItem(`${SWITCH} ${this.address}`, on ? "on" : "off");
  }

  // Where the reader has to wait

  /** The first step in `from`…`to` that waits for an answer; null: the reader may go on. */
  waitsIn(branch: string, from: number, to: number): number | null {
    this.#noteRevealed();
    const quiz = this.#quizzes.get(branch);
    if (!this.isOn || quiz === undefined) return null;
    return stopBefore(quiz.questions, new Set(Object.keys(quiz.answers).map(Number)), from, to);
  }

  /**
   * A promise that resolves when the request for the questions of a branch has ended, with or without success. A reader
   * who goes on before that would pass the questions. Null if none are being loaded, or if questions are off.
   */
  coming(branch: string): Promise<void> | null {
    return this.isOn && !this.#quizzes.has(branch) ? (this.#coming.get(branch) ?? null) : null;
  }

  /** If a poll of this page has ended, marks its question as answered, so that the reader is not asked it again. */
  #noteRevealed(): void {
    const { poll } = this;
    if (poll?.state !== "revealed" || this.audience?.presents !== true) return;
    const quiz = this.#quizzes.get(poll.branch);
    if (quiz !== undefined) quiz.answers[String(poll.at)] ??= "";
    if (this.open?.at === poll.at && !this.revealed) this.open = null;
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    super.willUpdate(changed);
    this.#noteRevealed();
    const store = this.store;
    if (store === undefined || this.address === "" || store.branch === "") return;
    const interventions = store.info?.interventions.length ?? 0;
    this.#load(store.branch, `${store.branch} ${interventions}`);
    store.gate = this;
    this.#arrive(store.branch, store.shown);
    this.#tellSeen();
  }

  /** Reports to the track that the reader has reached the end of the run, with questions or without. */
  #tellSeen(): void {
    const { store } = this;
    if (this.#isTold || this.finish === "" || store === undefined || !isOver(store)) return;
    this.#isTold = true;
    const body = new URLSearchParams({ stay: "1" });
    void fetch(this.finish, { method: "POST", body, headers: { "X-CSRFToken": csrfToken() } }).catch(() => null);
  }

  #load(branch: string, name: string): void {
    if (this.#asked.has(name)) return;
    this.#asked.add(name);
    this.#coming.set(branch, this.#fetch(branch));
  }

  async #fetch(branch: string): Promise<void> {
    try {
      const signal = AbortSignal.timeout(COMES_WITHIN_MS);
      const response = await fetch(`${this.address}?branch=${encodeURIComponent(branch)}`, { headers: { Accept: "application/json" }, signal });
      if (!response.ok) throw new Error(String(response.status));
      this.#quizzes.set(branch, (await response.json()) as Quiz);
      this.#seen = "";
      this.fault = false;
    } catch {
      this.fault = true;
    }
    this.#coming.delete(branch);
    this.requestUpdate();
  }

  /**
   * The store calls this when the reader wants to go on, but a question is due. Closes the card if its question is
   * answered, so that the next one can open; else the card says that it waits. Moves the focus to the card on show.
   */
  blocked(): void {
    if (this.revealed) this.#close();
    else this.waits = true;
    // The card on show may be that of a poll.
    document.querySelector<HTMLElement>(".predict-card")?.focus();
  }

  protected override updated(): void {
    this.markPlayer("question", this.querySelector(".predict-card") !== null);
  }

  /** Opens a question when its step is reached, and closes it when the reader goes elsewhere. */
  #arrive(branch: string, shown: number): void {
    const { open } = this;
    if (open !== null && this.revealed && (shown === open.at || shown === open.at + 1)) return;
    const here = `${branch} ${shown}`;
    if (here === this.#seen || this.#quizzes.get(branch) === undefined) return;
    this.#seen = here;
    const stop = this.waitsIn(branch, shown + 1, shown + 1);
    this.#show(stop === null ? null : this.#questionAt(branch, stop - 1));
  }

  #questionAt(branch: string, at: number): Question | null {
    return this.#quizzes.get(branch)?.questions.find((question) => question.at === at) ?? null;
  }

  #show(question: Question | null): void {
    if (this.open === question) return;
    this.open = question;
    this.chosen = "";
    this.revealed = false;
    this.waits = false;
    if (question === null) return void this.dispatchEvent(new CustomEvent<null>("bring", { detail: null, bubbles: true }));
    this.play?.stop();
    this.#bring(question);
    void this.updateComplete.then(() => this.querySelector<HTMLElement>(".predict-card")?.focus());
  }

  /** Marks the question's message in the picture; for a question without a message, its partition. */
  #bring({ message, params }: Question): void {
    const partition = params["partition"];
    const detail: Selection | null = message != null ? { kind: "message", id: String(message) } : typeof partition === "string" ? { kind: "partition", id: partition } : null;
    if (detail !== null) this.dispatchEvent(new CustomEvent<Selection>("bring", { detail, bubbles: true }));
  }

  async #answer(choice: string): Promise<void> {
    const { store, open } = this;
    if (store === undefined || open === null || this.revealed) return;
    const quiz = this.#quizzes.get(store.branch);
    if (quiz !== undefined) quiz.answers[String(open.at)] = choice;
    this.chosen = choice;
    this.revealed = true;
    this.play?.stop(); // Playing stops, because the reader reads the revealed answer.
    store.forward();
    // The pressed button is gone; with a keyboard, the focus moves into the card.
    void this.updateComplete.then(() => this.querySelector<HTMLElement>(".predict-card")?.focus());
    const body = new URLSearchParams({ branch: store.branch, at: String(open.at), choice });
    // The answer is shown whether or not it could be stored.
    await fetch(this.predictions, { method: "POST", body, headers: { "X-CSRFToken": csrfToken() } }).catch(() => null);
  }

  /** Closes the card and switches questions off. */
  #leave(): void {
    if (this.isOn) this.#switch();
    this.#show(null);
    this.querySelector<HTMLElement>(".predict-bar [aria-pressed]")?.focus();
  }

  /** The first question without an answer before the reader's step; null: none. */
  #earlier(quiz: Quiz): Question | null {
    const shown = this.store?.shown ?? 0;
    return quiz.questions.find(({ at }) => at < shown && quiz.answers[String(at)] === undefined) ?? null;
  }

  #switch(): void {
    this.on = !this.isOn;
    this.#keep(this.on);
    this.left = null;
    this.#seen = "";
    if (!this.on) this.#show(null);
  }

  // The card and its bar

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this;
    const quiz = store === undefined ? undefined : this.#quizzes.get(store.branch);
    if (store === undefined || this.address === "") return nothing;
    if (this.fault) return html`<p class="predict-fault quiet" role="status">${say("predict.unavailable")}</p>`;
    if (quiz?.questions.length === 0) return html`<div class="predict-bar">${this.#wayOn()}</div>`;
    // The switch has its place before it is known whether there are questions, so that nothing moves later.
    return html`<div class="predict-bar">
        <span class="predict-slot">${quiz === undefined ? nothing : this.#slot(quiz)}</span>
        <button class="small" aria-pressed=${this.isOn} title=${say("predict.switch_means")} ?disabled=${quiz === undefined} @click=${() => this.#switch()}>${say(this.isOn ? "predict.on" : "predict.off")}</button>
        ${this.#wayOn()}
      </div>
      ${quiz === undefined ? nothing : this.#opened(store, quiz)}`;
  }

  #opened(store: PlayerStore, quiz: Quiz): TemplateResult | typeof nothing {
    return html`
      ${this.open === null || this.audience?.asks(store.branch, this.open.at) === true ? nothing : this.#card(this.open, quiz)}`;
  }

  /**
   * The number of right answers. For a reader who switched questions on midway: a button that goes back to the first
   * question that they passed, and then one that goes on to where they were.
   */
  #slot(quiz: Quiz): TemplateResult | typeof nothing {
    const { store, left } = this;
    const shown = store?.shown ?? 0;
    if (this.isOn && this.open === null && left !== null && shown < left) {
      return html`<button class="small" @click=${() => this.#goBack(left)}>${say("predict.back", { step: left })}</button>`;
    }
    const earlier = this.isOn && this.open === null ? this.#earlier(quiz) : null;
    if (earlier === null) return html`<span class="quiet num">${counted(quiz)}</span>`;
    return html`<button class="small" @click=${() => this.#goTo(earlier, shown)}>${say("predict.earlier", { step: earlier.at })}</button>`;
  }

  #goTo(question: Question, from: number): void {
    this.left = Math.max(this.left ?? 0, from);
    this.store?.moveTo(question.at);
  }

  #goBack(to: number): void {
    this.left = null;
    this.store?.moveTo(to);
  }

  /** In a track: the button to the next scenario, which stands out at the end of the run. */
  #wayOn(): TemplateResult | typeof nothing {
    const store = this.store;
    if (this.finish === "" || store === undefined) return nothing;
    const [position, count] = this.place.split("/").map(Number);
    const label = say(position === count ? "predict.last" : "predict.next");
    return html`<form method="post" action=${this.finish}><input type="hidden" name="csrfmiddlewaretoken" .value=${csrfToken()}>
        <button class=${isOver(store) ? "small primary" : "small"}>${label}</button></form>`;
  }

  #card(question: Question, quiz: Quiz): TemplateResult {
    const number = quiz.questions.indexOf(question) + 1;
    return html`<section class="predict-card" tabindex="-1" role="group" aria-labelledby="predict-heading" @keydown=${this.#keys}>
      <button class="close" aria-label=${say("predict.leave")} title=${say("predict.leave")} @click=${() => this.#leave()}>✕</button>
      <div class="predict-head"><h2 id="predict-heading">${say("predict.heading")} <small class="quiet num">${say("predict.count", { number, count: quiz.questions.length })}</small></h2></div>
      <p id="predict-question">${unbroken(say(question.key, question.params))}</p>
      ${this.revealed ? this.#revealed(question) : this.#choices(question)}
    </section>`;
  }

  #choices(question: Question): TemplateResult {
    return html`<form @submit=${this.#submit}>
      <div role="radiogroup" aria-labelledby="predict-question">${question.choices.map(
        (choice) => html`<label class="predict-choice"><input type="radio" name="choice" value=${choice.id} .checked=${this.chosen === choice.id}
          @change=${() => (this.chosen = choice.id)}> <span>${unbroken(say(choice.key, choice.params))}</span></label>`,
      )}</div>
      <div class="row"><button class="primary" ?disabled=${this.chosen === ""}>${say("predict.answer")}</button>
        <button type="button" @click=${() => void this.#answer("")}>${say("predict.skip")}</button>
        ${this.#askAll(question)}<span class="predict-waits" aria-live="polite">${this.waits ? say("predict.waits") : nothing}</span></div></form>`;
  }

  #askAll(question: Question): TemplateResult | typeof nothing {
    const { store, audience } = this;
    if (store === undefined || audience?.presents !== true) return nothing;
    return html`<button type="button" class="ask-all" title=${say("poll.ask_means")} @click=${() => void audience.openPoll(store.branch, question.at)}>${say("poll.ask")}</button>`;
  }

  readonly #submit = (event: Event): void => {
    event.preventDefault();
    if (this.chosen !== "") void this.#answer(this.chosen);
  };

  #revealed(question: Question): TemplateResult {
    const right = question.choices.find((choice) => choice.id === question.right);
    const named = right === undefined ? "" : say(right.key, right.params);
    const key = this.chosen === "" ? "predict.skipped" : this.chosen === question.right ? "predict.right" : "predict.wrong";
    const others = question.choices.filter((choice) => choice.id !== question.right);
    // The sentence of the step is on the page, so reasons that it gives are left out here.
    const because = unsaid(question.reasons[question.right] ?? [], this.store?.frame?.step ?? null);
    // Of the wrong answers, the reader's own one comes first.
    others.sort((one, other) => Number(other.id === this.chosen) - Number(one.id === this.chosen));
    return html`<div class="revealed"><div role="status"><p class=${key === "predict.wrong" ? "bad" : ""}><b>${unbroken(say(key, { right: named }))}</b></p></div>
      ${because.length === 0 ? nothing : html`<h3>${say("predict.why_right")}</h3>${reasonList(because)}`}
      ${others.map((choice) => html`<details ?open=${choice.id === this.chosen}><summary>${unbroken(say("predict.why_not", { choice: say(choice.key, choice.params) }))}</summary>
        ${reasonList(question.reasons[choice.id] ?? [])}</details>`)}</div>
      <div class="row"><button class="primary" @click=${() => this.#close()}>${say("predict.close")} <kbd>⏎</kbd></button></div>`;
  }

  #close(): void {
    const hadFocus = this.querySelector(".predict-card")?.contains(document.activeElement) === true;
    this.open = null;
    this.#seen = "";
    if (hadFocus) document.querySelector<HTMLElement>("eos-sentence .s")?.focus({ preventScroll: true });
  }

  /**
   * The keys of the card: a digit chooses an answer, Enter sends it, Escape skips the question. After the answer, Enter
   * and Escape close the card. All other keys reach the player.
   */
  readonly #keys = (event: KeyboardEvent): void => {
    if (event.altKey || event.ctrlKey || event.metaKey || this.open === null) return;
    const choice = this.open.choices[Number(event.key) - 1];
    const isCard = event.target === event.currentTarget;
    let isOurs = true;
    if (event.key === "Escape" && this.revealed) this.#close();
    else if (event.key === "Escape") void this.#answer("");
    else if (event.key === "Enter" && isCard && this.revealed) this.#close();
    else if (event.key === "Enter" && (isCard || event.target instanceof HTMLInputElement) && !this.revealed && this.chosen !== "") void this.#answer(this.chosen);
    else if (choice !== undefined && !this.revealed) this.chosen = choice.id;
    else isOurs = false;
    if (!isOurs) return;
    event.preventDefault();
    event.stopPropagation();
  };
}

function isOver(store: PlayerStore): boolean {
  return store.info?.finished !== null && store.shown >= store.newest && store.newest > 0;
}

function counted(quiz: Quiz): string {
  const { right, given } = rightOf(quiz);
  return say(given === 0 ? "predict.none_given" : "predict.right_of", { right, given, count: quiz.questions.length });
}

customElements.define("eos-predict", Predict);
