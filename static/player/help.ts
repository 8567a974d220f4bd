/** `<eos-help>`: every key and what it does, and what the marks mean. */

import type { TemplateResult } from "lit";
import { html } from "lit";
import { DialogElement } from "./dialogs.ts";
import type { Frame } from "./frame.ts";
import { KEYS } from "./keys.ts";
import type { PanelRow } from "./panels.ts";
import { isShown, PANELS } from "./panels.ts";
import { say } from "./text.ts";

/** The panels that a number key opens, by their number. */
function keyed(frame: Frame | undefined): PanelRow[] {
  return PANELS.filter((panel) => panel.key !== "" && isShown(panel.tag, frame)).sort((one, other) => one.key.localeCompare(other.key));
}

export class Help extends DialogElement {
  protected override render(): TemplateResult {
    return this.frameOf(
      say("player.help"),
      this.whenOpen(() => html`<table class="keys"><tbody>
          ${KEYS.map((row) => html`<tr><th scope="row"><kbd>${row.keys}</kbd></th><td>${say(`player.key.${row.action}`)}</td></tr>`)}
        </tbody></table>
        <h3>${say("player.panels")}</h3>
        <p>${keyed(this.store?.frame).map((panel) => html`<span class="nb"><kbd>${panel.key}</kbd> ${say(panel.name)}</span> `)}</p>
        <h3>${say("player.marks")}</h3>
        <dl class="marks">${MARKS.map((mark) => html`<dt>${say(`player.mark.${mark}`)}</dt><dd>${say(`player.mark.${mark}.means`)}</dd>`)}</dl>`),
    );
  }
}

/** What the marks of every picture mean, under `player.mark.`. */
export const MARKS = ["hue", "line", "flag", "gates", "yellow", "outline", "inverted", "red", "cross", "dotted"];

customElements.define("eos-help", Help);
