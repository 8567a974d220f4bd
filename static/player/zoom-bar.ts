/**
 * `<eos-zoom-bar .store=${store} .zoom=${zoom}>`: a choice of the zoom level, which the keys + and − change, too. At
 * the level of checks, it also shows the number of the check on show.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { StoreElement } from "./store-element.ts";
import { say } from "./text.ts";
import type { Zoom } from "./zoom.ts";
import { isLevel, LEVELS } from "./zoom.ts";

export class ZoomBar extends StoreElement {
  static override properties = { ...StoreElement.properties, zoom: { attribute: false } };

  declare zoom: Zoom | undefined;
  #heard: Zoom | null = null;
  readonly #changed = (): void => this.requestUpdate();

  constructor() {
    super();
    this.zoom = undefined;
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    super.willUpdate(changed);
    if (this.zoom === undefined || this.#heard === this.zoom) return;
    this.#heard?.removeEventListener("change", this.#changed);
    this.#heard = this.zoom;
    this.#heard.addEventListener("change", this.#changed);
  }

  protected override render(): TemplateResult | typeof nothing {
    const { zoom, store } = this;
    if (zoom === undefined || store === undefined || store.header === null) return nothing;
    return html`<label class="zoom"><span>${say("player.zoom")}</span>
      <select title=${say("player.zoom.title")} @change=${this.#chosen}>
        ${LEVELS.map((level) => html`<option value=${level} ?selected=${level === zoom.level} .selected=${level === zoom.level}>${say(`player.zoom.${level}`)}</option>`)}
      </select></label>`;
  }

  readonly #chosen = (event: Event): void => {
    const select = event.target as HTMLSelectElement;
    if (isLevel(select.value)) this.zoom?.use(select.value);
    select.blur(); // Without the focus in the list, the arrow keys move the reader again.
  };
}

customElements.define("eos-zoom-bar", ZoomBar);
