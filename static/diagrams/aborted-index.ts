/**
 * The aborted index of each partition's leader: what a read_committed consumer has to skip.
 *
 *     <eos-aborted-index></eos-aborted-index>
 *     document.querySelector("eos-aborted-index").frame = frame;
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Frame } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { hasChanged } from "./changes.ts";
import { DiagramElement, section } from "./element.ts";
import { shownReplica } from "./shown-replica.ts";
import { isOfPicked, transactionOf, transactionSelection } from "./transaction-picked.ts";

export const defaults = { entries: 5 };

export interface AbortedRow {
  key: string;
  partition: string;
  producer: string;
  offsets: string;
  stable: string;
  changed: boolean;
  picked: boolean;
  /** The transactional id to which the producer id belongs; null if no client or coordinator shows it. */
  transaction: string | null;
}

/** The rows, newest first within a partition; rows beyond `most` are counted in `folded`. */
export function layoutAborted(frame: Frame, most = defaults.entries): { rows: AbortedRow[]; folded: number } {
  const rows: AbortedRow[] = [];
  let total = 0;
  for (const [partition, view] of Object.entries(frame.view.partitions ?? {}).sort(([one], [other]) => (one < other ? -1 : 1))) {
    const id = shownReplica(view);
    const replica = id === null ? undefined : view.replicas[id];
    const entries = replica?.aborted_index ?? [];
    total += entries.length + (replica?.aborted_folded ?? 0);
    const changed = id !== null && hasChanged(frame, "partitions", partition, "replicas", id, "aborted_index");
    entries.toReversed().forEach(([producer, first, marker, stable], index) => rows.push({
      key: `${partition}/${marker}`, partition, producer: String(producer),
      offsets: say("diagram.aborted.span", { first, marker }), stable: String(stable), changed: changed && index === 0,
      picked: isOfPicked(frame, { producer }), transaction: transactionOf(frame.view, producer),
    }));
  }
  rows.sort((one, other) => Number(other.changed) - Number(one.changed));
  const shown = rows.slice(0, most);
  return { rows: shown, folded: total - shown.length };
}

export class AbortedIndex extends DiagramElement {
  #producer(row: AbortedRow) {
    const { transaction } = row;
    return transaction === null ? row.producer : html`<button aria-pressed=${row.picked ? "true" : "false"} title=${transaction}
      @click=${() => this.pick(transactionSelection(transaction))}>${row.producer}</button>`;
  }

  protected override show(frame: Frame): TemplateResult | typeof nothing {
    const { rows, folded } = layoutAborted(frame);
    if (rows.length === 0) return nothing;
    return section(
      say("diagram.aborted.heading"),
      say("diagram.aborted.fact", { count: rows.length + folded }),
      html`<table><thead><tr><th>${say("diagram.groups.partition")}</th><th>PID</th><th>${say("diagram.aborted.offsets")}</th><th>${
        say("diagram.aborted.stable")}</th></tr></thead><tbody>${repeat(rows, (row) => row.key, (row) => html`<tr class="${row.changed ? "hit" : ""} ${row.picked ? "picked" : ""}"><td>${
        row.partition}</td><td>${this.#producer(row)}</td><td>${row.offsets}</td><td>${row.stable}</td></tr>`)}</tbody></table>${
        folded > 0 ? html`<p class="quiet">${say("diagram.aborted.folded", { count: folded })}</p>` : nothing}`,
    );
  }
}

customElements.define("eos-aborted-index", AbortedIndex);
