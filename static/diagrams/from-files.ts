/**
 * What files of a broker do not hold, said once, in the place of the panels that would have nothing to show.
 *
 *     <eos-from-files .frame=${frame}></eos-from-files>
 */

import { html } from "lit";
import type { TemplateResult } from "lit";
import { say } from "../player/text.ts";
import { DiagramElement, section } from "./element.ts";

export class FromFiles extends DiagramElement {
  protected override show(): TemplateResult {
    return section(say("diagram.from_files.heading"), "", html`<p class="quiet">${say("diagram.from_files.lacks")}</p>`);
  }
}

customElements.define("eos-from-files", FromFiles);
