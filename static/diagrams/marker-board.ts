/**
 * The marker board of a coordinator: the markers that wait for each broker, those that were sent, those whose leader
 * the coordinator does not know, and the partitions that have not acknowledged their markers.
 *
 *     <eos-marker-board></eos-marker-board>
 *     document.querySelector("eos-marker-board").frame = frame;
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Frame } from "../player/frame.ts";
import type { MarkerBoardView, MarkerView } from "../generated/messages.ts";
import { clauses, named } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { hasChanged } from "./changes.ts";
import { partitionsText } from "./coordinator.ts";
import { DiagramElement, section } from "./element.ts";
import { hasMarkers } from "./internal-partitions.ts";
import { plainly } from "./picked.ts";
import { isOfPicked, transactionSelection } from "./transaction-picked.ts";

export const defaults = { markers: 3, checklists: 4 };

export interface QueueRow {
  key: string;
  to: string;
  queued: string;
  inFlight: string;
  changed: boolean;
  picked: boolean;
}

export interface BoardShape {
  broker: string;
  rows: QueueRow[];
  checklists: { id: string; text: string; changed: boolean; picked: boolean }[];
  folded: number;
  stopped: boolean;
}

export function layoutMarkerBoards(frame: Frame, options = defaults): BoardShape[] {
  return Object.entries(frame.view.brokers ?? {}).flatMap(([broker, view]) =>
    view.markers !== undefined && hasMarkers(view.markers) ? [layoutBoard(frame, broker, view.markers, options)] : [],
  );
}

function layoutBoard(frame: Frame, broker: string, board: MarkerBoardView, options: typeof defaults): BoardShape {
  const path = ["brokers", broker, "markers"];
  const brokers = [...new Set([...Object.keys(board.queues ?? {}), ...Object.keys(board.in_flight ?? {})])].sort((one, other) => Number(one) - Number(other));
  const rows = brokers.map((to): QueueRow => ({
    key: to,
    to: `broker-${to}`,
    queued: markersText(board.queues?.[to] ?? [], options.markers),
    inFlight: markersText(board.in_flight?.[to] ?? [], options.markers),
    changed: hasChanged(frame, ...path, "queues", to) || hasChanged(frame, ...path, "in_flight", to),
    picked: isAmong(frame, [...(board.queues?.[to] ?? []), ...(board.in_flight?.[to] ?? [])]),
  }));
  const unknown = board.unknown_broker ?? [];
  if (unknown.length > 0) {
    rows.push({
      key: "unknown", to: say("diagram.markers.unknown"), queued: markersText(unknown, options.markers), inFlight: say("diagram.none"),
      changed: hasChanged(frame, ...path, "unknown_broker"), picked: isAmong(frame, unknown),
    });
  }
  const waiting = Object.entries(board.waiting ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    broker: `broker-${broker}`,
    rows,
    checklists: waiting.slice(0, options.checklists).map(([id, entry]) => ({
      id,
      text: say(entry.retries > 0 ? "diagram.markers.remaining_retried" : "diagram.markers.remaining", {
        id, result: entry.result, partitions: partitionsText(entry.remaining), retries: entry.retries,
      }),
      changed: hasChanged(frame, ...path, "waiting", id),
      picked: isOfPicked(frame, { transaction: id }),
    })),
    folded: Math.max(0, waiting.length - options.checklists),
    stopped: board.stopped === true || waiting.some(([, entry]) => (entry.passed_over ?? []).length > 0),
  };
}

function isAmong(frame: Frame, markers: readonly MarkerView[]): boolean {
  return markers.some((marker) => isOfPicked(frame, { transaction: marker.transactional_id }));
}

function markersText(markers: readonly MarkerView[], most: number): string {
  if (markers.length === 0) return say("diagram.none");
  const texts = markers.slice(0, most).map((marker) => named(`${marker.result} ${marker.transactional_id}`, partitionsText(marker.partitions)));
  return clauses(texts) + (markers.length > most ? ` ${say("diagram.and_more", { count: markers.length - most })}` : "");
}

export class MarkerBoard extends DiagramElement {
  static override styles = [...DiagramElement.styles, css`td { overflow-wrap: anywhere; }`];

  protected override show(frame: Frame): TemplateResult | typeof nothing {
    const boards = layoutMarkerBoards(frame);
    if (boards.length === 0) return nothing;
    return html`${repeat(boards, (board) => board.broker, (board) => section(
      html`<button @click=${() => this.pick(plainly("actor", board.broker))}>${say("diagram.markers.heading", { broker: board.broker })}</button>`,
      board.stopped ? html`<span class="bad">${say("diagram.markers.stopped")}</span>` : say("diagram.markers.fact", { count: board.checklists.length + board.folded }),
      html`${board.rows.length === 0 ? nothing : html`<table><thead><tr><th>${say("diagram.markers.to")}</th><th>${say("diagram.markers.queued")}</th><th>${
        say("diagram.markers.in_flight")}</th></tr></thead><tbody>${repeat(board.rows, (row) => row.key, (row) => html`<tr class="${row.changed ? "hit" : ""} ${
        row.picked ? "picked" : ""}"><td>${row.to}</td><td>${row.queued}</td><td>${row.inFlight}</td></tr>`)}</tbody></table>`}${
        board.checklists.map((list) => html`<p class=${list.changed ? "changed" : ""}><button class=${list.picked ? "picked" : ""}
          aria-pressed=${list.picked ? "true" : "false"} @click=${() => this.pick(transactionSelection(list.id))}>${list.text}</button></p>`)}${
        board.folded > 0 ? html`<p class="quiet">${say("diagram.markers.folded", { count: board.folded })}</p>` : nothing}`,
    ))}`;
  }
}

customElements.define("eos-marker-board", MarkerBoard);
