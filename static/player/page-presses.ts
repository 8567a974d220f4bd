/**
 * Lets a press anywhere on the page close a list that lies over the page, while the host is connected. If such a press
 * is on the picture, it has no other effect.
 */

import type { ReactiveController, ReactiveControllerHost } from "lit";

const PICTURE = "main";

export class PagePresses implements ReactiveController {
  readonly #closes: (event: PointerEvent) => boolean;

  /** `closes` returns whether the press closed something. */
  constructor(host: ReactiveControllerHost, closes: (event: PointerEvent) => boolean) {
    this.#closes = closes;
    host.addController(this);
  }

  hostConnected(): void {
    addEventListener("pointerdown", this.#pressed, true);
  }

  hostDisconnected(): void {
    removeEventListener("pointerdown", this.#pressed, true);
  }

  readonly #pressed = (event: PointerEvent): void => {
    if (!this.#closes(event) || !isIn(event, PICTURE)) return;
    event.stopPropagation();
    swallowClick();
  };
}

/** Closes the open lists of the host, except the one with the press. Returns whether any was open. */
export function closeLists(host: Element, lists: string, event: PointerEvent): boolean {
  const left = [...host.querySelectorAll<HTMLDetailsElement>(lists)].filter((list) => list.open && !event.composedPath().includes(list));
  for (const list of left) list.open = false;
  return left.length > 0;
}

/** Suppresses the click that follows the present press, because the press itself has already had its effect. */
export function swallowClick(): void {
  const swallow = (event: Event): void => {
    event.preventDefault();
    event.stopPropagation();
  };
  addEventListener("click", swallow, { capture: true, once: true });
  for (const later of ["pointerdown", "pointercancel", "keydown"]) {
    addEventListener(later, () => removeEventListener("click", swallow, true), { capture: true, once: true });
  }
}

function isIn(event: Event, selector: string): boolean {
  return event.composedPath().some((one) => one instanceof Element && one.matches(selector));
}
