/**
 * Breakpoints, search and undo of a run. Each store has one object of each, which all parts of the player share.
 *
 * `<eos-looking .store=${store}>` shows them, in two dialogs and in the bars above the sentence, and carries out their
 * keys.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import "./found-bar.ts";
import "./search-dialog.ts";
import "./undo-bar.ts";
import { Breakpoints } from "./breakpoints.ts";
import type { SearchDialog } from "./search-dialog.ts";
import { PageKeeper } from "./kept-breakpoints.ts";
import type { LookingKey } from "./look-from.ts";
import { StepSearch } from "./step-search.ts";
import type { PlayerStore } from "./store.ts";
import { StoreElement } from "./store-element.ts";
import { Undo } from "./undo.ts";

export interface Looking {
  readonly search: StepSearch;
  readonly breakpoints: Breakpoints;
  readonly undo: Undo;
}

const KNOWN = new WeakMap<PlayerStore, Looking>();

/** The breakpoints, the search and the undo of a store; null before its session is known. */
export function lookingOf(store: PlayerStore | undefined): Looking | null {
  if (store === undefined || store.session === null) return null;
  let known = KNOWN.get(store);
  if (known === undefined) {
    const breakpoints = new Breakpoints(store, new PageKeeper(store.session.id));
    known = { search: new StepSearch(store), breakpoints, undo: new Undo(store) };
    store.stops = breakpoints;
    KNOWN.set(store, known);
  }
  return known;
}

export class LookingElement extends StoreElement {
  static override properties = { ...StoreElement.properties, conditions: {} };

  /** The address from which the dialogs get the names for conditions. */
  declare conditions: string;

  constructor() {
    super();
    this.conditions = "/api/conditions";
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this;
    const looking = lookingOf(store);
    if (store === undefined || looking === null) return nothing;
    const { search, breakpoints, undo } = looking;
    return html`<eos-undo-bar .store=${store} .undo=${undo}></eos-undo-bar>
      <eos-found-bar .store=${store} .search=${search} .breakpoints=${breakpoints} @open-search=${() => this.does("search")}></eos-found-bar>
      <eos-search .store=${store} .search=${search} conditions=${this.conditions}></eos-search>
      ${store.source.live ? html`<eos-breakpoints .store=${store} .breakpoints=${breakpoints} conditions=${this.conditions}></eos-breakpoints>
        <eos-compare-with .store=${store}></eos-compare-with>` : nothing}`;
  }

  /**
   * Carries out a key or a button. Returns null, or the catalogue key of the reason if there was nothing to do.
   * `typed`: the letters with which a search begins.
   */
  does(key: LookingKey, typed = ""): string | null {
    const looking = lookingOf(this.store);
    if (looking === null) return null;
    const { search, breakpoints, undo } = looking;
    const actions: Record<LookingKey, () => unknown> = {
      search: () => this.#search(typed),
      next_match: () => (search.active ? void search.go(1) : this.#search()),
      previous_match: () => (search.active ? void search.go(-1) : this.#search()),
      breakpoints: () => this.#open("eos-breakpoints"),
      run_to_breakpoint: () => (breakpoints.active.length > 0 ? void breakpoints.runToNext() : this.#open("eos-breakpoints")),
      back_to_breakpoint: () => breakpoints.back(),
      compare: () => this.#compare(),
      compare_with: () => this.#open("eos-compare-with"),
      undo: () => undo.undo(),
      redo: () => undo.redo(),
    };
    return actions[key]() === false ? `player.nothing_to.${key}` : null;
  }

  /** Closes the bar on show; false if there is none. */
  close(): boolean {
    const looking = lookingOf(this.store);
    if (looking === null) return false;
    const { search, breakpoints, undo } = looking;
    if (search.active) search.stop();
    else if (breakpoints.outcome !== null && breakpoints.outcome.at === this.store?.target) breakpoints.dismiss();
    else if (undo.taken !== null) undo.dismiss();
    else return false;
    return true;
  }

  #search(typed = ""): void {
    const dialog = this.querySelector<SearchDialog>("eos-search");
    void dialog?.updateComplete.then(() => dialog.open(typed));
  }

  /**
   * Presses the visible button that compares the run with the run as it was. If no such button is visible, opens the
   * dialog in which the reader chooses another run.
   */
  #compare(): void {
    const named = this.closest(".player")?.querySelectorAll<HTMLElement>(".as-it-was[data-key]") ?? [];
    const shown = [...named].find((one) => one.offsetParent !== null);
    if (shown === undefined) this.#open("eos-compare-with");
    else shown.click();
  }

  #open(tag: string): void {
    this.dispatchEvent(new CustomEvent("open-dialog", { detail: tag, bubbles: true }));
  }
}

customElements.define("eos-looking", LookingElement);
