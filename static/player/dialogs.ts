/** The base of every dialog of the player. */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { StoreElement } from "./store-element.ts";
import { say } from "./text.ts";

export abstract class DialogElement extends StoreElement {
  open(): void {
    const dialog = this.#dialog();
    if (dialog === null || dialog.open) return;
    this.requestUpdate();
    dialog.showModal();
  }

  close(): void {
    this.#dialog()?.close();
  }

  get isOpen(): boolean {
    return this.#dialog()?.open ?? false;
  }

  /** The content of a closed dialog is not drawn. */
  protected whenOpen(body: () => TemplateResult | typeof nothing): TemplateResult | typeof nothing {
    return this.isOpen ? body() : nothing;
  }

  #dialog(): HTMLDialogElement | null {
    return this.querySelector("dialog");
  }

  protected frameOf(title: string, body: unknown): TemplateResult {
    return html`<dialog aria-label=${title} @click=${this.#clickOutside}>
      <div class="dialog-body"><header><h2>${title}</h2>
        <button class="close" aria-label=${say("player.close")} @click=${() => this.close()}>✕</button></header>${body}</div></dialog>`;
  }

  readonly #clickOutside = (event: Event): void => {
    if (event.target === event.currentTarget) this.close();
  };
}
