/**
 * A database beside Kafka, and the services that use it. For each record the panel shows its row and its outbox entry,
 * committed or not yet; then the stored offsets; and for each service its present action and the records that it holds
 * only in memory.
 *
 *     <eos-database></eos-database>
 *     document.querySelector("eos-database").frame = frame;
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Frame } from "../player/frame.ts";
import { listed, named } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { hasChanged } from "./changes.ts";
import { DiagramElement, section } from "./element.ts";

export const defaults = { rows: 6 };

export interface DatabaseRow {
  serial: number;
  row: string;
  entry: string;
  changed: boolean;
}

export interface ServiceRow {
  name: string;
  state: string;
  hand: string;
  changed: boolean;
}

export interface DatabaseShape {
  /** The number of committed rows, copies included. */
  count: number;
  rows: DatabaseRow[];
  folded: number;
  offsets: string[];
  services: ServiceRow[];
}

const union = (...lists: (readonly (number | string)[])[]): number[] => [...new Set(lists.flat().map(Number))].sort((one, other) => other - one);

/** The content of the database, with the rows of the newest `most` records. Null if the scenario has no database. */
export function layoutDatabase(frame: Frame, most = defaults.rows): DatabaseShape | null {
  const { database, services = {} } = frame.view;
  if (database === undefined) return null;
  const rows = database.rows ?? {};
  const open = Object.entries(database.open ?? {});
  const holder = (field: "rows" | "outbox", serial: number): string | undefined => open.find(([, local]) => local[field].includes(serial) && !(field === "rows" && local.repeated.includes(serial)))?.[0];
  const serials = union(Object.keys(rows), database.outbox, ...open.flatMap(([, local]) => [local.rows, local.outbox]));
  const said = (count: number, by: string | undefined): string =>
    by !== undefined ? say("diagram.database.held", { service: by }) : count === 0 ? say("diagram.none") : count === 1 ? say("diagram.database.committed") : say("diagram.database.copies", { count });
  return {
    count: Object.values(rows).reduce((sum, row) => sum + row.copies, 0),
    rows: serials.slice(0, most).map((serial) => ({
      serial,
      row: said(rows[String(serial)]?.copies ?? 0, rows[String(serial)] === undefined ? holder("rows", serial) : undefined),
      entry: said(database.outbox.includes(serial) ? 1 : 0, holder("outbox", serial)),
      changed: hasChanged(frame, "database", "rows", String(serial)),
    })),
    folded: Math.max(0, serials.length - most),
    offsets: Object.entries(database.offsets).map(([partition, offset]) => `${partition} → ${offset}`),
    services: Object.entries(services).map(([name, service]) => ({
      name, state: say(`diagram.service.${service.alive ? service.state : "DOWN"}`), hand: service.hand.length === 0 ? say("diagram.none") : listed(service.hand.map((serial) => `r${serial}`)),
      changed: hasChanged(frame, "services", name),
    })),
  };
}

export class Database extends DiagramElement {
  protected override show(frame: Frame): TemplateResult | typeof nothing {
    const shape = layoutDatabase(frame);
    if (shape === null) return nothing;
    return section(
      say("diagram.database.heading"),
      say("diagram.database.fact", { count: shape.count }),
      html`${shape.rows.length === 0 ? nothing : html`<table><thead><tr><th>${say("diagram.database.record")}</th><th>${say("diagram.database.row")}</th><th>${say("diagram.database.entry")}</th></tr></thead><tbody>${
        repeat(shape.rows, (row) => row.serial, (row) => html`<tr class=${row.changed ? "hit" : ""}><td>r${row.serial}</td><td>${row.row}</td><td>${row.entry}</td></tr>`)}</tbody></table>`}${
        shape.folded > 0 ? html`<p class="quiet">${say("diagram.database.folded", { count: shape.folded })}</p>` : nothing}${
        shape.offsets.length === 0 ? nothing : html`<p>${named(say("diagram.database.offsets"), listed(shape.offsets))}</p>`}<table><thead><tr><th>${say("diagram.database.service")}</th><th>${
        say("diagram.database.state")}</th><th>${say("diagram.database.memory")}</th></tr></thead><tbody>${
        repeat(shape.services, (row) => row.name, (row) => html`<tr class=${row.changed ? "hit" : ""}><td>${row.name}</td><td>${row.state}</td><td>${row.hand}</td></tr>`)}</tbody></table>`,
    );
  }
}

customElements.define("eos-database", Database);
