/**
 * `<eos-compare-with .store=${store} compare="/compare/">`: links that compare this branch with the same scenario in
 * another version of Kafka, with one mechanism changed, or with another branch; both side by side in lockstep.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { asItWas } from "./as-it-was.ts";
import { besideAddress, logOf } from "./beside-address.ts";
import { branchTitle } from "./branch-name.ts";
import { DialogElement } from "./dialogs.ts";
import { doneOnLine, inWords, placeBefore } from "./done.ts";
import type { Language } from "./frame.ts";
import { csrfToken } from "./page.ts";
import type { PlayerStore } from "./store.ts";
import { say, words } from "./text.ts";

const VERSION = "version_";

/** The comparisons that the server offers (`differences.json`). */
interface Offered {
  /** Names whose text is `difference.<name>`. */
  differences: string[];
  /** The names in `differences` that change nothing in this run. */
  without_effect: string[];
  /** Other runs of the scenario; the run without a variant has an empty name. */
  runs: { name: string; title: Record<Language, string> }[];
  /**
   * The address at which the scenario runs in all generations side by side; null for a scenario that is not in the
   * library.
   */
  generations: string | null;
}

export class CompareWith extends DialogElement {
  static override properties = { ...DialogElement.properties, compare: {}, offered: { state: true }, failed: { state: true } };

  /** The address of the page of comparisons; `differences.json` and `new` lie below it. */
  declare compare: string;
  /** The comparisons offered for the branch; null until the server has answered. */
  declare offered: Offered | null;
  declare failed: boolean;

  constructor() {
    super();
    this.compare = "/compare/";
    this.offered = null;
    this.failed = false;
  }

  override open(): void {
    super.open();
    this.failed = false;
    if (this.offered === null && this.store !== undefined) void this.#ask(this.store);
    else void this.#lead();
  }

  /** Gives the focus to the comparison with the run as it was before the last change. */
  async #lead(): Promise<void> {
    await this.updateComplete;
    this.querySelector<HTMLElement>(".as-it-was")?.focus();
  }

  async #ask(store: PlayerStore): Promise<void> {
    const address = `${this.compare}differences.json?${new URLSearchParams({ branch: store.branch })}`;
    const response = await fetch(address, { headers: { Accept: "application/json" } }).catch(() => null);
    if (response?.ok === true) {
      this.offered = (await response.json()) as Offered;
      void this.#lead();
    } else this.failed = true;
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this;
    if (store === undefined || store.header === null) return nothing;
    return this.frameOf(say("with.title"), this.whenOpen(() => this.#body(store)));
  }

  #body(store: PlayerStore): TemplateResult {
    if (this.failed) return html`<p role="alert">${say("with.failed")}</p>`;
    const { offered } = this;
    if (offered === null) return html`<p class="quiet">${say("with.asking")}</p>`;
    const changes = doneOnLine(store.lines.branches, store.branch);
    const done = changes.map((one) => inWords(one, store.lines));
    const newest = changes.at(-1);
    // The run as it was is left out, because it has its own button.
    const asItWasIn = newest === undefined ? store.branch : placeBefore(store.lines.branches, newest).branch;
    const others = [...store.lines.branches.values()].filter(({ id }) => id !== store.branch && id !== asItWasIn);
    return html`${newest === undefined ? nothing : html`<p class="compare-with">${asItWas(store, newest, this.compare)}</p>`}
      ${others.length === 0 ? nothing : html`<h3>${say("with.branches")}</h3><p class="compare-with">${others.map(
        (other) => html`<a href=${besideAddress(this.compare, { left: store.branch, right: other.id }, store)}>${branchTitle(store.lines.branches, other.id)}</a> `,
      )}</p>`}
      <form class="compare-with" method="post" action=${`${this.compare}new`}>
        <input type="hidden" name="csrfmiddlewaretoken" value=${csrfToken()} /><input type="hidden" name="branch" value=${store.branch} />
        <input type="hidden" name="log" value=${logOf(location.search)} /><input type="hidden" name="from_step" value=${store.shown} />
        ${done.length === 0 ? nothing : html`<p class="quiet">${say("with.not_done", { done })}</p>`}
        ${offered.runs.length === 0 ? nothing : html`<h3>${say("with.runs")}</h3><p>${offered.runs.map(
          ({ name, title }) => html`<button name="run" value=${name}>${name === "" ? say("player.compare.original") : title[words.language]}</button> `)}</p>`}
        ${this.#group(offered, "with.versions", (name) => name.startsWith(VERSION), `player.version_why.${store.header?.profile}`)}
        ${offered.generations === null ? nothing : html`<p><a href=${offered.generations}>${say("with.generations")}</a></p>`}
        ${this.#group(offered, "with.mechanisms", (name) => !name.startsWith(VERSION))}
      </form>`;
  }

  /** A group of differences, first those that change the run. `why`: the key of a text before them; "": none. */
  #group({ differences, without_effect: idle }: Offered, title: string, isOf: (name: string) => boolean, why = ""): TemplateResult | typeof nothing {
    const names = differences.filter(isOf);
    if (names.length === 0) return nothing;
    const [changing, others] = [names.filter((name) => !idle.includes(name)), names.filter((name) => idle.includes(name))];
    const buttons = (some: string[]): TemplateResult[] => some.map((name) => html`<button name="difference" value=${name}>${say(`difference.${name}`)}</button> `);
    return html`<h3>${say(title)}</h3>${words.knows(why) ? html`<p class="quiet">${say(why)}</p>` : nothing}${changing.length === 0 ? nothing : html`<p>${buttons(changing)}</p>`}
      ${others.length === 0 ? nothing : html`<details><summary class="quiet">${say("with.without_effect", { count: others.length })}</summary><p>${buttons(others)}</p></details>`}`;
  }
}

customElements.define("eos-compare-with", CompareWith);
