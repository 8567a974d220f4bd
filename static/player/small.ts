/**
 * Says whether the page is small: a phone, upright or on its side, or a page with text at twice its size. Parts that
 * have no room there are folded.
 */

import type { ReactiveController, ReactiveControllerHost } from "lit";

/** The same condition is in styles/small.css. */
export const SMALL = "screen and (max-width: 699px), screen and (max-width: 1099px) and (max-height: 539px)";

/** The media query of an upright phone. On it, nothing opens over the picture, because it would cover most of it. */
export const UPRIGHT = "screen and (max-width: 699px) and (min-height: 540px)";

/** Draws its host again when the page becomes small (or begins to match the query `of`), and when it no longer is. */
export class Small implements ReactiveController {
  readonly #query: MediaQueryList;
  readonly #changed: () => void;

  constructor(host: ReactiveControllerHost, of = SMALL) {
    this.#query = matchMedia(of);
    this.#changed = () => host.requestUpdate();
    host.addController(this);
  }

  get matches(): boolean {
    return this.#query.matches;
  }

  hostConnected(): void {
    this.#query.addEventListener("change", this.#changed);
  }

  hostDisconnected(): void {
    this.#query.removeEventListener("change", this.#changed);
  }
}
