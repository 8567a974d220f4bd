/**
 * `<eos-masthead>`: what is being watched, under which rules, and what concerns the page: library, language, theme,
 * export, help. It says the profile and every switch and setting that is not at its default.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { Altered } from "./altered.ts";
import { alteredOf } from "./altered.ts";
import type { FollowState } from "./following.ts";
import type { Header, Language } from "./frame.ts";
import { csrfToken, currentTheme, rememberTheme } from "./page.ts";
import type { Theme } from "./page.ts";
import { lookFrom } from "./looking.ts";
import type { PlayerStore } from "./store.ts";
import { StoreElement } from "./store-element.ts";
import { say, words } from "./text.ts";

const THEMES: Theme[] = ["system", "light", "dark"];

export class Masthead extends StoreElement {
  static override properties = {
    ...StoreElement.properties,
    library: {},
    assignment: {},
    compare: {},
    share: {},
    workshop: {},
    open: {},
    presenting: { type: Boolean },
    followState: { attribute: false },
    theme: { state: true },
  };

  declare library: string;
  /** Of an attempt: what it is an attempt at, which is where its learner goes back to. */
  declare assignment: string;
  declare compare: string;
  declare share: string;
  /** Where the branch on show becomes a scenario; empty for those who keep none. */
  declare workshop: string;
  /** In a frame on another page: where the whole thing is opened, outside of it. */
  declare open: string;
  declare presenting: boolean;
  declare followState: FollowState | null;
  declare theme: Theme;

  constructor() {
    super();
    this.library = "/";
    this.assignment = "";
    this.compare = "";
    this.share = "";
    this.workshop = "";
    this.open = "";
    this.presenting = false;
    this.followState = null;
    this.theme = currentTheme();
  }

  protected override render(): TemplateResult | typeof nothing {
    const store = this.store;
    if (store === undefined) return nothing;
    return html`<div class="page-row">
        ${this.#home()}
        ${this.#state(store)}
        ${this.#follow()}
        <span class="spring"></span>
        <eos-looking-buttons .store=${store}></eos-looking-buttons>
        ${this.#share()}
        ${this.#language()}
        <button class="icon" aria-label=${say("player.theme", { theme: say(`player.theme.${this.theme}`) })} title=${say("player.theme", { theme: say(`player.theme.${this.theme}`) })} @click=${this.#nextTheme}>◐</button>
        <button class="icon" aria-label=${say("player.help")} title=${`${say("player.help")} (?)`} @click=${() => this.#fire("open-dialog", "eos-help")}>?</button>
        ${this.#menu(store)}
      </div>
      ${store.header === null ? nothing : this.#title(store.header)}`;
  }

  /** A file that plays offline has no site around it: its library is empty. */
  #home(): TemplateResult {
    if (this.open !== "") return html`<a class="home" href=${this.open} target="_blank" rel="noopener">${say("player.open_outside")}</a>`;
    if (this.library === "") return html`<span class="home">${say("page.name")}</span>`;
    if (this.assignment !== "") return html`<a class="home" href=${this.assignment}>‹ ${say("player.assignment")}</a>`;
    return html`<a class="home" href=${this.library}>‹ ${say("player.library")}</a>`;
  }

  #title(header: Header): TemplateResult {
    const title = header.title[words.language] || header.title.en || header.scenario;
    const hasBrokers = header.actors.some((actor) => actor.role === "broker");
    const hasKafka = header.version !== "" && (hasBrokers || header.partitions.length > 0);
    // Without a broker that there are none is no setting worth a mark.
    const altered = alteredOf(header).filter((item) => hasKafka || item.name !== "brokers");
    return html`<h1 title=${`${header.scenario}${header.variant === null ? "" : `/${header.variant}`}`}>${title}</h1>
      <p class="rules-in-force">${hasKafka ? html`<b>Kafka ${header.version}</b>` : header.version ? html`<span>${say("player.no_kafka")}</span>` : nothing}
        ${header.variant === null ? nothing : html`<span class="variant">${header.variant}</span>`}
        ${altered.length > 0 ? this.#altered(altered) : hasKafka ? html`<span>${say("player.all_defaults")}</span>` : nothing}</p>`;
  }

  #altered(altered: Altered[]): TemplateResult {
    const one = (item: Altered): TemplateResult =>
      html`<span class="nb" title=${`${item.path}${item.normal === null ? "" : `: ${say("player.default_is", { value: item.normal })}`}`}>${item.name} <b>${item.value}</b></span>`;
    if (altered.length === 1) return html`<span class="altered">${altered.map(one)}</span>`;
    return html`<details class="altered-more"><summary><span class="altered">${one(altered[0] as Altered)}, ${say("player.more_settings", { count: altered.length - 1 })}</span></summary>
      <table><thead><tr><th scope="col">${say("player.setting")}</th><th scope="col">${say("player.value")}</th><th scope="col">${say("player.default")}</th></tr></thead>
      <tbody>${altered.map((item) => html`<tr><td>${item.path}</td><td><b>${item.value}</b></td><td>${item.normal ?? "–"}</td></tr>`)}</tbody></table></details>`;
  }

  #state(store: PlayerStore): TemplateResult | typeof nothing {
    if (store.status === "connecting" || store.status === "reconnecting") {
      return html`<span class="badge attention ${store.status}" role="status">${say(`player.status.${store.status}`)}</span>`;
    }
    if (store.verified === null) return nothing;
    const { state, engine, step } = store.verified;
    const params = { engine: engine ?? "?", step: step ?? 0 };
    return html`<span class="badge ${state === "differs" ? "wrong" : ""}" title=${say(`player.verified.${state}.means`, params)}>${say(`player.verified.${state}`, params)}</span>`;
  }

  #share(): TemplateResult | typeof nothing {
    if (this.share === "") return nothing;
    const name = say(this.presenting ? "player.presenting" : "player.share");
    return html`<button class=${`icon text ${this.presenting ? "is-presenting" : ""}`} title=${`${say("player.share")} (s)`} @click=${() => this.#fire("open-dialog", "eos-share")}>${name}</button>`;
  }

  /** Whether a follower is being taken along, or the way back for one who let go. */
  #follow(): TemplateResult | typeof nothing {
    if (this.followState === null) return nothing;
    const means = say(`player.follow.${this.followState}.means`);
    if (this.followState === "free") {
      return html`<button class="badge attention follow-again" title=${`${means} (f)`} @click=${() => this.#fire("follow-again")}>${say("player.follow.again")}</button>`;
    }
    return html`<span class="badge" role="status" title=${means}>${say(`player.follow.${this.followState}`)}</span>`;
  }

  #language(): TemplateResult {
    const other: Language = words.language === "en" ? "zh-Hans" : "en";
    return html`<button class="icon text" lang=${other} @click=${() => this.#fire("use-language", other)}>${other === "en" ? "English" : "中文"}</button>`;
  }

  readonly #nextTheme = (): void => {
    this.theme = THEMES[(THEMES.indexOf(this.theme) + 1) % THEMES.length] as Theme;
    rememberTheme(this.theme);
  };

  #menu(store: PlayerStore): TemplateResult {
    return html`<details class="menu"><summary class="icon" aria-label=${say("player.menu")} title=${say("player.menu")}>⋯</summary>
      <ul>
        <li><button @click=${() => this.#fire("open-dialog", "eos-export")}>${say("exports.title")} … <kbd>e</kbd></button></li>
        ${this.open === "" && this.library !== "" ? html`<li><a href="/replays/import">${say("player.import")}</a></li>` : nothing}
        ${store.source.live ? html`<li><button @click=${() => this.#compareWith()}>${say("with.title")} … <kbd>c</kbd></button></li>` : nothing}
        ${this.compare === "" ? nothing : html`<li><a href=${this.compare}>${say("player.compare_another")}</a></li>`}
        <li><button @click=${() => this.#fire("open-dialog", "eos-branches")}>${say("player.branches_and_compare", { count: store.lines.branches.size })}</button></li>
        ${this.workshop !== "" && store.source.live ? html`<li><form method="post" action="${this.workshop}${store.branch}">
          <input type="hidden" name="csrfmiddlewaretoken" value=${csrfToken()}><button>${say("workshop.from_branch")}</button></form></li>` : nothing}
        <li><button @click=${() => print()}>${say("player.print")}</button></li>
      </ul></details>`;
  }

  #compareWith(): void {
    this.querySelector<HTMLDetailsElement>("details.menu")?.removeAttribute("open");
    lookFrom(this, "compare");
  }

  #fire(name: string, detail?: unknown): void {
    this.querySelector<HTMLDetailsElement>("details.menu")?.removeAttribute("open");
    this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true }));
  }
}

customElements.define("eos-masthead", Masthead);
