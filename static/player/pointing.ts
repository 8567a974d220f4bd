/**
 * Opens the list of actions on a thing at the place of the thing: by the right mouse button, a long press, the menu key
 * or Shift+F10.
 *
 * A panel says which thing a press at that place would select (`pointedAt`). If it says none, the browser's own menu
 * opens.
 */

import type { Selection } from "./frame.ts";
import { swallowClick } from "./page-presses.ts";

export const defaults = {
  /** Milliseconds after which a press of a finger opens the list instead of selecting. */
  press: 500,
  /** px by which a finger may move and still counts as resting. */
  still: 10,
};

export interface Point {
  x: number;
  y: number;
  /** x of the list, in px, if it has no room below its thing and stands beside it. */
  beside?: number;
}

/** A panel that says which thing is at a place (static/diagrams/element.ts). */
interface Pointable extends EventTarget {
  pointedAt(path: readonly EventTarget[]): Selection | null;
}

function isPointable(one: EventTarget): one is Pointable {
  return "pointedAt" in one;
}

/** The thing that a press on this path of elements would select; null: nothing. */
export function pointed(path: readonly EventTarget[]): Selection | null {
  return path.find(isPointable)?.pointedAt(path) ?? null;
}

export class Pointing {
  readonly #root: HTMLElement;
  readonly #open: (selection: Selection, at: Point) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #from: Point | null = null;

  constructor(root: HTMLElement, open: (selection: Selection, at: Point) => void) {
    this.#root = root;
    this.#open = open;
    root.addEventListener("contextmenu", this.#asked);
    root.addEventListener("pointerdown", this.#down);
    for (const end of ["pointerup", "pointercancel", "scroll"]) root.addEventListener(end, this.#ended, true);
    root.addEventListener("pointermove", this.#moved);
  }

  stop(): void {
    this.#ended();
    this.#root.removeEventListener("contextmenu", this.#asked);
    this.#root.removeEventListener("pointerdown", this.#down);
    for (const end of ["pointerup", "pointercancel", "scroll"]) this.#root.removeEventListener(end, this.#ended, true);
    this.#root.removeEventListener("pointermove", this.#moved);
  }

  readonly #asked = (event: MouseEvent): void => {
    const path = event.composedPath();
    const selection = pointed(path);
    if (selection === null) return;
    event.preventDefault();
    this.#ended();
    // The keyboard has no pointer, so the list opens at the thing itself.
    const [thing] = path;
    const box = thing instanceof Element ? thing.getBoundingClientRect() : null;
    const isKeyboard = event.button !== 2 && event.clientX === 0 && event.clientY === 0;
    this.#open(selection, isKeyboard && box !== null ? { x: box.left, y: box.bottom } : { x: event.clientX, y: event.clientY });
  };

  readonly #down = (event: PointerEvent): void => {
    if (event.pointerType !== "touch" || !event.isPrimary) return;
    const path = event.composedPath();
    const at = { x: event.clientX, y: event.clientY };
    this.#from = at;
    this.#timer = setTimeout(() => {
      const selection = pointed(path);
      this.#ended();
      if (selection === null) return;
      swallowClick(); // Lifting the finger is a click, too, which would end the selection.
      this.#open(selection, at);
    }, defaults.press);
  };

  readonly #moved = (event: PointerEvent): void => {
    if (this.#from === null) return;
    if (Math.hypot(event.clientX - this.#from.x, event.clientY - this.#from.y) > defaults.still) this.#ended();
  };

  readonly #ended = (): void => {
    clearTimeout(this.#timer);
    this.#from = null;
  };
}
