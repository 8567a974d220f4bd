/**
 * The offsets of consumer groups at their coordinators: the committed ones, which consumers receive, and those that
 * open transactions would commit.
 *
 *     <eos-groups></eos-groups>
 *     document.querySelector("eos-groups").frame = frame;
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Frame } from "../player/frame.ts";
import type { GroupView } from "../generated/messages.ts";
import { listed } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { hasChanged, was } from "./changes.ts";
import { DiagramElement, section } from "./element.ts";
import { isOfPicked } from "./transaction-picked.ts";

export const defaults = { partitions: 5 };

export interface OffsetRow {
  partition: string;
  committed: string;
  committedWas: string | null;
  /** Offsets that no consumer receives yet, with the producer whose transaction would commit them. */
  pending: string;
  changed: boolean;
  picked: boolean;
}

export interface GroupShape {
  key: string;
  group: string;
  broker: string;
  rows: OffsetRow[];
  folded: number;
}

export function layoutGroups(frame: Frame, most = defaults.partitions): GroupShape[] {
  return Object.entries(frame.view.brokers ?? {}).flatMap(([broker, view]) =>
    Object.entries(view.groups ?? {}).map(([group, entry]) => layoutGroup(frame, broker, group, entry, most)),
  ).filter((shape) => shape.rows.length > 0);
}

function layoutGroup(frame: Frame, broker: string, group: string, entry: GroupView, most: number): GroupShape {
  const path = ["brokers", broker, "groups", group];
  const pending = Object.entries(entry.pending ?? {});
  const names = [...new Set([
    ...Object.keys(entry.committed ?? {}), ...Object.keys(entry.committing ?? {}), ...pending.flatMap(([, offsets]) => Object.keys(offsets)),
  ])].sort();
  const rows = names.map((partition): OffsetRow => {
    const waiting = pending.flatMap(([producer, offsets]) => {
      const offset = offsets[partition];
      return offset === undefined ? [] : [say("diagram.groups.pending_of", { offset: offset.offset, producer_id: producer })];
    });
    const committing = entry.committing?.[partition];
    if (committing !== undefined) waiting.push(say("diagram.groups.committing", { offset: committing }));
    return {
      partition,
      committed: entry.committed?.[partition] === undefined ? say("diagram.none") : String(entry.committed[partition].offset),
      committedWas: was(frame, ...path, "committed", partition, "offset"),
      pending: waiting.length === 0 ? say("diagram.none") : listed(waiting),
      changed: hasChanged(frame, ...path, "committed", partition) || hasChanged(frame, ...path, "committing", partition) ||
        pending.some(([producer]) => hasChanged(frame, ...path, "pending", producer, partition)),
      picked: pending.some(([producer, offsets]) => partition in offsets && isOfPicked(frame, { producer })),
    };
  });
  return { key: `${broker}/${group}`, group, broker: `broker-${broker}`, rows: rows.slice(0, most), folded: Math.max(0, rows.length - most) };
}

export class Groups extends DiagramElement {
  static override styles = [...DiagramElement.styles, css`td { overflow-wrap: anywhere; }`];

  protected override show(frame: Frame): TemplateResult | typeof nothing {
    const shapes = layoutGroups(frame);
    if (shapes.length === 0) return nothing;
    return html`${repeat(shapes, (shape) => shape.key, (shape) => section(
      say("diagram.groups.heading", { group: shape.group }),
      say("diagram.groups.fact", { broker: shape.broker }),
      html`<table><thead><tr><th>${say("diagram.groups.partition")}</th><th>${say("diagram.groups.committed")}</th><th>${
        say("diagram.groups.pending")}</th></tr></thead><tbody>${repeat(shape.rows, (row) => row.partition, (row) => html`<tr class="${row.changed ? "hit" : ""} ${
        row.picked ? "picked" : ""}"><td>${row.partition}</td><td>${row.committed}${row.committedWas === null ? nothing
          : html` <span class="was">${row.committedWas}</span>`}</td><td>${row.pending}</td></tr>`)}</tbody></table>${
        shape.folded > 0 ? html`<p class="quiet">${say("diagram.partitions_folded", { count: shape.folded })}</p>` : nothing}`,
    ))}`;
  }
}

customElements.define("eos-groups", Groups);
