/**
 * The client's transaction manager: state machine, identity, and the next sequence number of each partition.
 *
 *     <eos-client-machine machines="/reference/machines/{machine}.json"></eos-client-machine>
 *     document.querySelector("eos-client-machine").frame = frame;
 *
 * States and edges are those of the engine's own table, which is fetched from `machines` once. The current state is
 * inverted, the last edge bold. Without a transactional id, only the states that an idempotent producer reaches are
 * drawn; the others are counted and can be unfolded.
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { ClientView, Frame, TransactionManagerView } from "../player/frame.ts";
import { aside, listed } from "../player/joins.ts";
import { inForce } from "../player/in-force.ts";
import { say } from "../player/text.ts";
import { range } from "./batch.ts";
import { hasChanged, was } from "./changes.ts";
import { disagreement, disagreementsOf } from "./disagreements.ts";
import { folded, section } from "./element.ts";
import { MachineElement } from "./machine-element.ts";
import type { MachineShape } from "./machine-layout.ts";
import { CLIENT_PLACES } from "./machine-layout.ts";
import { clientOf } from "./about.ts";
import { isPicked, plainly } from "./picked.ts";
import { found } from "./reading.ts";
import { isOfPicked } from "./transaction-picked.ts";

export const defaults = { width: 272, partitions: 4 };
const MACHINE = "client_transactions";
/**
 * The states that a producer without a transactional id reaches in normal operation; an error state is added when it is
 * entered.
 */
const IDEMPOTENT = ["UNINITIALIZED", "INITIALIZING", "READY"];
const ERRORS = ["ABORTABLE_ERROR", "FATAL_ERROR"];

export interface NumberingRow {
  partition: string;
  next: string;
  nextWas: string | null;
  acked: string;
  ackedWas: string | null;
  inFlight: string;
  unresolved: string | null;
  /** A sentence, if the leader's state differs although nothing is in flight; else null. */
  disagrees: string | null;
  changed: boolean;
}

/** The parts of a client's view that the panel shows. */
type Shown = Pick<ClientView, "alive" | "transaction_manager">;

function clientIn(frame: Frame, name: string): Shown | null {
  return found(frame, "shown", ({ view }) => {
    const client = view.clients?.[name];
    return client === undefined ? null : { alive: client.alive, transaction_manager: client.transaction_manager };
  });
}

/**
 * One row per partition that the transaction manager numbers: the next sequence number, the last acknowledged one, the
 * ranges in flight and the unresolved number. At most `most` rows and those that this step changed; `folded` counts the
 * others.
 */
export function layoutNumbering(frame: Frame, name: string, most = defaults.partitions) {
  const manager = clientIn(frame, name)?.transaction_manager;
  const rows: NumberingRow[] = [];
  const entries = Object.entries(manager?.partitions ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  const path = ["clients", name, "transaction_manager", "partitions"];
  for (const [partition, entry] of entries) {
    const changed = hasChanged(frame, ...path, partition);
    if (rows.length >= most && !changed) continue;
    rows.push({
      partition,
      next: String(entry.next_sequence),
      nextWas: was(frame, ...path, partition, "next_sequence"),
      acked: entry.last_acked_sequence === null ? say("diagram.none") : String(entry.last_acked_sequence),
      ackedWas: was(frame, ...path, partition, "last_acked_sequence"),
      inFlight: found(frame, `in flight ${partition}`, (whole) => inFlightText(whole, name, entry.in_flight)),
      unresolved: entry.unresolved === null
        ? null
        : say("diagram.machine.unresolved", { value: String(entry.unresolved) }),
      disagrees: found(frame, `disagrees ${partition}`, (whole) => disagreement(whole, name, partition)),
      changed,
    });
  }
  return { rows, folded: entries.length - rows.length };
}

function inFlightText(frame: Frame, name: string, ids: readonly string[]): string {
  if (ids.length === 0) return say("diagram.none");
  const batches = frame.view.clients?.[name]?.batches ?? {};
  const texts = ids.slice(0, 3).map((id) => {
    const batch = batches[id];
    return batch === undefined ? id : range(batch.first_sequence, batch.last_sequence);
  });
  return listed(texts) + (ids.length > 3 ? say("diagram.machine.more_in_flight", { count: ids.length - 3 }) : "");
}

/** The fact in the heading: PID and epoch, with their previous values. */
export function identityFact(frame: Frame, name: string, manager: TransactionManagerView): string {
  if (manager.producer_id === null || manager.producer_id === -1) return say("diagram.machine.no_identity");
  const path = ["clients", name, "transaction_manager"];
  const changes = [was(frame, ...path, "producer_id"), was(frame, ...path, "producer_epoch")].filter((item) => item !== null);
  const identity = say("diagram.machine.identity", {
    producer_id: manager.producer_id, producer_epoch: manager.producer_epoch ?? 0,
  });
  return aside(identity, changes[0] ?? null);
}

export class ClientMachine extends MachineElement {
  static override properties = { ...MachineElement.properties, whole: { state: true } };
  static override styles = [
    ...MachineElement.styles,
    css`
      .machine { margin-top: 3px; display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: 4px; align-items: center; }
      .machine svg:only-child { grid-column: 1 / -1; }
      button.chip { min-width: 24px; min-height: 24px; text-align: center; font-size: var(--t-mark); text-decoration: underline; }
      .numbering li { display: flex; flex-wrap: wrap; gap: 0 10px; color: var(--ink-2); }
      .numbering li b, .numbering li.changed { color: var(--ink); }
      .now-state { font-weight: 650; }
    `,
  ];

  declare whole: boolean;
  protected readonly machine = MACHINE;
  #last: string | null = null;

  constructor() {
    super();
    this.whole = false;
  }

  protected override show(frame: Frame): TemplateResult {
    const name = clientOf(frame, this.#last);
    this.#last = name;
    const client = name === null ? null : clientIn(frame, name);
    if (name === null || client === null) return folded(say("diagram.machine.heading"), say("diagram.client.none"));
    const manager = client.transaction_manager;
    if (manager == null) return folded(say("diagram.machine.heading"), say("diagram.machine.none"));
    const title = html`<button @click=${() => this.pick(plainly("actor", name))} class=${
      isPicked(frame.selection, plainly("actor", name)) || isOfPicked(frame, { transaction: manager.transactional_id }) ? "picked" : ""}>${say("diagram.machine.heading_of", { client: name })}</button>`;
    return section(
      title,
      html`${identityFact(frame, name, manager)}${this.#differs(frame, name)}`,
      html`${this.#machine(frame, name, client, manager)}${this.#facts(manager)}${this.#numbering(frame, name)}`,
    );
  }

  #machine(frame: Frame, name: string, client: Shown, manager: TransactionManagerView) {
    const transition = frame.step?.transition;
    const stepped = transition?.machine === MACHINE && transition.of === name;
    const sentence = stepped
      ? say("diagram.machine.edge", { from: transition.from, to: transition.to, on: transition.on })
      : say("diagram.machine.state", { state: manager.state });
    const lastEdge = manager.last_edge;
    const drawn = this.drawn({ state: manager.state, lastEdge, stepped, sentence, there: inForce(frame, name) }, () => ({
      width: defaults.width, places: CLIENT_PLACES, only: this.whole ? null : drawnStates(manager),
    }));
    if (drawn === null) {
      return html`<p class=${stepped ? "changed" : ""}><span class="now-state">${manager.state}</span>${
        stepped ? html` <span class="was">${say("diagram.was", { value: transition.from })}</span>` : nothing}</p>`;
    }
    const { shape, picture } = drawn;
    return html`<div class="machine">${picture}${
      shape.folded.states > 0 || this.whole ? this.#fold(shape) : nothing}</div>${
      client.alive ? nothing : html`<p>${say("diagram.client.down")}</p>`}`;
  }

  /** A small button, `+5`, with the number of folded states; a press unfolds them. */
  #fold(shape: MachineShape): TemplateResult {
    const words = this.whole ? say("diagram.machine.less") : say("diagram.machine.folded", shape.folded);
    return html`<button class="chip quiet" title=${words} aria-label=${words} @click=${() => { this.whole = !this.whole; }}>${
      this.whole ? "−" : `+${shape.folded.states}`}</button>`;
  }

  #facts(manager: TransactionManagerView) {
    const facts: string[] = [];
    if (manager.bump_required) facts.push(say("diagram.machine.bump"));
    if (manager.last_error !== null) facts.push(say("diagram.machine.last_error", { error: manager.last_error }));
    if (manager.in_flight_request !== null) {
      facts.push(say("diagram.machine.request_in_flight", { api: apiOf(manager.in_flight_request) }));
    }
    if (manager.requests.length > 0) {
      facts.push(say("diagram.machine.requests", { apis: manager.requests.map((request) => request.api) }));
    }
    return facts.length === 0 ? nothing : html`<p class="quiet">${facts.join(" ")}</p>`;
  }

  /** The sign of a disagreement in the heading, which is the only visible part of a folded panel. */
  #differs(frame: Frame, name: string) {
    const texts = found(frame, "disagreements", (whole) => disagreementsOf(whole, name));
    return texts.length === 0 ? nothing : html` <b title=${texts.join(" ")}>≠</b>`;
  }

  #numbering(frame: Frame, name: string) {
    const { rows, folded: hidden } = layoutNumbering(frame, name);
    if (rows.length === 0) return nothing;
    return html`<ul class="numbering">${repeat(
      rows,
      (row) => row.partition,
      (row) => html`<li class=${row.changed ? "changed" : ""}><b>${row.partition}</b> <span>${say("diagram.machine.next")} ${row.next}${
        wasTag(row.nextWas)}</span> <span>${say("diagram.machine.acked")} ${row.acked}${wasTag(row.ackedWas)}</span> <span>${
        say("diagram.machine.in_flight")} ${row.inFlight}${row.unresolved === null ? nothing : html` <b>${row.unresolved}</b>`}</span>${row.disagrees === null ? nothing : html` <span class="differs">≠ ${row.disagrees}</span>`}</li>`,
    )}</ul>${hidden > 0 ? html`<p class="quiet">${say("diagram.partitions_folded", { count: hidden })}</p>` : nothing}`;
  }
}

/** The names of the states that are drawn; null: all of them. */
export function drawnStates(manager: TransactionManagerView): string[] | null {
  if (manager.transactional_id !== null) return null;
  const named = [manager.state, ...(manager.last_edge?.slice(0, 2) ?? [])];
  const states = [...IDEMPOTENT, ...ERRORS.filter((state) => named.includes(state))];
  return named.every((state) => states.includes(state)) ? states : null;
}

function wasTag(text: string | null) {
  return text === null ? nothing : html` <span class="was">${text}</span>`;
}

function apiOf(request: unknown): string {
  if (typeof request === "object" && request !== null && "api" in request) return String((request as { api: unknown }).api);
  return String(request);
}

customElements.define("eos-client-machine", ClientMachine);
