/**
 * The base of the player's own parts. They draw into the page itself, without a shadow root, so that its styles apply
 * to them, and are drawn again when their store changes.
 */

import type { PropertyValues } from "lit";
import { LitElement } from "lit";
import type { PlayerStore } from "./store.ts";

export abstract class StoreElement extends LitElement {
  static override properties = { store: { attribute: false } };

  declare store: PlayerStore | undefined;
  #followed: PlayerStore | null = null;
  readonly #follow = (): void => this.requestUpdate();

  constructor() {
    super();
    this.store = undefined;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override willUpdate(_changed: PropertyValues): void {
    if (this.#followed === (this.store ?? null)) return;
    this.#followed?.removeEventListener("change", this.#follow);
    this.#followed = this.store ?? null;
    this.#followed?.addEventListener("change", this.#follow);
  }

  /**
   * Sets an attribute of the player by which styles know whether this part shows something. A selector with `:has()` at
   * the player would be slower: browsers evaluate it at every node that a step inserts.
   */
  protected markPlayer(name: "why" | "undo" | "found" | "question" | "poll", shows: boolean): void {
    this.closest(".player")?.toggleAttribute(`data-${name}`, shows);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#followed?.removeEventListener("change", this.#follow);
    this.#followed = null;
  }
}

/** The base of parts that are drawn to fit their box: `width` and `height` have its px, so drawing measures nothing. */
export abstract class MeasuredElement extends StoreElement {
  static override properties = { ...StoreElement.properties, width: { state: true }, height: { state: true } };

  declare width: number;
  declare height: number;
  #observer: ResizeObserver | null = null;

  constructor() {
    super();
    this.width = 0;
    this.height = 0;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#observer = new ResizeObserver(([entry]) => {
      this.width = Math.floor(entry?.contentRect.width ?? 0);
      this.height = Math.round(entry?.contentRect.height ?? 0);
    });
    this.#observer.observe(this);
  }

  override disconnectedCallback(): void {
    this.#observer?.disconnect();
    this.#observer = null;
    super.disconnectedCallback();
  }
}
