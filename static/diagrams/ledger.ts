/**
 * The ledger of serials: every record that an application sent, how often it is stored, what its producer was
 * told, and who read it. Once, twice, lost and uncertain are words; red only where a guarantee is broken.
 *
 *     <eos-ledger></eos-ledger>
 *     document.querySelector("eos-ledger").frame = frame;
 *
 * What counts as duplicated or lost is the judges' word (view.guarantees), not this panel's.
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Frame, PartitionView, RecordView, Selection } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { hasChanged } from "./changes.ts";
import { DiagramElement, folded, section } from "./element.ts";
import { shownReplica } from "./lanes-layout.ts";
import { isPicked } from "./picked.ts";

export const defaults = { rows: 8 };

export interface LedgerRow {
  serial: number;
  partition: string;
  stored: number;
  status: string;
  delivered: string;
  verdict: "once" | "duplicated" | "lost" | "reordered" | "uncertain" | "pending" | "absent";
  word: string;
  changed: boolean;
  picked: boolean;
  selection: Selection;
}

export interface LedgerShape {
  total: number;
  rows: LedgerRow[];
  /** Records not shown, with the range they stand in. */
  older: number;
  newer: number;
  fact: string;
  broken: boolean;
}

/** How often each serial is stored in a log; the log's own batches object is the key of the memory. */
const stored = new WeakMap<object, Map<number, number>>();

export function copies(partition: PartitionView): Map<number, number> {
  const id = shownReplica(partition);
  const batches = id === null ? undefined : partition.replicas[id]?.batches;
  if (batches === undefined) return new Map();
  let counts = stored.get(batches);
  if (counts === undefined) {
    counts = new Map();
    for (const batch of Object.values(batches)) {
      for (const serial of batch.serials) counts.set(serial, (counts.get(serial) ?? 0) + 1);
    }
    stored.set(batches, counts);
  }
  return counts;
}

const sorted = new WeakMap<Record<string, RecordView>, number[]>();

function serialsInOrder(records: Record<string, RecordView>): number[] {
  let serials = sorted.get(records);
  if (serials === undefined) {
    serials = Object.keys(records).map(Number).sort((one, other) => one - other);
    sorted.set(records, serials);
  }
  return serials;
}

/** The rows around what matters now: the selection, else what the step changed or broke, else the newest. */
export function layoutLedger(frame: Frame, most = defaults.rows, from: number | null = null): LedgerShape {
  const records = frame.view.records ?? {};
  const serials = serialsInOrder(records);
  const focus = focusSerial(frame);
  const at = focus === null ? serials.length - 1 : Math.max(0, serials.indexOf(focus));
  const start = Math.max(0, Math.min(from ?? at - Math.floor(most / 2), serials.length - most));
  const shown = serials.slice(start, start + most);
  const readers = deliveries(frame);
  const sets = brokenSets(frame);
  const rows = shown.map((serial) => row(frame, records[String(serial)] as RecordView, serial, sets, readers));
  return {
    total: serials.length,
    rows,
    older: start,
    newer: serials.length - start - shown.length,
    fact: ledgerFact(frame),
    broken: sets.some(([, broken]) => broken.size > 0),
  };
}

function focusSerial(frame: Frame): number | null {
  const selection = frame.selection;
  if (selection?.kind === "record") return Number(selection.id);
  if (selection?.serials?.[0] !== undefined) return selection.serials[0];
  const broken = frame.step?.broken.find((entry) => entry.serials.length > 0);
  if (broken?.serials[0] !== undefined) return broken.serials[0];
  for (const change of frame.step?.changes ?? []) {
    if (change.path[0] === "records" && change.path[1] !== undefined) return Number(change.path[1]);
    const after = change.after;
    if (change.path[4] === "batches" && typeof after === "object" && after !== null && !Array.isArray(after)) {
      const serials = after["serials"];
      if (Array.isArray(serials) && typeof serials[0] === "number") return serials[0];
    }
  }
  return null;
}

type Broken = [verdict: "duplicated" | "lost" | "reordered", serials: ReadonlySet<number>];

function brokenSets(frame: Frame): Broken[] {
  const guarantees = frame.view.guarantees ?? {};
  return (["duplicated", "lost", "reordered"] as const).map((name) => [name, new Set(guarantees[name]?.serials ?? [])]);
}

const delivered = new WeakMap<readonly number[], Map<number, number>>();

/** Per reader: how often each serial reached its application. */
function deliveries(frame: Frame): { name: string; of: (partition: string, serial: number) => number }[] {
  return Object.entries(frame.view.consumers ?? {}).sort(([one], [other]) => (one < other ? -1 : 1)).map(
    ([name, consumer]) => ({
      name,
      of: (partition, serial) => {
        const list = consumer.delivered[partition];
        if (list === undefined) return 0;
        let counts = delivered.get(list);
        if (counts === undefined) {
          counts = new Map();
          for (const item of list) counts.set(item, (counts.get(item) ?? 0) + 1);
          delivered.set(list, counts);
        }
        return counts.get(serial) ?? 0;
      },
    }),
  );
}

function row(
  frame: Frame, record: RecordView, serial: number, sets: Broken[], readers: ReturnType<typeof deliveries>,
): LedgerRow {
  const partition = frame.view.partitions?.[record.partition];
  const count = partition === undefined ? 0 : (copies(partition).get(serial) ?? 0);
  const verdict = verdictOf(record, serial, count, sets);
  const selection: Selection = { kind: "record", id: String(serial), partition: record.partition, serials: [serial] };
  return {
    serial,
    partition: record.partition,
    stored: count,
    status: say(`diagram.record.status.${record.status}`),
    delivered: readers.map((reader) => `${reader.name} ${reader.of(record.partition, serial)}`).join(", "),
    verdict,
    word: say(`diagram.ledger.${verdict}`, { count }),
    changed: hasChanged(frame, "records", String(serial)),
    picked: isPicked(frame.selection, selection),
    selection,
  };
}

function verdictOf(record: RecordView, serial: number, count: number, sets: Broken[]): LedgerRow["verdict"] {
  for (const [name, serials] of sets) if (serials.has(serial)) return name;
  if (record.status === "pending") return count > 0 ? "uncertain" : "pending";
  if (record.status === "unknown" || (record.status === "failed" && count > 0)) return "uncertain";
  return count > 0 ? "once" : "absent";
}

/** The verdict rows of all partitions in one line. */
function ledgerFact(frame: Frame): string {
  const sum = { stored: 0, duplicates: 0, lost: 0, failed: 0, reordered: 0 };
  for (const verdict of Object.values(frame.view.verdicts ?? {})) {
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += verdict[name];
  }
  return say("diagram.ledger.fact", sum);
}

export class Ledger extends DiagramElement {
  static override properties = { ...DiagramElement.properties, from: { state: true } };
  static override styles = [
    ...DiagramElement.styles,
    css`
      td button { min-height: 18px; width: 100%; }
      tr.broken td { color: var(--bad); font-weight: 600; }
      .page { display: flex; justify-content: space-between; margin-top: 2px; }
      h2 small.bad { color: var(--bad); font-weight: 600; }
    `,
  ];

  declare from: number | null;

  constructor() {
    super();
    this.from = null;
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has("frame")) this.from = null;
  }

  protected override show(frame: Frame): TemplateResult {
    const shape = layoutLedger(frame, defaults.rows, this.from);
    if (shape.total === 0) return folded(say("diagram.ledger.heading"), say("diagram.ledger.none"));
    const start = shape.older;
    return section(
      say("diagram.ledger.heading"),
      shape.broken ? html`<span class="bad">${shape.fact}</span>` : shape.fact,
      html`<table><thead><tr><th>${say("diagram.ledger.record")}</th><th>${say("diagram.ledger.partition")}</th><th>${say(
        "diagram.ledger.stored")}</th><th>${say("diagram.ledger.told")}</th><th>${say("diagram.ledger.read")}</th><th>${say(
        "diagram.ledger.result")}</th></tr></thead><tbody>${repeat(shape.rows, (item) => item.serial, (item) => this.#row(item))}</tbody></table>${
        shape.older + shape.newer === 0
          ? nothing
          : html`<p class="page quiet">${shape.older > 0
              ? html`<button class="link" @click=${() => { this.from = Math.max(0, start - defaults.rows); }}>${say(
                  "diagram.ledger.older", { count: shape.older })}</button>`
              : html`<span></span>`}${shape.newer > 0
              ? html`<button class="link" @click=${() => { this.from = start + defaults.rows; }}>${say(
                  "diagram.ledger.newer", { count: shape.newer })}</button>`
              : nothing}</p>`}`,
    );
  }

  #row(item: LedgerRow): TemplateResult {
    const broken = item.verdict === "duplicated" || item.verdict === "lost" || item.verdict === "reordered";
    return html`<tr class="${broken ? "broken" : ""} ${item.changed ? "hit" : ""} ${item.picked ? "picked" : ""}" @click=${() =>
      this.pick(item.selection)}><td><button aria-pressed=${item.picked ? "true" : "false"}>r${item.serial}</button></td><td>${
      item.partition}</td><td>${item.stored}</td><td>${item.status}</td><td>${item.delivered || "–"}</td><td>${item.word}</td></tr>`;
  }
}

customElements.define("eos-ledger", Ledger);
