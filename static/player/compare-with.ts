/**
 * `<eos-compare-with .store=${store} compare="/compare/">`: one click from this branch to the same scenario in another
 * version of Kafka, with one mechanism changed, or to another branch; all side by side in lockstep.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { asItWas } from "./as-it-was.ts";
import { besideAddress, logOf, originalFirst } from "./beside-address.ts";
import { DialogElement } from "./dialogs.ts";
import { doneOnLine, inWords, placeBefore } from "./done.ts";
import { csrfToken } from "./page.ts";
import type { PlayerStore } from "./store.ts";
import { say, words } from "./text.ts";

const VERSION = "version_";

export class CompareWith extends DialogElement {
  static override properties = { ...DialogElement.properties, compare: {}, names: { state: true }, generations: { state: true }, failed: { state: true } };

  /** The page of comparisons; `differences.json` and `new` lie below it. */
  declare compare: string;
  /** What else the scenario can be compared with: `difference.<name>`. */
  declare names: string[] | null;
  /** Where the scenario runs in all generations side by side; null for one that the library does not have. */
  declare generations: string | null;
  declare failed: boolean;

  constructor() {
    super();
    this.compare = "/compare/";
    this.names = null;
    this.generations = null;
    this.failed = false;
  }

  override open(): void {
    super.open();
    this.failed = false;
    if (this.names === null && this.store !== undefined) void this.#ask(this.store);
    else void this.#lead();
  }

  /** The nearest comparison has the focus: `c` and Enter lead from a changed run to the run as it was. */
  async #lead(): Promise<void> {
    await this.updateComplete;
    this.querySelector<HTMLElement>(".as-it-was")?.focus();
  }

  async #ask(store: PlayerStore): Promise<void> {
    const address = `${this.compare}differences.json?${new URLSearchParams({ branch: store.branch })}`;
    const response = await fetch(address, { headers: { Accept: "application/json" } }).catch(() => null);
    if (response?.ok === true) {
      const told = (await response.json()) as { differences: string[]; generations: string | null };
      this.names = told.differences;
      this.generations = told.generations;
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
    if (this.names === null) return html`<p class="quiet">${say("with.asking")}</p>`;
    const changes = doneOnLine(store.lines.branches, store.branch);
    const done = changes.map((one) => inWords(one, store.lines));
    const newest = changes.at(-1);
    // The run as it was has its own way there.
    const asItWasIn = newest === undefined ? store.branch : placeBefore(store.lines.branches, newest).branch;
    const others = [...store.lines.branches.values()].filter(({ id }) => id !== store.branch && id !== asItWasIn);
    return html`${newest === undefined ? nothing : html`<p class="compare-with">${asItWas(store, newest, this.compare)}</p>`}
      ${others.length === 0 ? nothing : html`<h3>${say("with.branches")}</h3><p class="compare-with">${others.map(
        (other) => html`<a href=${besideAddress(this.compare, originalFirst(store.lines.branches.values(), store.branch, other.id), store)}>${other.name}</a> `,
      )}</p>`}
      <form class="compare-with" method="post" action=${`${this.compare}new`}>
        <input type="hidden" name="csrfmiddlewaretoken" value=${csrfToken()} /><input type="hidden" name="branch" value=${store.branch} />
        <input type="hidden" name="log" value=${logOf(location.search)} />
        ${done.length === 0 ? nothing : html`<p class="quiet">${say("with.not_done", { done })}</p>`}
        ${this.#group("with.versions", this.names.filter((name) => name.startsWith(VERSION)), `player.version_why.${store.header?.profile}`)}
        ${this.generations === null ? nothing : html`<p><a href=${this.generations}>${say("with.generations")}</a></p>`}
        ${this.#group("with.mechanisms", this.names.filter((name) => !name.startsWith(VERSION)))}
      </form>`;
  }

  /** `why`: the key of what is said first, if there is a text. */
  #group(title: string, names: string[], why = ""): TemplateResult | typeof nothing {
    if (names.length === 0) return nothing;
    return html`<h3>${say(title)}</h3>${words.knows(why) ? html`<p class="quiet">${say(why)}</p>` : nothing}<p>${names.map((name) => html`<button name="difference" value=${name}>${say(`difference.${name}`)}</button> `)}</p>`;
  }
}

customElements.define("eos-compare-with", CompareWith);
