/** The committed rows of a database, beside the logs of a compared run; marked if the other run's rows differ. */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { rowsOf } from "../stage/beside.ts";
import { DATABASE_NAME } from "../stage/beside-places.ts";
import type { Frame } from "./frame.ts";
import { say } from "./text.ts";

/** The line with the rows; empty for a run without a database. */
export function databaseLine(frame: Frame | undefined, differs: boolean): TemplateResult | typeof nothing {
  if (frame?.view.database === undefined) return nothing;
  const rows = rowsOf(frame);
  return html`<p class="rows-of ${differs ? "differs" : ""}"><b>${differs ? "≠ " : ""}${DATABASE_NAME}</b> <span>${say("stage.database.rows")}</span> ${
    rows.length === 0 ? html`<span>${say("stage.none")}</span>` : rows.map(({ said, bad }) => html`<span class=${bad ? "row bad" : "row"}>${said}</span>`)}</p>`;
}
