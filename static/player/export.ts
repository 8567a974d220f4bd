/**
 * `<eos-export .store=${store} address="/sessions/<id>/exports">`: the dialog in which a reader saves a run as a file.
 *
 * The server makes the files that contain steps (`making.ts`). The page itself makes pictures and tables of the step on
 * show, from the layouts of its panels, so a recording that plays offline offers these, too.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { copyText } from "../pages/clipboard.ts";
import "./handout.ts";
import type { Handout } from "./handout.ts";
import { ledgerTable } from "../diagrams/ledger-table.ts";
import { sequenceText } from "../diagrams/sequence-text.ts";
import { drawSpacetime, Spacetime } from "../diagrams/spacetime.ts";
import { defaults as picture, layoutSpacetime } from "../diagrams/spacetime-layout.ts";
import type { Spacing } from "../diagrams/spacetime-rows.ts";
import { asPng, standalone } from "../diagrams/standalone.ts";
import { get } from "./addressed.ts";
import { branchName } from "./branch-name.ts";
import { DialogElement } from "./dialogs.ts";
import type { Frame, JsonObject } from "./frame.ts";
import { Making } from "./making.ts";
import { download, fileName, save } from "./saving.ts";
import type { PlayerStore } from "./store.ts";
import { say, words } from "./text.ts";

export const defaults = {
  /** px of the saved picture's width for each actor's lane. */
  lane: 110,
};

interface Limits {
  forms: string[];
  may_publish: boolean;
  params: JsonObject;
}

const PICTURES = ["svg", "png", "mermaid"] as const;
const PUBLISH = "publish";

export class Export extends DialogElement {
  static override properties = {
    ...DialogElement.properties,
    address: {},
    missing: {},
    replay: {},
    published: {},
    spacing: { attribute: false },
    limits: { state: true },
    isAnswered: { state: true },
    making: { state: true },
    all: { state: true },
    said: { state: true },
  };

  /** The address of a session's exports; empty if no server is behind this run. */
  declare address: string;
  /** Why there are no files: a key of the catalogue, whose text is shown instead of them. */
  declare missing: string;
  /** If the replay is published: the addresses of its file and of its publication. */
  declare replay: string;
  declare published: string;
  /** Whether the rows of the saved space-time diagram are spaced by step or by time. */
  declare spacing: Spacing;
  declare limits: Limits | null;
  /**
   * Whether the server has answered the request for its limits, or the request has failed. The rows are shown only
   * then, because they would otherwise move while the reader presses one.
   */
  declare isAnswered: boolean;
  declare making: Making | null;
  /** Whether every branch is exported, and not only the branch on show with its ancestors. */
  declare all: boolean;
  declare said: string;

  constructor() {
    super();
    this.address = "";
    this.missing = "";
    this.replay = "";
    this.published = "";
    this.spacing = "step";
    this.limits = null;
    this.isAnswered = false;
    this.making = null;
    this.all = false;
    this.said = "";
  }

  override open(): void {
    super.open();
    this.said = "";
    if (this.address !== "") void this.#ask();
  }

  async #ask(): Promise<void> {
    // Without the limits, files can still be requested; the server refuses those that exceed them.
    const response = await get(`${this.address}/limits`).catch(() => null);
    if (response?.ok === true) this.limits = (await response.json()) as Limits;
    this.isAnswered = true;
  }

  protected override render(): TemplateResult | typeof nothing {
    const store = this.store;
    if (store === undefined || store.header === null) return nothing;
    return html`${this.frameOf(say("exports.title"), this.whenOpen(() => (this.address === "" || this.isAnswered ? this.#body(store) : nothing)))}<eos-handout .store=${store}></eos-handout>`;
  }

  #body(store: PlayerStore): TemplateResult {
    return html`${this.address === "" ? nothing : this.#files(store)}
      ${this.missing === "" ? nothing : html`<h3>${say("exports.files")}</h3><p>${say(this.missing)}</p>`}
      ${this.replay === "" ? nothing : html`<p class="quiet">${say("exports.published.here")}</p>
        <ul class="export-list">${this.#row("replay", html`<a class="button" href=${this.replay} download aria-label=${say("exports.save_one", { form: say("exports.form.replay") })}>${say("exports.save")}</a>`)}</ul>`}
      <h3>${say("exports.pictures", { step: store.shown })}</h3>
      <ul class="export-list">${PICTURES.map((form) => this.#row(form, this.#saver(form, !hasArrows(store)), hasArrows(store) ? "exports.form.diagram.means" : "exports.form.diagram.none"))}
        ${this.#row("csv", this.#saver("csv", !hasRecords(store)), hasRecords(store) ? "exports.form.csv.means" : "exports.form.csv.none")}
        ${this.#row("handout", html`<button @click=${() => this.#openHandout()}>${say("exports.form.handout")} …</button>`)}</ul>
      ${this.address === "" ? nothing : this.#publishing()}`;
  }

  #files(store: PlayerStore): TemplateResult {
    const { params } = this.limits ?? { params: null };
    return html`<h3>${say("exports.files")}</h3>
      ${store.lines.branches.size === 1 ? nothing : html`<p class="share-row"><label>${say("exports.what")}
        <select @change=${(event: Event) => (this.all = (event.target as HTMLSelectElement).value === "all")}>
          <option value="line" ?selected=${!this.all}>${say("exports.what.line", { name: branchName(store.lines.branches, store.branch), steps: store.newest })}</option>
          <option value="all" ?selected=${this.all}>${say("exports.what.all")}</option></select></label></p>`}
      <ul class="export-list">${repeat(this.limits?.forms ?? ["html", "replay"], (form) => form, (form) => this.#row(form, this.#saver(form, false)))}</ul>
      ${this.making === null || this.making.form === PUBLISH ? nothing : this.#progress(this.making)}
      ${params === null ? nothing : html`<p class="quiet">${say("exports.limits", params)}</p>`}`;
  }

  #row(form: string, control: TemplateResult, means = `exports.form.${form}.means`): TemplateResult {
    return html`<li><span><b>${say(`exports.form.${form}`)}</b> <small class="quiet">${say(means)}</small></span>${control}</li>`;
  }

  #saver(form: string, isEmpty: boolean): TemplateResult {
    const name = say("exports.save_one", { form: say(`exports.form.${form}`) });
    return html`<button ?disabled=${isEmpty || this.making?.isUnderWay === true} aria-label=${name} data-form=${form} @click=${() => void this.#save(form)}>${say("exports.save")}</button>`;
  }

  #progress(making: Making): TemplateResult {
    const form = say(making.form === PUBLISH ? "exports.publish" : `exports.form.${making.form}`);
    if (making.refusal !== null) return html`<p role="alert" class="export-said">${say(making.refusal.key, making.refusal.params)}</p>`;
    const progress = making.progress;
    if (progress?.state === "cancelled") return html`<p role="status" class="export-said">${say("exports.cancelled")}</p>`;
    if (progress?.state === "done") {
      return html`<p role="status" class="export-said">${progress.file === null ? this.#address(progress.result ?? "") : html`${say("exports.made", { name: progress.name, bytes: progress.bytes })}
        <a href=${progress.file} download>${say("exports.again")}</a>`}</p>`;
    }
    const now = progress === null || progress.state === "waiting" ? say("exports.waiting", { form }) : say("exports.making", { form, percent: making.percent });
    return html`<p class="export-said"><label>${now} <progress max="100" value=${making.percent}></progress></label>
      <button ?disabled=${progress === null} @click=${() => void making.cancel()}>${say("exports.cancel")}</button></p>`;
  }

  #address(path: string): TemplateResult {
    const address = new URL(path, location.href).href;
    return html`<label for="published-address">${say("exports.published")}</label>
      <span class="share-row"><input id="published-address" class="num" readonly .value=${address} @focus=${(event: Event) => (event.target as HTMLInputElement).select()} />
        <button class="primary" @click=${() => void this.#copy(address)}>${say("share.copy")}</button>
        <a class="button" href=${path} target="_blank" rel="noopener">${say("exports.open")}</a></span> ${this.said === "" ? nothing : say(this.said)}`;
  }

  #publishing(): TemplateResult | typeof nothing {
    if (this.limits === null) return nothing;
    const sign = `/accounts/login/?next=${encodeURIComponent(location.pathname + location.search)}`;
    return html`<h3>${say("exports.publish")}</h3>
      ${
        this.limits.may_publish
          ? html`<p class="quiet">${say("exports.publish.means")} ${say("exports.publish.limits", this.limits.params)}</p>
            <p class="share-row"><button class="primary start-publishing" ?disabled=${this.making?.isUnderWay === true} @click=${() => void this.#make(PUBLISH)}>${say("exports.publish")}</button></p>
            ${this.making?.form === PUBLISH ? this.#progress(this.making) : nothing}`
          : html`<p class="quiet"><a href=${sign}>${say("exports.publish.sign_in")}</a></p>`
      }`;
  }

  async #save(form: string): Promise<void> {
    const frame = this.store?.frame;
    if (this.store === undefined || frame === undefined) return;
    const name = fileName(frame.header, this.store.shown);
    if (form === "csv") await this.#saveLedger(this.store, name);
    else if (form === "mermaid") save(`${name}.mmd`, sequenceText(frame, this.store.arrows, this.store.marks, titleOf(frame)), "text/plain");
    else if (form === "svg") save(`${name}.svg`, spacetimePicture(this.store, frame, this.spacing), "image/svg+xml");
    else if (form === "png") save(`${name}.png`, await asPng(spacetimePicture(this.store, frame, this.spacing)), "image/png");
    else await this.#make(form);
  }

  /**
   * Saves the table of all records. It fetches the whole view first, because the one on show may leave out old records.
   */
  async #saveLedger(store: PlayerStore, name: string): Promise<void> {
    const hasAll = await store.lookBack();
    if (hasAll && store.frame !== undefined) save(`${name}.csv`, ledgerTable(store.frame), "text/csv");
  }

  async #make(form: string): Promise<void> {
    const making = new Making(form);
    this.making?.leave();
    this.making = making;
    making.addEventListener("change", () => this.requestUpdate());
    await making.run(this.address, this.all ? "" : (this.store?.branch ?? ""));
    if (making.progress?.state === "done" && making.progress.file !== null) download(making.progress.file, making.progress.name);
    if (form === PUBLISH) await this.#ask();
  }

  async #copy(address: string): Promise<void> {
    const copied = await copyText(address, this.querySelector<HTMLInputElement>("#published-address"));
    this.said = copied ? "share.copied" : "share.not_copied";
  }

  #openHandout(): void {
    this.close();
    this.querySelector<Handout>("eos-handout")?.open();
  }
}

function hasArrows(store: PlayerStore): boolean {
  return store.arrows.some((arrow) => arrow.sentStep <= store.shown);
}

function hasRecords(store: PlayerStore): boolean {
  return Object.keys(store.frame?.view.records ?? {}).length > 0;
}

function titleOf(frame: Frame): string {
  return `${frame.header.title[words.language]} · ${say("exports.step", { number: frame.step?.number ?? 0 })}`;
}

/**
 * The space-time diagram as SVG text, with every message of the loaded steps up to the step on show. `spacing`: as in
 * the diagram on show.
 */
function spacetimePicture(store: PlayerStore, frame: Frame, spacing: Spacing): string {
  const plain = { ...frame, selection: null, animate: false };
  const width = Math.max(picture.width, frame.header.actors.length * defaults.lane + 160);
  const shape = layoutSpacetime(plain, store.arrows, { width, height: 0, whole: true, spacing }, store.marks);
  return standalone(drawSpacetime(shape, () => undefined, false), Spacetime.styles, titleOf(frame), shape.twin);
}

customElements.define("eos-export", Export);
