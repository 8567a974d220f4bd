/**
 * The internal logs, each as a row of its records: images of transactional ids, or offsets of groups. The newest record
 * is on the right.
 *
 *     <eos-internal-log></eos-internal-log>
 *     document.querySelector("eos-internal-log").frame = frame;
 *
 * The logs to which the step wrote are unfolded; if it wrote to none, the one that was unfolded before. A folded log
 * names only its newest record. A record that is not replicated yet is dashed, because it is not in force. A tombstone
 * is crossed out.
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Frame, Json, LogBatchView, ReplicaView } from "../player/frame.ts";
import { foldedLog, recordsIn } from "../player/folded.ts";
import { say } from "../player/text.ts";
import { hasChanged, isNew } from "./changes.ts";
import { DiagramElement, section } from "./element.ts";
import { INTERNAL } from "./internal-partitions.ts";
import { shownReplica } from "./shown-replica.ts";
import { plainly } from "./picked.ts";
import { isOfPicked, transactionOf, transactionSelection } from "./transaction-picked.ts";

export const defaults = { images: 3, tapes: 4, open: 2 };

export interface ImageShape {
  key: string;
  offset: number;
  lines: string[];
  /** Whether the record is not below the high watermark yet. */
  pending: boolean;
  tombstone: boolean;
  fresh: boolean;
  picked: boolean;
  /** The transactional id of the image, or of the transaction that would commit the offset; null: none. */
  transaction: string | null;
}

export interface TapeShape {
  partition: string;
  leader: string;
  images: ImageShape[];
  folded: number;
  changed: boolean;
  open: boolean;
}

/**
 * One row ("tape") per internal partition that has content, the unfolded ones first. `folded`: the number of tapes
 * beyond `options`. `last`: the partition that was unfolded before.
 */
export function layoutTapes(frame: Frame, last: string | null = null, options = defaults): { tapes: TapeShape[]; folded: number } {
  const names = Object.keys(frame.view.partitions ?? {}).filter((name) => INTERNAL.test(name)).sort();
  const tapes = names.map((name) => layoutTape(frame, name, options.images)).filter((tape) => tape !== null);
  const chosen = tapes.some((tape) => tape.changed)
    ? tapes.filter((tape) => tape.changed)
    : tapes.filter((tape, index) => (tapes.some((one) => one.partition === last) ? tape.partition === last : index === 0));
  for (const tape of chosen.slice(0, options.open)) tape.open = true;
  tapes.sort((one, other) => Number(other.open) - Number(one.open));
  return { tapes: tapes.slice(0, options.tapes), folded: Math.max(0, tapes.length - options.tapes) };
}

function layoutTape(frame: Frame, partition: string, most: number): TapeShape | null {
  const view = frame.view.partitions?.[partition];
  const id = view === undefined ? null : shownReplica(view);
  const replica = id === null ? undefined : view?.replicas[id];
  if (id === null || view === undefined || replica === undefined) return null;
  const path = ["partitions", partition, "replicas", id, "batches"];
  const batches = Object.entries(replica.batches).sort(([one], [other]) => Number(other) - Number(one));
  if (batches.length === 0) return null;
  const images: ImageShape[] = [];
  let records = recordsIn(foldedLog(frame.view, partition, id));
  for (const [key, batch] of batches) {
    records += batch.control === null ? (batch.content?.keys.length ?? 0) : 1;
    // Only the shown images are laid out, because a log may have thousands of batches.
    if (images.length < most) images.push(...imagesOf(frame, batch, replica, isNew(frame, ...path, key)));
  }
  const shown = images.slice(0, most).reverse();
  return {
    partition,
    leader: view.leader === null ? say("diagram.none") : `broker-${view.leader}`,
    images: shown,
    folded: records - shown.length,
    changed: hasChanged(frame, ...path) || hasChanged(frame, "partitions", partition, "replicas", id, "high_watermark"),
    open: false,
  };
}

/** The images in a batch, newest first. */
function imagesOf(frame: Frame, batch: LogBatchView, replica: ReplicaView, fresh: boolean): ImageShape[] {
  const pending = batch.last_offset >= replica.high_watermark;
  const owner = transactionOf(frame.view, batch.producer_id);
  const common = { pending, fresh, tombstone: false, transaction: owner, picked: isOfPicked(frame, { transaction: owner }) };
  if (batch.control !== null) {
    return [{ ...common, key: String(batch.base_offset), offset: batch.base_offset, lines: [batch.control, `${batch.producer_id}·${batch.producer_epoch}`] }];
  }
  const content = batch.content;
  if (content === undefined) return [];
  return content.keys.map((name, index) => {
    const value = content.values[index] ?? null;
    const offset = batch.base_offset + (content.offset_deltas?.[index] ?? index);
    const image: ImageShape = { ...common, key: String(offset), offset, tombstone: value === null, lines: linesOf(name, value, batch) };
    return typeof name === "string" ? { ...image, transaction: name, picked: isOfPicked(frame, { transaction: name }) } : image;
  }).reverse();
}

function linesOf(name: Json, value: Json, batch: LogBatchView): string[] {
  const title = Array.isArray(name) ? name.join(" ") : String(name);
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [title, say("diagram.internal_log.tombstone")];
  if ("state" in value) {
    const partitions = Array.isArray(value["partitions"]) ? value["partitions"].length : 0;
    return [
      title, String(value["state"]), `${String(value["producer_id"])}·${String(value["producer_epoch"])}`,
      say("diagram.internal_log.partitions", { count: partitions }),
    ];
  }
  const lines = [title, say("diagram.internal_log.offset", { offset: String(value["offset"]) })];
  return batch.transactional ? [...lines, `${batch.producer_id}·${batch.producer_epoch}`] : lines;
}

/** A state's name that may break only between its words. */
function breakable(text: string) {
  return text.split(/(?<=[a-z])(?=[A-Z])/).map((word, index) => (index === 0 ? word : html`<wbr>${word}`));
}

export class InternalLog extends DiagramElement {
  static override styles = [
    ...DiagramElement.styles,
    css`
      ol { display: flex; gap: 3px; margin-top: 3px; }
      li { flex: 1 1 0; max-width: 34%; min-width: 0; border: 1.5px solid var(--ink-3); background: var(--raise); padding: 1px 5px 2px;
        font-size: var(--t-mark); line-height: 14px; overflow-wrap: anywhere; }
      li.pending { border-style: dashed; }
      li.tombstone { border-style: dotted; color: var(--ink-2); }
      li .at { color: var(--ink-2); display: block; }
      li b { display: block; }
    `,
  ];

  #last: string | null = null;

  protected override show(frame: Frame): TemplateResult | typeof nothing {
    const { tapes, folded } = layoutTapes(frame, this.#last);
    const [first] = tapes;
    if (first === undefined) return nothing;
    this.#last = first.partition;
    const open = tapes.filter((tape) => tape.open);
    const closed = html`${tapes.filter((tape) => !tape.open).map((tape) => this.#closed(tape))}${
      folded > 0 ? html`<p class="quiet">${say("diagram.partitions_folded", { count: folded })}</p>` : nothing}`;
    return html`${repeat(open, (tape) => tape.partition, (tape, index) => this.#open(tape, index === open.length - 1 ? closed : nothing))}`;
  }

  /** The words of a record; if it belongs to a transaction, as a button that selects the transaction. */
  #owned({ transaction, picked }: ImageShape, words: unknown) {
    return transaction === null ? words : html`<button aria-pressed=${picked ? "true" : "false"} @click=${() =>
      this.pick(transactionSelection(transaction))}>${words}</button>`;
  }

  #choose(partition: string): void {
    this.#last = partition;
    this.requestUpdate();
  }

  #closed(tape: TapeShape): TemplateResult {
    const newest = tape.images[tape.images.length - 1];
    const image = newest?.lines.slice(0, 2).join(" ") ?? say("diagram.none");
    return html`<p class="quiet"><button @click=${() => this.#choose(tape.partition)}>${say("diagram.internal_log.newest", {
      partition: tape.partition, image })}</button></p>`;
  }

  /**
   * The section of an unfolded log. `below`: more content of the panel, which is inside the section to fold with it.
   */
  #open(tape: TapeShape, below: unknown): TemplateResult {
    return section(
      html`<button @click=${() => this.pick(plainly("partition", tape.partition))}>${tape.partition}</button>`,
      tape.folded > 0
        ? say("diagram.internal_log.fact_folded", { count: tape.folded })
        : say("diagram.internal_log.fact", { leader: tape.leader }),
      html`<ol>${repeat(tape.images, (image) => image.key, (image) => html`<li class="${image.pending ? "pending" : ""} ${
        image.tombstone ? "tombstone" : ""} ${image.fresh ? "now" : ""} ${image.picked ? "picked" : ""}"><span class="at">${say("diagram.internal_log.at", {
        offset: image.offset })}${image.pending ? html` · ${say("diagram.internal_log.pending")}` : nothing}</span>${image.lines.map((line, index) =>
        index === 1 ? html`<b>${this.#owned(image, breakable(line))}</b>` : html`<div>${line}</div>`)}</li>`)}</ol>${below}`,
    );
  }
}

customElements.define("eos-internal-log", InternalLog);
