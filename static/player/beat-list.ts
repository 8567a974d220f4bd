/**
 * `<eos-beat-list .store=${store} .walk=${walk} .open=${first} .room=${px} .narrow=${narrow} .close=${close}>`: lists
 * the steps of a beat, over the picture and above the beat's tile. The element is inside the bar of beats. If that bar
 * is too narrow for names, the list has all beats by name, and the steps of the open one.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { axisFor, planOf } from "./axis-of.ts";
import { beatLines } from "./beat-lines.ts";
import type { BeatWalk } from "./beat-walk.ts";
import type { Beat, BeatPlan } from "./beats.ts";
import { numberOf, titleOf } from "./beats.ts";
import type { PlayerStore } from "./store.ts";
import { StoreElement } from "./store-element.ts";
import { say } from "./text.ts";

export class BeatList extends StoreElement {
  static override properties = { ...StoreElement.properties, walk: { attribute: false }, open: { attribute: false }, room: { attribute: false }, narrow: { attribute: false }, close: { attribute: false } };

  declare walk: BeatWalk | undefined;
  /** First step of the beat. */
  declare open: number;
  /** Width of the bar in px. */
  declare room: number;
  declare narrow: boolean;
  declare close: () => void;

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this;
    const plan = planOf(store);
    if (store === undefined || plan === null) return nothing;
    const place = plan.beats.findIndex(({ first }) => first === this.open);
    const beat = plan.beats[place];
    if (beat === undefined) return nothing;
    const { segments = [] } = axisFor(store, this.room);
    const middle = (segments[place]?.x ?? 0) + (segments[place]?.width ?? 0) / 2;
    const width = Math.min(600, this.room - 16);
    const left = Math.max(8, Math.min(this.room - width - 8, middle - width / 2));
    return html`<section class="beat-steps" .style=${`left:${left.toFixed(0)}px;width:${width}px;--tip:${(middle - left).toFixed(0)}px`} aria-label=${titleOf(beat)} @keydown=${this.#key}>
      <header><h2>${numberOf(plan.beats, place)}. ${titleOf(beat)}</h2> <span class="num quiet">${say("player.beat_steps", { count: beat.last - beat.first + 1, first: beat.first, last: beat.last })}</span>
        <button class="close" aria-label=${say("player.close")} @click=${this.close}>✕</button></header>
      <div class="beat-list">${this.narrow ? this.#all(plan, beat, store) : beatLines(beat, store, this.#go)}</div></section>`;
  }

  readonly #go = (number: number): void => void this.walk?.goTo(number);

  /** The list with every beat by name, and the steps of the open one, because bars are too small for a finger. */
  #all(plan: BeatPlan, open: Beat, store: PlayerStore): TemplateResult {
    return html`<ol>${plan.beats.map((beat, place) => html`<li class="by-name">
      <button aria-expanded=${beat === open} @click=${() => this.#choose(beat.lands)}><span class="num">${numberOf(plan.beats, place)}</span><b>${titleOf(beat)}</b>
        <small>${say(beat.first === beat.last ? "player.beat_at" : "player.beat_through", { first: beat.first, last: beat.last, lands: beat.lands })}</small></button>
      ${beat === open ? beatLines(beat, store, this.#choose) : nothing}</li>`)}</ol>`;
  }

  /** On a phone, the list covers the picture, so it closes: the reader wants to see the chosen step. */
  readonly #choose = (number: number): void => {
    this.close();
    this.#go(number);
  };

  /** The arrows ↑ and ↓ move the focus in the list, Enter goes to the step, Escape closes the list. */
  readonly #key = (event: KeyboardEvent): void => {
    const rows = this.#rows();
    const here = rows.indexOf(document.activeElement as HTMLElement);
    const targets: Record<string, number> = { ArrowDown: here + 1, ArrowUp: Math.max(0, here - 1), Home: 0, End: rows.length - 1 };
    const target = targets[event.key];
    if (event.key === "Escape") this.close();
    else if (target !== undefined) rows[Math.min(target, rows.length - 1)]?.focus();
    else return;
    event.stopPropagation();
    event.preventDefault();
  };

  /** When the list opens, the line of the step on show is scrolled into view and gets the focus. */
  protected override updated(changed: Map<string, unknown>): void {
    if (!changed.has("open")) return;
    const rows = this.#rows();
    const here = rows.findLast((row) => row.closest("[aria-current]") !== null) ?? rows[0];
    here?.scrollIntoView({ block: "center" });
    here?.focus({ preventScroll: true });
  }

  /** The lines that the list shows and the keyboard can reach: steps, and the names of nested beats. */
  #rows(): HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>(".beat-list :is(button, summary)")].filter((row) => row.checkVisibility());
  }
}

customElements.define("eos-beat-list", BeatList);
