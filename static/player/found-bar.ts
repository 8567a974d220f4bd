/**
 * `<eos-found-bar .store=${store} .search=${search} .breakpoints=${breakpoints}>`: a line above the sentence during a
 * search, or after a run to a breakpoint. It says where the reader is among the found steps, or how the run ended.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { Breakpoints } from "./breakpoints.ts";
import { outcomeInWords } from "./breakpoints.ts";
import { inWords } from "./conditions.ts";
import type { StepSearch } from "./step-search.ts";
import { StoreElement } from "./store-element.ts";
import { say } from "./text.ts";

export class FoundBar extends StoreElement {
  static override properties = { ...StoreElement.properties, search: { attribute: false }, breakpoints: { attribute: false } };

  declare search: StepSearch | undefined;
  declare breakpoints: Breakpoints | undefined;
  readonly #changed = (): void => this.requestUpdate();
  #heard: EventTarget[] = [];

  constructor() {
    super();
    this.search = undefined;
    this.breakpoints = undefined;
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    super.willUpdate(changed);
    const now = [this.search, this.breakpoints].filter((one) => one !== undefined);
    if (now.length === this.#heard.length) return;
    for (const one of this.#heard) one.removeEventListener("change", this.#changed);
    this.#heard = now;
    for (const one of now) one.addEventListener("change", this.#changed);
  }

  protected override render(): TemplateResult {
    return html`${this.#outcome()}${this.#found()}`;
  }

  protected override updated(): void {
    this.markPlayer("found", this.querySelector(".found-bar") !== null);
  }

  #outcome(): TemplateResult | typeof nothing {
    const { breakpoints, store } = this;
    if (breakpoints === undefined || store === undefined) return nothing;
    const { outcome } = breakpoints;
    // After the reader has moved on, the outcome of the run to a breakpoint is no longer shown.
    if (outcome === null ? !breakpoints.running : outcome.at !== store.target) return nothing;
    const text = outcome === null ? say("stops.running") : outcomeInWords(outcome);
    const goesOn = outcome !== null && (outcome.stopped === "breakpoint" || outcome.stopped === "limit");
    return html`<div class="found-bar"><span role="status">${outcome?.stopped === "breakpoint" ? "● " : ""}${text}</span>
      ${goesOn ? html`<button @click=${() => void breakpoints.runToNext()}>${say("stops.run")} <kbd>r</kbd></button>` : nothing}
      ${outcome === null ? nothing : this.#close(() => breakpoints.dismiss())}</div>`;
  }

  #found(): TemplateResult | typeof nothing {
    const { search, store } = this;
    if (search === undefined || store === undefined || !search.active) return nothing;
    const count = search.numbers.length;
    // The dialog already says that nothing was found.
    if (search.complete && count === 0) return nothing;
    const what = search.conditions.map(inWords).join(" + ");
    const here = search.place === 0 ? "–" : search.place;
    const earlier = count > 0 && (search.numbers[0] ?? 0) < store.target;
    const later = count > 0 && (search.numbers[count - 1] ?? 0) > store.target;
    return html`<div class="found-bar"><button class="what" title=${what} @click=${this.#open}>${what}</button>
      <span class="num" role="status">${say(search.complete ? "search.place" : "search.place_so_far", { here, count })}</span>
      <button aria-label=${say("player.key.previous_match")} title=${`${say("player.key.previous_match")} (p)`} ?disabled=${!earlier} @click=${() => search.go(-1)}>◀</button>
      <button aria-label=${say("player.key.next_match")} title=${`${say("player.key.next_match")} (n)`} ?disabled=${!later} @click=${() => search.go(1)}>▶</button>
      ${this.#close(() => search.stop())}</div>`;
  }

  #close(action: () => void): TemplateResult {
    return html`<button aria-label=${say("player.close")} title=${say("player.close")} @click=${action}>✕</button>`;
  }

  readonly #open = (): void => {
    this.dispatchEvent(new CustomEvent("open-search", { bubbles: true }));
  };
}

customElements.define("eos-found-bar", FoundBar);
