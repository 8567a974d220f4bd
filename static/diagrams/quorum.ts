/**
 * The controller of a cluster without ZooKeeper (KRaft): its epoch; each broker's registration, its block of producer
 * ids and how far it has read the metadata log; and the newest records of that log.
 *
 *     <eos-quorum></eos-quorum>
 *     document.querySelector("eos-quorum").frame = frame;
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { ActiveControllerView } from "../generated/messages.ts";
import type { Frame } from "../player/frame.ts";
import { facts, named } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { hasChanged } from "./changes.ts";
import { DiagramElement, folded, section } from "./element.ts";
import { plainly } from "./picked.ts";
import { found } from "./reading.ts";

export const defaults = { records: 6 };

export interface RegistrationShape {
  broker: string;
  state: string;
  epoch: string;
  read: string;
  block: string;
  next: string;
  changed: boolean;
}

export interface RecordShape {
  offset: string;
  kind: string;
  about: string;
  count: number;
  fields: string;
  changed: boolean;
}

export function layoutQuorum(frame: Frame, most = defaults.records) {
  const quorum = frame.view.quorum;
  const registered = quorum?.brokers ?? {};
  const brokers = Object.entries(frame.view.brokers ?? {})
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([id, broker]): RegistrationShape => {
      const registration = registered[id];
      const block = broker.producer_id_block;
      return {
        broker: `broker-${id}`,
        state: stateOf(registration),
        epoch: registration === undefined ? "–" : String(registration.epoch),
        read: broker.metadata_offset === undefined ? "–" : String(broker.metadata_offset),
        block: block === null ? say("diagram.none") : `${block.start}–${block.end}`,
        next: block === null ? "–" : String(block.next),
        changed: ["producer_id_block", "metadata_offset", "lifecycle"].some((field) => hasChanged(frame, "brokers", id, field))
          || hasChanged(frame, "quorum", "brokers", id),
      };
    });
  const log = Object.entries(quorum?.log ?? {}).sort(([one], [other]) => Number(other) - Number(one));
  const records = log.slice(0, most).map(([offset, record]): RecordShape => ({
    offset,
    kind: record.kind,
    about: record.about,
    count: record.count ?? 1,
    fields: facts(Object.entries(record.fields ?? {}).map(([name, value]) => `${name} ${plain(value)}`)),
    changed: hasChanged(frame, "quorum", "log", offset),
  }));
  return { brokers, records, folded: log.length - records.length, controller: quorum?.controller ?? null };
}

function stateOf(registration: { state: string; expires_at: number | null } | undefined): string {
  if (registration === undefined) return say("diagram.none");
  const state = say(`diagram.quorum.state.${registration.state}`);
  return registration.expires_at === null ? state : say("diagram.quorum.until", { state, at: registration.expires_at });
}

/** The fact in the heading, with the level of `transaction.version` if the brokers know that feature. */
export function factOf({ active, epoch, next_producer_id: next, transaction_version: level }: ActiveControllerView): string {
  const state = active ? say("diagram.quorum.active", { epoch, next }) : say("diagram.quorum.failed", { epoch });
  return level === undefined ? state : facts([state, say("diagram.quorum.level", { level })]);
}

function plain(value: unknown): string {
  return Array.isArray(value) ? value.join(" ") : value === null ? "–" : String(value);
}

export class Quorum extends DiagramElement {
  static override styles = [
    ...DiagramElement.styles,
    css`
      td button { line-height: 18px; }
      td:first-child { white-space: nowrap; }
      .log td { overflow-wrap: anywhere; }
    `,
  ];

  protected override show(frame: Frame): TemplateResult {
    const shape = layoutQuorum(frame);
    const { controller } = shape;
    const heading = say("diagram.quorum.heading");
    if (controller === null) return folded(heading, say("diagram.none"));
    const fact = factOf(controller);
    const body = html`<table><thead><tr>${["broker", "state", "epoch", "read", "block", "next"].map((column) =>
      html`<th>${say(`diagram.quorum.${column}`)}</th>`)}</tr></thead><tbody>${repeat(
      shape.brokers,
      (row) => row.broker,
      (row) => html`<tr class=${row.changed ? "hit" : ""}><td><button @click=${() => this.pick(plainly("actor", row.broker))}>${
        row.broker}</button></td><td>${row.state}</td><td>${row.epoch}</td><td>${row.read}</td><td>${row.block}</td><td>${row.next}</td></tr>`,
    )}</tbody></table><table class="log"><caption>${say("diagram.quorum.log")}</caption><tbody>${repeat(
      shape.records,
      (record) => record.offset,
      (record) => html`<tr class=${record.changed ? "hit" : ""}><td>${record.offset}</td><td>${record.kind}${
        record.count > 1 ? html` ×${record.count}` : nothing}</td><td>${record.about}</td><td>${record.fields}</td></tr>`,
    )}</tbody></table>${shape.folded > 0 ? html`<p class="quiet">${say("diagram.quorum.folded", { count: shape.folded })}</p>` : nothing}`;
    const quiet = !shape.records.some((record) => record.changed) && !shape.brokers.some((row) => row.changed);
    const about = found(frame, "about", ({ step }) => step?.actor === "controller");
    if (quiet && !about) return html`<details class="more"><summary>${named(heading, fact)}</summary>${body}</details>`;
    return section(heading, fact, body);
  }
}

customElements.define("eos-quorum", Quorum);
