/**
 * Draws the side columns of *Inspect*. Every panel has a place of fixed height, so that no step moves it. Lines that do
 * not fit are counted at the foot of the place, and a press there opens the whole panel. A panel that will get content
 * according to the plan has its place from the beginning.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { ownBox, zoomOf } from "../diagrams/own-box.ts";
import type { Frame, Step } from "./frame.ts";
import type { PanelParts, PanelRow } from "./panels.ts";
import { isKept, isShown, PANELS, panelsOf } from "./panels.ts";
import { say } from "./text.ts";

export const defaults = {
  /** `line`: px of a line of text. `foot`: px of the foot of a place, in which hidden lines are counted. */
  line: 18,
  foot: 20,
  /** px that a place is higher than its content; the same value is in styles/player.css. */
  frame: 14,
  /** px by which the foot covers the panel. */
  edge: 16,
  /** The most px of a line of text; higher boxes count as something else. */
  tallest: 26,
};

/** The number of hidden lines of a panel of `height` px in a place of `room` px, with those that the foot covers. */
export function linesBelow(height: number, room: number): number {
  return height <= room + 1 ? 0 : Math.max(1, Math.ceil((height - (room - defaults.foot)) / defaults.line));
}

/**
 * px above the foot that have to be covered, too, so that no line of text is shown cut. `lines`: top and bottom of each
 * line; `edge`: top of the foot; all in px from the panel's top.
 */
export function cutAbove(lines: readonly (readonly [top: number, bottom: number])[], edge: number): number {
  const cut = lines.filter(([top, bottom]) => bottom - top <= defaults.tallest && top < edge && bottom > edge + 1).map(([top]) => edge - top);
  return Math.ceil(Math.max(0, ...cut));
}

/** The lines of text of a panel, as `cutAbove` takes them. */
function linesOf(panel: Element): [number, number][] {
  const range = document.createRange();
  range.selectNodeContents(panel.shadowRoot ?? panel);
  const { top } = ownBox(panel);
  const zoom = zoomOf(panel);
  return [...range.getClientRects()].map((rect) => [rect.top / zoom - top, rect.bottom / zoom - top]);
}

export class SideColumns {
  readonly #player: HTMLElement;
  readonly #update: () => void;
  /** The tags of panels that the reader opened, which have their full height. */
  readonly #open = new Set<string>();
  /** The tags of panels that have had content: their places stay even if no plan says so. */
  readonly #seen = new Set<string>();
  readonly #below = new Map<string, number>();
  readonly #cut = new Map<string, number>();
  /** Column → the step for which it was drawn last. A column may be drawn later than the rest of the page. */
  readonly #steps = new Map<string, Step | null>();
  /** Element of a column → the step for which it was scrolled last. */
  readonly #shown = new WeakMap<Element, Step | null>();
  /** Element of a column → whether the reader has scrolled it. */
  readonly #held = new WeakMap<Element, boolean>();
  readonly #sizes = new ResizeObserver((entries) => this.#measured(entries));
  readonly #observed = new WeakSet<Element>();

  constructor(player: HTMLElement, update: () => void) {
    this.#player = player;
    this.#update = update;
  }

  /** The panels of a column in their order, each in its place. */
  column(place: PanelRow["place"], parts: PanelParts): unknown[] {
    const { frame } = parts;
    if (frame === undefined) return [];
    const about = panelsOf(frame);
    this.#steps.set(place, frame.step);
    return PANELS.filter((panel) => panel.place === place).map((panel) => this.#place(panel, frame, parts, about.has(panel.tag)));
  }

  #place(panel: PanelRow, frame: Frame, parts: PanelParts, isAbout: boolean): TemplateResult | typeof nothing {
    const { tag } = panel;
    const has = isShown(tag, frame);
    if (has) this.#seen.add(tag);
    if (!has && !this.#seen.has(tag) && !isKept(panel, frame)) return nothing;
    const isOpen = panel.room === undefined || this.#open.has(tag);
    const below = isOpen ? 0 : (this.#below.get(tag) ?? 0);
    const height = (panel.room ?? 0) + defaults.frame;
    const style = isOpen ? `min-height:${panel.room === undefined ? 0 : height}px` : `height:${height}px`;
    return html`<div class="panel place" id=${`panel-${tag}`} tabindex="-1" .style=${style} ?data-about=${isAbout} ?data-idle=${panel.about !== undefined && !isAbout} ?data-more=${below > 0}>
      ${has ? panel.draw(parts) : html`<section class="not-yet"><h2>${say(panel.name)} <small>${say("player.nothing_here_yet")}</small></h2></section>`}
      ${below === 0 || !has ? nothing : html`<button class="unfold" .style=${`padding-top:${this.#cut.get(tag) ?? 0}px`} aria-label=${say("player.open_panel", { panel: say(panel.name) })} @click=${() => this.keepOpen(tag)}>${say("player.more_lines", { count: below })} ▾</button>`}</div>`;
  }

  /**
   * The page calls this after it was drawn. Measures the heights of new panels from now on, and scrolls each column to
   * the panel that its step is about. `isNarrow`: only one column is visible.
   */
  drawn(isNarrow: boolean): void {
    const columns = [...this.#player.querySelectorAll<HTMLElement>("[data-inspects] > :is(.left, .right)")].filter((column) => !isNarrow || column.offsetParent !== null);
    for (const column of columns) {
      const step = this.#steps.get(column.className) ?? null;
      if (this.#shown.get(column) !== step) this.#bring(column);
      this.#shown.set(column, step);
    }
    for (const content of this.#player.querySelectorAll(":is(.left, .right) > .place > :first-child")) {
      if (this.#observed.has(content)) continue;
      this.#observed.add(content);
      this.#sizes.observe(content);
    }
  }

  /**
   * Scrolls a column to the panel that the step is about. If the reader has scrolled it, it stays as it is, until they
   * scroll it back to its top.
   */
  #bring(column: HTMLElement): void {
    if (!this.#held.has(column)) {
      this.#held.set(column, false);
      for (const by of ["wheel", "touchmove", "pointerdown", "keydown"]) column.addEventListener(by, () => this.#held.set(column, true), { passive: true });
    }
    if (this.#held.get(column) === true && column.scrollTop > 0) return;
    this.#held.set(column, false);
    column.querySelector(":scope > [data-about]")?.scrollIntoView({ block: "nearest" });
  }

  #measured(entries: readonly ResizeObserverEntry[]): void {
    let differs = false;
    for (const { target, borderBoxSize: [box] } of entries) {
      const panel = PANELS.find(({ tag }) => tag === target.localName);
      if (panel?.room === undefined || box === undefined || box.blockSize === 0) continue;
      const below = linesBelow(box.blockSize, panel.room);
      const cut = below === 0 ? 0 : cutAbove(linesOf(target), panel.room - defaults.edge);
      differs ||= below !== (this.#below.get(panel.tag) ?? 0) || cut !== (this.#cut.get(panel.tag) ?? 0);
      this.#below.set(panel.tag, below);
      this.#cut.set(panel.tag, cut);
    }
    if (differs) this.#update();
  }

  keepOpen(tag: string): void {
    this.#open.add(tag);
    this.#update();
    const place = this.#player.querySelector<HTMLElement>(`#panel-${tag}`);
    place?.focus();
    place?.scrollIntoView({ block: "nearest" });
  }

  /** Closes the opened panels; false if none was open. */
  release(): boolean {
    if (this.#open.size === 0) return false;
    this.#open.clear();
    this.#update();
    return true;
  }

  stop(): void {
    this.#sizes.disconnect();
  }
}
