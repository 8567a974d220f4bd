/**
 * `<eos-sentence .store=${store}>`: the largest text of the page: what happened in the step on show, and why. Screen
 * readers announce it. Its place has a fixed height, so that nothing below it moves; sentences that do not fit are
 * counted, and a press shows them.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { planOf } from "./axis-of.ts";
import type { BeatWalk } from "./beat-walk.ts";
import { landingAt, landingBefore, leavesOf } from "./beats.ts";
import { stepsInFiles } from "./branch-name.ts";
import type { Frame, Selection, Step } from "./frame.ts";
import type { Check } from "./checks.ts";
import { sentences } from "./joins.ts";
import { breaksIn, sentencesIn } from "./leading.ts";
import type { Broken } from "./outcome.ts";
import { changesOf, endsInBeat, isOver, overText } from "./outcome.ts";
import { passedText, saidOfBeat } from "./said-of-beat.ts";
import { PagePresses } from "./page-presses.ts";
import { sentAt } from "./sent-in.ts";
import type { PlayerStore } from "./store.ts";
import type { Fitted } from "./sentence-fit.ts";
import { fit, sentencesOf } from "./sentence-fit.ts";
import { MeasuredElement, StoreElement } from "./store-element.ts";
import { phrased, termed } from "./terms.ts";
import { say, words } from "./text.ts";
import { withoutVersion } from "./variant-name.ts";
import { afterLeap } from "./when.ts";
import type { Zoom } from "./zoom.ts";

export const defaults = {
  /** px of the place until it is measured: as on a laptop. */
  width: 900,
  height: 92,
  /**
   * Milliseconds after which the sentence of a step is shown even if the stage has not reported that the step's message
   * has arrived.
   */
  awaits: 1000,
  /** Milliseconds: a sentence that was on show for a shorter time cannot have been read. */
  moment: 250,
};

/** Events of the stage. From `travels` to `arrived` or `landed`, the step's message moves, and its sentence waits. */
const TRAVEL = ["travels", "arrived", "landed"];

/** The outcome of a test in words: the answer *yes* or *no* if its text is a question, else for example *decides*. */
function outcomeText(outcome: NonNullable<Check["outcome"]>, text: string): string {
  if (!/[?？]/.test(text) || outcome === "off") return say(`player.check.${outcome}`);
  return say(outcome === "decided" ? "diagram.decision.yes" : "diagram.decision.no");
}

interface Said {
  text: string;
  /** Whether the text says that a guarantee breaks in this step. */
  breaks: boolean;
}

export class Sentence extends StoreElement {
  static override properties = { ...StoreElement.properties, zoom: { attribute: false }, check: { attribute: false }, watch: {}, isOriginal: { attribute: false }, written: { attribute: false }, walk: { attribute: false }, beside: { attribute: false }, asked: { state: true } };

  /** The check on show, whose text is shown at the level of checks; null: none. */
  declare check: Check | null;
  declare zoom: Zoom | undefined;
  /** What to watch for, shown before the first step. */
  declare watch: string;
  /** Whether the scenario's summary is about the run as written, while this run has other settings. */
  declare isOriginal: boolean;
  /** The guarantees that the run as written breaks; undefined if they are not known. */
  declare written: Broken | undefined;
  declare walk: BeatWalk | undefined;
  /**
   * The frame that the picture draws, so that the sentence changes in the same paint; null: the picture is not drawn
   * later than the sentence.
   */
  declare beside: Frame | null | undefined;
  /**
   * The message that the open question is about, and the branch and step at which the question is asked; null: none.
   */
  declare asked: { branch: string; at: number; message: number } | null;

  constructor() {
    super();
    this.walk = undefined;
    this.beside = null;
    this.asked = null;
    this.watch = "";
    this.isOriginal = false;
    this.written = undefined;
    this.check = null;
    this.zoom = undefined;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#player = this.closest(".player");
    for (const event of TRAVEL) this.#player?.addEventListener(event, this.#awaits);
    this.#player?.addEventListener("bring", this.#brings);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const event of TRAVEL) this.#player?.removeEventListener(event, this.#awaits);
    this.#player?.removeEventListener("bring", this.#brings);
    clearTimeout(this.#timer);
  }

  #player: Element | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /**
   * `#said`: the text of the step on show; `#since`: when it appeared (ms); `#saidBefore`: the text before it. On the
   * way to a beat, steps are on show only for a moment.
   */
  #said: Said = { text: "", breaks: false };
  #since = 0;
  #saidBefore: Said = this.#said;

  readonly #awaits = (event: Event): void => {
    clearTimeout(this.#timer);
    const waits = event.type === "travels";
    this.#wait(waits);
    if (waits) this.#timer = setTimeout(() => this.#wait(false), defaults.awaits);
  };

  /**
   * `waits`: the sentence of the step before stays until the step's message has arrived; else the step's own is shown.
   */
  #wait(waits: boolean): void {
    this.toggleAttribute("data-awaits", waits);
    this.requestUpdate();
  }

  readonly #brings = (event: Event): void => {
    const { store } = this;
    const brought = (event as CustomEvent<Selection | null>).detail;
    this.asked = store === undefined || brought?.kind !== "message" ? null : { branch: store.branch, at: store.shown, message: Number(brought.id) };
  };

  /**
   * The step whose text is shown while a question is open: the step that sent the message of the question, which may be
   * earlier than the step on show. Null if no question about a message is open.
   */
  #sent({ lines, branch, shown }: PlayerStore): Step | null {
    const { asked } = this;
    if (asked === null || asked.branch !== branch || asked.at !== shown) return null;
    const sent = sentAt(lines, branch, asked.message, 0, shown);
    return sent === null ? null : (lines.step(branch, sent) ?? null);
  }

  protected override shouldUpdate(): boolean {
    return this.beside === null || this.beside === this.store?.frame;
  }

  protected override render(): TemplateResult | typeof nothing {
    const store = this.store;
    if (store === undefined || store.header === null) return nothing;
    const here = store.frame?.step ?? null;
    const step = here === null || breaksIn(here).length > 0 ? here : (this.#sent(store) ?? here);
    const check = step === null ? null : this.check;
    const text = check === null ? this.#text(store, step) : this.#checkText(check);
    const breaks = check === null && step !== null && (breaksIn(step).length > 0 || (isOver(store) && isBroken(store)));
    const now = performance.now();
    if (text !== this.#said.text) {
      if (now - this.#since > defaults.moment) this.#saidBefore = this.#said;
      this.#since = now;
    }
    this.#said = { text, breaks };
    const shown = this.hasAttribute("data-awaits") ? this.#saidBefore : this.#said;
    return html`<eos-said .text=${shown.text} .isWhole=${here === null} ?data-breaks=${shown.breaks}></eos-said>`;
  }

  /** The text of a check: `2/7 Is epoch 0 lower than the known epoch 0? No`. */
  #checkText(check: Check): string {
    const place = { at: (this.zoom?.at ?? 0) + 1, count: this.zoom?.checks.length ?? 0 };
    const text = say(check.key, check.params);
    const answer = check.outcome === null ? "" : outcomeText(check.outcome, text);
    return place.count < 2 ? text : say("player.check.at", { ...place, text, answer });
  }

  /** The text before the first step of a log case: how many steps are in its files, and how many in a preview. */
  #beginsLog(store: PlayerStore, button: string): string {
    const steps = stepsInFiles(store.lines.branches, store.branch);
    return steps === null ? say("player.begins.log", { button, steps: store.newest }) : say("player.begins.log_preview", { button, steps, more: store.newest - steps });
  }

  /** The virtual time (ms) to which the text compares the time of the step on show; null if there is none. */
  #before(store: PlayerStore): number | null {
    const { lines, branch, frame, shown } = store;
    const plan = planOf(store);
    // At a stop: the time of the stop before, so that the text is the same however the reader came here. At any other
    // step: the time of the step before.
    const from = plan !== null && landingBefore(plan, shown + 1) === shown ? landingBefore(plan, shown) : null;
    return (from === null ? null : lines.step(branch, from)?.at) ?? frame?.previousView?.time ?? null;
  }

  #text(store: PlayerStore, step: Step | null): string {
    if (step !== null) {
      const outcome = isOver(store) ? overText(store, this.written, this.#player === null) : "";
      const plan = planOf(store);
      const said = sentencesIn(step).map(({ key, params }) => say(key, params));
      // The last step's own text follows the result of the run only if a beat lands there.
      const own = outcome === "" ? said : said.slice(0, endsInBeat(store) ? 1 : 0);
      const note = outcome !== "" || step.derived?.follows === undefined ? "" : (own.pop() ?? "");
      const breaks = breaksIn(step);
      if (isScripted(store, step)) said.push(say("player.scripted_fault"));
      const leads = outcome === "" && step === store.frame?.step;
      const ends = outcome === "" || plan === null ? [] : passedText(leavesOf(plan.beats).at(-1)?.after, this.walk?.cameFrom ?? null);
      const text = sentences([outcome, ...ends, ...breaks, ...(leads && plan !== null ? saidOfBeat(landingAt(plan, step.number), own, breaks.length > 0, this.walk?.cameFrom ?? null, note) : [...own, note])]);
      return leads ? afterLeap(store.header, text, step.at, this.#before(store)) : text;
    }
    // In a comparison there is no player, and runs move by steps, so the text names the button for a step.
    const button = say(planOf(store) === null || this.#player === null ? "player.do.step" : "player.do.beat_forward");
    const begins = store.verified?.state === "log" ? this.#beginsLog(store, button) : say("player.begins", { button, steps: store.newest });
    const summarized = store.header?.summary?.[words.language] ?? "";
    // Before the first step, the text says that the summary is about what will happen.
    const summary = summarized === "" || store.verified?.state === "log" ? summarized : say(this.isOriginal ? "player.summary_original" : "player.summary", { text: summarized });
    const variant = withoutVersion(store.header?.variant_title?.[words.language] ?? "");
    // The variant comes first, because the summary may be about all runs of its scenario.
    const run = variant === "" ? "" : say("player.this_run", { variant });
    const watch = this.watch === "" ? "" : say("lesson.watch_for", { text: this.watch });
    return sentences([run, summary, watch, begins]);
  }
}

/** Catalogue keys of the steps in which a fault begins; the keys of steps that end a fault are not among them. */
const BEGUN = new Set(["message_dropped", "answer_dropped", "answer_dropped_alone", "message_delayed", "message_duplicated", "message_reordered", "messages_held", "disconnected", "crashed", "client_crashed", "paused", "crafted_request"].map((name) => `fault.${name}`));

/** Whether, in a run that the reader has changed, this step carries out a fault of the scenario's own script. */
function isScripted(store: PlayerStore, { key, number }: Step): boolean {
  if (!BEGUN.has(key)) return false;
  const changes = changesOf(store);
  return changes.length > 0 && changes.every(({ after }) => after + 1 !== number);
}

const isBroken = (store: PlayerStore): boolean => Object.values(store.frame?.view.guarantees ?? {}).some(({ broken_at: at }) => at != null);

/** `<eos-said .text=${text}>`: shows a text in letters as large as its place allows (`sentence-fit.ts`). */
export class SaidText extends MeasuredElement {
  static override properties = { ...MeasuredElement.properties, text: {}, largest: { attribute: false }, isWhole: { attribute: false }, isOpen: { state: true } };

  declare text: string;
  /**
   * The most px of letters of the first sentence. In a comparison, both texts get the smaller of their `fits`; each
   * fires `fitted` when its own changes.
   */
  declare largest: number;
  /** Whether the text gets small letters rather than hide a sentence. */
  declare isWhole: boolean;
  /** px of letters of the first sentence that would fit here without `largest`. */
  fits = 0;
  declare isOpen: boolean;

  constructor() {
    super();
    this.text = "";
    this.largest = Number.POSITIVE_INFINITY;
    this.isWhole = false;
    this.isOpen = false;
    new PagePresses(this, (event) => this.#leaves(event));
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    super.willUpdate(changed);
    if (changed.has("text")) this.isOpen = false;
  }

  protected override render(): TemplateResult {
    const { width, height } = this;
    const place = [this.text, width || defaults.width, height || defaults.height] as const;
    const own: Fitted = fit(...place, Number.POSITIVE_INFINITY, this.isWhole);
    this.fits = own.leadType[0];
    const fitted = this.fits > this.largest ? fit(...place, this.largest, this.isWhole) : own;
    const { lead, rest, leadType, restType, hidden } = fitted;
    const type = `--lead:${leadType.join("px/")}px;--rest:${restType.join("px/")}px`;
    return html`<div class="s" .style=${type} role="status" aria-live="polite" tabindex="-1"><span class="lead">${phrased(lead)}</span> ${rest === "" ? nothing : html`<span class="rest">${phrased(rest)}</span>`}</div>
      ${hidden === 0 ? nothing : this.#more(hidden)}`;
  }

  protected override updated(): void {
    if (this.fits === this.#fitted) return;
    this.#fitted = this.fits;
    this.dispatchEvent(new Event("fitted", { bubbles: true }));
  }

  #fitted = 0;

  /** Closes the unfolded sentences at a press elsewhere. Returns whether it closed them. */
  #leaves(event: PointerEvent): boolean {
    if (!this.isOpen || event.composedPath().includes(this)) return false;
    this.isOpen = false;
    return true;
  }

  #more(hidden: number): TemplateResult {
    const more = sentencesOf(this.text).slice(-hidden);
    const words = say("player.more_sentences", { count: hidden });
    return html`<button class="say-more" aria-expanded=${this.isOpen} aria-label=${words} @click=${() => (this.isOpen = !this.isOpen)}>${this.isOpen ? "✕" : words}</button>
      ${this.isOpen ? html`<div class="say-whole">${more.map((sentence) => html`<p>${termed(sentence)}</p>`)}</div>` : nothing}`;
  }
}

customElements.define("eos-said", SaidText);
customElements.define("eos-sentence", Sentence);
