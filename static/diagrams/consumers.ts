/**
 * Consumers: the position by partition, the delivered records, and the cost of de-duplication in the application.
 *
 *     <eos-consumers></eos-consumers>
 *     document.querySelector("eos-consumers").frame = frame;
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { ConsumerView, Frame } from "../player/frame.ts";
import { listed } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { unbroken } from "../player/unbroken.ts";
import { serialsText } from "./batch.ts";
import { hasChanged, was } from "./changes.ts";
import { DiagramElement, folded, section } from "./element.ts";
import { isPicked, plainly } from "./picked.ts";

export const defaults = { consumers: 4, positions: 4 };

export interface ConsumerRow {
  name: string;
  isolation: string;
  positions: string;
  delivered: string;
  deliveredWas: string | null;
  applied: string;
  changed: boolean;
  picked: boolean;
  /** Which of the selected records the consumer has received, in words; null if no records are selected. */
  has: string | null;
}

function stateOf(consumer: ConsumerView): string | null {
  if (!consumer.alive) return say("diagram.client.down");
  return consumer.paused ? say("diagram.client.paused") : null;
}

export function layoutConsumers(frame: Frame, options = defaults): { rows: ConsumerRow[]; folded: number } {
  const entries = Object.entries(frame.view.consumers ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  const rows = entries.slice(0, options.consumers).map(([name, consumer]): ConsumerRow => {
    const positions = Object.entries(consumer.positions).sort(([one], [other]) => (one < other ? -1 : 1));
    const shown = positions.slice(0, options.positions).map(([partition, position]) => `${partition}\u00a0${position}`);
    const more = positions.length - shown.length;
    return {
      name,
      isolation: stateOf(consumer) ?? consumer.isolation,
      positions: listed(shown) + (more > 0 ? ` ${say("diagram.consumers.more", { count: more })}` : ""),
      delivered: String(consumer.delivered_count),
      deliveredWas: was(frame, "consumers", name, "delivered_count"),
      applied: consumer.skipped_duplicates > 0
        ? say("diagram.consumers.applied_skipped", { applied: consumer.applied_count, skipped: consumer.skipped_duplicates })
        : String(consumer.applied_count),
      changed: hasChanged(frame, "consumers", name),
      picked: isPicked(frame.selection, plainly("actor", name)),
      has: hasText(frame, consumer),
    };
  });
  return { rows, folded: entries.length - rows.length };
}

/** Which of the selected records this consumer delivered to its application, in words; null if none are selected. */
function hasText(frame: Frame, consumer: ConsumerView): string | null {
  const { partition, serials = [] } = frame.selection ?? {};
  if (partition === undefined || serials.length === 0) return null;
  const read = new Set(consumer.delivered[partition]);
  const has = serials.filter((serial) => read.has(serial));
  if (has.length === 0) return say("diagram.consumers.has_none", { records: serialsText(serials) });
  return say("diagram.consumers.has", { records: serialsText(has) });
}

export class Consumers extends DiagramElement {
  static override styles = [...DiagramElement.styles, css`td button { line-height: 18px; width: 100%; } th { word-break: keep-all; } .nb { white-space: nowrap; }`];

  protected override show(frame: Frame): TemplateResult {
    const shape = layoutConsumers(frame);
    if (shape.rows.length === 0) return folded(say("diagram.consumers.heading"), say("diagram.consumers.none"));
    return section(
      say("diagram.consumers.heading"),
      shape.folded > 0 ? say("diagram.consumers.folded", { count: shape.folded }) : String(shape.rows.length),
      html`<table><thead><tr><th>${say("diagram.consumers.name")}</th><th>${say("diagram.consumers.positions")}</th><th>${say(
        "diagram.consumers.delivered")}</th><th>${say("diagram.consumers.applied")}</th></tr></thead><tbody>${repeat(
        shape.rows,
        (row) => row.name,
        (row) => html`<tr class="${row.changed ? "hit" : ""} ${row.picked ? "picked" : ""}"><td><button aria-pressed=${
          row.picked ? "true" : "false"} @click=${() => this.pick(plainly("actor", row.name))}>${row.name}<br><span class="quiet">${
          row.isolation}</span>${row.has === null ? nothing : html`<br><b>${row.has}</b>`}</button></td><td>${unbroken(row.positions)}</td><td>${row.delivered}${
          row.deliveredWas === null ? nothing : html` <span class="was">${row.deliveredWas}</span>`}</td><td>${row.applied}</td></tr>`,
      )}</tbody></table>`,
    );
  }
}

customElements.define("eos-consumers", Consumers);
