/**
 * `<eos-strip .store=${store}>`: the strip of all guarantees, each with how often it is broken. A broken one has a line
 * along the whole run, red from the step that first breaks it; a press goes to that step.
 *
 * Guarantees that this run cannot test are only counted; one that another branch breaks is marked. On a phone, the
 * strip is one line with the names of the broken guarantees and the number of the others; a press opens the list.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { isLogCase } from "../diagrams/log-case.ts";
import { branchTitle, isPreview } from "./branch-name.ts";
import { isNarrow, stepsOf } from "./axis-of.ts";
import type { Frame } from "./frame.ts";
import { listed, sentences } from "./joins.ts";
import { kafka } from "./panel-times.ts";
import { MeasuredElement } from "./store-element.ts";
import { PagePresses } from "./page-presses.ts";
import { differNow, stripRows } from "./strip-rows.ts";
import type { StripRow } from "./strip-rows.ts";
import type { PlayerStore } from "./store.ts";
import { say } from "./text.ts";

export const defaults = {
  /** The least px of a guarantee in a row with others. */
  least: 160,
  /** px per guarantee that one row needs; with less, the guarantees stand in two rows. */
  close: 106,
  /**
   * `named`: px of a line with room for the names of broken guarantees; `most`: how many of them it names. In a
   * narrower line, it names one.
   */
  named: 320,
  most: 2,
  /** px of the strip from which on it has room for its heading beside the guarantees. */
  headed: 840,
  /** px of the line below which it has room only for the numbers of the broken and of the kept guarantees. */
  whole: 200,
  /** px from which on there is room for the names of the guarantees that hold, in two lines. */
  called: 96,
  /** px from which on there is room for a text of two lines; with less, a sign replaces the word. */
  worded: 56,
};

/** The name of a guarantee; a press shows what it means (term-note.ts). */
function termOf({ name }: StripRow): TemplateResult {
  return html`<button class="term" data-term=${`player.guarantee.${name}`}>${say(`player.guarantee.${name}`)}</button>`;
}

export class GuaranteeStrip extends MeasuredElement {
  static override properties = { ...MeasuredElement.properties, isOpen: { state: true }, only: { attribute: false } };

  declare isOpen: boolean;
  /** Names of the guarantees that are shown; null: all. */
  declare only: readonly string[] | null;

  constructor() {
    super();
    this.isOpen = false;
    this.only = null;
    new PagePresses(this, (event) => !event.composedPath().includes(this) && this.close());
  }

  /** Closes the list; false if it was not open. */
  close(): boolean {
    const was = this.isOpen;
    this.isOpen = false;
    return was;
  }

  /** Opens or closes the list. It lies over the page, so the event `covers` makes the player close other such parts. */
  #toggle(): void {
    this.isOpen = !this.isOpen;
    if (this.isOpen) this.dispatchEvent(new CustomEvent("covers", { bubbles: true }));
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this;
    const frame = store?.frame;
    if (store === undefined || frame === undefined || this.width === 0) return nothing;
    const rows = stripRows(frame.view.guarantees ?? {}, store.info, store.lines.branches.values()).filter(({ name }) => this.only?.includes(name) ?? true);
    const judged = rows.filter((row) => row.isJudged);
    const unjudged = rows.filter((row) => !row.isJudged);
    if (rows.length === 0 || (isLogCase(frame) && judged.length === 0)) return html`<p class="quiet nothing-judged">${say(isPreview(store.info) && store.shown > (store.info?.leaves_at ?? 0) ? "player.preview_only" : "player.nothing_judged")}</p>`;
    if (isNarrow(this.width)) {
      return html`${this.#short(judged, unjudged.length, store.shown)}${this.isOpen ? html`<div class="guarantees-all"><button class="close" aria-label=${say("player.close")} @click=${() => this.close()}>✕</button><p>${sentences([say("player.guarantees_mean"), judged.some(({ brokenAt }) => brokenAt !== null) ? say("player.guarantees_bar") : ""])}</p>${this.#list(judged, unjudged, true, store)}${unjudged.length === 0 ? nothing : html`<p>${sentences([
        say("player.not_judged_are", { names: namesOf(unjudged) }), say(`${whyNot(judged, frame)}.means`)])}</p>`}</div>` : nothing}`;
    }
    const heading = this.width < defaults.headed ? nothing : html`<span class="strip-name" aria-hidden="true">${say("player.guarantees")}</span>`;
    return html`${heading}${this.#list(judged, unjudged, rows.length * defaults.least > this.width, store)}`;
  }

  /** The line on a phone: `duplicated ✕ 1 · 3 hold · 4 not judged`. */
  #short(judged: readonly StripRow[], unjudged: number, shown: number): TemplateResult {
    const broken = judged.filter(({ brokenAt }) => brokenAt !== null && brokenAt <= shown);
    const isBrief = this.width < defaults.whole;
    const named = isBrief ? [] : broken.length <= (this.width >= defaults.named ? defaults.most : 1) ? broken : [];
    const held = judged.length - broken.length;
    const holds = this.width < defaults.worded ? `✓\u00a0${held}` : say(this.width < defaults.called ? "player.guarantees_hold_brief" : "player.guarantees_hold", { count: held });
    const breaks = this.width < defaults.worded ? broken.length : say(isBrief ? "player.guarantees_broken_brief" : "player.guarantees_broken", { count: broken.length });
    return html`<button class="guarantees-short" aria-expanded=${this.isOpen} aria-label=${say("player.guarantees")} aria-describedby="guarantees-short" @click=${this.#toggle}>
      <span id="guarantees-short" class=${isBrief ? "is-brief" : ""}>${named.map((row) => html`<span class="is-broken">${say(`player.guarantee.${row.name}`)} <b class="num">✕ ${row.count}</b></span> `)}${
        broken.length > named.length ? html`<span class="is-broken"><b>✕</b>${this.width < defaults.worded ? "\u00a0" : " "}${breaks}</span> ` : nothing}${
        held === 0 || (isBrief && broken.length > 0) ? nothing : html`<span>${holds}</span> `}${unjudged === 0 || isBrief ? nothing : html`<span>${say("player.not_judged_count", { count: unjudged })}</span>`}</span>
      <span aria-hidden="true">${this.isOpen ? "▾" : "▴"}</span></button>`;
  }

  #list(judged: readonly StripRow[], unjudged: readonly StripRow[], isFolded: boolean, store: PlayerStore): TemplateResult {
    const why = whyNot(judged, store.frame);
    const isClose = !isNarrow(this.width) && judged.length * defaults.close > this.width;
    return html`<ul class=${isClose ? "guarantees in-rows" : "guarantees"} aria-label=${say("player.guarantees")}>
        ${judged.map((row) => this.#judged(row, store))}
        ${isFolded || unjudged.length === 0 ? nothing : html`<li class="not-judged" .style=${`flex-grow:${unjudged.length}`}><span class="names"><button class="term why-not" data-term=${why}>${say("player.not_judged_names")}</button> ${unjudged.map(termOf)}</span><i></i></li>`}
        ${isFolded && unjudged.length > 0 ? html`<li class="not-judged more"><span><button class="term" data-term=${why} data-names=${listed(namesOf(unjudged))}>${say("player.not_judged_count", { count: unjudged.length })}</button></span><i></i></li>` : nothing}
      </ul>`;
  }

  #judged(row: StripRow, store: PlayerStore): TemplateResult {
    const { brokenAt, count } = row;
    const steps = Math.max(1, stepsOf(store), store.newest);
    const share = (step: number): string => `${((100 * step) / steps).toFixed(2)}%`;
    const isBroken = brokenAt !== null && brokenAt <= store.shown;
    const name = say(`player.guarantee.${row.name}`);
    const style = `--at:${share(store.shown)};--broken-at:${isBroken ? share(brokenAt) : share(store.shown)}`;
    const line = html`<i .style=${style}></i>`;
    const elsewhere = row.elsewhere === null || isBroken ? nothing
      : html`<small class="bad">${say("player.broken_elsewhere", { branch: branchTitle(store.lines.branches, row.elsewhere.branch), step: row.elsewhere.step })}</small>`;
    // Only ended transactions with different outcomes are counted, so a text says if nodes differ at this step.
    const now = row.name === "mixed" && !isBroken && store.frame !== undefined && differNow(store.frame.view) ? html` <em>${say("player.differ_now")}</em>` : nothing;
    if (brokenAt === null) return html`<li><span>${termOf(row)} <b class="num">${count}</b>${now}</span>${line}${elsewhere}</li>`;
    return html`<li class=${isBroken ? "is-broken" : "is-ahead"}><button title=${say("player.guarantee_breaks", { name, step: brokenAt })} @click=${() => store.moveUpTo(brokenAt)}>
      <span><span>${name}</span> <b class="num">${isBroken ? "✕ " : ""}${count}</b>${now}</span></button>${line}${elsewhere}</li>`;
  }
}

const namesOf = (rows: readonly StripRow[]): string[] => rows.map(({ name }) => say(`player.guarantee.${name}`));

/** The term (catalogue key) that explains why the other guarantees are not judged in this run. */
function whyNot(judged: readonly StripRow[], frame: Frame | undefined): string {
  return judged.length > 0 && frame !== undefined && kafka(frame) ? "player.not_judged" : "player.not_judged_elsewhere";
}

customElements.define("eos-strip", GuaranteeStrip);
