/** A small page: a telephone, one on its side, or letters at twice their size. What has no room there folds. */

import type { ReactiveController, ReactiveControllerHost } from "lit";

/** The same in styles/small.css. */
export const SMALL = "screen and (max-width: 699px), screen and (max-width: 1099px) and (max-height: 539px)";

/** A telephone, upright: what lies over its picture, covers what is spoken of. */
export const UPRIGHT = "screen and (max-width: 699px) and (min-height: 540px)";

/** Draws its host anew when the page becomes small (or what `of` asks for), or is so no longer. */
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
