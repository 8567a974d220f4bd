/**
 * The figures that an operator sees on a cluster's dashboard: before this step, after it, and the difference.
 *
 *     <eos-numbers></eos-numbers>
 *     document.querySelector("eos-numbers").frame = frame;
 *
 * Gauges are differences and counts of values in the view; counters come from the engine (docs/frame.md). A number that
 * is 0 and was 0 has no row; a line counts these numbers.
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Frame, ReplicaView, View } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { DiagramElement, folded, section } from "./element.ts";
import { shownReplica } from "./shown-replica.ts";
import { found } from "./reading.ts";

export interface NumberRow {
  key: string;
  name: string;
  was: number | null;
  now: number;
  /** Whether a dashboard would alert because of it. */
  alarming: boolean;
}

/** The names of the engine's counters, in the order of their rows. */
const COUNTERS = [
  "retries", "duplicates_answered", "refusals", "messages_lost", "messages_repeated", "batches_expired", "epochs_bumped", "questions_repeated", "marker_retries",
] as const;
const ALARMING = new Set(["under_min_isr", "no_leader"]);

type Gauge = (view: View) => number;

function leaders(view: View): ReplicaView[] {
  return Object.values(view.partitions ?? {}).flatMap((partition) => {
    const id = partition.deleted ? null : shownReplica(partition);
    const replica = id === null ? undefined : partition.replicas[id];
    return replica === undefined ? [] : [replica];
  });
}

const GAUGES: Readonly<Record<string, Gauge>> = {
  lso_lag: (view) => Math.max(0, ...leaders(view).map((replica) => replica.high_watermark - replica.last_stable_offset)),
  open_transactions: (view) => new Set(leaders(view).flatMap((replica) => Object.entries(replica.producers)
    .filter(([, producer]) => producer.transaction_first_offset !== null).map(([id]) => id))).size,
  consumer_lag: (view) => Math.max(0, ...Object.values(view.consumers ?? {}).map((consumer) =>
    Object.entries(consumer.positions).reduce((sum, [name, position]) => sum + lagBehind(view, name, position), 0))),
  out_of_sync: (view) => Object.values(view.partitions ?? {}).filter((one) => !one.deleted && one.isr.length < one.replica_order.length).length,
  under_min_isr: (view) => Object.values(view.partitions ?? {}).filter((one) => !one.deleted && one.isr.length < one.min_isr).length,
  no_leader: (view) => Object.values(view.partitions ?? {}).filter((one) => !one.deleted && one.leader === null).length,
};

function lagBehind(view: View, name: string, position: number): number {
  const partition = view.partitions?.[name];
  const id = partition === undefined ? null : shownReplica(partition);
  const end = id === null ? undefined : partition?.replicas[id]?.high_watermark;
  return end === undefined ? 0 : Math.max(0, end - position);
}

/**
 * `rows`: the numbers that differ from 0 before or after the step; `above`: how many numbers are above 0 after it;
 * `quiet`: how many are 0 before and after it, and so have no row.
 */
export function layoutNumbers(frame: Frame): { rows: NumberRow[]; above: number; quiet: number } {
  const { view, previousView: before } = frame;
  const row = (key: string, read: Gauge): NumberRow => ({
    key, name: say(`diagram.numbers.${key}`), was: before === null ? null : read(before), now: read(view), alarming: ALARMING.has(key),
  });
  const all = [
    ...Object.entries(GAUGES).map(([key, read]) => row(key, read)),
    ...COUNTERS.map((key) => row(key, (one) => one.counters?.[key] ?? 0)),
  ];
  const rows = all.filter(({ was, now }) => now !== 0 || (was ?? 0) !== 0);
  return { rows, above: rows.filter(({ now }) => now > 0).length, quiet: all.length - rows.length };
}

/** The difference of a number: `+2`, `−1`, or a dash. */
export function differenceText({ was, now }: NumberRow): string {
  const difference = was === null ? 0 : now - was;
  if (difference === 0) return "–";
  return difference > 0 ? `+${difference}` : `−${-difference}`;
}

export class Numbers extends DiagramElement {
  static override styles = [...DiagramElement.styles, css`td:not(:first-child), th:not(:first-child) { text-align: end; }`];

  protected override show(frame: Frame): TemplateResult {
    const { rows, above, quiet } = found(frame, "numbers", (whole) => layoutNumbers(whole));
    const alarming = rows.filter((row) => row.alarming && row.now > 0).length;
    const heading = say("diagram.numbers.heading");
    if (rows.length === 0) return folded(heading, say("diagram.numbers.all_zero"));
    return section(
      heading,
      alarming > 0 ? html`<span class="bad">${say("diagram.numbers.alarm", { count: alarming })}</span>` : say("diagram.numbers.fact", { count: above }),
      html`<table><thead><tr><th>${say("diagram.numbers.number")}</th><th>${say("diagram.numbers.was")}</th><th>${say("diagram.numbers.now")}</th><th>${
        say("diagram.numbers.difference")}</th></tr></thead><tbody>${repeat(rows, (row) => row.key, (row) => html`<tr class=${
        row.was !== null && row.was !== row.now ? "hit" : ""}><td>${row.name}</td><td>${row.was ?? "–"}</td><td class=${
        row.alarming && row.now > 0 ? "bad" : ""}>${row.now}${row.alarming && row.now > 0 ? " !" : nothing}</td><td>${differenceText(row)}</td></tr>`)}</tbody></table>${
        quiet > 0 ? html`<p class="quiet">${say("diagram.numbers.quiet", { count: quiet })}</p>` : nothing}`,
    );
  }
}

customElements.define("eos-numbers", Numbers);
