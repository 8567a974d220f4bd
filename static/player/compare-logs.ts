/**
 * The logs of two runs on a phone: for each partition a row for each run, one below the other, so that equal offsets
 * are below each other. A partition that is equal in both runs has one line. Computed from views alone.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { batchHueInLog, isOpen } from "../diagrams/instance.ts";
import { INTERNAL } from "../diagrams/internal-partitions.ts";
import { batchAt, leaderLog, serialAt } from "../diagrams/leader-log.ts";
import type { Frame, LogBatchView, ReplicaView } from "./frame.ts";
import { facts, named } from "./joins.ts";
import { say } from "./text.ts";

export const defaults = {
  /** The most offsets of a partition that are drawn. */
  offsets: 8,
};

/**
 * The first and the last offset that are drawn: the newest ones, or those from the first differing one on. For empty
 * logs, the first one is their end. `differing`: offsets at which the logs differ.
 */
export function windowOf(logs: readonly (ReplicaView | undefined)[], differing: readonly number[]): readonly [first: number, last: number] {
  const held = logs.flatMap((log) => Object.values(log?.batches ?? {}));
  if (held.length === 0) {
    const end = Math.max(0, ...logs.flatMap((log) => log?.log_end ?? []));
    return [end, end - 1];
  }
  const last = Math.max(-1, ...held.map(({ last_offset: to }) => to));
  const start = Math.min(...held.map(({ base_offset: from }) => from));
  // One offset before the first differing one is drawn, so that it is visible where the logs part.
  const first = Math.max(start, Math.min(...differing.map((offset) => offset - 1), last - defaults.offsets + 1));
  return [first, Math.min(last, first + defaults.offsets - 1)];
}

/**
 * The logs of all partitions that both runs have, without internal ones, those with rows first. `apart`: the names of
 * things that differ, as `factsApart` returns them: partitions, and their batches as `t-0 43`. `isEver`: whether a
 * partition differs at some step; it has rows at every step, so that nothing below them moves.
 */
export function twinLogs(left: Frame | undefined, right: Frame | undefined, apart: readonly string[], isEver: (partition: string) => boolean): TemplateResult | typeof nothing {
  if (left === undefined || right === undefined) return nothing;
  const names = Object.keys(left.view.partitions ?? {}).filter((name) => right.view.partitions?.[name] !== undefined && !INTERNAL.test(name));
  const inOrder = names.sort((one, other) => Number(isEver(other)) - Number(isEver(one)));
  return html`<div class="twin-logs" role="group" aria-label=${say("player.tab.lanes")}>${inOrder.map((name) => partition(name, [left, right], apart, isEver(name)))}</div>`;
}

function partition(name: string, frames: readonly [Frame, Frame], apart: readonly string[], hasRows: boolean): TemplateResult {
  const logs = frames.map((frame) => leaderLog(frame.view.partitions?.[name]));
  const differs = apart.includes(name);
  const ends = (["last_stable_offset", "high_watermark", "log_end"] as const).map((end, place) => ({ said: ["LSO", "HW", "LEO"][place] ?? "", values: logs.map((log) => String(log?.[end] ?? "–")) }));
  const heading = html`<p><b class=${differs ? "differs" : ""}>${differs ? "≠ " : ""}${name}</b> ${ends.map(({ said, values }) => html`<span class="num">${said} ${pair(values)}</span> `)}</p>`;
  const marked = markedIn(apart, name);
  const begins = new Set(markedIn(apart, name, "|"));
  if (!hasRows) return html`<section>${heading}</section>`;
  const [first, last] = windowOf(logs, marked.length > 0 ? marked : [...begins]);
  const isMarked = (offset: number): boolean => logs.some((log) => marked.includes(at(log, offset)?.base_offset ?? -1));
  const columns = Array.from({ length: defaults.offsets }, (_, index) => first + index);
  return html`<section>${heading}
    <div class="twin-rows">${frames.map((frame, side) => row(frame, logs[side], side, columns, begins))}
      <span class="quiet" aria-hidden="true"></span>${columns.map((offset) => html`<span class=${isMarked(offset) ? "at differs" : "at"}>${isMarked(offset) ? "≠" : ""}${offset > last ? nothing : offset}</span>`)}<span></span></div>
    ${readers(name, frames)}</section>`;
}

/** The values of both runs: `4 | 1`; one value if they are equal. */
function pair(values: readonly string[]): TemplateResult | string {
  return values[0] === values[1] ? values[0] ?? "" : html`<b>${values.join(" | ")}</b>`;
}

function at(log: ReplicaView | undefined, offset: number): LogBatchView | undefined {
  return batchAt(Object.values(log?.batches ?? {}), offset);
}

/** The offsets of a partition that are marked: `t-0 43`; with `sign` `|`, those at which a batch begins: `t-0 |43`. */
function markedIn(apart: readonly string[], name: string, sign = ""): number[] {
  return apart.flatMap((mark) => {
    const offset = mark.startsWith(`${name} ${sign}`) ? Number(mark.slice(name.length + 1 + sign.length)) : Number.NaN;
    return Number.isNaN(offset) ? [] : [offset];
  });
}

/** `begins`: the offsets at which a batch begins in one of the two logs only. */
function row(frame: Frame, log: ReplicaView | undefined, side: number, columns: readonly number[], begins: ReadonlySet<number>): TemplateResult {
  const stable = log?.last_stable_offset ?? -1;
  const beyond = (columns.at(-1) ?? -1) + 1;
  return html`<b>${side + 1}.</b>${columns.map((offset) => {
    const batch = at(log, offset);
    const gate = offset === stable ? " stable" : "";
    if (batch === undefined) return html`<span class=${`none${gate}`}></span>`;
    const hue = batchHueInLog(frame, batch);
    if (batch.control !== null) return html`<span class=${`flag ${hue}${gate}`} title=${batch.control}>⚑${batch.control.slice(0, 1)}</span>`;
    const serial = serialAt(batch, offset);
    const outcome = isOpen(batch) ? "open" : batch.outcome === "aborted" ? "aborted" : "";
    const joined = offset > batch.base_offset && offset > (columns[0] ?? 0) ? " joined" : "";
    const begun = offset === batch.base_offset && begins.has(offset) ? " begins" : "";
    return html`<span class=${`cell ${hue} ${outcome}${gate}${joined}${begun}`}>${serial === null ? "·" : `r${serial}`}</span>`;
  })}<span class=${stable === beyond ? "none stable" : "none"}>${(log?.log_end ?? 0) > beyond ? "…" : nothing}</span>`;
}

/** How many records each consumer of the partition received in both runs. */
function readers(name: string, frames: readonly [Frame, Frame]): TemplateResult | typeof nothing {
  const [ours, theirs] = frames.map(({ view }) => view.consumers ?? {});
  const said = Object.entries(ours ?? {}).flatMap(([reader, { positions }]) => {
    const counts = [ours, theirs].map((one) => one?.[reader]?.lanes?.[name]?.read ?? one?.[reader]?.delivered[name]?.length ?? 0);
    return name in positions ? [named(reader, say("diagram.lanes.read_count", { read: [...new Set(counts)].join(" | ") }))] : [];
  });
  return said.length === 0 ? nothing : html`<p class="quiet">${facts(said)}</p>`;
}
