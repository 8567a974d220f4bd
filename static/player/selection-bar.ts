/**
 * `<eos-selection-bar .store=${store}>`: the name of the selected thing, and the list of actions on it, each with its
 * meaning.
 *
 * The server says which actions are possible (`actions`, docs/websocket.md); the others stay in the list, grey, with
 * the reason. An action that takes a number or a setting has a field for it. The list also has the questions that the
 * engine answers about the thing (`why.ts`). Pointing at a thing (`pointing.ts`) opens the same list at that place. The
 * list shows no row before all are known, so that no row moves while the reader presses one.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { ownBox, zoomOf } from "../diagrams/own-box.ts";
import type { Intervention } from "../generated/messages.ts";
import { settingName } from "./altered.ts";
import type { Frame, Json, JsonObject, MessageView, Selection } from "./frame.ts";
import { messageName, shortName } from "./message-name.ts";
import { DROP, offeredOf } from "./offered.ts";
import { PagePresses } from "./page-presses.ts";
import type { Point } from "./pointing.ts";
import { rowEnd } from "./row-end.ts";
import type { More } from "./selection-more.ts";
import { findsWith, movesWith } from "./selection-more.ts";
import { Small } from "./small.ts";
import type { Action } from "./source.ts";
import type { MessageActs } from "../stage/message-acts.ts";
import type { PlayerStore } from "./store.ts";
import { StoreElement } from "./store-element.ts";
import { say } from "./text.ts";
import type { WhyQuestion } from "./why-answer.ts";
import { askWhyEvent } from "./why-answer.ts";

export const defaults = {
  delay: 100,
  /** On a page up to so many px wide, the list covers most of the page. */
  covers: 699,
};

const SET = "set";
/** The action that takes a number. */
const DELAY = "delay_message";

export class SelectionBar extends StoreElement {
  static override properties = {
    ...StoreElement.properties,
    actions: { state: true },
    questions: { state: true },
    isOpen: { state: true },
    setting: { state: true },
    at: { state: true },
    asks: { state: true },
    by: { state: true },
  };

  declare actions: Action[] | null;
  /** The questions about the thing; null until the list was opened and the server has answered. */
  declare questions: WhyQuestion[] | null;
  declare isOpen: boolean;
  /** Path of the setting that is chosen in the list's line for settings. */
  declare setting: string;
  /** The place of the list if it was opened by pointing; null: below the bar. */
  declare at: Point | null;
  /** The only action in the open list, whose field gets the focus; "" if the list has all actions. */
  declare asks: string;
  /** The typed delay in ms; null: the one that the server proposes. */
  declare by: number | null;
  readonly #small = new Small(this);
  /** The element that had the focus before the list was opened by pointing. */
  #before: HTMLElement | null = null;
  #askedFor = "";
  #whyAskedFor = "";

  constructor() {
    super();
    this.actions = null;
    this.questions = null;
    this.isOpen = false;
    this.setting = "";
    this.at = null;
    this.asks = "";
    this.by = null;
    new PagePresses(this, (event) => this.#leaves(event));
  }

  /** Selects a thing and lists its actions at this point. */
  openAt(selection: Selection, at: Point): void {
    this.#before = deepFocus();
    this.store?.select(selection);
    this.at = at;
    this.isOpen = true;
  }

  /** Lists the actions of the selected thing, under the thing that has the focus. */
  openHere(): void {
    const { selection } = this.store ?? {};
    if (selection == null) return;
    const { left, right, bottom } = (deepFocus() ?? this).getBoundingClientRect();
    this.openAt(selection, { x: left, y: bottom, beside: right + 8 });
  }

  /** Closes the list when the focus has left it. */
  readonly #left = (event: FocusEvent): void => {
    if (event.relatedTarget instanceof Node && !this.contains(event.relatedTarget)) this.#shut();
  };

  /**
   * A press elsewhere closes a list that was opened by pointing, and on a phone any list, because it covers the page.
   * Returns whether it closed one.
   */
  #leaves(event: PointerEvent): boolean {
    const covers = this.at !== null || (this.isOpen && matchMedia(`(max-width: ${defaults.covers}px)`).matches);
    if (!covers || event.composedPath().includes(this)) return false;
    this.#shut();
    return true;
  }

  #shut(): void {
    this.isOpen = false;
    this.at = null;
    this.asks = "";
    this.by = null;
  }

  protected override updated(changed: Map<string, unknown>): void {
    if (this.querySelector(".acts") !== null) this.dispatchEvent(new CustomEvent("acts-here", { bubbles: true }));
    const whole = this.querySelector<HTMLElement>(".action-list");
    if (whole !== null) endInARow(whole);
    if (changed.has("asks") && this.asks !== "") whole?.querySelector<HTMLInputElement>("input")?.select();
    const list = this.querySelector<HTMLElement>(".action-list.floating");
    if (whole !== null && list === null) this.#asideOf(whole);
    if (list === null || this.at === null) return;
    const { width, height } = list.getBoundingClientRect();
    const zoom = zoomOf(list);
    const { x, y, beside = x } = this.at;
    const isBeside = y + height > innerHeight - 8 && beside + width <= innerWidth - 8;
    list.style.left = `${Math.max(8, Math.min(isBeside ? beside : x, innerWidth - width - 8)) / zoom}px`;
    list.style.top = `${Math.max(8, Math.min(y, innerHeight - height - 8)) / zoom}px`;
    if (!list.contains(document.activeElement)) list.querySelector<HTMLElement>("button, summary")?.focus();
  }

  /** If the list would cover the selected component, moves the list to the left of it, if there is room. */
  #asideOf(list: HTMLElement): void {
    list.style.translate = "";
    const selection = this.store?.selection ?? null;
    const acts = this.closest(".player")?.querySelector<MessageActs>("eos-message-acts") ?? null;
    const thing = selection?.kind === "actor" ? (acts?.placeOfActor(selection.id) ?? null) : null;
    if (thing === null || matchMedia(`(max-width: ${defaults.covers}px)`).matches) return;
    const own = ownBox(list);
    const isOver = own.left < thing.right && own.left + own.width > thing.left && own.top < thing.bottom && own.top + own.height > thing.top;
    const by = own.left + own.width - (thing.left - 8);
    if (isOver && own.left - by >= 8) list.style.translate = `${-Math.round(by)}px`;
  }

  /** ↑ and ↓ go through the list; Escape leaves it and gives the focus back. */
  readonly #listKey = (event: KeyboardEvent): void => {
    const list = event.currentTarget as HTMLElement;
    if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      this.#shut();
      this.#before?.focus();
      return;
    }
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    if (event.target instanceof HTMLSelectElement || event.target instanceof HTMLInputElement) return;
    const buttons = [...list.querySelectorAll<HTMLElement>("button:not(:disabled)")];
    const here = buttons.indexOf(document.activeElement as HTMLElement);
    const next = buttons[(here + (event.key === "ArrowDown" ? 1 : buttons.length - 1)) % buttons.length];
    event.preventDefault();
    event.stopPropagation();
    next?.focus();
  };

  protected override willUpdate(changed: Map<string, unknown>): void {
    super.willUpdate(changed);
    const store = this.store;
    const selection = store?.selection ?? null;
    if (store === undefined || selection === null) {
      this.#askedFor = "";
      this.#shut();
      return;
    }
    if (store.target !== store.shown) return;
    const place = `${store.branch}/${store.shown}/${selection.kind}/${selection.id}`;
    if (place !== this.#askedFor) {
      this.#askedFor = place;
      this.#whyAskedFor = "";
      this.actions = null;
      this.questions = null;
      // The actions are requested at once if the list is open; else a moment later, unless the reader has stepped on by
      // then.
      if (store.source.live) setTimeout(() => void this.#askActions(place, selection), this.isOpen ? 0 : 150);
    }
    if (this.isOpen && store.source.live && place !== this.#whyAskedFor) {
      this.#whyAskedFor = place;
      void this.#askQuestions(place, selection);
    }
  }

  async #askActions(place: string, selection: Selection): Promise<void> {
    if (place !== this.#askedFor || this.store === undefined) return;
    const actions = await this.store.actions(selection);
    if (place === this.#askedFor) this.actions = actions;
  }

  async #askQuestions(place: string, selection: Selection): Promise<void> {
    const answer = await this.store?.why({ selection, question: null, subject: "" }).catch(() => null);
    // If the request was refused, the list has no questions; `<eos-why>` says the reason if the reader asks.
    if (place === this.#askedFor) this.questions = answer?.questions ?? [];
  }

  /**
   * Carries out the action with this name on the selected thing. If it needs a number, asks for it instead, and
   * resolves to false. If it is not possible now, opens the list, which has the reason, and resolves to false.
   */
  async perform(name: string): Promise<boolean> {
    const store = this.store;
    const selection = store?.selection ?? null;
    if (store === undefined || selection === null) return false;
    const known = this.actions ?? (await store.actions(selection));
    const action = known.find((one) => one.action === name && one.enabled);
    if (action === undefined) {
      this.actions = known;
      this.isOpen = true;
      return false;
    }
    if (name === DELAY) {
      this.actions = known;
      if (!this.#small.matches) this.openHere();
      this.isOpen = true;
      this.asks = name;
      return false;
    }
    return await this.#do(action, {});
  }

  async #do(action: Action, more: JsonObject): Promise<boolean> {
    const store = this.store;
    if (store === undefined) return false;
    const intervention = { ...(action.intervention ?? { action: action.action }), ...more } as Intervention;
    this.#shut();
    store.select(null);
    return await store.intervene(intervention);
  }

  protected override render(): TemplateResult | typeof nothing {
    const store = this.store;
    const selection = store?.selection ?? null;
    if (store === undefined || selection === null) return nothing;
    const name = this.#nameOf(selection, store);
    if (!store.source.live) {
      return html`<span class="selected">${say("player.selected", { what: name })}</span>${this.#clear()}${this.at === null ? nothing : this.#list()}`;
    }
    return html`${this.#acts(selection, store) ?? this.#waits(selection, name) ?? html`<button class="selected" aria-expanded=${this.isOpen} aria-haspopup="true" @click=${() => this.#toggle()}>
        <span class="what" title=${name}>${say("player.selected", { what: name })}</span> <span class="hint">${say("player.what_can_be_done")} ▾</span> <kbd aria-hidden="true">a</kbd></button>`}
      ${this.#clear()}
      ${this.isOpen ? this.#list() : nothing}`;
  }

  /** The name of the selected thing. A message keeps the name that it had in transit at other steps, too. */
  #nameOf(selection: Selection, { frame }: PlayerStore): string {
    const name = nameOf(selection, frame);
    if (selection.kind !== "message") return name;
    if (messageOf(selection, frame) !== undefined) this.#called = { id: selection.id, name };
    return this.#called.id === selection.id ? this.#called.name : name;
  }

  #called = { id: "", name: "" };

  /**
   * On a small page: buttons for the actions on a selected message, because the picture has no room for them; else
   * null.
   */
  #acts(selection: Selection, { frame }: PlayerStore): TemplateResult | null {
    const offered = selection.kind === "message" && this.#small.matches ? offeredOf(this.actions ?? []) : [];
    const message = messageOf(selection, frame);
    if (offered.length === 0 || message === undefined) return null;
    return html`<div class="selected acts" role="toolbar" aria-label=${say("stage.act.heading")}><b>${shortName(message)}</b>${offered.map((action) =>
      html`<button title=${say(action.key, action.params)} @click=${() => void this.perform(action.action)}>${say(`stage.act.${action.action}`)}</button>`)}
      <button class="more" aria-expanded=${this.isOpen} aria-haspopup="true" aria-label=${say("stage.act.more_means")} @click=${() => this.#toggle()}>…</button></div>`;
  }

  /**
   * While the actions of a selected message are being loaded: only its name, in their place, so that a press that was
   * meant for the buttons before triggers nothing. Else null.
   */
  #waits({ kind }: Selection, name: string): TemplateResult | null {
    if (kind !== "message" || !this.#small.matches || this.actions !== null || this.isOpen) return null;
    return html`<span class="selected">${say("player.selected", { what: name })}</span>`;
  }

  #toggle(): void {
    this.at = null;
    this.isOpen = !this.isOpen;
  }

  #clear(): TemplateResult {
    return html`<button class="clear" aria-label=${say("player.clear_selection")} @click=${() => this.store?.select(null)}>✕</button>`;
  }

  #list(): TemplateResult {
    const { store } = this;
    const selection = store?.selection ?? null;
    if (store === undefined || selection === null) return html``;
    return html`<div class=${this.at === null ? "action-list" : "action-list floating"} role="group" aria-label=${say("player.what_can_be_done")} @keydown=${this.#listKey} @focusout=${this.#left}>
      ${this.at === null ? nothing : html`<p><b>${nameOf(selection, store.frame)}</b></p>`}
      ${store.source.live ? this.#rows(selection, store) : nothing}
    </div>`;
  }

  #rows(selection: Selection, store: PlayerStore): TemplateResult {
    const { actions, questions } = this;
    const asked = actions?.find(({ action }) => action === this.asks);
    if (asked !== undefined) return html`<ul class="can">${this.#item(asked)}</ul>`;
    if (actions === null || questions === null) return html`<p class="quiet">${say("player.asking")}</p>`;
    const reason = sameReason(actions);
    return html`${this.#more(movesWith(selection, store))}
      ${actions.length === 0 || reason !== null
      ? html`<p class="quiet">${reason ?? say("player.no_actions")}</p>`
      : this.#can(actions, store.shown < store.newest)}
      ${this.#questions(questions)}
      ${this.#more(findsWith(selection, store))}
      ${reason === null ? this.#cannot(actions) : nothing}`;
  }

  #more(rows: readonly More[]): TemplateResult {
    return html`<ul>${rows.map(
      (more) => html`<li><form @submit=${(event: SubmitEvent) => this.#doMore(event, more.act)}><button>${more.name}</button> <span>${more.means}</span></form></li>`,
    )}</ul>`;
  }

  #doMore(event: SubmitEvent, act: () => void): void {
    event.preventDefault();
    this.#shut();
    act();
  }

  #can(actions: readonly Action[], isEarlier: boolean): TemplateResult | typeof nothing {
    const can = actions.filter(({ enabled }) => enabled);
    if (can.length === 0) return nothing;
    return html`<p class="quiet">${say(isEarlier ? "player.starts_branch" : "player.goes_on_here")}</p>
      <ul class="can">${can.filter(({ action }) => action !== SET).map((action) => this.#item(action))}
        ${this.#settings(can.filter(({ action }) => action === SET))}</ul>`;
  }

  #cannot(actions: readonly Action[]): TemplateResult {
    const cannot = actions.filter(({ enabled }) => !enabled);
    return html`<ul>${cannot.filter(({ action }) => action !== SET).map((action) => this.#item(action))}</ul>
      ${this.#fixed(cannot.filter(({ action }) => action === SET))}`;
  }

  #questions(questions: readonly WhyQuestion[]): TemplateResult {
    return html`<ul class="questions" aria-label=${say("player.why")}>${questions.map(
      ({ question, subject, key, params }) => html`<li><form @submit=${(event: SubmitEvent) => this.#askWhy(event, question, subject)}><button>${say("player.why")}</button> <span>${say(key, params)}</span></form></li>`,
    )}</ul>`;
  }

  #askWhy(event: SubmitEvent, question: string, subject: string): void {
    event.preventDefault();
    this.#shut();
    this.dispatchEvent(askWhyEvent(question, subject));
  }

  /** The settings that cannot change now, each with the reason. */
  #fixed(settings: Action[]): TemplateResult | typeof nothing {
    if (settings.length === 0) return nothing;
    return html`<details class="fixed"><summary>${say("player.fixed_settings", { count: settings.length })}</summary>
      <ul>${settings.map((action) => html`<li class="off"><b>${settingName(String(action.params["setting"] ?? action.params["timer"] ?? ""))}</b>
        <span>${action.why_key === null ? nothing : say(action.why_key, action.params)}</span></li>`)}</ul></details>`;
  }

  /** The line for all settings of a client: a choice of the setting, a field for its new value, and a button. */
  #settings(settings: Action[]): TemplateResult | typeof nothing {
    const chosen = settings.find((action) => pathOf(action) === this.setting) ?? settings[0];
    if (chosen === undefined) return nothing;
    return html`<li><form @submit=${(event: SubmitEvent) => this.#submit(event, chosen)}>
      <button>${say("player.action.set")}</button>
      <select aria-label=${say("player.setting")} @change=${(event: Event) => (this.setting = (event.target as HTMLSelectElement).value)}>
        ${settings.map((action) => html`<option value=${pathOf(action)} ?selected=${action === chosen}>${settingName(pathOf(action).split(".").pop() ?? "")}</option>`)}
      </select>
      <input name="value" required aria-label=${say("player.value")} .value=${String(chosen.intervention?.action === "set" ? chosen.intervention.value : "")} />
      <span>${say(chosen.key, chosen.params)}</span></form></li>`;
  }

  #item(action: Action): TemplateResult {
    const meaning = say(action.key, { ...action.params, ...(action.action === DELAY && this.by !== null ? { by: this.by } : {}) });
    const label = say(`player.action.${action.action}`);
    if (!action.enabled) {
      return html`<li class="off"><b>${say("player.action_off", { action: label })}</b>${say("join.colon")}<span>${action.why_key === null ? meaning : say(action.why_key, action.params)}</span></li>`;
    }
    return html`<li><form @submit=${(event: SubmitEvent) => this.#submit(event, action)}>
      <button>${label}${action.action === DROP ? html` <kbd>d</kbd>` : nothing}</button>
      ${this.#field(action)} <span>${meaning}</span></form></li>`;
  }

  #field(action: Action): TemplateResult | typeof nothing {
    const given = action.intervention;
    if (action.action !== DELAY) return nothing;
    const by = this.by ?? (given?.action === DELAY ? given.by : defaults.delay);
    const { past, timer } = action.params;
    return html`<label><input name="by" type="number" min="1" max="600000" required .value=${String(by)} @input=${(event: Event) => (this.by = Number((event.target as HTMLInputElement).value))} /> ms</label>
      ${typeof past !== "number" ? nothing : html`<button type="button" @click=${() => (this.by = past)}>${say("player.delay.past", { past, timer: timer ?? null })}</button>`}`;
  }

  #submit(event: SubmitEvent, action: Action): void {
    event.preventDefault();
    const fields = new FormData(event.target as HTMLFormElement);
    const more: JsonObject = {};
    if (fields.has("by")) more["by"] = Number(fields.get("by"));
    if (fields.has("value")) more["value"] = readValue(String(fields.get("value")));
    void this.#do(action, more);
  }
}

function endInARow(list: HTMLElement): void {
  list.style.maxHeight = "";
  if (list.scrollHeight <= list.clientHeight + 1) return;
  const { top, height } = ownBox(list);
  const middles = [...list.querySelectorAll("li")].map(ownBox).map((row) => row.top + row.height / 2 - top + list.scrollTop);
  const end = rowEnd(middles, height);
  if (end !== null) list.style.maxHeight = `${end}px`;
}

/** The element with the focus, inside any shadow roots. */
export function deepFocus(): HTMLElement | null {
  let focused = document.activeElement;
  while (focused?.shadowRoot?.activeElement) focused = focused.shadowRoot.activeElement;
  return focused instanceof HTMLElement || focused instanceof SVGElement ? (focused as HTMLElement) : null;
}

/** The reason why no action is possible, if it is the same for all actions; else null. */
function sameReason(actions: readonly Action[]): string | null {
  const reasons = new Set(actions.map((action) => (action.enabled || action.why_key === null ? "" : say(action.why_key, action.params))));
  const [reason] = reasons;
  return reasons.size === 1 && reason !== undefined && reason !== "" ? reason : null;
}

function pathOf(action: Action): string {
  return action.intervention?.action === "set" ? action.intervention.path : "";
}

/** The value of a typed text: true, false, a whole number of at most 15 digits, or else the text itself. */
export function readValue(text: string): Json {
  const typed = text.trim();
  if (typed === "true" || typed === "false") return typed === "true";
  return /^-?\d{1,15}$/.test(typed) ? Number(typed) : typed;
}

function messageOf({ id }: Selection, frame: Frame | null | undefined): MessageView | undefined {
  return frame?.view.network?.messages[id] ?? frame?.previousView?.network?.messages[id];
}

/** The name of the selected thing in words. A message is also found if the step on show delivered it. */
export function nameOf(selection: Selection, frame: Frame | null | undefined): string {
  if (selection.kind !== "message") return say(`player.selection.${selection.kind}`, { id: selection.id });
  const message = messageOf(selection, frame);
  return message === undefined ? say("player.selection.message", { id: selection.id }) : messageName(message);
}

customElements.define("eos-selection-bar", SelectionBar);
