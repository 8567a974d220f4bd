/** Presses anywhere on the page, while the host is there: a list that lies over the page closes at one elsewhere. */

import type { ReactiveController, ReactiveControllerHost } from "lit";

export class PagePresses implements ReactiveController {
  readonly #pressed: (event: PointerEvent) => void;

  constructor(host: ReactiveControllerHost, pressed: (event: PointerEvent) => void) {
    this.#pressed = pressed;
    host.addController(this);
  }

  hostConnected(): void {
    addEventListener("pointerdown", this.#pressed);
  }

  hostDisconnected(): void {
    removeEventListener("pointerdown", this.#pressed);
  }
}
