/**
 * `<eos-tools .store .play .walk .zoom>`: the buttons for actions on the page: search, share, language, and a menu with
 * all others. On a small page, share and language are the first entries of the menu, to leave room for the title.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { BeatWalk } from "./beat-walk.ts";
import { lastDone } from "./done.ts";
import type { Language } from "./frame.ts";
import { compareWords, lookFrom } from "./look-from.ts";
import { csrfToken, currentTheme, hasKeyboard, rememberTheme } from "./page.ts";
import type { Theme } from "./page.ts";
import { closeLists, PagePresses } from "./page-presses.ts";
import { Small } from "./small.ts";
import type { PlayerStore } from "./store.ts";
import { StoreElement } from "./store-element.ts";
import { say, words } from "./text.ts";
import type { Zoom } from "./zoom.ts";

const MENU = "details.menu";
const THEMES: Theme[] = ["system", "light", "dark"];

export class Tools extends StoreElement {
  static override properties = {
    ...StoreElement.properties,
    walk: { attribute: false },
    zoom: { attribute: false },
    library: {},
    compare: {},
    share: {},
    workshop: {},
    open: {},
    lesson: { type: Boolean },
    presenting: { type: Boolean },
    projector: { type: Boolean },
    theme: { state: true },
  };

  declare walk: BeatWalk | undefined;
  declare zoom: Zoom | undefined;
  declare library: string;
  declare compare: string;
  declare share: string;
  /** The address that makes a scenario from the branch on show; "" for readers who may not store one. */
  declare workshop: string;
  /** In a frame on another page: the address that opens the player outside the frame. */
  declare open: string;
  /** Whether the run has a card about its meaning, which the menu then offers. */
  declare lesson: boolean;
  declare presenting: boolean;
  /** Whether the page is shown by a projector, with larger letters. */
  declare projector: boolean;
  declare theme: Theme;
  readonly #small = new Small(this);

  constructor() {
    super();
    this.walk = undefined;
    this.zoom = undefined;
    this.library = "/";
    this.compare = "";
    this.share = "";
    this.workshop = "";
    this.open = "";
    this.lesson = false;
    this.presenting = false;
    this.projector = false;
    this.theme = currentTheme();
    new PagePresses(this, (event) => closeLists(this, MENU, event));
  }

  protected override render(): TemplateResult | typeof nothing {
    const store = this.store;
    if (store === undefined) return nothing;
    const folds = this.#small.matches;
    const mustBeSeen = !folds || this.presenting;
    return html`<eos-looking-buttons .store=${store}></eos-looking-buttons>
      ${mustBeSeen ? this.#share("icon text") : nothing} ${folds ? nothing : this.#language("icon text")} ${this.#menu(store, folds)}`;
  }

  #share(look: string): TemplateResult | typeof nothing {
    if (this.share === "") return nothing;
    const name = say(this.presenting ? "player.presenting" : "player.share");
    return html`<button class=${`${look} ${this.presenting ? "is-presenting" : ""}`} title=${`${say("player.share")} (s)`} @click=${() => this.#fire("open-dialog", "eos-share")}>${name}</button>`;
  }

  #language(look: string): TemplateResult {
    const other: Language = words.language === "en" ? "zh-Hans" : "en";
    return html`<button class=${look} lang=${other} @click=${() => this.#fire("use-language", other)}>${other === "en" ? "English" : "中文"}</button>`;
  }

  readonly #nextTheme = (): void => {
    this.theme = THEMES[(THEMES.indexOf(this.theme) + 1) % THEMES.length] as Theme;
    rememberTheme(this.theme);
  };

  #menu(store: PlayerStore, folds: boolean): TemplateResult {
    const { live } = store.source;
    return html`<details class="menu"><summary class="icon" aria-label=${say("player.menu")} title=${say("player.menu")}>⋯</summary>
      <ul>
        <li><button title=${`${say("player.help")} (?)`} @click=${() => this.#fire("open-dialog", "eos-help")}>${say(hasKeyboard() ? "player.help" : "player.marks")} <kbd>?</kbd></button></li>
        ${this.lesson ? html`<li><button @click=${() => this.#fire("open-lesson")}>${say("lesson.open")}</button></li>` : nothing}
        <li class="menu-head">${say("player.menu.run")}</li>
        ${live && lastDone(store.lines.branches, store.branch, store.target) !== null ? html`<li><button @click=${() => this.#look("undo")}>${say("undo.undo")} <kbd>u</kbd></button></li>` : nothing}
        ${live ? html`<li><button @click=${() => this.#look("compare_with")}>${compareWords(store.header)} … <kbd>c</kbd></button></li>` : nothing}
        ${this.compare === "" ? nothing : html`<li><a href=${this.compare}>${say("player.compare_another")}</a></li>`}
        <li><button @click=${() => this.#fire("open-dialog", "eos-branches")}>${say("player.all_branches", { count: store.lines.branches.size })}</button></li>
        ${live ? html`<li><button @click=${() => this.#fire("make-branch")}>${say("player.branch_here")} <kbd>b</kbd></button></li>
        <li><button @click=${() => this.#look("breakpoints")}>${say("player.key.breakpoints")} <kbd>k</kbd></button></li>` : nothing}
        <li class="menu-head">${say("player.menu.view")}</li>
        ${folds ? html`<li>${this.#language("")}</li>` : nothing}
        ${this.#arrows()}
        <li><button aria-pressed=${this.projector} @click=${() => this.#fire("use-projector")}>${say("player.key.projector")} <kbd>l</kbd></button></li>
        <li class="choice-row"><eos-zoom-bar .store=${store} .zoom=${this.zoom}></eos-zoom-bar></li>
        <li><button @click=${this.#nextTheme}>${say("player.theme", { theme: say(`player.theme.${this.theme}`) })}</button></li>
        <li class="menu-head">${say("player.menu.keep")}</li>
        ${folds && this.share !== "" ? html`<li>${this.#share("")}</li>` : nothing}
        <li><button @click=${() => this.#fire("open-dialog", "eos-export")}>${say("exports.title")} … <kbd>e</kbd></button></li>
        ${this.open === "" && this.library !== "" ? html`<li><a href="/replays/import">${say("player.import")}</a></li>` : nothing}
        ${this.workshop !== "" && live ? html`<li><form method="post" action="${this.workshop}${store.branch}">
          <input type="hidden" name="csrfmiddlewaretoken" .value=${csrfToken()}><button>${say("workshop.from_branch")}</button></form></li>` : nothing}
        <li><button @click=${() => print()}>${say("player.print")}</button></li>
      </ul></details>`;
  }

  /** The choice of what → does, in a run with beats. */
  #arrows(): TemplateResult | typeof nothing {
    const { walk } = this;
    if (walk === undefined || !walk.hasBeats) return nothing;
    return html`<li class="choice-row of-keys"><label>${say("player.arrows")}
      <select @change=${this.#arrowsChosen}>${(["beats", "steps"] as const).map(
        (one) => html`<option value=${one} ?selected=${walk.arrows === one}>${say(`player.arrows.${one}`)}</option>`,
      )}</select></label></li>`;
  }

  readonly #arrowsChosen = (event: Event): void => {
    const select = event.target as HTMLSelectElement;
    this.walk?.useArrows(select.value === "steps" ? "steps" : "beats");
    select.blur(); // Without the focus in the list, the arrow keys move the reader again.
    this.requestUpdate();
  };

  #look(key: "breakpoints" | "compare_with" | "undo"): void {
    this.#close();
    lookFrom(this, key);
  }

  #close(): void {
    this.querySelector<HTMLDetailsElement>(MENU)?.removeAttribute("open");
  }

  #fire(name: string, detail?: unknown): void {
    this.#close();
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
  }
}

customElements.define("eos-tools", Tools);
