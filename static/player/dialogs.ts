/** What every dialog of the player is, and the one that lists the keys. */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { KEYS } from "./keys.ts";
import { isShown, PANELS } from "./panels.ts";
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

  /** What is in a closed dialog need not be drawn. */
  protected whenOpen(body: () => TemplateResult): TemplateResult | typeof nothing {
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

/** `<eos-help>`: every key and what it does, and what the marks mean. */
export class Help extends DialogElement {
  protected override render(): TemplateResult {
    return this.frameOf(
      say("player.help"),
      this.whenOpen(() => html`<table class="keys"><tbody>
          ${KEYS.map((row) => html`<tr><th scope="row"><kbd>${row.keys}</kbd></th><td>${say(`player.key.${row.action}`)}</td></tr>`)}
        </tbody></table>
        <h3>${say("player.panels")}</h3>
        <p>${PANELS.filter((panel) => panel.key !== "" && isShown(panel.tag, this.store?.frame)).map((panel) => html`<span class="nb"><kbd>${panel.key}</kbd> ${say(panel.name)}</span> `)}</p>
        <h3>${say("player.marks")}</h3>
        <dl class="marks">${MARKS.map((mark) => html`<dt>${say(`player.mark.${mark}`)}</dt><dd>${say(`player.mark.${mark}.means`)}</dd>`)}</dl>`),
    );
  }
}

const MARKS = ["hue", "line", "flag", "gates", "yellow", "outline", "inverted", "red", "cross", "dotted"];

customElements.define("eos-help", Help);
