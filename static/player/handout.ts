/**
 * `<eos-handout .store=${store}>`: the steps that the reader selects, for printing, each with its picture, sentence and
 * rules.
 *
 * The pictures are drawn by the page's own lanes (for a run without partitions, by its roles). To get their frames, the
 * page goes to each of the steps, and then back to where the reader was; this works for recordings and sessions alike.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { DialogElement } from "./dialogs.ts";
import type { Frame } from "./frame.ts";
import { readSteps, writeSteps } from "./picked-steps.ts";
import type { PlayerStore } from "./store.ts";
import { say, words } from "./text.ts";
import { MARK_INTERESTING } from "./windows.ts";

export const defaults = {
  /** The most steps on one handout. */
  most: 60,
  /** Milliseconds after which a step that has to be fetched counts as missing. */
  patience: 10_000,
};

export class Handout extends DialogElement {
  static override properties = { ...DialogElement.properties, steps: { state: true }, said: { state: true }, sheets: { state: true } };

  declare steps: string;
  declare said: string;
  /** The frames of the printed steps; empty until the reader presses *Print*. */
  declare sheets: readonly Frame[];

  constructor() {
    super();
    this.steps = "";
    this.said = "";
    this.sheets = [];
  }

  override open(): void {
    if (this.steps === "" && this.store !== undefined) this.steps = writeSteps(this.#interesting(this.store));
    this.said = "";
    super.open();
  }

  protected override render(): TemplateResult | typeof nothing {
    const store = this.store;
    if (store === undefined || store.header === null) return nothing;
    return html`${this.frameOf(say("exports.handout.title"), this.whenOpen(() => this.#body(store)))}
      ${this.sheets.length === 0 ? nothing : this.#paper(store, this.sheets)}`;
  }

  #body(store: PlayerStore): TemplateResult {
    const numbers = readSteps(this.steps, store.newest);
    return html`<p class="quiet">${say("exports.form.handout.means")}</p>
      <form class="handout-form" @submit=${(event: SubmitEvent) => this.#submit(event, store)}>
        <label>${say("exports.handout.steps")}
          <input type="text" name="steps" maxlength="2000" autofocus .value=${this.steps} @input=${(event: Event) => (this.steps = (event.target as HTMLInputElement).value)} /></label>
        <span class="row">
          <button type="button" @click=${() => (this.steps = writeSteps(this.#interesting(store)))}>${say("exports.handout.interesting")}</button>
          <button type="button" @click=${() => (this.steps = writeSteps(readSteps(`${this.steps}, ${store.shown}`, store.newest)))}>${say("exports.handout.this", { step: store.shown })}</button>
          <span class="spring"></span><span class="quiet num">${say("exports.handout.count", { count: numbers.length })}</span>
          <button class="primary">${say("exports.handout.print")}</button>
        </span>
      </form>
      <p role="alert">${this.said}</p>`;
  }

  /** The numbers of the steps that are marked as interesting, as far as the page has seen them; at most `most`. */
  #interesting(store: PlayerStore): number[] {
    const found: number[] = [];
    for (let number = 1; number <= store.newest && found.length < defaults.most; number += 1) {
      if ((store.lines.mark(store.branch, number) & MARK_INTERESTING) !== 0) found.push(number);
    }
    return found;
  }

  async #submit(event: SubmitEvent, store: PlayerStore): Promise<void> {
    event.preventDefault();
    const numbers = readSteps(this.steps, store.newest);
    if (numbers.length === 0) this.said = say("exports.handout.none", { newest: store.newest });
    else if (numbers.length > defaults.most) this.said = say("exports.handout.limit", { most: defaults.most, count: numbers.length });
    else await this.#print(store, numbers);
  }

  async #print(store: PlayerStore, numbers: readonly number[]): Promise<void> {
    const back = store.shown;
    const frames: Frame[] = [];
    this.said = "";
    try {
      for (const number of numbers) {
        const frame = await frameAt(store, number);
        if (frame === null) {
          this.said = say("exports.handout.missing", { step: number });
          return;
        }
        frames.push({ ...frame, selection: null, animate: false });
      }
    } finally {
      store.moveTo(back);
    }
    this.sheets = frames;
    this.close();
    await this.updateComplete;
    await Promise.all([...this.querySelectorAll<HTMLElement & { updateComplete: Promise<unknown> }>(".sheet > :is(eos-lanes, eos-middleware-roles)")].map((panel) => panel.updateComplete));
    document.documentElement.classList.add("prints-handout");
    addEventListener("afterprint", () => {
      document.documentElement.classList.remove("prints-handout");
      this.sheets = [];
    }, { once: true });
    print();
  }

  #paper(store: PlayerStore, frames: readonly Frame[]): TemplateResult {
    const header = store.header;
    if (header === null) return html``;
    const rules = [header.scenario, header.actors.some(({ role }) => role === "broker") ? `Kafka ${header.version}` : ""].filter((word) => word !== "");
    return html`<article class="handout"><h1>${header.title[words.language]}</h1><p>${rules.join(" · ")}</p>
      ${frames.map((frame) => sheet(frame))}</article>`;
  }
}

function sheet(frame: Frame): TemplateResult {
  const { step } = frame;
  return html`<section class="sheet"><h2>${say("exports.step", { number: step?.number ?? 0 })} · ${say("diagram.at", { at: frame.view.time })}</h2>
    <p class="happened">${step === null ? say("player.nothing_yet") : say(step.key, step.params)} <span class="quiet">${step?.rules.join(" ") ?? ""}</span></p>
    ${step === null || step.notes.length === 0 ? nothing : html`<ul>${step.notes.map((note) => html`<li>${say(note.key, note.params)} <span class="quiet">${note.rules.join(" ")}</span></li>`)}</ul>`}
    ${frame.header.partitions.length === 0 ? html`<eos-middleware-roles .frame=${frame}></eos-middleware-roles>` : html`<eos-lanes cropped .frame=${frame}></eos-lanes>`}</section>`;
}

/** The frame of a step, once it has arrived; null if it does not arrive. */
async function frameAt(store: PlayerStore, number: number): Promise<Frame | null> {
  store.moveTo(number);
  const isThere = (): boolean => store.frame !== undefined && store.shown === number;
  if (!isThere()) {
    await new Promise<void>((done) => {
      const timer = setTimeout(() => finish(), defaults.patience);
      const look = (): void => {
        if (isThere()) finish();
      };
      const finish = (): void => {
        clearTimeout(timer);
        store.removeEventListener("change", look);
        done();
      };
      store.addEventListener("change", look);
    });
  }
  return isThere() ? (store.frame ?? null) : null;
}

customElements.define("eos-handout", Handout);
