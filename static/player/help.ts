/** `<eos-help>`: the meaning of the marks and, if there is a keyboard, every key with what it does. */

import type { TemplateResult } from "lit";
import { html } from "lit";
import { DialogElement } from "./dialogs.ts";
import type { Frame } from "./frame.ts";
import { keptArrows } from "./beat-walk.ts";
import { meaningOf } from "./key-words.ts";
import { KEYS } from "./keys.ts";
import { marks } from "./marks.ts";
import { hasKeyboard } from "./page.ts";
import type { PanelRow } from "./panels.ts";
import { isShown, PANELS } from "./panels.ts";
import { say } from "./text.ts";

/** The panels that a number key opens, in the order of the numbers. */
function keyed(frame: Frame | undefined): PanelRow[] {
  return PANELS.filter((panel) => panel.key !== "" && isShown(panel.tag, frame)).sort((one, other) => one.key.localeCompare(other.key));
}

function halves<Row>(rows: readonly Row[]): (readonly Row[])[] {
  const half = Math.ceil(rows.length / 2);
  return [rows.slice(0, half), rows.slice(half)];
}

/** A key and what it does. */
export interface KeyHelp {
  keys: string;
  means: string;
}

export class Help extends DialogElement {
  static override properties = { ...DialogElement.properties, rows: { attribute: false } };

  /** The keys of a page with other keys than the player; null: the player's keys and panels. */
  declare rows: readonly KeyHelp[] | null;

  constructor() {
    super();
    this.rows = null;
  }

  protected override render(): TemplateResult {
    if (!hasKeyboard()) return this.frameOf(say("player.marks"), this.whenOpen(() => marks(this.store?.frame)));
    return this.frameOf(say("player.help"), this.whenOpen(() => html`${marks(this.store?.frame)}${this.#keys()}`));
  }

  #keys(): TemplateResult {
    const all = this.rows ?? KEYS.map(({ keys, action }) => ({ keys, means: meaningOf(action, keptArrows()) }));
    const table = html`<h3>${say("player.guide.keys")}</h3><div class="keys">${halves(all).map((rows) => html`<table><tbody>
          ${rows.map(({ keys, means }) => html`<tr><th scope="row"><kbd>${keys}</kbd></th><td>${means}</td></tr>`)}
        </tbody></table>`)}</div>`;
    return this.rows !== null ? table : html`${table}
        <h3>${say("player.panels")}</h3>
        <p class="keyed">${keyed(this.store?.frame).map((panel) => html`<span class="nb"><kbd>${panel.key}</kbd> ${say(panel.name)}</span> `)}</p>`;
  }
}

customElements.define("eos-help", Help);
