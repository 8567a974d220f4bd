/**
 * The producer before the network: its records, its queues per partition, and the buffer pool.
 *
 *     <eos-accumulator></eos-accumulator>
 *     document.querySelector("eos-accumulator").frame = frame;
 *
 * A batch has no PID, epoch or sequence until it is drained, and says so. A padlock is a muted partition; the
 * triangle is where the next drain starts.
 */

import { css, html, nothing, svg } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Frame } from "../player/frame.ts";
import { facts } from "../player/joins.ts";
import { say } from "../player/text.ts";
import type { AccumulatorShape, BatchBox, QueueShape } from "./accumulator-layout.ts";
import { defaults, layoutAccumulator, reasonText } from "./accumulator-layout.ts";
import { DiagramElement, folded, section } from "./element.ts";
import { MARK, textWidth } from "./geometry.ts";
import { clientOf } from "./about.ts";

export { defaults };

const BOX_WIDTH = 104;
const BOX_HEIGHT = 24;

export class Accumulator extends DiagramElement {
  static override styles = [
    ...DiagramElement.styles,
    css`
      .queue { display: grid; grid-template-columns: minmax(26px, auto) 1fr; gap: 0 8px; margin-top: 4px; align-items: start; }
      .queue > .who { line-height: 24px; }
      .queue svg { display: inline-block; vertical-align: -2px; }
      .boxes { border-left: 1.5px solid var(--ink-3); padding-left: 5px; min-height: 24px; display: grid; gap: 3px; }
      .box { display: grid; grid-template-columns: 108px 1fr; gap: 6px; line-height: 14px; font-size: var(--t-mark);
        color: var(--ink-2); align-items: center; width: 100%; }
      .empty { line-height: 24px; }
      .others { margin-top: 2px; }
      .others button { min-height: 24px; width: 100%; display: flex; justify-content: space-between; }
      .meter { margin-top: 2px; width: 100%; }
      .changed { padding: 0 2px; }
    `,
  ];

  #last: string | null = null;

  protected override show(frame: Frame): TemplateResult {
    const name = clientOf(frame, this.#last);
    this.#last = name;
    if (name === null) return folded(say("diagram.accumulator.heading"), say("diagram.client.none"));
    const shape = layoutAccumulator(frame, name);
    const actor = html`<button class="strong" @click=${() => this.pick({ kind: "actor", id: name })}>${say(
      "diagram.records.heading",
      { client: name },
    )}</button>`;
    return html`${section(actor, shape.records.fact, html`<p class="quiet">${
      shape.state === null ? nothing : html`<b>${shape.state}</b> `
    }${shape.records.sentence}</p>${this.#others(shape)}`)}${section(
      say("diagram.accumulator.heading"),
      shape.settings,
      html`${repeat(shape.queues, (queue) => queue.partition, (queue) => this.#queue(queue))}${
        shape.empty === null
          ? shape.queues.length > 0 ? nothing : html`<p class="quiet">${say("diagram.accumulator.empty")}</p>`
          : html`<p class="quiet"><span class=${shape.empty.changed ? "changed" : ""}>${say("diagram.accumulator.empty_queues", {
              partitions: firstOf(shape.empty.partitions, 6),
              count: shape.empty.partitions.length,
            })}</span></p>`
      }${
        shape.folded === null ? nothing : html`<p class="quiet">${shape.folded}</p>`
      }${shape.notes.map((note) => html`<p class="quiet">${note}</p>`)}`,
    )}${section(
      say("diagram.pool.heading"),
      html`<span class=${shape.pool.changed ? "changed" : ""}>${shape.pool.fact}</span>`,
      html`<svg class="meter" height="8" viewBox="0 0 272 8" preserveAspectRatio="none" aria-hidden="true"><rect
        width="272" height="6" y="1" fill="var(--line)"/><rect width=${Math.max(shape.pool.share > 0 ? 2 : 0,
          272 * shape.pool.share)} height="8" fill="var(--ink)"/></svg>${
        shape.pool.waiters === null ? nothing : html`<p>${shape.pool.waiters}</p>`
      }`,
    )}`;
  }

  #others(shape: AccumulatorShape) {
    if (shape.others.length === 0) return nothing;
    const shown = shape.others.slice(0, 2);
    return html`<div class="others quiet">${shown.map(
      (other) => html`<button @click=${() => this.pick({ kind: "actor", id: other.client })}><span>${other.client}</span><span>${
        other.fact}</span></button>`,
    )}${shape.others.length > shown.length
      ? html`<details class="more"><summary>${say("diagram.client.more", { count: shape.others.length - shown.length })}</summary>${
          shape.others.slice(2).map((other) => html`<button @click=${() => this.pick({ kind: "actor", id: other.client })}><span>${
            other.client}</span><span>${other.fact}</span></button>`)}</details>`
      : nothing}</div>`;
  }

  #queue(queue: QueueShape): TemplateResult {
    return html`<div class="queue"><div class="who"><button title=${queue.leader} @click=${() =>
      this.pick({ kind: "partition", id: queue.partition })}>${queue.partition}</button>${
      queue.muted
        ? html` <svg width="11" height="12" viewBox="0 0 11 12" role="img" aria-label=${say("diagram.accumulator.muted")}><path
            d="M3 5V3.5a2.5 2.5 0 0 1 5 0V5" fill="none" stroke="var(--ink)" stroke-width="1.5"/><rect x="1" y="5" width="9"
            height="7" rx="1" fill="var(--ink)"/></svg>`
        : nothing
    }${queue.pointer
      ? html` <svg width="8" height="9" viewBox="0 0 8 9" role="img" aria-label=${say("diagram.accumulator.pointer")}><path
          d="M0 0l8 4.5L0 9z" fill="var(--ink-2)"/></svg>`
      : nothing}</div><div class="boxes">${
      queue.boxes.length === 0
        ? html`<span class="empty quiet ${queue.changed ? "changed" : ""}">${say("diagram.accumulator.empty")}</span>`
        : repeat(queue.boxes, (box) => box.key, (box) => this.#box(box, queue))
    }${queue.more === null ? nothing : html`<span class="quiet">${queue.more}</span>`}</div></div>`;
  }

  #box(box: BatchBox, queue: QueueShape): TemplateResult {
    const ready = queue.ready === null ? box.state : say("diagram.accumulator.ready", { reason: reasonText(queue.ready) });
    const last = box.countdown ?? ready;
    return html`<button class="box" aria-label=${`${box.name}. ${facts([...box.facts, last])}`} aria-pressed=${
      box.picked ? "true" : "false"} @click=${() => this.pick(box.selection)}>${drawBox(box)}<span>${facts(box.facts)}<br>${last}</span></button>`;
  }
}

/** At most `most` names; if there are more, the number of the others follows as `+3`. */
function firstOf(names: readonly string[], most: number): string[] {
  return names.length <= most ? [...names] : [...names.slice(0, most), `+${names.length - most}`];
}

/** The box of a batch: its outline shows the state, and it is filled from below as far as the batch is full. */
export function drawBox(box: BatchBox) {
  const level = Math.round(BOX_HEIGHT * box.fill * 10) / 10;
  const fits = textWidth(box.label, MARK, true) <= BOX_WIDTH - 8;
  return html`<svg width=${BOX_WIDTH + 4} height=${BOX_HEIGHT + 4} viewBox="-2 -2 ${BOX_WIDTH + 4} ${BOX_HEIGHT + 4}"
    aria-hidden="true"><rect class=${`cell ${box.hue}${box.open ? " pending" : ""}`} width=${BOX_WIDTH}
    height=${BOX_HEIGHT}/>${level > 0.4
      ? svg`<rect class=${`fill ${box.hue}`} fill-opacity=".9" x="1" y=${BOX_HEIGHT - level} width="4" height=${level}
          stroke="none" opacity="1"/><rect x="1" y=${BOX_HEIGHT - level} width="4" height=${level} fill="var(--ink-2)"/>`
      : nothing}<text class="label small" x=${BOX_WIDTH / 2} y="16.5" text-anchor="middle" textLength=${
        fits ? nothing : BOX_WIDTH - 10} lengthAdjust="spacingAndGlyphs">${box.label}</text>${
      box.picked || box.fresh
        ? svg`<rect class="ring" x="-1" y="-1" width=${BOX_WIDTH + 2} height=${BOX_HEIGHT + 2} rx="2"/>`
        : nothing}</svg>`;
}

customElements.define("eos-accumulator", Accumulator);
