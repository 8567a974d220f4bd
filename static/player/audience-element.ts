/** The base of `<eos-hands>` and `<eos-poll>`, which are drawn again when their store or their audience changes. */

import type { PropertyValues } from "lit";
import type { Audience, Heard } from "./audience.ts";
import { StoreElement } from "./store-element.ts";

export abstract class AudienceElement extends StoreElement {
  static override properties = { ...StoreElement.properties, audience: { attribute: false }, said: { state: true } };

  declare audience: Audience | null;
  /** The text of an element with the role `status`, which a screen reader says once. */
  declare said: string;
  #heard: Audience | null = null;
  readonly #redraw = (): void => this.requestUpdate();
  readonly #tell = (event: Event): void => {
    const said = this.sentenceOf((event as CustomEvent<Heard>).detail);
    if (said !== null) this.said = said;
  };

  constructor() {
    super();
    this.audience = null;
    this.said = "";
  }

  /**
   * The sentence that a screen reader says about an event of the audience; null if it does not concern this element.
   */
  protected abstract sentenceOf(heard: Heard): string | null;

  protected override willUpdate(changed: PropertyValues): void {
    super.willUpdate(changed);
    if (this.#heard === this.audience) return;
    this.#listen("removeEventListener");
    this.#heard = this.audience;
    this.#listen("addEventListener");
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#listen("removeEventListener");
    this.#heard = null;
  }

  #listen(how: "addEventListener" | "removeEventListener"): void {
    this.#heard?.[how]("change", this.#redraw);
    this.#heard?.[how]("heard", this.#tell);
  }
}
