/**
 * `<eos-share>`: the dialog with an address that shows others exactly what is on show. The server makes the address
 * (docs/links.md). It contains the interventions instead of branch and session, so it works even after these are
 * deleted.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { copyText } from "../pages/clipboard.ts";
import { DialogElement } from "./dialogs.ts";
import type { JsonObject, Selection } from "./frame.ts";
import { csrfToken } from "./page.ts";
import type { PlayerStore } from "./store.ts";
import { say } from "./text.ts";

/**
 * The fields of the address besides branch and step: the view, the zoom and the selection. `opens`: the view on which
 * the run opens by itself, so that the address need not name it.
 */
export function shownFields(view: string, selection: Selection | null, zoom = "", opens = "stage"): Record<string, string> {
  const fields: Record<string, string> = view === opens ? {} : { view };
  if (zoom !== "") fields["zoom"] = zoom;
  if (selection === null) return fields;
  fields["select"] = `${selection.kind}:${selection.id}`;
  if (selection.partition !== undefined) fields["in"] = selection.partition;
  if (selection.serials !== undefined && selection.serials.length > 0) fields["serials"] = selection.serials.join(".");
  return fields;
}

/** The address with a language added. "" as language: the reader's own language decides. */
export function inLanguage(address: string, language: string): string {
  if (address === "" || language === "") return address;
  return `${address}${address.includes("?") ? "&" : "?"}lang=${language}`;
}

/** The HTML of an `iframe`, with the language added to its address. */
export function frameInLanguage(frame: string, language: string): string {
  if (language === "") return frame;
  return frame.replace(/ src="([^"]*)"/, (_whole, address: string) => ` src="${inLanguage(address, language).replace(`&lang`, "&amp;lang")}"`);
}

export class Share extends DialogElement {
  static override properties = {
    ...DialogElement.properties,
    address: {},
    view: {},
    opens: {},
    zoom: {},
    present: {},
    presenting: {},
    link: { state: true },
    frame: { state: true },
    language: { state: true },
    said: { state: true },
    refusal: { state: true },
  };

  declare address: string;
  /** The view in the middle, as the address names it. */
  declare view: string;
  declare opens: string;
  /** The zoom, as the address names it. */
  declare zoom: string;
  /** The address that starts a presentation; `end` below it ends it. */
  declare present: string;
  /** The address at which others follow; empty while no presentation is running. */
  declare presenting: string;
  declare link: string;
  /** The HTML of a frame for other pages; empty if the run is too long for one. */
  declare frame: string;
  declare language: string;
  /** The result of the last press of a copy button: a catalogue key; "" before it. */
  declare said: string;
  declare refusal: { key: string; remedy_key: string; params: JsonObject } | null;

  constructor() {
    super();
    this.address = "";
    this.view = "stage";
    this.opens = "stage";
    this.zoom = "";
    this.present = "";
    this.presenting = "";
    this.link = "";
    this.frame = "";
    this.language = "";
    this.said = "";
    this.refusal = null;
  }

  override open(): void {
    super.open();
    this.link = "";
    this.frame = "";
    this.said = "";
    this.refusal = null;
    if (this.store !== undefined) void this.#ask(this.store);
  }

  async #ask(store: PlayerStore): Promise<void> {
    const shown = shownFields(this.view, store.selection, this.zoom, this.opens);
    const query = new URLSearchParams({ branch: store.branch, step: String(store.shown), ...shown });
    try {
      const response = await fetch(`${this.address}?${query}`, { headers: { Accept: "application/json" } });
      const answer = (await response.json()) as { address?: string; frame?: string; key?: string; remedy_key?: string; params?: JsonObject };
      if (answer.address !== undefined) this.link = answer.address;
      this.frame = answer.frame ?? "";
      if (answer.address === undefined) this.refusal = { key: answer.key ?? "share.failed", remedy_key: answer.remedy_key ?? "share.failed.remedy", params: answer.params ?? {} };
    } catch {
      this.refusal = { key: "share.failed", remedy_key: "share.failed.remedy", params: {} };
    }
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.store === undefined || this.store.header === null) return nothing;
    return this.frameOf(say("share.title"), this.refusal === null ? this.#content() : this.#refused(this.refusal));
  }

  #refused({ key, remedy_key, params }: NonNullable<typeof this.refusal>): TemplateResult {
    return html`<p role="alert"><b>${say(key, params)}</b> ${say(remedy_key, params)}</p>`;
  }

  #content(): TemplateResult {
    return html`<p class="quiet">${say("share.means")}</p>
      <p class="share-row"><label>${say("share.language")}
        <select @change=${(event: Event) => this.#useLanguage((event.target as HTMLSelectElement).value)}>
          <option value="">${say("share.language.own")}</option>
          <option value="en" lang="en">English</option>
          <option value="zh-Hans" lang="zh-Hans">简体中文</option>
        </select></label></p>
      ${this.#field("link", "share.link", inLanguage(this.link, this.language))}
      ${
        // The row has its place before the server answers, so that nothing moves when it does.
        this.frame === "" && this.link !== ""
          ? nothing
          : html`<p class="quiet">${say("share.embed.means")}</p>${this.#field("frame", "share.embed", frameInLanguage(this.frame, this.language))}`
      }
      ${this.present === "" ? nothing : this.#presenting()}
      <p class="share-said" role="status">${this.said === "" ? nothing : say(this.said)}</p>`;
  }

  #presenting(): TemplateResult {
    if (this.presenting === "") {
      return html`<h3>${say("share.present")}</h3><p class="quiet">${say("share.present.means")}</p>
        <p class="share-row"><button class="primary start-presenting" @click=${() => void this.#startPresenting()}>${say("share.present.start")}</button></p>`;
    }
    return html`<h3>${say("share.present")}</h3><p class="quiet">${say("share.present.now")}</p>
      ${this.#field("follow", "share.present.link", inLanguage(this.presenting, this.language))}
      <p class="share-row"><button class="end-presenting" @click=${() => void this.#endPresenting()}>${say("share.present.end")}</button></p>`;
  }

  async #startPresenting(): Promise<void> {
    const response = await this.#post(this.present);
    if (response !== null) this.#tell(((await response.json()) as { address: string }).address);
  }

  async #endPresenting(): Promise<void> {
    if ((await this.#post(`${this.present}/end`)) !== null) this.#tell("");
  }

  async #post(address: string): Promise<Response | null> {
    const response = await fetch(address, { method: "POST", headers: { "X-CSRFToken": csrfToken() } }).catch(() => null);
    if (response?.ok === true) return response;
    this.refusal = { key: "share.failed", remedy_key: "share.failed.remedy", params: {} };
    return null;
  }

  #tell(address: string): void {
    this.presenting = address;
    this.said = "";
    this.dispatchEvent(new CustomEvent("presenting", { detail: address, bubbles: true }));
  }

  /** A field with a text to copy, which a click selects, and the button that copies it. */
  #field(name: string, label: string, text: string): TemplateResult {
    return html`<div class="share-row"><label for=${`share-${name}`}>${say(label)}</label>
      <input id=${`share-${name}`} class="num" readonly .value=${text} placeholder="…" @focus=${(event: Event) => (event.target as HTMLInputElement).select()} />
      <button class="primary" ?disabled=${text === ""} @click=${() => void this.#copy(name, text)}>${say("share.copy")}</button></div>`;
  }

  #useLanguage(language: string): void {
    this.language = language;
    this.said = "";
  }

  async #copy(name: string, text: string): Promise<void> {
    const copied = await copyText(text, this.querySelector<HTMLInputElement>(`#share-${name}`));
    this.said = copied ? "share.copied" : "share.not_copied";
  }
}

customElements.define("eos-share", Share);
