/**
 * The leader's state of each producer: epoch, last sequence and the cached batches, newest last.
 *
 *     <eos-producer-table></eos-producer-table>
 *     document.querySelector("eos-producer-table").frame = frame;
 *
 * The producer that the step is about is unfolded; the cached batch that equals the arriving one is highlighted.
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Frame, ReplicaView, Selection } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { arrivedNow } from "./lane-arrived.ts";
import { range } from "./batch.ts";
import { hasChanged, was } from "./changes.ts";
import { disagreementsAt } from "./disagreements.ts";
import { DiagramElement, folded, section } from "./element.ts";
import { INTERNAL } from "./internal-partitions.ts";
import { shownReplica } from "./shown-replica.ts";
import { isLogCase } from "./log-case.ts";
import { partitionIn } from "./about.ts";
import { isPicked } from "./picked.ts";
import { found } from "./reading.ts";
import { isOfPicked } from "./transaction-picked.ts";

export const defaults = { producers: 5 };

export interface CachedRow {
  key: string;
  sequences: string;
  offsets: string;
  timestamp: string;
  note: string;
  hit: boolean;
  fresh: boolean;
  picked: boolean;
  selection: Selection;
}

export interface ProducerRow {
  producerId: string;
  identity: string;
  lastSequence: string;
  lastWas: string | null;
  cached: number;
  openSince: string;
  changed: boolean;
  picked: boolean;
}

export interface ProducerTableShape {
  partition: string;
  replica: string;
  /** The producer whose cache is shown. */
  open: string | null;
  cache: CachedRow[];
  producers: ProducerRow[];
  folded: number;
  remark: string | null;
  /** Sentences about differences between this state and that of the producers, although no request is in flight. */
  differs: string[];
}

export function layoutProducerTable(
  frame: Frame, partition: string, options: { open: string | null; producers: number } = { open: null, ...defaults },
): ProducerTableShape | null {
  const view = frame.view.partitions?.[partition];
  const id = view === undefined ? null : shownReplica(view);
  const replica = id === null ? undefined : view?.replicas[id];
  if (id === null || replica === undefined) return null;
  const arrived = arrivedNow(frame, partition, id);
  const path = ["partitions", partition, "replicas", id, "producers"];
  const ids = Object.keys(replica.producers).sort((one, other) => compareIds(one, other));
  const named = [
    arrived?.producerId === undefined ? null : String(arrived.producerId),
    options.open,
    ids.find((producer) => hasChanged(frame, ...path, producer)) ?? null,
    ids[0] ?? null,
  ];
  const open = named.find((producer) => producer !== null && producer in replica.producers) ?? null;
  const cache = open === null ? [] : cacheRows(frame, partition, id, replica, open, arrived);
  const rows = ids.map((producer) => producerRow(frame, replica, path, producer));
  const kept = rows.filter((row, index) => index < options.producers || row.producerId === open || row.changed);
  return {
    partition,
    replica: isLogCase(frame) ? "" : `broker-${id}`,
    open,
    cache,
    producers: kept,
    folded: rows.length - kept.length,
    remark: remark(cache, arrived?.fate ?? null),
    differs: id === String(view?.leader) ? found(frame, `disagreements ${partition}`, (whole) => disagreementsAt(whole, partition)) : [],
  };
}

function compareIds(one: string, other: string): number {
  const left = BigInt(one);
  const right = BigInt(other);
  return left < right ? -1 : left > right ? 1 : 0;
}

function cacheRows(
  frame: Frame, partition: string, replicaId: string, replica: ReplicaView, producer: string,
  arrived: ReturnType<typeof arrivedNow>,
): CachedRow[] {
  const entry = replica.producers[producer];
  if (entry === undefined) return [];
  const previous = found(frame, "cached before", ({ previousView }) => previousView?.partitions?.[partition]?.replicas[replicaId]?.producers[producer]?.batches ?? []);
  const mine = String(arrived?.producerId) === producer && arrived?.epoch === entry.producer_epoch;
  return entry.batches.map(([first, last, offset, lastOffset, timestamp], index): CachedRow => {
    const hit = mine && (arrived?.fate === "duplicate" || arrived?.fate === "appended") && arrived.first === first && arrived.last === last;
    const selection: Selection = {
      kind: "batch", id: `${partition}/${offset}`, partition, serials: [...(replica.batches[String(offset)]?.serials ?? [])],
    };
    const newest = index === entry.batches.length - 1;
    const fresh = !previous.some((cached) => cached[2] === offset);
    return {
      key: String(offset),
      // A coordinator's records have sequence −1. Kafka computes their first one by counting back from it, which wraps
      // to the greatest number, so no numbers are shown.
      sequences: last === -1 ? say("diagram.none") : range(first, last),
      offsets: range(offset, lastOffset),
      timestamp: say("diagram.at", { at: timestamp }),
      note: hit && arrived?.fate === "duplicate"
        ? say("diagram.producers.same")
        : fresh && previous.length > 0 ? say("diagram.producers.new") : newest ? say("diagram.producers.newest") : "",
      hit,
      fresh,
      picked: isPicked(frame.selection, selection),
      selection,
    };
  });
}

function producerRow(frame: Frame, replica: ReplicaView, path: string[], producer: string): ProducerRow {
  const entry = replica.producers[producer] as ReplicaView["producers"][string];
  const newest = entry.batches[entry.batches.length - 1];
  const changed = hasChanged(frame, ...path, producer);
  return {
    producerId: producer,
    identity: `${producer}·${entry.producer_epoch}`,
    lastSequence: newest === undefined ? say("diagram.none") : String(newest[1]),
    lastWas: was(frame, ...path, producer, "producer_epoch"),
    cached: entry.batches.length,
    openSince: entry.transaction_first_offset === null ? say("diagram.none") : String(entry.transaction_first_offset),
    changed,
    picked: isOfPicked(frame, { producer }),
  };
}

/**
 * Whether a replica of the partition has the state of a producer. Of the internal topics, only `__consumer_offsets` has
 * such states, of producers whose transactions commit offsets.
 */
function isTransactional(frame: Frame, partition: string): boolean {
  const view = frame.view.partitions?.[partition];
  return Object.values(view?.replicas ?? {}).some((replica) => Object.keys(replica.producers).length > 0);
}

/**
 * For a duplicate, a sentence that says how many cached batches are older than the equal one, and so will be dropped
 * before it: this is why five cached batches are enough for five requests in flight. Null for any other batch.
 */
function remark(cache: CachedRow[], fate: string | null): string | null {
  const index = cache.findIndex((row) => row.hit);
  if (fate !== "duplicate" || index < 0) return null;
  return index === 0 && cache.length > 1
    ? say("diagram.producers.oldest", { count: cache.length })
    : say("diagram.producers.behind", { count: index, cached: cache.length });
}

export class ProducerTable extends DiagramElement {
  static override properties = { ...DiagramElement.properties, open: { state: true } };
  static override styles = [
    ...DiagramElement.styles,
    css`
      td button { line-height: 18px; width: 100%; }
      .remark { margin-top: 4px; }
    `,
  ];

  declare open: string | null;
  #partition: string | null = null;

  constructor() {
    super();
    this.open = null;
  }

  /**
   * The partition that the panel shows: the one that the step or the selection is about, unless it is an internal one
   * without producers; then the panel stays at the partition before.
   */
  #follow(frame: Frame): string | null {
    this.#partition = found(frame, "partition", (whole, last) => {
      const now = partitionIn(whole);
      const isData = now !== null && (!INTERNAL.test(now) || isTransactional(whole, now));
      return (isData ? now : last) ?? whole.header.partitions[0] ?? null;
    }, this.#partition);
    return this.#partition;
  }

  protected override show(frame: Frame): TemplateResult {
    const partition = this.#follow(frame);
    const shape = partition === null ? null : layoutProducerTable(frame, partition, { open: this.open, ...defaults });
    if (shape === null) return folded(say("diagram.producers.heading"), say("diagram.producers.no_log"));
    const differs = shape.differs.map((text) => html`<p class="differs">≠ ${text}</p>`);
    if (shape.producers.length === 0) {
      return html`${folded(say("diagram.producers.heading_of", { partition: shape.partition }), say("diagram.producers.none"))}${differs}`;
    }
    return html`${section(
      say("diagram.producers.cache"),
      html`${say("diagram.producers.cache_fact", {
        identity: shape.producers.find((row) => row.producerId === shape.open)?.identity ?? "", partition: shape.partition,
      })}${differs.length > 0 ? html` <b title=${shape.differs.join(" ")}>≠</b>` : nothing}`,
      html`${differs}${shape.cache.length === 0
        ? html`<p class="quiet">${say("diagram.producers.cache_empty")}</p>`
        : html`<table><thead><tr><th>${say("diagram.producers.sequences")}</th><th>${say("diagram.producers.offsets")}</th><th>${say(
            "diagram.producers.timestamp")}</th><th><span class="quiet">${shape.replica}</span></th></tr></thead><tbody>${repeat(
            shape.cache,
            (row) => row.key,
            (row) => html`<tr class="${row.hit ? "hit" : ""} ${row.picked ? "picked" : ""}" @click=${() => this.pick(row.selection)}><td><button
              aria-pressed=${row.picked ? "true" : "false"}>${row.sequences}</button></td><td>${row.offsets}</td><td>${row.timestamp}</td><td>${
              row.note}</td></tr>`,
          )}</tbody></table>${shape.remark === null ? nothing : html`<p class="remark">${shape.remark}</p>`}`}`,
    )}${shape.producers.length > 1 || shape.folded > 0 ? this.#producers(shape) : nothing}`;
  }

  #producers(shape: ProducerTableShape): TemplateResult {
    return section(
      say("diagram.producers.heading_of", { partition: shape.partition }),
      shape.folded > 0 ? say("diagram.producers.folded", { count: shape.folded }) : String(shape.producers.length),
      html`<table><thead><tr><th>PID·epoch</th><th>${say("diagram.producers.last")}</th><th>${say("diagram.producers.cached")}</th><th>${say(
        "diagram.producers.open_since")}</th></tr></thead><tbody>${repeat(
        shape.producers,
        (row) => row.producerId,
        (row) => html`<tr class="${row.changed ? "hit" : ""} ${row.picked ? "picked" : ""}"><td><button aria-pressed=${row.producerId === shape.open ? "true" : "false"}
          @click=${() => { this.open = row.producerId; }}>${row.identity}</button>${
          row.lastWas === null ? nothing : html` <span class="was">${row.lastWas}</span>`}</td><td>${row.lastSequence}</td><td>${
          row.cached}</td><td>${row.openSince}</td></tr>`,
      )}</tbody></table>`,
    );
  }
}

customElements.define("eos-producer-table", ProducerTable);
