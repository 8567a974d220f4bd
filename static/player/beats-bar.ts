/**
 * `<eos-beats .store=${store} .walk=${walk}>`: the beats of the run by name over the time axis. The beat on show is
 * marked, those before it are dark, those after it grey. A press opens the list of a beat's steps, in which plumbing is
 * counted with its purpose; the open list lies over the picture and moves nothing. If names have no room, the beats are
 * bars, with the name of the beat on show.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { axisFor, defaults as axis, isNarrow, planOf, stepsOf } from "./axis-of.ts";
import type { LineBreaks } from "./beat-axis.ts";
import { BREAKS, defaults as settings, isBrokenIn, isNumberAlone, piecesOf } from "./beat-axis.ts";
import type { BeatWalk } from "./beat-walk.ts";
import { briefStep } from "./branch-name.ts";
import { nameSetting } from "./beat-name.ts";
import type { Beat, BeatPlan } from "./beats.ts";
import { countOf, numberOf, pathTo, placeOf, stopAt, tileTexts, titleOf, wholeName } from "./beats.ts";
import { atHand } from "./fetched.ts";
import { PagePresses } from "./page-presses.ts";
import type { PlayerStore } from "./store.ts";
import { MeasuredElement } from "./store-element.ts";
import { say } from "./text.ts";
import type { Segment } from "./timeline.ts";
import { unbroken } from "./unbroken.ts";
import { whenText } from "./when.ts";

/** The tile of the beat with the step on show; only this one is lit. */
const ON_SHOW = ".beats > .now > .beat";

export class BeatsBar extends MeasuredElement {
  static override properties = { ...MeasuredElement.properties, walk: { attribute: false }, open: { state: true } };

  declare walk: BeatWalk | undefined;
  /** The first step of the beat whose steps are listed; null: no list is open. */
  declare open: number | null;

  constructor() {
    super();
    this.walk = undefined;
    this.open = null;
    new PagePresses(this, (event) => !event.composedPath().includes(this) && this.close());
  }

  /** Opens the steps of the beat on show, or closes an open list; false if there are no beats. */
  toggle(): boolean {
    const plan = planOf(this.store);
    if (plan === null || this.store === undefined) return false;
    const here = plan.beats[Math.max(0, placeOf(plan.beats, this.store.shown))];
    this.open = this.open !== null || here === undefined ? null : here.first;
    return true;
  }

  close(): boolean {
    if (this.open === null) return false;
    this.open = null;
    return true;
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this;
    const plan = planOf(store);
    if (store === undefined || plan === null || this.width === 0) return nothing;
    const { segments = [], setting, breaks, fits } = axisFor(store, this.width);
    const here = placeOf(plan.beats, store.shown);
    const narrow = isNarrow(this.width) || !fits;
    const { size, lines, beside } = settings.settings[setting] ?? { size: 14, lines: 1, beside: true };
    return html`<ol class=${narrow ? "beats bars" : "beats"} .style=${`--beat-size:${size}px`} data-lines=${lines} ?data-dense=${!beside} data-breaks=${breaks} aria-label=${say("player.beats")}>
        ${plan.beats.map((beat, place) => this.#beat(beat, segments[place], place, here, plan, store, narrow, beside, breaks))}
      </ol>
      ${narrow ? this.#named(plan, store) : nothing}
      ${this.open === null ? nothing : html`<eos-beat-list .store=${store} .walk=${this.walk} .open=${this.open} .room=${this.width} .narrow=${narrow} .close=${this.#shut}></eos-beat-list>`}`;
  }

  #beat(beat: Beat, segment: Segment | undefined, place: number, here: number, plan: BeatPlan, store: PlayerStore, narrow: boolean, beside: boolean, breaks: LineBreaks): TemplateResult {
    const title = titleOf(beat);
    const last = place === plan.beats.length - 1 ? Math.max(beat.last, stepsOf(store)) : beat.last;
    const isBroken = isBrokenIn(beat, Math.min(last, store.shown), Object.values(store.info?.first_broken ?? {}));
    const numbers = numberOf(plan.beats, place);
    const state = place < here ? "past" : place === here ? "now" : "ahead";
    const stop = stopAt(plan.beats, place, store.shown);
    const isPart = state === "now" && stop.parts > 1;
    const [text = "", more = ""] = tileTexts(plan.beats, place)[isPart ? stop.part : 0] ?? [];
    const name = say("player.beat_named", { number: numbers, title: wholeName(plan.beats, place), count: last - beat.first + 1, first: beat.first, last });
    const style = segment === undefined ? "" : `left:${segment.x.toFixed(1)}px;width:${segment.width.toFixed(1)}px`;
    const current = place === here ? "step" : nothing;
    // On a touch screen, the list has the beats by name.
    if (narrow) return html`<li class=${stop.parts > 1 ? `${state} with-stops` : state} .style=${style} aria-current=${current}>${stopBars(stop, state)}<span class="sr">${name}</span></li>`;
    const number = html`<span class="n">${numbers}.</span>`;
    return html`<li class=${state} .style=${style}>${state === "now" ? stopBars(stop, state) : nothing}
      <button class="beat" aria-label=${name} title=${name} aria-current=${current} @click=${() => this.#press(beat, store)}>
        ${beside ? number : nothing}<span class="name">${beside ? nothing : html`${number} `}${isNumberAlone(beat) ? nothing : breakable(text, breaks)}${more === "" || isNumberAlone(beat) ? nothing : html` <em class="added">${breakable(more, breaks)}</em>`}${isBroken ? html` <b class="bad">✕</b>` : nothing}</span></button>
      <button class="beat-open" tabindex=${place === Math.max(0, here) ? nothing : -1} aria-expanded=${this.open === beat.first} aria-label=${say("player.beat_opens", { title })}
        title=${say("player.beat_opens", { title })} @click=${() => (this.open = this.open === beat.first ? null : beat.first)}>▴</button></li>`;
  }

  /** On a phone: the name and number of the beat on show, as a button that opens it, and the step. */
  #named(plan: BeatPlan, store: PlayerStore): TemplateResult {
    const named = nameIn(plan, store.shown);
    // Before its landing, the name of a beat says where it leads.
    const text = named === null ? say("player.beats_count", { count: countOf(plan.beats) }) : `${numberText(named.number)}${store.shown < named.beat.lands ? say("player.beat_leads", { title: titleOf(named.beat) }) : titleOf(named.beat)}`;
    const from = this.walk?.cameFrom ?? null;
    // There is no room for the date of a log beside a name.
    const whole = whenText(store.header, store.frame?.view.time ?? 0);
    const when = /\d\d:\d\d:\d\d/.exec(whole)?.[0] ?? whole;
    const step = briefStep(store, from);
    const { apart, isLong } = nameSetting(text, step, when, this.width - 2 * axis.besideNarrow);
    return html`<button class="beat-named" aria-expanded=${this.open !== null} @click=${() => this.toggle()}><b class=${isLong ? "long" : ""}>${breakable(text, "words")}</b>
      <span class="num">${step}${apart ? html`<br>` : " · "}${when}</span> <span aria-hidden="true">▴</span></button>`;
  }

  /** Goes to the step at which the beat lands; if it is on show already, opens the beat's steps. */
  #press(beat: Beat, store: PlayerStore): void {
    if (store.shown !== beat.lands) this.#go(beat.lands);
    else this.open = this.open === beat.first ? null : beat.first;
  }

  readonly #go = (number: number): void => void this.walk?.goTo(number);

  /** The focus ring moves with the beat on show: on another tile, it would look like a second mark. */
  protected override willUpdate(changed: Map<string, unknown>): void {
    super.willUpdate(changed);
    this.#hasFocus = document.activeElement?.matches(ON_SHOW) === true;
  }

  #hasFocus = false;

  /**
   * When a beat opens, its list is loaded, if that was not done yet, and takes the focus; when it closes, the control
   * that had the focus before gets it back.
   */
  protected override updated(changed: Map<string, unknown>): void {
    if (this.#hasFocus) this.querySelector<HTMLElement>(ON_SHOW)?.focus();
    if (!changed.has("open")) return;
    if (this.open === null) {
      if (this.#before?.isConnected === true && (document.activeElement === document.body || this.contains(document.activeElement))) this.#before.focus();
      this.#before = null;
      return;
    }
    if (changed.get("open") === null) this.#before = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    void atHand.come().catch(() => this.dispatchEvent(new CustomEvent("say-hint", { detail: { key: "player.part_missing", params: {} }, bubbles: true })));
  }

  #before: HTMLElement | null = null;

  readonly #shut = (): void => void this.close();
}

/** A bar for each stop of a beat that has several: each press goes on to the next stop. */
function stopBars({ part, parts }: { part: number; parts: number }, state: string): TemplateResult | typeof nothing {
  if (parts < 2) return nothing;
  const here = state === "now" ? part : state === "past" ? parts + 1 : 0;
  return html`<span class="stop-bars" aria-hidden="true">${Array.from({ length: parts }, (_, at) => html`<i class=${at + 1 < here ? "past" : at + 1 === here ? "now" : "ahead"}></i>`)}</span>`;
}

/** `8. `; for a part of a long beat, `8, part 2: `. */
function numberText(number: string): string {
  const [beat = "", part] = number.split(".");
  const text = part === undefined ? `${beat}.` : say("player.beat_part_named", { number: beat, part });
  return text.endsWith("：") ? text : `${text} `;
}

/** The space between a number and a Chinese measure word, as in 2 条. */
const COUNTS = /(?<=\d) (?=[条个次步批份项名台段])/g;

/**
 * A text with the places where its lines may break: names of errors behind their underscores, other names nowhere,
 * Chinese as `breaks` says.
 */
function breakable(text: string, breaks: LineBreaks = "marks"): TemplateResult[] {
  return (breaks === "words" ? piecesOf(text, breaks) : text.split(BREAKS)).map((part) => html`${unbroken(breaks === "anywhere" ? part : part.replace(COUNTS, "\u00a0"))}<wbr>`);
}

/**
 * The beat that lands at a step, else the innermost beat that holds it, with its number: `8`, or `8.5` for the fifth
 * beat inside a long one; null before the first beat. If a beat has several stops, the beat of the stop at the step.
 */
export function nameIn(plan: BeatPlan, step: number): { number: string; beat: Beat } | null {
  const whole = pathTo(plan.beats, step);
  const landed = whole.findIndex((one) => one.beat.lands === step);
  const path = landed < 0 ? whole : whole.slice(0, landed + 1);
  const beat = path.at(-1)?.beat;
  const [outer, inner] = path;
  if (outer === undefined || beat === undefined) return null;
  const stop = stopAt(plan.beats, outer.place, step);
  if (stop.parts > 1) return { number: String(stop.number), beat: stop.beat };
  return { number: inner === undefined ? String(stop.number) : `${stop.number}.${inner.place + 1}`, beat };
}

/**
 * The numbers for `beat 7 of 8`, or inside a long beat for `beat 3 of 9, part 2 of 7`. There is no part from the
 * landing of the long beat on, nor in a beat with several stops. Null before the first beat.
 */
export function whereIn(plan: BeatPlan, step: number): { number: number; count: number; part: number; parts: number } | null {
  const [outer, inner] = pathTo(plan.beats, step);
  if (outer === undefined) return null;
  const { number, parts } = stopAt(plan.beats, outer.place, step);
  const part = inner === undefined || outer.beat.lands <= step || parts > 1 ? null : inner;
  return { number, count: countOf(plan.beats), part: part === null ? 0 : part.place + 1, parts: part?.count ?? 0 };
}

customElements.define("eos-beats", BeatsBar);
