/**
 * The table of all records. A strip has one mark per record that an application sent. Below it, the records that matter
 * at this step have a row each: how often the record is stored, which result its producer received, and which consumers
 * read it. Only a broken guarantee is red.
 *
 *     <eos-ledger></eos-ledger>
 *     document.querySelector("eos-ledger").frame = frame;
 *
 * The engine's judges decide what counts as duplicated or lost (view.guarantees), not this panel.
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { foldedRecords, isRecordFolded } from "../player/folded.ts";
import type { FoldedRecords, Frame, LogBatchView, RecordView, Selection } from "../player/frame.ts";
import { facts, listed } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { brokenRecords } from "./broken-records.ts";
import { changesAt, hasChanged } from "./changes.ts";
import { DiagramElement, folded, section } from "./element.ts";
import { shownReplica } from "./shown-replica.ts";
import { isPicked } from "./picked.ts";
import { found } from "./reading.ts";
import { Slots } from "./slots.ts";

export const defaults = { chips: 44, rows: 3 };

export interface LedgerRow {
  serial: number;
  partition: string;
  stored: number;
  status: string;
  /** The consumers that received it, and how often; empty while none has. */
  delivered: string;
  verdict: "once" | "duplicated" | "lost" | "reordered" | "uncertain" | "pending" | "absent";
  word: string;
  changed: boolean;
  picked: boolean;
  selection: Selection;
}

export interface LedgerShape {
  total: number;
  /** One mark per record, for one page of the strip. */
  chips: LedgerRow[];
  /** The rows of selected, changed or broken records. */
  rows: LedgerRow[];
  rowsFolded: number;
  /** The number of records before and after the page of marks. */
  older: number;
  newer: number;
  fact: string;
  broken: boolean;
}

/** The batches of a partition's log that the lanes show: the leader's or, without a leader, the longest. */
function batchesOf(frame: Frame, partition: string): Record<string, LogBatchView> | undefined {
  return found(frame, `batches ${partition}`, ({ view }) => {
    const of = view.partitions?.[partition];
    const id = of === undefined ? null : shownReplica(of);
    return id === null ? undefined : of?.replicas[id]?.batches;
  });
}

/** The batches of a log → the result of `copiesIn` for them. Views are never mutated, so it stays true. */
const counted = new WeakMap<object, ReadonlyMap<number, number>>();

/** Serial → how many batches of a log hold the record. */
function copiesIn(batches: Record<string, LogBatchView>): ReadonlyMap<number, number> {
  let known = counted.get(batches);
  if (known === undefined) {
    const counts = new Map<number, number>();
    for (const { serials } of Object.values(batches)) {
      for (const serial of serials) counts.set(serial, (counts.get(serial) ?? 0) + 1);
    }
    counted.set(batches, counts);
    known = counts;
  }
  return known;
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

/**
 * The content of the panel. The strip shows the page of marks that begins at the record `from`; if `from` is null, the
 * page around the selected record, else around one that the step changed or broke, else the newest page.
 */
export function layoutLedger(
  frame: Frame, options: { chips: number; rows: number } = defaults, from: number | null = null,
): LedgerShape {
  const records = frame.view.records ?? {};
  const serials = serialsInOrder(records);
  const { stretches } = foldedRecords(frame.view);
  const total = serials.length + foldedBefore(stretches, Number.POSITIVE_INFINITY);
  const focus = found(frame, "focus", focusSerial);
  const placeOf = (index: number): number => index + foldedBefore(stretches, serials[index] ?? Number.POSITIVE_INFINITY);
  const at = from !== null
    ? serials.findIndex((_, index) => placeOf(index) >= from)
    : focus === null ? serials.length - 1 : serials.findIndex((serial) => serial >= focus);
  const run = runAround(stretches, serials, at < 0 ? serials.length - 1 : at);
  const most = options.chips;
  const start = Math.max(run.start, Math.min(from === null ? run.at - Math.floor(most / 2) : run.at, run.end - most));
  const shown = serials.slice(start, Math.min(start + most, run.end));
  const older = serials.length === 0 ? 0 : placeOf(start);
  const readers = deliveries(frame);
  const sets = brokenSets(frame);
  const make = (serial: number): LedgerRow => row(frame, records[String(serial)] as RecordView, serial, sets, readers);
  const named = found(frame, "named", (whole) => namedSerials(whole, brokenSets(whole))).filter((serial) => String(serial) in records || isRecordFolded(frame.view, serial));
  const rows = named.filter((serial) => String(serial) in records).slice(0, options.rows);
  return {
    total,
    chips: shown.map(make),
    rows: rows.map(make),
    rowsFolded: named.length - rows.length,
    older,
    newer: total - older - shown.length,
    fact: ledgerFact(frame),
    broken: sets.some(([, broken]) => broken.size > 0),
  };
}

type Stretches = FoldedRecords["stretches"];

/** The number of records that the view leaves out and whose serials are below this one. */
function foldedBefore(stretches: Stretches, serial: number): number {
  return stretches.reduce((sum, [, last, records]) => sum + (last < serial ? records : 0), 0);
}

/**
 * The listed records around index `at` among which the view leaves none out, as indexes: from `start` up to but not
 * including `end`.
 */
function runAround(stretches: Stretches, serials: readonly number[], at: number): { start: number; at: number; end: number } {
  const middle = serials[at] ?? 0;
  const before = stretches.findLast(([, last]) => last < middle)?.[1] ?? Number.NEGATIVE_INFINITY;
  const after = stretches.find(([first]) => first > middle)?.[0] ?? Number.POSITIVE_INFINITY;
  const end = serials.findIndex((serial) => serial > after);
  return { start: before === Number.NEGATIVE_INFINITY ? 0 : serials.findIndex((serial) => serial > before), at, end: end < 0 ? serials.length : end };
}

/**
 * Serials of the records that get a row: selected, broken in this step, changed in it, broken before. Each once, in
 * this order.
 */
function namedSerials(frame: Frame, sets: Broken[]): number[] {
  const named = new Set<number>();
  const selection = frame.selection;
  if (selection?.kind === "record") named.add(Number(selection.id));
  for (const serial of selection?.serials ?? []) named.add(serial);
  for (const broken of frame.step?.broken ?? []) for (const serial of broken.serials) named.add(serial);
  for (const change of changesAt(frame, "records")) {
    if (change.path[0] === "records" && change.path[1] !== undefined) named.add(Number(change.path[1]));
  }
  for (const [, broken] of sets) for (const serial of broken) named.add(serial);
  return [...named];
}

function focusSerial(frame: Frame): number | null {
  const selection = frame.selection;
  if (selection?.kind === "record") return Number(selection.id);
  if (selection?.serials?.[0] !== undefined) return selection.serials[0];
  const broken = frame.step?.broken.find((entry) => entry.serials.length > 0);
  if (broken?.serials[0] !== undefined) return broken.serials[0];
  const isAbout = hasChanged(frame, "records") || hasChanged(frame, "partitions");
  for (const change of isAbout ? (frame.step?.changes ?? []) : []) {
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
  return (["duplicated", "lost", "reordered"] as const).map((name) => [name, brokenRecords(frame, name)]);
}

const delivered = new WeakMap<readonly number[], Map<number, number>>();

/** For each consumer: how often each serial reached its application. */
function deliveries(frame: Frame): { name: string; of: (partition: string, serial: number) => number }[] {
  const read = found(frame, "delivered", ({ view }) =>
    Object.entries(view.consumers ?? {}).sort(([one], [other]) => (one < other ? -1 : 1)).map(([name, consumer]) => [name, consumer.delivered] as const));
  return read.map(
    ([name, lists]) => ({
      name,
      of: (partition, serial) => {
        const list = lists[partition];
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
  const batches = batchesOf(frame, record.partition);
  const count = batches === undefined ? 0 : (copiesIn(batches).get(serial) ?? 0);
  const verdict = verdictOf(record, serial, count, sets);
  const selection: Selection = { kind: "record", id: String(serial), partition: record.partition, serials: [serial] };
  return {
    serial,
    partition: record.partition,
    stored: count,
    status: say(`diagram.record.status.${record.status}`),
    delivered: listed(readers.map(({ name, of }) => [name, of(record.partition, serial)] as const)
      .filter(([, times]) => times > 0).map(([name, times]) => `${name} ${times}`)),
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

/** The fact in the heading: the sum of the verdicts of all partitions. */
function ledgerFact(frame: Frame): string {
  const sum = { stored: 0, duplicates: 0, lost: 0, failed: 0, reordered: 0 };
  for (const verdict of Object.values(frame.view.verdicts ?? {})) {
    for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += verdict[name];
  }
  const broken = (["duplicates", "lost", "reordered", "failed"] as const).filter((name) => sum[name] > 0);
  const rest = broken.length === 0
    ? say("diagram.ledger.none_broken")
    : facts(broken.map((name) => say(`diagram.ledger.count_${name}`, { count: sum[name] })));
  return say("diagram.ledger.fact", { stored: sum.stored, rest });
}

export class Ledger extends DiagramElement {
  static override properties = { ...DiagramElement.properties, from: { state: true } };
  static override styles = [
    ...DiagramElement.styles,
    css`
      td button { line-height: 18px; width: 100%; }
      table :is(td, th) { padding-inline: 4px 2px; }
      th { text-wrap: balance; }
      th:not(:nth-child(4)) { white-space: nowrap; }
      td:nth-child(5) { overflow-wrap: anywhere; }
      tr.broken td { color: var(--bad); font-weight: 600; }
      .chips { display: flex; flex-wrap: wrap; gap: 2px; margin-top: 3px; }
      .chip { min-width: 25px; height: 20px; padding: 0 2px; border: 1.5px solid var(--ink-2); border-radius: 3px; text-align: center;
        font-size: var(--t-mark); line-height: 16px; background: var(--raise); font-variant-numeric: tabular-nums; }
      .chip sup { font-size: .75em; line-height: 0; }
      .chip.pending, .chip.uncertain { border-style: dashed; }
      .chip.pending { color: var(--ink-2); background: none; }
      .chip.absent { border-style: dotted; text-decoration: line-through; }
      .chip.duplicated, .chip.reordered, .chip.lost { border: 2px solid var(--bad); color: var(--bad); font-weight: 700; }
      .chip.lost { text-decoration: line-through; }
      .chip.fresh { background: var(--now); }
      .page { display: flex; justify-content: space-between; margin-top: 2px; }
      h2 small.bad { color: var(--bad); font-weight: 600; }
    `,
  ];

  declare from: number | null;
  readonly #chips = new Slots<number>();
  readonly #rows = new Slots<number>();

  constructor() {
    super();
    this.from = null;
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    const before = changed.get("frame") as Frame | undefined;
    // The panel stays on its page if the same step comes again with more of the parts that lie far back.
    const isSamePlace = before !== undefined && before.step === this.frame?.step && before.selection === this.frame?.selection;
    if (changed.has("frame") && !isSamePlace) this.from = null;
  }

  protected override show(frame: Frame): TemplateResult {
    const shape = layoutLedger(frame, defaults, this.from);
    const chips = this.#chips.keysFor(shape.chips.map((item) => item.serial));
    if (shape.total === 0) return folded(say("diagram.ledger.heading"), say("diagram.ledger.none"));
    return section(
      say("diagram.ledger.heading"),
      shape.broken ? html`<span class="bad">${shape.fact}</span>` : shape.fact,
      html`<div class="chips" role="group" aria-label=${say("diagram.ledger.heading")}>${repeat(
        shape.chips,
        (_, index) => chips[index],
        (item) => this.#chip(item),
      )}</div>${this.#pages(shape)}${shape.rows.length === 0 ? nothing : this.#table(shape)}`,
    );
  }

  #pages(shape: LedgerShape): TemplateResult | typeof nothing {
    if (shape.older + shape.newer === 0) return nothing;
    const back = (): void => this.#turnTo(Math.max(0, shape.older - defaults.chips));
    const on = (): void => this.#turnTo(shape.older + shape.chips.length);
    return html`<p class="page quiet">${shape.older > 0
      ? html`<button class="link" @click=${back}>${say("diagram.ledger.older", { count: shape.older })}</button>`
      : html`<span></span>`}${shape.newer > 0
      ? html`<button class="link" @click=${on}>${say("diagram.ledger.newer", { count: shape.newer })}</button>`
      : nothing}</p>`;
  }

  #turnTo(from: number): void {
    this.from = from;
    const frame = this.frame;
    if (frame !== undefined && layoutLedger(frame, defaults, from).older > from) this.lookBack();
  }

  #chip(item: LedgerRow): TemplateResult {
    const name = say("diagram.ledger.name", {
      serial: item.serial, partition: item.partition, result: item.word, status: item.status, copies: item.stored,
    });
    const copies = item.stored > 1 ? html`<sup>×${item.stored}</sup>` : nothing;
    return html`<button class="chip ${item.verdict} ${item.changed ? "fresh" : ""} ${item.picked ? "picked" : ""}" title=${name}
      aria-label=${name} aria-pressed=${item.picked ? "true" : "false"} @click=${() => this.pick(item.selection)}>${item.serial}${copies}</button>`;
  }

  #table(shape: LedgerShape): TemplateResult {
    const rows = this.#rows.keysFor(shape.rows.map((item) => item.serial));
    return html`<table><thead><tr><th>${say("diagram.ledger.record")}</th><th>${say("diagram.ledger.partition")}</th><th>${say(
      "diagram.ledger.stored")}</th><th>${say("diagram.ledger.reported")}</th><th>${say("diagram.ledger.read")}</th><th>${say(
      "diagram.ledger.result")}</th></tr></thead><tbody>${repeat(shape.rows, (_, index) => rows[index], (item) => this.#row(item))}</tbody></table>${
      shape.rowsFolded > 0 ? html`<p class="quiet">${say("diagram.ledger.more", { count: shape.rowsFolded })}</p>` : nothing}`;
  }

  #row(item: LedgerRow): TemplateResult {
    const broken = item.verdict === "duplicated" || item.verdict === "lost" || item.verdict === "reordered";
    return html`<tr class="${broken ? "broken" : ""} ${item.changed ? "hit" : ""} ${item.picked ? "picked" : ""}" @click=${() =>
      this.pick(item.selection)}><td><button aria-pressed=${item.picked ? "true" : "false"}>r${item.serial}</button></td><td>${
      item.partition}</td><td>${item.stored}</td><td>${item.status}</td><td>${item.delivered || "–"}</td><td>${item.word}</td></tr>`;
  }
}

customElements.define("eos-ledger", Ledger);
