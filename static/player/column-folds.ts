/**
 * Folds the panels of the side columns in the page, at the times when that costs least.
 *
 * Heights are remembered from when a panel was last seen open or folded. What folds is therefore known before a
 * frame is laid out, and the one layout that the paint needs anyway shows whether it was right; only where it was not,
 * another follows. A folded panel's open height may have changed unseen: once the reader rests, all are measured anew.
 */

import type { Fitted } from "./column-fit.ts";
import { toFold } from "./column-fit.ts";

export const defaults = {
  /** Milliseconds: frames that come closer together than this are passed by, as in a drag or at the greatest speed. */
  hurry: 100,
  /** Milliseconds without a frame after which everything is measured anew: when frames were passed by, while the knob is held, and otherwise. */
  afterHurry: 180,
  afterDrag: 600,
  rest: 250,
  /** px under a folded section. */
  gap: 4,
  /** Layouts that one frame may take until its folds are right. */
  turns: 3,
};

/** px from a panel's top to the next one's, or to the end of what the column holds. */
interface Heights {
  open?: number;
  folded?: number;
  /** `folded` was seen and is no estimate. */
  wasFolded?: boolean;
}

/** What decides beside the heights: the panels that the step is about, those that the reader opened. */
export interface Wanted {
  about: ReadonlySet<string>;
  kept: ReadonlySet<string>;
  /** Narrow screens scroll instead. */
  scrolls: boolean;
}

export class ColumnFolds {
  readonly #heights = new Map<string, Heights>();
  /** px of each panel alone, at the last layout that was read. */
  readonly #seen = new WeakMap<Element, number>();
  /** px for all panels together; unknown until the column was laid out. */
  #room: number | null = null;
  /** px of a column's own that no panel gets; its style is read anew only when all is. */
  #padding: number | null = null;

  /** Folds by what is known, and corrects what the layout shows to be otherwise. */
  fit(column: HTMLElement, wanted: Wanted): void {
    const contents = contentsOf(column);
    if (wanted.scrolls) {
      for (const content of contents) fold(content, false);
      return;
    }
    this.#apply(contents, wanted);
    for (let turn = 1; turn < defaults.turns; turn += 1) {
      if (!this.#measure(column, contents) || !this.#apply(contents, wanted)) return;
    }
  }

  /** The same, after every panel was seen open. */
  fitAnew(column: HTMLElement, wanted: Wanted): void {
    const contents = contentsOf(column);
    this.#padding = null;
    if (!wanted.scrolls && contents.some(isFolded)) {
      for (const content of contents) fold(content, false);
      this.#measure(column, contents);
    }
    this.fit(column, wanted);
  }

  /** Whether all these sizes are those that were fitted: an observer reports also what fitting itself changed. */
  knows(sizes: readonly { target: Element; height: number }[]): boolean {
    return sizes.every(({ target, height }) => Math.abs((this.#seen.get(target) ?? -1) - height) < 1);
  }

  /** Whether anything was folded or opened. */
  #apply(contents: readonly HTMLElement[], wanted: Wanted): boolean {
    const room = this.#room;
    if (room === null) return false;
    const chosen = new Set(toFold(contents.map((content) => this.#fitted(content, wanted)), room));
    let differs = false;
    for (const content of contents) differs = fold(content, chosen.has(content.localName)) || differs;
    return differs;
  }

  /** A panel that was never seen counts as nothing, and stays open until it was. */
  #fitted(content: HTMLElement, { about, kept }: Wanted): Fitted {
    const tag = content.localName;
    const { open = 0, folded = open } = this.#heights.get(tag) ?? {};
    const holdsFocus = content.parentElement?.matches(":focus-within") === true;
    return { tag, open, folded, about: about.has(tag), kept: kept.has(tag) || holdsFocus };
  }

  /** Reads the layout; false when the column has none. */
  #measure(column: HTMLElement, contents: readonly HTMLElement[]): boolean {
    const height = column.clientHeight;
    if (height === 0) return false;
    this.#padding ??= paddingOf(column);
    this.#room = height - this.#padding;
    const places = contents.map((content) => content.parentElement as HTMLElement);
    const tops = places.map((place) => place.offsetTop);
    const last = places.length - 1;
    const below = last < 0 ? 0 : parseFloat(getComputedStyle(places[last] as HTMLElement).marginBottom);
    contents.forEach((content, index) => {
      const alone = content.offsetHeight;
      this.#seen.set(content, alone);
      const outer = index < last ? (tops[index + 1] as number) - (tops[index] as number) : alone + below;
      const known = this.#heights.get(content.localName) ?? {};
      if (isFolded(content)) [known.folded, known.wasFolded] = [outer, true];
      else {
        // An estimate is made anew with the height: at its first layout a panel may have had nothing in it yet.
        if (known.wasFolded !== true && known.open !== outer) known.folded = foldedHeight(content, outer);
        known.open = outer;
      }
      this.#heights.set(content.localName, known);
    });
    return true;
  }
}

/** How high an open panel will be once folded: its headings, closer together than its sections. */
function foldedHeight(content: HTMLElement, outer: number): number {
  const headings = [...(content.shadowRoot?.querySelectorAll<HTMLElement>("section > h2") ?? [])];
  return headings.length === 0 ? outer : headings.reduce((sum, heading) => sum + heading.offsetHeight + defaults.gap, 0);
}

/** The panels of a column. Each stands in a place, beside the button that opens it. */
export function contentsOf(column: HTMLElement): HTMLElement[] {
  const found: HTMLElement[] = [];
  for (let place = column.firstElementChild; place !== null; place = place.nextElementSibling) {
    const content = place.firstElementChild;
    if (content !== null && content.localName !== "button") found.push(content as HTMLElement);
  }
  return found;
}

function paddingOf(column: HTMLElement): number {
  const style = getComputedStyle(column);
  return parseFloat(style.paddingTop) + parseFloat(style.paddingBottom);
}

function isFolded(content: HTMLElement): boolean {
  return content.hasAttribute("folded");
}

/** Whether that changed anything. */
function fold(content: HTMLElement, folded: boolean): boolean {
  if (isFolded(content) === folded) return false;
  content.toggleAttribute("folded", folded);
  content.parentElement?.toggleAttribute("data-folded", folded);
  return true;
}

/**
 * When to fit. A step is fitted with its frame; frames that come close upon another, or while the scrubber's knob is
 * held, are not: folds that flicker tell nothing. At rest all is measured anew.
 */
export class FitTimes {
  readonly #fit: () => void;
  readonly #fitAnew: () => void;
  readonly #isHeld: () => boolean;
  readonly #clock: () => number;
  #came = -Infinity;
  #passedBy = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(fit: () => void, fitAnew: () => void, isHeld: () => boolean, clock: () => number = () => performance.now()) {
    this.#fit = fit;
    this.#fitAnew = fitAnew;
    this.#isHeld = isHeld;
    this.#clock = clock;
  }

  /** A frame was drawn. */
  frame(): void {
    const now = this.#clock();
    const isHeld = this.#isHeld();
    const hurried = isHeld || now - this.#came < defaults.hurry;
    this.#came = now;
    this.#passedBy = hurried;
    if (!hurried) this.#fit();
    clearTimeout(this.#timer);
    const rest = isHeld ? defaults.afterDrag : hurried ? defaults.afterHurry : defaults.rest;
    this.#timer = setTimeout(() => this.#rest(), rest);
  }

  /** A panel's size changed by itself, as when the reader opens what is in it. */
  resized(): void {
    if (!this.#passedBy) this.#fit();
  }

  #rest(): void {
    this.#passedBy = false;
    this.#fitAnew();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
