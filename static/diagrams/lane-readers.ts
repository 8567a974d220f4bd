/**
 * Below a lane: where the followers' logs end, and what each reader has read, with *hidden because*. Pure.
 *
 * The reasons are comparisons of numbers that the engine reported; nothing is derived about transactions here.
 */

import type { ConsumerView, Frame, ReplicaView } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { range } from "./batch.ts";
import { round, textWidth, wrapAtMost } from "./geometry.ts";
import type { Cells } from "./lane-cells.ts";
import { xOf } from "./lane-cells.ts";
import type { ReaderShape, TextShape } from "./lane-shapes.ts";
import { isPicked, plainly } from "./picked.ts";

/** px from a reader's line to the end of its row. */
const LINE_FOOT = 5;

export interface Hidden {
  first: number;
  last: number;
  reason: "not_replicated" | "undecided" | "not_fetched";
}

/** What lies between a reader's position and the end of the log, by reason. */
export function hiddenSpans(position: number, isolation: string, replica: ReplicaView): Hidden[] {
  const spans: Hidden[] = [];
  const stable = isolation === "read_committed" ? replica.last_stable_offset : replica.high_watermark;
  const borders: [Hidden["reason"], number][] = [
    ["not_fetched", Math.min(stable, replica.high_watermark)],
    ["undecided", replica.high_watermark],
    ["not_replicated", replica.log_end],
  ];
  let from = position;
  for (const [reason, until] of borders) {
    if (until <= from) continue;
    spans.push({ first: from, last: until - 1, reason });
    from = until;
  }
  return spans;
}

/** `13 read, none hidden`, or how many are hidden and why. */
export function readerFact(consumer: ConsumerView, partition: string, spans: Hidden[]): string {
  const read = consumer.delivered[partition]?.length ?? 0;
  if (spans.length === 0) return say("diagram.lanes.read_all", { read });
  const reasons = spans.map((span) =>
    say(`diagram.hidden.${span.reason}`, { offsets: range(span.first, span.last) }),
  );
  return say("diagram.lanes.read_some", { read, reasons: reasons.join("; ") });
}

export interface ReaderOptions {
  top: number;
  rowHeight: number;
  /** px from the cells' end to the lane's right edge. */
  right: number;
  most: number;
}

export function layoutReaders(
  frame: Frame,
  partition: string,
  replica: ReplicaView,
  cells: Cells,
  options: ReaderOptions,
): { readers: ReaderShape[]; left: string | null; twin: string[] } {
  const consumers = Object.entries(frame.view.consumers ?? {})
    .filter(([, consumer]) => partition in consumer.positions)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  const readers: ReaderShape[] = [];
  const twin: string[] = [];
  consumers.forEach(([name, consumer], index) => {
    const position = consumer.positions[partition] as number;
    const spans = hiddenSpans(position, consumer.isolation, replica);
    const fact = readerFact(consumer, partition, spans);
    twin.push(say("diagram.lanes.reader_twin", { consumer: name, isolation: consumer.isolation, position, fact }));
    if (index >= options.most) return;
    const y = options.top + index * options.rowHeight;
    const selection = plainly("actor", name);
    const end = xOf(cells, position);
    readers.push({
      key: name,
      name,
      isolation: consumer.isolation,
      y: y + options.rowHeight - LINE_FOOT,
      left: cells.left,
      right: end,
      texts: readerTexts(`${name}, ${consumer.isolation}`, fact, y, cells, replica, options),
      hidden: spans.map((span) => ({
        x: xOf(cells, span.first),
        width: round(xOf(cells, span.last + 1) - xOf(cells, span.first)),
        y: y + options.rowHeight - LINE_FOOT - 3,
        text: null,
      })).filter((span) => span.width > 4),
      picked: isPicked(frame.selection, selection),
      selection,
    });
  });
  const more = consumers.length - readers.length;
  return { readers, left: more > 0 ? say("diagram.lanes.more_readers", { count: more }) : null, twin };
}

function readerTexts(
  name: string, fact: string, y: number, cells: Cells, replica: ReplicaView, options: ReaderOptions,
): TextShape[] {
  const line = y + options.rowHeight - LINE_FOOT;
  const label: TextShape = { x: cells.left, y: line - 5, text: name, anchor: "start", style: "text ink" };
  const gates = [xOf(cells, replica.last_stable_offset), xOf(cells, replica.high_watermark)];
  const labelEnd = cells.left + textWidth(name, 12) + 3;
  if (gates.some((x) => x > cells.left - 8 && x < labelEnd)) {
    // The log is shorter than its reader's name: name and fact stand beyond the gates, on the line itself.
    const start = Math.max(...gates, cells.right) + 16;
    const whole = `${name}: ${fact}`;
    if (textWidth(whole, 12) <= options.right - start) {
      return [{ x: round(start), y: line + 4, text: whole, anchor: "start", style: "text ink" }];
    }
    return wrapAtMost(whole, options.right - start, 11, 2).map((text, index, all): TextShape => (
      { x: round(start), y: line + (all.length > 1 ? -4 : 4) + index * 12, text, anchor: "start", style: "ink" }));
  }
  const start = cells.right + 14;
  const beside = options.right - start;
  const lines = wrapAtMost(fact, beside, 11, 2);
  if (lines.join(" ").length >= fact.length - 1 && beside > 50) {
    const first = line + (lines.length === 1 ? 4 : -4);
    return [
      label,
      ...lines.map((text, index): TextShape => ({ x: start, y: first + index * 13, text, anchor: "start", style: "" })),
    ];
  }
  const after = cells.left + textWidth(`${name}  `, 12);
  const [shown] = wrapAtMost(fact, options.right - after - 8, 11, 1);
  return [label, { x: round(after + 8), y: label.y, text: shown ?? "", anchor: "start", style: "halo" }];
}

/** Marks where the followers' logs end, and one text that names them all. */
export function layoutFollowers(
  frame: Frame,
  partition: string,
  shown: string,
  cells: Cells,
  y: number,
  rightEdge: number,
): { marks: { x: number; y: number }[]; texts: TextShape[]; twin: string[] } {
  const view = frame.view.partitions?.[partition];
  const replica = view?.replicas[shown];
  const leaderEnd = replica?.log_end ?? 0;
  const byEnd = new Map<number, string[]>();
  for (const [id, follower] of Object.entries(view?.replicas ?? {})) {
    if (id === shown) continue;
    const names = byEnd.get(follower.log_end) ?? [];
    names.push(followerName(frame, view?.isr ?? [], id));
    byEnd.set(follower.log_end, names);
  }
  const ends = [...byEnd.entries()].sort(([one], [other]) => one - other);
  if (ends.length === 0) return { marks: [], texts: [], twin: [] };
  const marks = ends.map(([end]) => ({ x: xOf(cells, end), y }));
  const twin = ends.map(([end, names]) =>
    say(end > leaderEnd ? "diagram.lanes.follower_beyond" : "diagram.lanes.follower_end", { brokers: names, end }),
  );
  const text = twin.join("; ");
  const width = textWidth(text, 11);
  const first = Math.min(...marks.map((mark) => mark.x)) - 8;
  const last = Math.max(...marks.map((mark) => mark.x)) + 8;
  const gates = replica === undefined ? [] : [xOf(cells, replica.last_stable_offset), xOf(cells, replica.high_watermark)];
  const crossed = gates.some((x) => x > first - width - 4 && x < first - 2);
  const before = first - width >= 4 && !crossed;
  const [fitting = ""] = before ? [text] : wrapAtMost(text, rightEdge - last, 11, 1);
  const place: TextShape = before
    ? { x: round(first), y: y + 9, text, anchor: "end", style: "" }
    : { x: round(last), y: y + 9, text: fitting, anchor: "start", style: "" };
  return { marks, texts: [place], twin };
}

function followerName(frame: Frame, isr: readonly number[], id: string): string {
  const name = `broker-${id}`;
  const broker = frame.view.brokers?.[id];
  if (broker !== undefined && !broker.alive) return say("diagram.lanes.follower_down", { broker: name });
  return isr.includes(Number(id)) ? name : say("diagram.lanes.follower_behind", { broker: name });
}
