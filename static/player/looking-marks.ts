/**
 * `<eos-looking-marks .store=${store}>`: the marks over the scrubber: a disc on the line at each step where a
 * breakpoint holds, a small square above it at each step that a search found. Presses go through it to the scrubber.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { lookingOf } from "./looking.ts";
import { defaults as scrubber } from "./scrubber.ts";
import { axisFor } from "./axis-of.ts";
import { MeasuredElement } from "./store-element.ts";
import { placesOf } from "./looking-places.ts";

export class LookingMarks extends MeasuredElement {
  readonly #changed = (): void => this.requestUpdate();
  #heard: EventTarget | null = null;

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this;
    const looking = lookingOf(store);
    if (store === undefined || looking === null || store.header === null || this.width === 0) return nothing;
    if (this.#heard === null) {
      looking.search.addEventListener("change", this.#changed);
      looking.breakpoints.addEventListener("change", this.#changed);
      this.#heard = looking.search;
    }
    const { search, breakpoints } = looking;
    const axis = axisFor(store, this.width);
    const { track, height } = scrubber;
    const discs = placesOf(breakpoints.numbers, axis).map((x) => `M${x - 4} ${track}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0`);
    const squares = placesOf(search.numbers, axis).map((x) => `M${x - 2.5} ${track - 12}h5v5h-5z`);
    return html`<svg width=${this.width} height=${height} aria-hidden="true">
      <path class="stop-marks" d=${discs.join("")} /><path class="match-marks" d=${squares.join("")} /></svg>`;
  }
}

customElements.define("eos-looking-marks", LookingMarks);
