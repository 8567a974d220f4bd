/** The dialogs of the player: the keys, the list of all branches, and the name of a new one. */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { KEYS } from "./keys.ts";
import { PANELS } from "./panels.ts";
import type { BranchInfo } from "./source.ts";
import type { PlayerStore } from "./store.ts";
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
        <p>${PANELS.filter((panel) => panel.key !== "").map((panel) => html`<span class="nb"><kbd>${panel.key}</kbd> ${say(panel.name)}</span> `)}</p>
        <h3>${say("player.marks")}</h3>
        <dl class="marks">${MARKS.map((mark) => html`<dt>${say(`player.mark.${mark}`)}</dt><dd>${say(`player.mark.${mark}.means`)}</dd>`)}</dl>`),
    );
  }
}

const MARKS = ["hue", "line", "flag", "gates", "yellow", "outline", "inverted", "red", "cross", "dotted"];

/** `<eos-branches compare="/compare/">`: every branch, none left out. */
export class BranchList extends DialogElement {
  static override properties = { ...DialogElement.properties, compare: {} };

  declare compare: string;

  constructor() {
    super();
    this.compare = "";
  }

  protected override render(): TemplateResult | typeof nothing {
    const store = this.store;
    if (store === undefined || store.header === null) return nothing;
    const branches = [...store.lines.branches.values()];
    return this.frameOf(
      say("player.branches"),
      this.whenOpen(() => html`<p class="quiet">${say("player.branches_kept", { count: branches.length })}</p>
        <ul class="branch-list">${branches.map((branch) => this.#item(branch, store))}</ul>`),
    );
  }

  #item(branch: BranchInfo, store: PlayerStore): TemplateResult {
    const parent = branch.parent === null ? null : (store.lines.branches.get(branch.parent)?.name ?? branch.parent);
    const broken = Object.entries(branch.first_broken).map(([name, step]) =>
      say("player.broken_at", { name: say(`player.guarantee.${name}`), step }),
    );
    const isHere = branch.id === store.branch;
    return html`<li aria-current=${isHere ? "true" : "false"}>
      <b>${branch.name}</b>
      <span class="quiet">${parent === null ? nothing : say("player.leaves_at", { parent, step: branch.leaves_at })}
        ${say("player.reaches", { step: branch.newest })}</span>
      ${broken.length === 0 ? nothing : html`<span class="bad">${broken.join(", ")}</span>`}
      <span class="row">
        <button ?disabled=${isHere} @click=${() => this.#go(branch.id)}>${say(isHere ? "player.you_are_here" : "player.go_to_branch")}</button>
        ${isHere || this.compare === "" ? nothing : html`<a href=${this.#address(store.branch, branch.id)}>${say("player.compare_with_current")}</a>`}
      </span></li>`;
  }

  #go(branch: string): void {
    this.store?.switchTo(branch);
    this.close();
  }

  #address(left: string, right: string): string {
    return `${this.compare}?${new URLSearchParams({ left, right })}`;
  }
}

customElements.define("eos-help", Help);
customElements.define("eos-branches", BranchList);
