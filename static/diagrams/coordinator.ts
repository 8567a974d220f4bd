/**
 * The transaction coordinator's side of one transactional id: its state machine and its entry.
 *
 *     <eos-coordinator machines="/reference/machines/{machine}.json"></eos-coordinator>
 *     document.querySelector("eos-coordinator").frame = frame;
 *
 * The state in force is inverted. A state that is being written to the log is dashed beside it: until it is
 * replicated, requests are refused.
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Frame } from "../player/frame.ts";
import type { TransactionView } from "../generated/messages.ts";
import type { CoordinationView } from "../player/whole-view.ts";
import { listed } from "../player/joins.ts";
import { inForce } from "../player/in-force.ts";
import { duration, say } from "../player/text.ts";
import { hasChanged, was } from "./changes.ts";
import { section } from "./element.ts";
import { MachineElement } from "./machine-element.ts";
import { TRANSACTION_PLACES } from "./machine-layout.ts";
import { isOfPicked, transactionSelection } from "./transaction-picked.ts";

export const defaults = { width: 296, others: 3, partitions: 6 };
const MACHINE = "transaction_states";
/**
 * States that no transactional id passes in normal operation. The picture draws one only after an id has entered it.
 */
const RARE = ["PrepareEpochFence", "Dead"];

/**
 * A transactional id in the cache of a broker. A coordinator that does not know that it was deposed may still hold one.
 */
export interface Kept {
  id: string;
  broker: string;
  entry: TransactionView;
  changed: boolean;
}

export interface CardRow {
  name: string;
  value: string;
  was: string | null;
}

export interface CoordinatorShape {
  kept: Kept;
  lastEdge: [string, string, string] | null;
  stepped: boolean;
  rows: CardRow[];
  /** The newest response to FindCoordinator for this id, in words; null if there is none. */
  found: string | null;
  others: { key: string; text: string; changed: boolean; id: string; broker: string }[];
  folded: number;
}

function keptIds(frame: Frame): Kept[] {
  return Object.entries(frame.view.brokers ?? {}).flatMap(([broker, view]) =>
    Object.entries(view.transactions ?? {}).map(([id, entry]) => ({
      id, broker, entry, changed: hasChanged(frame, "brokers", broker, "transactions", id),
    })),
  ).sort((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : other.entry.coordinator_epoch - one.entry.coordinator_epoch));
}

/**
 * The transactional id to show, with its broker: the one that the step's transition is about, else the selected one,
 * else one that the step changed, else the one shown before (`last`, a key), else the first.
 */
function chosen(frame: Frame, kept: readonly Kept[], last: string | null): Kept | undefined {
  const transition = frame.step?.transition;
  const picked = kept.find((one) => isOfPicked(frame, { transaction: one.id }));
  const own = transition?.machine === MACHINE
    ? kept.find((one) => one.id === transition.of && `broker-${one.broker}` === frame.step?.actor)
    : undefined;
  return own ?? picked ?? kept.find((one) => one.changed) ?? kept.find((one) => keyOf(one) === last) ?? kept[0];
}

export function keyOf(kept: { id: string; broker: string }): string {
  return `${kept.broker}/${kept.id}`;
}

export function layoutCoordinator(frame: Frame, last: string | null = null): CoordinatorShape | null {
  const all = keptIds(frame);
  const kept = chosen(frame, all, last);
  if (kept === undefined) return null;
  const transition = frame.step?.transition;
  const stepped = transition?.machine === MACHINE && transition.of === kept.id && frame.step?.actor === `broker-${kept.broker}`;
  const rest = all.filter((one) => one !== kept);
  return {
    kept,
    lastEdge: stepped && transition ? [transition.from, transition.to, transition.on] : null,
    stepped,
    rows: cardRows(frame, kept),
    found: foundBy(frame, kept.id),
    others: rest.slice(0, defaults.others).map((one) => ({
      key: keyOf(one), id: one.id, broker: one.broker, changed: one.changed,
      text: say("diagram.coordinator.other", { id: one.id, broker: `broker-${one.broker}`, state: stateText(one.entry) }),
    })),
    folded: Math.max(0, rest.length - defaults.others),
  };
}

export function stateText(entry: TransactionView): string {
  return entry.pending_state === null
    ? entry.state
    : say("diagram.coordinator.pending", { state: entry.state, pending: entry.pending_state });
}

function cardRows(frame: Frame, kept: Kept): CardRow[] {
  const { entry } = kept;
  const path = ["brokers", kept.broker, "transactions", kept.id];
  const rows: CardRow[] = [
    {
      name: say("diagram.coordinator.identity"), value: `${entry.producer_id}·${entry.producer_epoch}`,
      was: was(frame, ...path, "producer_id") ?? was(frame, ...path, "producer_epoch"),
    },
    {
      name: say("diagram.coordinator.last_identity"),
      value: lastIdentity(entry),
      was: was(frame, ...path, "last_producer_id") ?? was(frame, ...path, "last_producer_epoch"),
    },
    { name: say("diagram.coordinator.timeout"), value: timeout(entry), was: null },
    { name: say("diagram.coordinator.epoch"), value: String(entry.coordinator_epoch), was: was(frame, ...path, "coordinator_epoch") },
  ];
  if (entry.failed_epoch_fence) rows.push({ name: say("diagram.coordinator.failed_fence"), value: say("diagram.yes"), was: null });
  return rows;
}

/**
 * The producer id and epoch that a transactional id had before its present ones, such as `0·3`; the word for *none* if
 * they have not been replaced yet. Kafka 2.0 does not keep the epoch: then only the producer id.
 */
function lastIdentity(entry: TransactionView): string {
  if (entry.last_producer_id === null) return say("diagram.none");
  return entry.last_producer_epoch === null ? String(entry.last_producer_id) : `${entry.last_producer_id}·${entry.last_producer_epoch}`;
}

function timeout(entry: TransactionView): string {
  return entry.times_out_at === null
    ? duration(entry.timeout_ms)
    : say("diagram.coordinator.until", { at: entry.times_out_at });
}

export function partitionsText(partitions: readonly string[], most = defaults.partitions): string {
  if (partitions.length === 0) return say("diagram.none");
  const more = partitions.length - most;
  const shown = listed(partitions.slice(0, most));
  return more > 0 ? `${shown} ${say("diagram.consumers.more", { count: more })}` : shown;
}

/** The newest answer to FindCoordinator for this id in words, from whichever broker; null: there is none. */
function foundBy(frame: Frame, id: string): string | null {
  const lookups = Object.values(frame.view.brokers ?? {}).map((broker: CoordinationView) => broker.lookups?.[`TRANSACTION ${id}`]);
  const lookup = lookups.findLast((one) => one !== undefined && one.partition !== null);
  if (lookup === undefined) return null;
  return say("diagram.coordinator.found", {
    hash: lookup.hash, topic: lookup.topic, partition: lookup.partition ?? 0,
    leader: lookup.leader === null ? say("diagram.none") : `broker-${lookup.leader}`,
  });
}

/** A text whose lines end only at spaces, so that `broker-1` is not broken at its hyphen. */
function whole(text: string) {
  return text.split(" ").map((word) => html`<span class="nb">${word}</span> `);
}

export class Coordinator extends MachineElement {
  static override styles = [
    ...MachineElement.styles,
    css`
      .card { display: grid; grid-template-columns: auto minmax(0, 1fr) auto minmax(0, auto); gap: 0 8px; margin-top: 3px; }
      dt { color: var(--ink-2); }
      dd { overflow-wrap: anywhere; }
      .wide { margin-top: 1px; }
      svg { margin-top: 4px; }
      button { overflow-wrap: anywhere; }
    `,
  ];

  protected readonly machine = MACHINE;
  #last: string | null = null;

  protected override show(frame: Frame): TemplateResult | typeof nothing {
    const shape = layoutCoordinator(frame, this.#last);
    if (shape === null) return nothing;
    this.#last = keyOf(shape.kept);
    const { kept } = shape;
    const picked = isOfPicked(frame, { transaction: kept.id });
    const title = html`<button class=${picked ? "picked" : ""} aria-pressed=${picked ? "true" : "false"} @click=${() =>
      this.pick(transactionSelection(kept.id))}>${say("diagram.coordinator.heading", {
      id: kept.id, broker: `broker-${kept.broker}` })}</button>`;
    return section(title, stateText(kept.entry), html`${this.#machine(frame, shape)}<dl class="card">${shape.rows.map(
      (row) => html`<dt>${row.name}</dt><dd class=${row.was === null ? "" : "changed"}>${row.value}${
        row.was === null ? nothing : html` <span class="was">${row.was}</span>`}</dd>`,
    )}</dl><p class="wide"><span class="quiet">${say("diagram.coordinator.partitions")}</span> ${partitionsText(kept.entry.partitions)}</p>${
      shape.found === null ? nothing : html`<p class="quiet wide">${whole(shape.found)}</p>`}${repeat(
      shape.others,
      (other) => other.key,
      (other) => html`<p class=${other.changed ? "changed" : "quiet"}><button @click=${() => this.#choose(other.key)}>${other.text}</button></p>`,
    )}${shape.folded > 0 ? html`<p class="quiet">${say("diagram.coordinator.folded", { count: shape.folded })}</p>` : nothing}`);
  }

  #choose(key: string): void {
    this.#last = key;
    this.requestUpdate();
  }

  #machine(frame: Frame, shape: CoordinatorShape) {
    const { entry } = shape.kept;
    const entered = RARE.filter((state) => [entry.state, entry.pending_state, ...(shape.lastEdge ?? [])].includes(state));
    const sentence = say("diagram.coordinator.machine", { id: shape.kept.id, state: stateText(entry) });
    const { lastEdge, stepped } = shape;
    const there = inForce(frame, `broker-${shape.kept.broker}`);
    return this.drawn({ state: entry.state, lastEdge, stepped, sentence, there }, (table) => ({
      width: defaults.width, places: TRANSACTION_PLACES, pending: entry.pending_state,
      only: table.states.filter((state) => !RARE.includes(state) || entered.includes(state)),
    }))?.picture ?? nothing;
  }
}

customElements.define("eos-coordinator", Coordinator);
