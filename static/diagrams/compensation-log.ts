/**
 * The compensation log: the notes of each participant for undoing its work.
 *
 *     <eos-compensation-log></eos-compensation-log>
 *     document.querySelector("eos-compensation-log").frame = frame;
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Frame } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { hasChanged } from "./changes.ts";
import { DiagramElement, section } from "./element.ts";

export const defaults = { entries: 6 };

export interface CompensationRow {
  key: string;
  node: string;
  tid: number;
  change: string;
  undone: boolean;
  changed: boolean;
}

export function layoutCompensation(frame: Frame, most = defaults.entries): { rows: CompensationRow[]; folded: number } {
  const rows = Object.entries(frame.view.middleware?.participants ?? {})
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([node, participant]) => (participant.log ?? []).map((entry, index): CompensationRow => ({
      key: `${node}/${index}`, node, tid: entry.tid, undone: entry.undone,
      change: say("diagram.compensation.change", { before: entry.before, after: entry.after }),
      changed: hasChanged(frame, "middleware", "participants", node, "log"),
    })));
  rows.sort((one, other) => Number(other.changed) - Number(one.changed) || other.tid - one.tid);
  return { rows: rows.slice(0, most), folded: Math.max(0, rows.length - most) };
}

export class CompensationLog extends DiagramElement {
  protected override show(frame: Frame): TemplateResult | typeof nothing {
    const { rows, folded } = layoutCompensation(frame);
    if (rows.length === 0) return nothing;
    return section(
      say("diagram.compensation.heading"),
      say("diagram.compensation.fact", { count: rows.length + folded }),
      html`<table><thead><tr><th>${say("diagram.roles.node")}</th><th>${say("diagram.compensation.transaction")}</th><th>${say("diagram.compensation.value")}</th><th>${
        say("diagram.compensation.undone")}</th></tr></thead><tbody>${repeat(rows, (row) => row.key, (row) => html`<tr class=${row.changed ? "hit" : ""}><td>${
        row.node}</td><td>${row.tid}</td><td>${row.change}</td><td>${row.undone ? say("diagram.yes") : say("diagram.no")}</td></tr>`)}</tbody></table>${
        folded > 0 ? html`<p class="quiet">${say("diagram.roles.folded", { count: folded })}</p>` : nothing}`,
    );
  }
}

customElements.define("eos-compensation-log", CompensationLog);
