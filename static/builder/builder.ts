/**
 * The builder: a form beside the TOML text, editable in either, and the engine's trial run of the scenario.
 *
 * <eos-builder draft='{"text": …}' form="/workshop/form.json?v=…" catalogue="/catalogue/en.json?v=…" language="en"
 *    edit="…" preview="…" save="…" publish="…" try="…"></eos-builder>
 *
 * The text is the scenario. The page sends it to the server together with the edits made in the form, and the server
 * returns the changed text. Only one such request is under way at a time; if the author typed meanwhile, its answer is
 * discarded and the edits are sent again. The text on the page is stored without a press on a button.
 */

import { LitElement, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { parseToBigint } from "../player/exact-json.ts";
import type { Language } from "../player/frame.ts";
import { csrfToken } from "../player/page.ts";
import { listed } from "../player/joins.ts";
import { readCatalogue, say, words } from "../player/text.ts";
import { GROUPS, isObject, languagesOf, mistakesInGroup, oneLanguage, openAfter, pathOf } from "./document.ts";
import type { Edit, Form, Json, JsonObject, Meaning, Mistake } from "./document.ts";
import { drawField, idOf, mistakeText } from "./fields.ts";
import type { Sheet } from "./fields.ts";
import { Past, firstDifference } from "./past.ts";
import { ask } from "./requests.ts";
import { drawTimeline, lanesOf } from "./timeline.ts";
import { drawTrial } from "./trial.ts";
import type { Trial } from "./trial.ts";

const TYPED_MS = 400;
const SAVE_MS = 1200;
const TRIAL_MS = 900;
const AGAIN_MS = 4000;

interface Draft extends Meaning {
  text: string;
  revision: number;
  tags: string[];
  language: string;
}

/**
 * The key under which this browser stores the open rows, so that they stay open when the page is loaded again in the
 * same tab.
 */
const OPEN_KEY = `eosviz-builder-open ${location.pathname}`;

function openBefore(): Set<string> | null {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(OPEN_KEY) ?? "null");
    return Array.isArray(kept) ? new Set(kept.map(String)) : null;
  } catch {
    return null;
  }
}

function keepOpen(open: Set<string>): void {
  try {
    sessionStorage.setItem(OPEN_KEY, JSON.stringify([...open]));
  } catch {
    // Without storage the rows are folded after a reload.
  }
}

type State = "loading" | "ready" | "failed";

export class Builder extends LitElement {
  static override properties = { version: { state: true } };

  /** Rises when something to draw has changed. */
  declare version: number;

  #state: State = "loading";
  #form: Form | undefined;
  #draft: Draft = { text: "", revision: 0, tags: [], language: "both", document: null, names: {}, mistakes: [], lesson: "" };
  /** The document and names that the form shows while the text is no valid TOML. */
  #document: JsonObject = {};
  #pending: Edit[] = [];
  #past = new Past();
  /** Ids of elements. After the requested edits, the first of them that exists and is not disabled gets the focus. */
  #focus: string[] = [];
  /**
   * For each requested edit that moves or removes a row: the function from the open rows before it to those after it.
   */
  #shifts: ((open: Set<string>) => Set<string>)[] = [];
  /** The number of the revision that another window stored while this one changed the text; 0: there is no conflict. */
  #elsewhere = 0;
  #typed = false;
  #busy = false;
  #refused: string | null = null;
  #saved: "saved" | "dirty" | "saving" | "failed" | "conflict" = "saved";
  #trial: Trial | undefined;
  #trialState: "none" | "running" | "done" | "failed" = "none";
  #trialRefused: string | null = null;
  #tried = "";
  #variant: string | null = null;
  #filter = "";
  #open = openBefore() ?? new Set<string>(["applications.0"]);
  #group = "about";
  #timers: Record<string, number> = {};

  constructor() {
    super();
    this.version = 0;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#draft = parseToBigint(this.getAttribute("draft") ?? "{}") as Draft;
    if (isObject(this.#draft.document ?? undefined)) this.#document = this.#draft.document as JsonObject;
    const named = decodeURIComponent(location.hash.slice(1));
    if (Object.hasOwn(GROUPS, named)) this.#group = named;
    window.addEventListener("beforeunload", this.#leaving);
    document.addEventListener("visibilitychange", this.#hiding);
    this.addEventListener("keydown", this.#key);
    void this.#load();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    window.removeEventListener("beforeunload", this.#leaving);
    document.removeEventListener("visibilitychange", this.#hiding);
    this.removeEventListener("keydown", this.#key);
    for (const timer of Object.values(this.#timers)) window.clearTimeout(timer);
  }

  #leaving = (event: BeforeUnloadEvent): void => {
    if (!this.#isKept) event.preventDefault();
  };

  /** Saves when the page is hidden: a phone may end a hidden page without an event. */
  #hiding = (): void => {
    if (document.hidden && this.#saved === "dirty") void this.save(true);
  };

  get #isKept(): boolean {
    return this.#saved === "saved" && !this.#busy && !this.#typed && this.#pending.length === 0;
  }

  /** In a field of the form, the key is left to the browser's own undo, which knows what was typed there last. */
  #key = (event: KeyboardEvent): void => {
    const at = event.target as HTMLElement;
    const isField = at.matches("input, textarea") && at.id !== "text";
    const key = event.key.toLowerCase();
    if (isField || event.altKey || !(event.ctrlKey || event.metaKey) || (key !== "z" && key !== "y")) return;
    event.preventDefault();
    this.#undo(key === "z" && !event.shiftKey);
  };

  async #load(): Promise<void> {
    const language = (this.getAttribute("language") ?? "en") as Language;
    try {
      const files = [this.getAttribute("catalogue") ?? "", this.getAttribute("form") ?? ""];
      const [catalogue, form] = await Promise.all(files.map(async (file) => parseToBigint(await (await fetch(file)).text())));
      words.learn(language, readCatalogue(catalogue));
      words.use(language);
      this.#form = form as Form;
      this.#state = "ready";
      this.#later("trial", 0, () => this.#try());
    } catch {
      this.#state = "failed";
    }
    this.#draw();
  }

  #draw(): void {
    this.version += 1;
  }

  #later(name: string, pause: number, what: () => unknown): void {
    window.clearTimeout(this.#timers[name]);
    this.#timers[name] = window.setTimeout(() => void what(), pause);
  }

  // -- editing -------------------------------------------------------------------------------------------------

  #edit(edits: Edit[], focus: string[] = []): void {
    this.#pending.push(...edits);
    this.#focus = focus;
    void this.#pump();
    this.#draw();
  }

  /** Undoes the last change of the text, or redoes it (`isBack` false). Does nothing while an edit is being sent. */
  #undo(isBack: boolean): void {
    if (this.#busy || this.#pending.length > 0) return;
    const before = this.#draft.text;
    const text = isBack ? this.#past.back(before) : this.#past.forth(before);
    if (text === undefined) return;
    this.#draft.text = text;
    this.#dirty();
    this.#typed = true;
    void this.#pump();
    const area = this.querySelector<HTMLTextAreaElement>("#text");
    if (area === null || document.activeElement !== area) return;
    area.value = text;
    const at = firstDifference(before, text);
    area.setSelectionRange(at, at);
  }

  #type(text: string): void {
    this.#past.typed(this.#draft.text, performance.now());
    this.#draft.text = text;
    this.#typed = true;
    this.#dirty();
    this.#later("typed", TYPED_MS, () => this.#pump());
  }

  /**
   * Sends the text with the requested edits, until none is left. Only one request is under way at a time, and its
   * answer never overwrites text that was typed meanwhile.
   */
  async #pump(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    while (this.#pending.length > 0 || this.#typed) {
      const edits = this.#pending.splice(0, 50);
      const sent = this.#draft.text;
      this.#typed = false;
      const answer = await ask<Meaning & { text: string }>(this.getAttribute("edit") ?? "", { text: sent, edits });
      if (answer.content === undefined) {
        this.#pending.unshift(...edits);
        this.#typed = true;
        this.#refused = answer.refused;
        this.#later("typed", AGAIN_MS, () => this.#pump());
        break;
      }
      if (this.#draft.text !== sent) {
        this.#pending.unshift(...edits);
        continue;
      }
      this.#refused = answer.refused;
      this.#take(answer.content, sent);
    }
    this.#busy = false;
    this.#draw();
    if (this.#focus.length > 0 && this.#pending.length === 0) void this.updateComplete.then(() => this.#stand());
  }

  /** Moves the focus to the first element of `#focus` that exists and is not disabled. */
  #stand(): void {
    const there = this.#focus.map((id) => document.getElementById(id)).find((found) => found !== null && !found.matches(":disabled"));
    this.#focus = [];
    there?.focus();
  }

  #take(meaning: Meaning & { text: string }, sent: string): void {
    this.#draft = { ...this.#draft, ...meaning };
    if (meaning.document !== null) this.#document = meaning.document;
    else this.#draft.names = {};
    if (meaning.text !== sent) {
      this.#past.changed(sent);
      this.#open = this.#shifts.reduce((open, shift) => shift(open), this.#open);
      keepOpen(this.#open);
      this.#dirty();
    }
    this.#shifts = [];
    this.#draw();
    if (meaning.mistakes.length === 0) this.#later("trial", TRIAL_MS, () => this.#try());
  }

  // -- keeping -------------------------------------------------------------------------------------------------

  #dirty(): void {
    if (this.#saved !== "conflict") this.#saved = "dirty";
    this.#later("save", SAVE_MS, () => this.save());
    this.#draw();
  }

  /**
   * Stores the text on the page. Resolves to whether the text that is on the page afterwards is stored. `leaving`: the
   * page may be closed before the answer arrives.
   */
  async save(leaving = false): Promise<boolean> {
    window.clearTimeout(this.#timers["save"]);
    if (this.#saved === "conflict") return false;
    const { text, revision, tags, language } = this.#draft;
    this.#saved = "saving";
    this.#draw();
    const asked = { text, revision, tags, language };
    const answer = await ask<{ revision: number }>(this.getAttribute("save") ?? "", asked, leaving);
    if (answer.content !== undefined) {
      this.#draft.revision = answer.content.revision;
      const same = this.#draft.text === text && this.#draft.tags.join() === tags.join() && this.#draft.language === language;
      this.#saved = same ? "saved" : "dirty";
      if (!same) this.#later("save", SAVE_MS, () => this.save());
    } else {
      this.#saved = answer.status === 409 ? "conflict" : "failed";
      this.#refused = answer.refused;
      this.#elsewhere = Number(answer.fields["revision"] ?? 0);
      if (this.#saved === "failed" && answer.status !== 400) this.#later("save", AGAIN_MS, () => this.save());
    }
    this.#draw();
    return this.#saved === "saved";
  }

  /** In a conflict of two windows: stores the text of this window in place of the text that the other one stored. */
  #keepThis(): void {
    this.#draft.revision = this.#elsewhere;
    this.#saved = "dirty";
    this.#refused = null;
    void this.save();
  }

  /** In a conflict of two windows: loads the stored text and discards the text of this window. */
  #takeOther(): void {
    window.removeEventListener("beforeunload", this.#leaving);
    location.reload();
  }

  /** Posts to `address` and so leaves the page, once the text is stored; stays if it cannot be stored. */
  async #send(address: string): Promise<void> {
    while (this.#busy) await new Promise((done) => window.setTimeout(done, 50));
    if (this.#saved !== "saved" && !(await this.save())) return;
    const form = document.createElement("form");
    form.method = "post";
    form.action = address;
    const fields: Record<string, string> = { csrfmiddlewaretoken: csrfToken(), variant: this.#variant ?? "" };
    for (const [name, value] of Object.entries(fields)) {
      const input = document.createElement("input");
      Object.assign(input, { type: "hidden", name, value });
      form.append(input);
    }
    document.body.append(form);
    form.submit();
  }

  // -- the trial -----------------------------------------------------------------------------------------------

  async #try(): Promise<void> {
    if (this.#trialState === "running") {
      this.#later("trial", TRIAL_MS, () => this.#try());
      return;
    }
    const asked = { text: this.#draft.text, variant: this.#variant };
    const key = JSON.stringify(asked);
    if (this.#draft.mistakes.length > 0 || this.#draft.document === null || key === this.#tried) return;
    this.#trialState = "running";
    this.#draw();
    const answer = await ask<Trial>(this.getAttribute("preview") ?? "", asked);
    if (answer.content === undefined) {
      this.#trialState = "failed";
      this.#trialRefused = answer.refused;
      if (answer.status !== 422 && answer.status !== 400) this.#later("trial", AGAIN_MS, () => this.#try());
    } else {
      this.#trial = answer.content;
      this.#tried = key;
      this.#trialState = "done";
      this.#trialRefused = null;
      // If the text changed meanwhile, it is tried next.
      if (this.#draft.text !== asked.text) this.#later("trial", TRIAL_MS, () => this.#try());
    }
    this.#draw();
  }

  // -- drawing -------------------------------------------------------------------------------------------------

  protected override render(): TemplateResult {
    if (this.#state === "loading") return html`<p role="status">…</p>`;
    if (this.#state === "failed" || this.#form === undefined) return html`<p role="alert">eosviz: ${this.getAttribute("form")}</p>`;
    return html`${this.#bar()}<div class="builder">
      <div class="builder-form">${this.#groups(this.#form)}</div>
      <div class="builder-side">${this.#trialPart()}${this.#textPart()}</div></div>`;
  }

  #bar(): TemplateResult {
    const count = this.#mistakes.length;
    const state = this.#saved === "saved" && !this.#isKept ? "dirty" : this.#saved;
    return html`<div class="builder-bar">
      <span role="status" data-saved=${state}>${say(`builder.state.${state}`)}</span>
      ${count > 0 ? html`<span class="wrong-count">${say("builder.mistakes", { count })}</span>` : nothing}
      <button type="button" class="undo" ?disabled=${!this.#past.canGoBack} @click=${() => this.#undo(true)}>${say("builder.undo")}</button>
      <button type="button" class="redo" ?disabled=${!this.#past.canGoForth} @click=${() => this.#undo(false)}>${say("builder.redo")}</button>
      <button type="button" ?disabled=${count > 0} @click=${() => this.#send(this.getAttribute("try") ?? "")}>${say("builder.try")}</button>
      <button type="button" class="primary" ?disabled=${count > 0} @click=${() => this.#send(this.getAttribute("publish") ?? "")}>${say("workshop.publish")}</button>
      ${this.#refused === null ? nothing : html`<p class="errorlist" role="alert">${this.#refused}</p>`}
      ${this.#saved !== "conflict" ? nothing : html`<p class="row-buttons">
        <button type="button" class="keep-this" @click=${() => this.#keepThis()}>${say("builder.conflict.this")}</button>
        <button type="button" class="take-other" @click=${() => this.#takeOther()}>${say("builder.conflict.other")}</button></p>`}</div>`;
  }

  #groups(form: Form): TemplateResult {
    const stale = this.#draft.document === null;
    return html`<nav class="builder-groups" aria-label=${say("builder.groups")}><ul>${Object.keys(GROUPS).map((group) => {
        const wrong = mistakesInGroup(this.#mistakes, group);
        return html`<li><button type="button" aria-pressed=${group === this.#group ? "true" : "false"} @click=${() => this.#show(group)}>
          ${say(`builder.group.${group}`)}${wrong > 0 ? html` <span class="wrong-count">${wrong}<span class="sr"> ${say("builder.mistakes", { count: wrong })}</span></span>` : nothing}</button></li>`;
      })}</ul></nav>
      ${stale ? html`<p class="refusal">${say("builder.text_wrong")}</p>` : nothing}
      <section class="builder-group" aria-label=${say(`builder.group.${this.#group}`)}><h2>${say(`builder.group.${this.#group}`)}</h2>
        <p class="quiet">${say(`builder.group.${this.#group}.why`)}</p>
        <fieldset class="bare" ?disabled=${stale}>${this.#fields(form)}</fieldset></section>`;
  }

  /** Shows a group of the form. The page's address names the group, so that a reload shows it again. */
  #show(group: string): void {
    this.#group = group;
    history.replaceState(history.state, "", `#${group}`);
    this.#draw();
  }

  #fields(form: Form): TemplateResult {
    const sheet = this.#sheet(form);
    const fields = (GROUPS[this.#group] ?? []).map((name) => {
      const field = form.sections["scenario"]?.[name];
      return field === undefined ? nothing : html`${drawField(sheet, "scenario", name, field, this.#document[name], [name])}`;
    });
    const lanes = this.#group === "applications" || this.#group === "faults" ? lanesOf(this.#document) : [];
    const isAbout = this.#group === "about";
    return html`${lanes.length > 0 ? drawTimeline(lanes, say("builder.group.faults")) : nothing}${isAbout ? this.#language() : nothing}${fields}
      ${isAbout ? this.#tags() : nothing}${this.#group === "lesson" ? this.#lesson() : nothing}`;
  }

  #sheet(form: Form): Sheet {
    return {
      form,
      document: this.#document,
      names: this.#draft.names,
      mistakes: this.#mistakes,
      seen: this.#trialState === "done" ? this.#trial?.seen_by_rules : undefined,
      effective: (producer) => this.#trial?.configurations[producer],
      steps: this.#trialState === "done" ? this.#trial?.steps : undefined,
      languages: languagesOf(this.#draft.language),
      open: this.#open,
      edit: (edits, focus) => this.#edit(edits, focus),
      shifted: (place, rows, edit) => { this.#shifts.push((open) => openAfter(open, place, rows, edit)); },
      toggled: (place, open) => {
        if (this.#open.has(place) === open) return;
        if (open) this.#open.add(place);
        else this.#open.delete(place);
        keepOpen(this.#open);
        this.#draw();
      },
    };
  }

  /** The fields for tags and language, which are stored beside the text, not in it. */
  #tags(): TemplateResult {
    const tags = (event: Event): void => {
      this.#draft.tags = (event.target as HTMLInputElement).value.split(/[,，、]/).map((tag) => tag.trim()).filter((tag) => tag !== "");
      this.#dirty();
    };
    return html`<div class="form-field"><label for="tags">${say("workshop.tags")}</label><input id="tags" .value=${listed(this.#draft.tags)} @change=${tags}></div>`;
  }

  /**
   * The choice of languages. If the author writes only one language, every text is stored in both, so that pages in the
   * other language show it, too.
   */
  #language(): TemplateResult {
    const choose = (event: Event): void => {
      const language = (event.target as HTMLSelectElement).value;
      this.#draft.language = language;
      this.#dirty();
      if (language !== "both") this.#edit(oneLanguage(this.#document, language));
    };
    return html`<div class="form-field"><label for="text-language">${say("workshop.language")}</label><select id="text-language" @change=${choose}>
        ${["both", "en", "zh-Hans"].map((name) => html`<option value=${name} ?selected=${name === this.#draft.language}>${say(`workshop.language.${name}`)}</option>`)}</select>
      <span class="quiet form-usual">${say(this.#draft.language === "both" ? "builder.language.both" : "builder.language.one")}</span></div>`;
  }

  /** The lesson as HTML: the server made it from Markdown and allows only plain text, lists, tables and links. */
  #lesson(): TemplateResult | typeof nothing {
    if (this.#draft.lesson === "") return nothing;
    const shown = new DOMParser().parseFromString(this.#draft.lesson, "text/html").body;
    return html`<section class="lesson" aria-label=${say("workshop.lesson")}>${[...shown.childNodes].map((node) => document.importNode(node, true))}</section>`;
  }

  #trialPart(): TemplateResult {
    const running = this.#trialState === "running";
    const current = this.#trialState === "done" && JSON.parse(this.#tried).text === this.#draft.text;
    const status = say(`builder.trial.${running ? "running" : current ? "current" : "waits"}`);
    const expect = this.#document["expect"];
    return html`<section class="builder-trial" aria-labelledby="trial-heading"><h2 id="trial-heading">${say("builder.trial")}</h2>
      <p class="quiet" role="status" data-trial=${running ? "running" : current ? "current" : "waits"}>${status}</p>
      ${this.#trialRefused === null ? nothing : html`<p class="errorlist" role="alert">${this.#trialRefused}</p>`}
      ${this.#mistakes.length >= (this.#form?.mistakes_max ?? Infinity) ? html`<p>${say("builder.mistakes.first", { most: this.#mistakes.length })}</p>` : nothing}
      ${this.#mistakes.length > 0 ? html`<ul class="plain mistake-list">${this.#mistakes.map((mistake) => this.#mistake(mistake))}</ul>` : nothing}
      ${this.#trial === undefined ? nothing : html`<div class=${running || this.#draft.mistakes.length > 0 ? "trial-result stale" : "trial-result"}>${drawTrial(this.#trial, {
        edit: (edits) => this.#edit(edits),
        chooseVariant: (variant) => { this.#variant = variant === "" ? null : variant; void this.#try(); },
        filter: this.#filter,
        setFilter: (api) => { this.#filter = api; this.#draw(); },
        hasExpectations: isObject(expect as Json) && Object.keys(expect as JsonObject).length > 0,
        goTo: (place, line) => this.#goTo(place, line),
      })}</div>`}</section>`;
  }

  /**
   * The mistakes that the loader finds in the text; if there are none, those found when the trial was built from it.
   */
  get #mistakes(): Mistake[] {
    return this.#draft.mistakes.length > 0 ? this.#draft.mistakes : this.#trial?.mistakes ?? [];
  }

  #mistake(mistake: Mistake): TemplateResult {
    const line = mistake.line === null ? "" : say("builder.line", { line: mistake.line });
    return html`<li><button type="button" class="small" @click=${() => this.#goTo(mistake.place, mistake.line)}>${mistake.place} ${line}</button>
      ${mistakeText(mistake)}</li>`;
  }

  /**
   * Goes to the field of the form, or to the line of the text if the text is no valid TOML or the form has no such
   * field.
   */
  #goTo(place: string, line: number | null): void {
    const top = place.split(".")[0] ?? "";
    const group = Object.keys(GROUPS).find((name) => GROUPS[name]?.includes(top));
    if (group === undefined || this.#draft.document === null) return this.#goToLine(line);
    this.#show(group);
    void this.updateComplete.then(() => {
      const field = this.#fieldOf(place);
      if (field === undefined) return this.#goToLine(line);
      for (let at = field.parentElement; at !== null && at !== this; at = at.parentElement) {
        if (at instanceof HTMLDetailsElement) at.open = true;
      }
      field.focus();
      field.scrollIntoView({ block: "nearest" });
    });
  }

  /** The element at a place, or at the nearest place around it, that can take the focus. */
  #fieldOf(place: string): HTMLElement | undefined {
    const path = pathOf(this.#document, place);
    for (let length = path.length; length > 0; length -= 1) {
      const id = idOf(path.slice(0, length));
      const found = [id, `${id}-en`, `${id}-fold`, `${id}-add`].map((one) => this.querySelector<HTMLElement>(`[id="${one}"]`));
      const there = found.find((one) => one?.matches("input, select, textarea, summary, button"));
      if (there != null) return there;
    }
    return undefined;
  }

  #goToLine(line: number | null): void {
    const area = this.querySelector<HTMLTextAreaElement>("#text");
    if (area === null || line === null) return;
    const start = this.#draft.text.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    area.focus();
    area.scrollIntoView({ block: "start" });
    area.setSelectionRange(start, start);
    area.scrollTop = Math.max(0, line - 4) * Number.parseFloat(getComputedStyle(area).lineHeight);
  }

  #textPart(): TemplateResult {
    return html`<section class="builder-text" aria-labelledby="text-heading"><h2 id="text-heading"><label for="text">${say("builder.text")}</label></h2>
      <p class="quiet">${say("builder.text.why")}</p>
      <textarea id="text" class="pasted mono" rows="24" spellcheck="false" autocapitalize="off" autocomplete="off" wrap="off" .value=${this.#draft.text}
        @input=${(event: Event) => this.#type((event.target as HTMLTextAreaElement).value)}></textarea></section>`;
  }
}

customElements.define("eos-builder", Builder);
