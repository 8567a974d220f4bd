/**
 * The things that the files of a broker do not contain, stated once in the place of the panels that would be empty. At
 * the steps of a preview, its assumptions and the command for it come first.
 *
 *     <eos-from-files .frame=${frame}></eos-from-files>
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import type { Frame } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { DiagramElement, section } from "./element.ts";
import { isPreview } from "./log-case.ts";

export class FromFiles extends DiagramElement {
  static override styles = [
    ...DiagramElement.styles,
    css`
      ul { margin: 3px 0 10px; padding: 0; list-style: none; }
      li { overflow-wrap: anywhere; margin-bottom: 3px; }
    `,
  ];

  protected override show(frame: Frame): TemplateResult {
    const step = frame.step;
    return html`${isPreview(step) ? section(say("diagram.from_files.preview"), "", html`<ul>${step.notes.map(
      (note) => html`<li>${say(note.key, note.params)}</li>`)}</ul>`) : nothing}${section(
      say("diagram.from_files.heading"), "", html`<p class="quiet">${say("diagram.from_files.lacks")}</p>`)}`;
  }
}

customElements.define("eos-from-files", FromFiles);
