/** `<eos-help>`: every key and what it does, and what the marks mean. */

import type { TemplateResult } from "lit";
import { html } from "lit";
import { DialogElement } from "./dialogs.ts";
import type { Frame } from "./frame.ts";
import { KEYS } from "./keys.ts";
import type { KeyRow } from "./keys.ts";
import type { PanelRow } from "./panels.ts";
import { isShown, PANELS } from "./panels.ts";
import { Small } from "./small.ts";
import { say } from "./text.ts";

/** The panels that a number key opens, by their number. */
function keyed(frame: Frame | undefined): PanelRow[] {
  return PANELS.filter((panel) => panel.key !== "" && isShown(panel.tag, frame)).sort((one, other) => one.key.localeCompare(other.key));
}

/** Without the key in brackets, which a tooltip needs. */
function meaning({ action }: KeyRow): string {
  return say(`player.key.${action}`).replace(/\s*[(（][^()（）]*[)）]$/u, "");
}

function halves<Row>(rows: readonly Row[]): (readonly Row[])[] {
  const half = Math.ceil(rows.length / 2);
  return [rows.slice(0, half), rows.slice(half)];
}

export class Help extends DialogElement {
  readonly #small = new Small(this);

  /** A telephone has no keys: what the marks mean comes first there. */
  protected override render(): TemplateResult {
    return this.frameOf(say("player.help"), this.whenOpen(() => (this.#small.matches ? html`${this.#marks()}${this.#keys()}` : html`${this.#keys()}${this.#marks()}`)));
  }

  #keys(): TemplateResult {
    return html`<div class="keys">${halves(KEYS).map((rows) => html`<table><tbody>
          ${rows.map((row) => html`<tr><th scope="row"><kbd>${row.keys}</kbd></th><td>${meaning(row)}</td></tr>`)}
        </tbody></table>`)}</div>
        <h3>${say("player.panels")}</h3>
        <p class="keyed">${keyed(this.store?.frame).map((panel) => html`<span class="nb"><kbd>${panel.key}</kbd> ${say(panel.name)}</span> `)}</p>`;
  }

  #marks(): TemplateResult {
    return html`<h3>${say("player.marks")}</h3>
        <dl class="marks">${MARKS.map((mark) => html`<dt>${say(`player.mark.${mark}`)}</dt><dd>${say(`player.mark.${mark}.means`)}</dd>`)}</dl>`;
  }
}

/** What the marks of every picture mean, under `player.mark.`. */
export const MARKS = ["hue", "line", "flag", "gates", "yellow", "outline", "inverted", "red", "cross", "dotted"];

customElements.define("eos-help", Help);
