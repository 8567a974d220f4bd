/**
 * `<eos-undo-bar .store=${store} .undo=${undo}>`: a bar at a step that carries out an intervention. It names the
 * intervention, and has a button that undoes it and one that compares the run with the run as it was.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { asItWas, asItWasWords } from "./as-it-was.ts";
import { branchName, branchTitle } from "./branch-name.ts";
import type { Done } from "./done.ts";
import { inWords, placeBefore } from "./done.ts";
import type { PlayerStore } from "./store.ts";
import { Small } from "./small.ts";
import { StoreElement } from "./store-element.ts";
import { say } from "./text.ts";
import { unbroken } from "./unbroken.ts";
import type { Undo } from "./undo.ts";

export class UndoBar extends StoreElement {
  static override properties = { ...StoreElement.properties, undo: { attribute: false }, compare: {} };

  declare undo: Undo | undefined;
  /** The address of comparisons; empty on a page without a site. */
  declare compare: string;
  readonly #changed = (): void => this.requestUpdate();
  readonly #small = new Small(this);
  #heard: Undo | undefined;

  constructor() {
    super();
    this.undo = undefined;
    this.compare = "/compare/";
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    super.willUpdate(changed);
    if (this.#heard === this.undo) return;
    this.#heard?.removeEventListener("change", this.#changed);
    this.#heard = this.undo;
    this.#heard?.addEventListener("change", this.#changed);
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, undo } = this;
    if (store === undefined || undo === undefined || store.header === null) return nothing;
    if (undo.taken !== null) return this.#takenBack(store, undo, undo.taken);
    const done = undo.here;
    if (done === null || closedAt() === placeOf(store)) return nothing;
    const what = inWords(done, store.lines);
    // On a phone the header names the branch, and the bar has three short lines.
    const text = this.#small.matches ? what : say("undo.done", { what, branch: branchTitle(store.lines.branches, done.branch) });
    return this.#bar(
      html`<span role="status" title=${what}>${unbroken(text)}</span>
        <button title=${say("undo.means", where(store, done))} @click=${() => undo.undo()}>${say("undo.undo")} <kbd>u</kbd></button>
        ${store.source.live && this.compare !== "" ? html`<span class="seen" @click=${() => keepClosed(store)}>${asItWas(store, done, this.compare, "", asItWasWords(store, done), "c")}</span>` : nothing}`,
      () => {
        keepClosed(store);
        this.requestUpdate();
      },
    );
  }

  protected override updated(): void {
    this.markPlayer("undo", this.querySelector(".found-bar") !== null);
  }

  #takenBack(store: PlayerStore, undo: Undo, done: Done): TemplateResult {
    const { branch, step, repeats } = placeBefore(store.lines.branches, done);
    const text = say(repeats ? "undo.taken_here" : "undo.taken", { step, branch: branchName(store.lines.branches, branch), kept: branchTitle(store.lines.branches, done.branch) });
    return this.#bar(
      html`<span role="status" title=${inWords(done, store.lines)}>${text}</span>
        <button @click=${() => undo.redo()}>${say("undo.redo")} <kbd>⇧ u</kbd></button>`,
      () => undo.dismiss(),
    );
  }

  #bar(body: TemplateResult, close: () => void): TemplateResult {
    return html`<div class="found-bar">${body}
      <button aria-label=${say("player.close")} title=${say("player.close")} @click=${close}>✕</button></div>`;
  }
}

function placeOf(store: PlayerStore): string {
  return `${location.pathname} ${store.branch}/${store.target}`;
}

const CLOSED = "eosviz.undo-bar-closed";
/** The value of `closedAt` if the page may store nothing. */
let closed = "";

/** The step at which the reader closed the bar or opened the comparison from it; the bar is not shown there again. */
function closedAt(): string {
  try {
    return sessionStorage.getItem(CLOSED) ?? closed;
  } catch {
    return closed;
  }
}

function keepClosed(store: PlayerStore): void {
  closed = placeOf(store);
  try {
    sessionStorage.setItem(CLOSED, closed);
  } catch {
    // The page may store nothing: the value is kept in memory only.
  }
}

function where(store: PlayerStore, done: Done): { step: number; branch: string } {
  const { branch, step } = placeBefore(store.lines.branches, done);
  return { step, branch: branchName(store.lines.branches, branch) };
}

customElements.define("eos-undo-bar", UndoBar);
