/**
 * `<eos-lesson .store .lesson .walk>`: the card about the meaning of a run, which opens at its end. It shows the
 * outcome of the run, what that means, the next scenario, and things to try. The texts come from the scenario's
 * document and from the track.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { asItWas } from "./as-it-was.ts";
import { planOf } from "./axis-of.ts";
import { deepFocus } from "./selection-bar.ts";
import type { Beat } from "./beats.ts";
import { addedIn, titleOf } from "./beats.ts";
import type { BeatWalk } from "./beat-walk.ts";
import type { Done } from "./done.ts";
import { inWords } from "./done.ts";
import { brokenIn, brokenWords, changesOf, costText, isSame, judgedRows, moralText, resultsOf, resultsText, unjudgedText } from "./outcome.ts";
import { clauses, listed } from "./joins.ts";
import type { LessonTexts, Paragraphs, Parts } from "./lesson-texts.ts";
import { inLanguage } from "./lesson-texts.ts";
import { messageName } from "./message-name.ts";
import { besideFields, besideOriginal, posting } from "./posting.ts";
import { Small, UPRIGHT } from "./small.ts";
import type { PlayerStore } from "./store.ts";
import { StoreElement } from "./store-element.ts";
import { say, words } from "./text.ts";
import { unbroken } from "./unbroken.ts";

export const defaults = {
  /** The most lines about the consequences of the changes that are shown at first; the others are counted. */
  showed: 12,
};

export class Lesson extends StoreElement {
  static override properties = { ...StoreElement.properties, lesson: { attribute: false }, walk: { attribute: false }, compare: {}, submit: {}, isOpen: { state: true }, isWhole: { state: true } };

  declare lesson: LessonTexts;
  declare walk: BeatWalk | undefined;
  /** The address of the page that compares two runs; empty on a page without a site. */
  declare compare: string;
  /** The address at which an attempt is submitted; empty if the run is no attempt. */
  declare submit: string;
  declare isOpen: boolean;
  /** Whether every line about the consequences of the changes is shown. */
  declare isWhole: boolean;
  #opener: HTMLElement | null = null;
  #openedAt = 0;
  readonly #upright = new Small(this, UPRIGHT);

  constructor() {
    super();
    this.lesson = {};
    this.walk = undefined;
    this.compare = "";
    this.submit = "";
    this.isOpen = false;
    this.isWhole = false;
  }

  /** Opens the card about the end of the run; if it is open already, gives the focus to its next button. */
  open(): void {
    if (this.isOpen) {
      const onward = [".primary", ".try :is(a, button)", ".close"].map((way) => this.querySelector<HTMLElement>(way));
      onward.find((one) => one !== null)?.focus();
      return;
    }
    this.#opener = [deepFocus(), this.closest(".player")?.querySelector<HTMLElement>(".to-lesson")].find((one) => one != null && one !== document.body) ?? null;
    this.isOpen = true;
    this.isWhole = false;
    this.#openedAt = this.store?.shown ?? 0;
    void this.updateComplete.then(() => this.querySelector<HTMLElement>(".lesson-card")?.focus());
  }

  /**
   * Shift+Tab on the card's first control leads to the button that opened the card, because the picture behind it is
   * covered.
   */
  readonly #key = (event: KeyboardEvent): void => {
    if (event.key !== "Tab" || !event.shiftKey || !(event.target as Element).matches(".lesson-card, header > .close")) return;
    event.preventDefault();
    this.#opener?.focus();
  };

  /** The card is about the end of the run, so it closes when the reader moves. */
  protected override willUpdate(changed: Map<string, unknown>): void {
    super.willUpdate(changed);
    if (this.isOpen && this.store?.shown !== this.#openedAt) this.isOpen = false;
  }

  /** Closes the card; false if it is not open. */
  close(): boolean {
    if (!this.isOpen) return false;
    this.isOpen = false;
    this.#opener?.focus();
    return true;
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this;
    if (store === undefined || !this.isOpen) return nothing;
    const isWritten = this.#isAsWritten(store);
    const heading = isWritten && this.lesson.lesson !== undefined ? "lesson.means" : "lesson.heading";
    return html`<section class="lesson-card" tabindex="-1" role="group" aria-labelledby="lesson-heading" @keydown=${this.#key}>
      <header><h2 id="lesson-heading">${say(heading)}</h2><button class="close" aria-label=${say("player.close")} @click=${() => this.close()}>✕</button></header>
      ${this.#upright.matches ? this.#inShort(store, isWritten) : html`<div class="lesson-came">${this.#changed(store)}
        ${isWritten ? html`${this.#means(store)}${this.#verdict(store)}` : html`${this.#verdict(store)}
        ${this.#showed(store)}${this.#means(store)}`}${this.#libraries()}</div>
      <div class="lesson-onward">${this.#submit()}${this.#next()} ${this.#try(this.#tries(store))}</div>`}
    </section>`;
  }

  /**
   * The content of the card on a phone: first sentence, outcome, one thing to try, next scenario; the rest is folded.
   */
  #inShort(store: PlayerStore, isWritten: boolean): TemplateResult {
    const [first, ...others] = this.#tries(store);
    const rest = isWritten ? this.#rest() : nothing;
    return html`<div class="lesson-came">${this.#changed(store)}${isWritten ? this.#lead() : nothing}${this.#verdict(store)}</div>
      <div class="lesson-onward">${this.#submit()}${this.#try(first === undefined ? [] : [first])}${rest === nothing ? nothing : html`<details class="lesson-written"><summary>${say("lesson.more")}</summary>${rest}</details>`}
        ${this.#next()}${isWritten ? nothing : html`${this.#showed(store)}${this.#means(store)}`}${this.#libraries()}${others}</div>`;
  }

  /** The outcome of the run; before its end, with a heading that says that only the steps so far count. */
  #verdict(store: PlayerStore): TemplateResult {
    const plan = planOf(store);
    const isSoFar = plan !== null && store.shown < plan.steps;
    const moral = moralText(store);
    return html`<div class="lesson-verdict">${isSoFar ? html`<h3>${say("lesson.so_far", { step: store.shown, count: plan.steps })}</h3>` : nothing}${verdict(store)}${moral === "" ? nothing : html`<p class="moral">${unbroken(moral)}</p>`}</div>`;
  }

  /** The reader's changes, and the outcome of the run without them. */
  #changed(store: PlayerStore): TemplateResult | typeof nothing {
    const done = changesOf(store);
    const [first] = done;
    if (first === undefined) return nothing;
    const { written } = this.lesson;
    const cost = costText(store);
    const here = brokenIn(judgedRows(store));
    const isOtherwise = written !== undefined && !isSame(here, written.broken);
    return html`<div class="lesson-changed">
      ${cost === "" ? nothing : html`<p><strong>${unbroken(cost)}</strong></p>`}
      ${!isOtherwise ? nothing : html`<p>${cost === "" ? say("lesson.changed_outcome", { here: brokenWords(here), written: brokenWords(written.broken) }) : say("lesson.written_outcome", { written: brokenWords(written.broken) })}</p>`}
      <p>${unbroken(say("lesson.changed", { done: done.map((one) => say("lesson.changed_at", { what: inWords(one, store.lines), step: one.after })) }))}</p>
      ${store.source.live && this.compare !== "" ? html`<p>${asItWas(store, first, this.compare, "button", say("undo.compare_original"))}</p>` : nothing}</div>`;
  }

  /** The consequences of the changes: the rows of `storyOf`, as buttons that go to their steps. */
  #showed(store: PlayerStore): TemplateResult | typeof nothing {
    const done = changesOf(store);
    const beats = planOf(store)?.beats ?? [];
    const rows = storyOf(beats, done.map(({ after }) => after));
    if (rows.length === 0) return nothing;
    const most = this.isWhole ? rows.length : defaults.showed;
    const text = ({ beat, change }: StoryRow): string => (beat !== null ? titleOf(beat) : inWords(done[change ?? 0] as Done, store.lines));
    return html`<h3>${say("lesson.showed")}</h3><ol class="lesson-showed">${rows.slice(0, most).map((row) => html`<li ?data-change=${row.change !== null}><button @click=${() => this.#goTo(row.step)}>${unbroken(text(row))}</button></li>`)}${
      rows.length > most ? html`<li class="more num"><button @click=${() => (this.isWhole = true)}>${say("lesson.showed_all", { count: rows.length - most })}</button></li>` : nothing}</ol>`;
  }

  /**
   * The author's text about the run as written. If the reader changed the run or its settings, a line says so, and the
   * text is folded.
   */
  #means(store: PlayerStore): TemplateResult | typeof nothing {
    const { lesson, shared_lesson: shared } = this.lesson;
    if (lesson === undefined) return nothing;
    const said = shared === undefined ? this.#laid(lesson) : html`${this.#laid(lesson)}<h3>${say("lesson.shared")}</h3>${this.#laid(shared)}`;
    if (this.#isAsWritten(store)) return html`${said}${this.#signs()}`;
    return html`<details class="lesson-written"><summary>${say("lesson.means_written")}</summary>${said}${this.#signs()}</details>`;
  }

  #laid(text: Paragraphs, isWanted: (kind: string) => boolean = () => true): TemplateResult[] {
    return text[words.language].filter(({ kind }) => isWanted(kind)).map(({ kind, parts }) => html`<p class="lesson-text ${kind}">${withScenarios(parts, this.lesson.starts)}</p>`);
  }

  #lead(): TemplateResult[] | typeof nothing {
    return this.lesson.lesson === undefined ? nothing : this.#laid(this.lesson.lesson, (kind) => kind === "lead");
  }

  /** The author's text without its first sentence. */
  #rest(): TemplateResult | typeof nothing {
    const { lesson, shared_lesson: shared, signs = [] } = this.lesson;
    const rest = lesson === undefined ? [] : this.#laid(lesson, (kind) => kind !== "lead");
    if (rest.length === 0 && shared === undefined && signs.length === 0) return nothing;
    return html`${rest}${shared === undefined ? nothing : html`<h3>${say("lesson.shared")}</h3>${this.#laid(shared)}`}${this.#signs()}`;
  }

  #signs(): TemplateResult | typeof nothing {
    const { signs = [], starts } = this.lesson;
    if (signs.length === 0) return nothing;
    return html`<table class="lesson-signs"><caption>${say("lesson.signs")}</caption>
      <thead><tr><th scope="col">${say("lesson.signs_see")}</th><th scope="col">${say("lesson.signs_means")}</th></tr></thead>
      <tbody>${signs.map(({ see, means }) => html`<tr><td>${unbroken(inLanguage(see))}</td><td>${withScenarios(means[words.language], starts)}</td></tr>`)}</tbody></table>`;
  }

  #isAsWritten(store: PlayerStore): boolean {
    return changesOf(store).length === 0 && this.lesson.of_original !== true;
  }

  #libraries(): TemplateResult | typeof nothing {
    const rows = this.lesson.libraries ?? [];
    if (rows.length === 0) return nothing;
    const titles = rows.map(({ title }) => inLanguage(title));
    return html`<details class="lesson-libraries"><summary>${say("lesson.libraries")}<span class="of">${say("join.colon")}${clauses(titles)}</span></summary>${rows.map(({ title, sides }) => html`${rows.length === 1 ? nothing : html`<h4>${inLanguage(title)}</h4>`}<ul>${sides.map((side) => html`<li><b>${listed(side.libraries)}</b>${say("join.colon")}${inLanguage(side.does)}</li>`)}</ul>`)}</details>`;
  }

  #goTo(step: number): void {
    this.close();
    this.store?.moveTo(step);
  }

  #submit(): TemplateResult | typeof nothing {
    if (this.submit === "") return nothing;
    return html`<h3>${say("player.assignment")}</h3><p>${say("lesson.submit_why")}</p>
      <p><a class="button primary" href=${this.submit}>${say("lesson.submit")}</a></p>`;
  }

  /** The way to the next scenario of the track. Not in an attempt, which the learner should submit first. */
  #next(): TemplateResult | typeof nothing {
    const { next } = this.lesson;
    if (next === undefined || this.submit !== "") return nothing;
    const name = say("lesson.go_next", { title: inLanguage(next.title) });
    return html`<h3>${say("lesson.next", { track: inLanguage(next.track) })}</h3><p>${inLanguage(next.why)}</p>
      ${next.posts
        ? posting(next.address, [], html`<button class="primary">${name}</button>`)
        : html`<p><a class="button primary" href=${next.address}>${name}</a></p>`}`;
  }

  /**
   * Things to try: to break a guarantee of this run by hand, at a step that is named (unless the reader just did so);
   * and another run of the scenario, with another outcome.
   */
  #tries(store: PlayerStore): TemplateResult[] {
    const { variant } = this.lesson;
    const isDone = variant?.kind === "cure" || (variant !== undefined && variant.kind !== "other" && changesOf(store).length > 0);
    const byHand = isDone ? null : this.#byHand(store);
    const other = variant === undefined ? null : otherRun(variant, store.source.live, this.compare === "" ? null : { at: `${this.compare}new`, fields: besideFields(store) });
    return [this.#besideOriginal(store), byHand, other, other === null ? null : this.#allRuns(store)].filter((one) => one !== null);
  }

  /**
   * The button that compares a variant with the original run of its scenario; null if the run has no original, if that
   * run is offered as another run already, or if the reader has changed the run.
   */
  #besideOriginal(store: PlayerStore): TemplateResult | null {
    const offered = this.lesson.variant;
    const isOffered = offered !== undefined && !new URL(offered.address, location.href).searchParams.has("variant");
    if (this.lesson.has_original !== true || isOffered || this.compare === "" || !store.source.live || changesOf(store).length > 0) return null;
    return html`<div class="try-row">${posting(`${this.compare}new`, besideOriginal(store), html`<button>${say("undo.compare_original")}</button>`)}</div>`;
  }

  /** A link to the page of the scenario, with a card for each of its runs; null if there is none. */
  #allRuns({ header }: PlayerStore): TemplateResult | null {
    const { starts } = this.lesson;
    return starts === undefined || header === null ? null : html`<p class="all-runs-way"><a href=${`${starts.replace("{scenario}", header.scenario)}#runs-heading`}>${say("lesson.all_runs")}</a></p>`;
  }

  #try(rows: readonly TemplateResult[]): TemplateResult | typeof nothing {
    return rows.length === 0 ? nothing : html`<div class="try"><h3>${say("lesson.try")}</h3>${rows}</div>`;
  }

  #byHand(store: PlayerStore): TemplateResult | null {
    const plan = store.source.live ? planOf(store) : null;
    const loss = plan?.losses?.[0];
    if (plan === null || loss === undefined) return null;
    const seen = plan.beats.findLast(({ lands }) => lands <= loss.step);
    const beat = seen ?? plan.beats[0];
    if (beat === undefined) return null;
    const where = { step: loss.step, title: titleOf(beat), what: messageName(loss) };
    return html`<div class="try-row"><p>${unbroken(say(seen === undefined ? "lesson.try_break_before" : "lesson.try_break", where))}</p>
      <button @click=${() => this.#goBack(loss.step, loss.message)}>${say("lesson.go_there", { step: loss.step })}</button></div>`;
  }

  /** Closes the card, goes to the step, and selects the message with this id. */
  #goBack(step: number, id: number): void {
    this.close();
    this.store?.moveTo(step);
    this.store?.select({ kind: "message", id: String(id) });
  }
}

/** A line about the consequences of the changes: a beat, a change, or both if the beat lands at the change's step. */
export interface StoryRow {
  step: number;
  beat: Beat | null;
  /** The index of the change that the step carries out; null if it carries out none. */
  change: number | null;
}

/**
 * The lines since the first change, in the order of steps. `after`: for each change, the number of the step before it.
 */
export function storyOf(beats: readonly Beat[], after: readonly number[]): StoryRow[] {
  const [first] = after;
  if (first === undefined) return [];
  const rows = cameAfter(beats, first).map((beat): StoryRow => ({ step: beat.lands, beat, change: changeAt(after, beat.lands) }));
  const bare = after.map((step, change): StoryRow => ({ step: step + 1, beat: null, change })).filter(({ step }) => !rows.some((row) => row.step === step));
  return [...rows, ...bare].sort((one, other) => one.step - other.step);
}

function changeAt(after: readonly number[], step: number): number | null {
  const change = after.indexOf(step - 1);
  return change < 0 ? null : change;
}

/** The beats after step `step` of a changed run. If interventions added beats, only these and the last beat. */
export function cameAfter(beats: readonly Beat[], step: number): readonly Beat[] {
  const after = beats.filter(({ last }) => last > step);
  if (!after.some((beat) => beat.added === true || addedIn(beat).length > 0)) return after;
  const came = after.flatMap((beat, place) => [...(beat.added === true || place === after.length - 1 ? [beat] : []), ...addedIn(beat).filter(({ last }) => last > step)]);
  return came.filter((beat, place) => came.findIndex(({ lands }) => lands === beat.lands) === place);
}

/** A text in which the name of each scenario is a link to it, if `starts` gives an address. */
export function withScenarios(parts: Parts, starts: string | undefined): (string | TemplateResult)[] {
  return parts.flatMap((part, place) => (place % 2 === 1 ? [html`<code>${unbroken(part)}</code>`] : starts === undefined ? [part] : withLinks(part, starts)));
}

function withLinks(text: string, starts: string): (string | TemplateResult)[] {
  return text.split(/(SC-\d+)/).map((part, place) => (place % 2 === 0 ? part : html`<a class="nb" href=${starts.replace("{scenario}", part)}>${part}</a>`));
}

/**
 * The row that offers another run of the scenario: what differs in it, and a button that starts it (`isLive`) or a link
 * to it. `beside`: address and fields of the form that compares it with the branch on show; null: no such button.
 */
function otherRun({ title, address, kind, broken }: NonNullable<LessonTexts["variant"]>, isLive: boolean, beside: { at: string; fields: [string, string][] } | null): TemplateResult {
  const params = { title: inLanguage(title), broken: broken.map((name) => say(`player.guarantee.${name}`)) };
  const { pathname, searchParams } = new URL(address, location.href);
  return html`<div class="try-row"><p>${say(`lesson.try_${kind}`, params)}</p> ${!isLive ? html`<a class="button" href=${address}>${say("lesson.try_it")}</a>`
    : html`<div>${posting(pathname, [...searchParams], html`<button>${say("lesson.try_it")}</button>`)}${beside === null ? nothing
      : posting(beside.at, [...beside.fields, ["run", searchParams.get("variant") ?? ""]], html`<button>${say("lesson.compare_it")}</button>`)}</div>`}</div>`;
}

/**
 * The guarantees of the run with their results, the broken ones first; then a sentence that compares what was reported
 * to applications with what is stored.
 */
function verdict(store: PlayerStore): TemplateResult {
  const rows = judgedRows(store);
  const broken = rows.filter(({ count, brokenAt }) => count > 0 && brokenAt !== null);
  const held = rows.filter(({ count }) => count === 0);
  const results = store.frame === undefined ? null : resultsOf(store.frame);
  const unjudged = unjudgedText(store, rows);
  return html`${broken.map(({ name, count, brokenAt }) => html`<p class="bad">✕ ${unbroken(say("lesson.broken", { what: say(`outcome.count.${name}`, { count }), step: brokenAt ?? 0 }))}</p>`)}
    ${held.length === 0 ? nothing : html`<p>${say("lesson.held", { names: held.map(({ name }) => say(`outcome.free.${name}`)) })}</p>`}
    ${results === null ? nothing : html`<p>${unbroken(resultsText(results))}</p>`}
    ${unjudged === "" ? nothing : html`<p>${unbroken(unjudged)}</p>`}
    ${rows.length === 0 ? html`<p class="quiet">${say("lesson.not_judged")}</p>` : nothing}`;
}

customElements.define("eos-lesson", Lesson);
