/**
 * The space-time diagram: all messages with sender, receiver and fate.
 *
 *     <eos-spacetime></eos-spacetime>
 *     const diagram = document.querySelector("eos-spacetime");
 *     diagram.arrows = arrows;   // of the loaded steps, in order of sending
 *     diagram.marks = marks;     // their turning points
 *     diagram.spacing = "time";  // or "step"; the reader's choice comes as the event `spacing`
 *     diagram.columns = names;   // for two compared runs: each picture asks for its own by the event `columns`
 *     diagram.foremost = { messages, actors };  // what is shown with precedence
 *     diagram.frame = frame;
 *
 * The arrow shows the fate: a full head is delivered, a cross did not arrive, dashed is in transit.
 */

import { css, html, nothing, svg } from "lit";
import type { PropertyValues, SVGTemplateResult, TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Arrow, Frame, Mark, Selection } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { MARK, textWidth } from "./geometry.ts";
import { SizedElement, folded, onPick, twin } from "./element.ts";
import { isLogCase } from "./log-case.ts";
import { isLost } from "./sent-again.ts";
import type { MarkShape } from "./spacetime-margin.ts";
import type { LaneHead } from "./spacetime-heads.ts";
import type { ArrowShape, Foremost, SpacetimeShape } from "./spacetime-layout.ts";
import { NOTE_LINE } from "./spacetime-foot.ts";
import { ROLE_Y } from "./spacetime-heads.ts";
import { defaults, layoutSpacetime } from "./spacetime-layout.ts";
import type { Spacing } from "./spacetime-rows.ts";
import { SPACINGS } from "./spacetime-rows.ts";

export { defaults };

export class Spacetime extends SizedElement {
  static override properties = { ...SizedElement.properties, arrows: { attribute: false }, marks: { attribute: false }, spacing: {}, columns: { attribute: false }, foremost: { attribute: false }, known: { attribute: false } };
  static override styles = [
    ...SizedElement.styles,
    css`
      :host { height: 100%; position: relative; overflow: hidden auto; }
      section.folded { padding: 10px 24px; }
      .spaced { position: absolute; right: 112px; bottom: 2px; display: flex; background: var(--paper); font-size: var(--t-mark); }
      .spaced button { min-height: 24px; padding: 0 8px; border: 1px solid var(--ink-3); color: var(--ink-2); white-space: nowrap; }
      .spaced button:first-child { border-radius: 4px 0 0 4px; }
      .spaced button:last-child { border-radius: 0 4px 4px 0; border-inline-start: 0; }
      .spaced button[aria-pressed=true] { background: var(--ink); color: var(--ink-inv); font-weight: 600; }
      details.twin { position: absolute; right: 12px; bottom: 2px; max-width: 100%; background: var(--paper); }
      details.twin[open] { inset: 0; overflow: auto; padding: 12px 16px; }
      .lane { stroke: var(--ink-3); stroke-width: 1.25; }
      .head { fill: var(--ink-2); }
      .arrow .line { stroke-width: 1.5; }
      .arrow.coloured .line { stroke-width: 2.5; }
      .arrow.current .line, .arrow.chosen .line { stroke-width: 3; }
      .arrow .reach { stroke: transparent; stroke-width: 14; fill: none; }
      .arrow.failed .line:not(.coloured) { stroke: var(--ink); }
      .arrow text { font-size: var(--t-mark); fill: var(--ink-2); }
      .arrow.current text, .arrow.chosen text { fill: var(--ink); font-weight: 650; }
      .bar { fill: var(--side); stroke: var(--ink-2); stroke-width: 1.5; }
      @media (max-width: 600px) { :host { height: 480px; } .spaced { right: 12px; bottom: 30px; } }
      @media print { .spaced { display: none; } }
    `,
  ];

  declare arrows: readonly Arrow[];
  declare marks: readonly Mark[];
  declare spacing: Spacing;
  declare columns: readonly string[] | null;
  declare foremost: Foremost | undefined;
  /** The number of arrows. The list is changed in place, so lit sees a change only by this number. */
  declare known: number;
  #wanted: readonly string[] = [];

  constructor() {
    super();
    this.columns = null;
    this.known = 0;
    this.arrows = [];
    this.marks = [];
    this.spacing = "step";
  }

  protected override show(frame: Frame): TemplateResult {
    if (isLogCase(frame)) return folded(say("diagram.spacetime.heading"), say("diagram.spacetime.log"));
    const shape = layoutSpacetime(frame, this.arrows, {
      width: this.size?.width || defaults.width,
      height: this.size?.height || defaults.height,
      spacing: this.spacing,
      columns: this.columns,
      ...(this.foremost === undefined ? {} : { foremost: this.foremost }),
    }, this.marks);
    this.#wanted = shape.wanted;
    return html`${drawSpacetime(shape, this.pick, frame.animate)}${this.columns === null ? this.#choice() : nothing}${twin(shape.twin)}`;
  }

  protected override updated(changed: PropertyValues): void {
    super.updated(changed);
    if (this.columns !== null) this.dispatchEvent(new CustomEvent<readonly string[]>("columns", { detail: this.#wanted }));
  }

  #choice(): TemplateResult {
    return html`<div class="spaced" role="group" aria-label=${say("diagram.spacetime.spaced")}>${SPACINGS.map(
      (spacing) => html`<button class="chip" aria-pressed=${spacing === this.spacing} @click=${() => this.#space(spacing)}>${say(`diagram.spacetime.spaced.${spacing}`)}</button>`,
    )}</div>`;
  }

  #space(spacing: Spacing): void {
    if (spacing === this.spacing) return;
    this.spacing = spacing;
    this.dispatchEvent(new CustomEvent<Spacing>("spacing", { detail: spacing }));
  }
}

export function drawSpacetime(shape: SpacetimeShape, pick: (selection: Selection) => void, animate: boolean): TemplateResult {
  return html`<svg width=${shape.width} height=${shape.height} viewBox="0 0 ${shape.width} ${shape.height}" role="group"
    aria-labelledby="twin">${shape.band === null ? nothing : drawBand(shape.band, shape.width)}${repeat(
      shape.lanes,
      (lane) => lane.actor,
      (lane) => drawLane(lane, shape, pick),
    )}${shape.times.map(
      (time) => svg`<text class=${time.now ? "strong digits" : "digits halo"} x="4" y=${time.y}>${time.text}</text>`,
    )}${shape.shortened.map((cut) => drawShortened(cut, shape.lanes))}${shape.folds.map(drawFold)}${shape.counts.map(
      (hidden) => svg`<text class="digits" x=${hidden.x} y=${hidden.y} text-anchor="end"><title>${hidden.name}</title>${hidden.text}</text>`,
    )}${repeat(
      shape.bars,
      (bar) => bar.key,
      (bar) => drawBar(bar, pick),
    )}${shape.dots.map((dot) => svg`<circle class="dot" cx=${dot.x} cy=${dot.y} r="3.5"/>`)}${repeat(
      shape.arrows,
      (arrow) => arrow.key,
      (arrow) => drawArrow(arrow, pick, animate),
    )}${repeat(
      shape.stored,
      (cell) => cell.key,
      (cell) => drawStored(cell, pick),
    )}${shape.marks.map(drawMark)}${drawBandText(shape)}${drawNotes(shape)}</svg>`;
}

function drawBand(band: NonNullable<SpacetimeShape["band"]>, width: number): SVGTemplateResult {
  return svg`<rect class="wash" x="0" y=${band.y} width=${width} height=${band.height}/><path class="line dark"
    d=${`M0 ${band.y}H${width}M0 ${band.y + band.height}H${width}`}/>`;
}

function drawBandText(shape: SpacetimeShape): SVGTemplateResult | typeof nothing {
  const band = shape.band;
  if (band === null) return nothing;
  return svg`${band.x === null ? nothing : svg`<circle class="dot" cx=${band.x} cy=${band.middle} r=${band.sign === null ? 7 : 9}/>${
    band.sign === null ? nothing : svg`<text class="inverted" x=${band.x} y=${band.middle + 4.5} text-anchor="middle">${band.sign}</text>`}`}${
    band.plate === null ? nothing : svg`<rect class="wash" x=${band.plate.x} y=${band.plate.y} width=${band.plate.width} height=${band.plate.height}/>`}${
    band.texts.map((text) => svg`<text class=${text.strong ? "text strong halo onnow" : "text ink halo onnow"} x=${text.x} y=${text.y} text-anchor=${text.anchor}>${text.text}</text>`)}`;
}

function drawLane(lane: LaneHead, shape: SpacetimeShape, pick: (selection: Selection) => void): SVGTemplateResult {
  const { click, key } = onPick(pick, lane.selection);
  return svg`<g><path class="lane" d=${`M${lane.x} ${shape.top}V${shape.bottom}`}/><g role="button" tabindex="0"
    aria-label=${`${lane.title} ${lane.role}`} aria-pressed=${lane.picked ? "true" : "false"} @click=${click} @keydown=${key}><rect
    class=${lane.picked ? "ring" : ""} x=${lane.x - 44} y="1" width="88" height="44" rx="3" fill="transparent"/><text class="title"
    x=${lane.x} y=${lane.titleY} text-anchor="middle">${lane.title}</text><text x=${lane.x} y=${ROLE_Y} text-anchor="middle">${lane.role}</text></g></g>`;
}

function drawShortened(cut: { y: number; text: string }, lanes: readonly LaneHead[]): SVGTemplateResult {
  const first = lanes[0];
  const [from, until] = first === undefined ? [0, 0] : [first.x + 12, first.x + 12 + textWidth(cut.text, MARK)];
  return svg`${lanes.filter(({ x }) => x + 7 < from || x - 7 > until).map(
    (lane) => svg`<path class="line thin" d=${`M${lane.x - 7} ${cut.y}l14 -6M${lane.x - 7} ${cut.y + 6}l14 -6`}/>`,
  )}${first === undefined
    ? nothing
    : svg`<text class="halo" x=${first.x + 12} y=${cut.y + 4}>${cut.text}</text>`}`;
}

function drawFold(fold: SpacetimeShape["folds"][number]): SVGTemplateResult {
  return svg`<rect class="foldbox" x=${fold.x} y=${fold.y - 11} width=${fold.width} height="22" rx="11"/><text
    x=${fold.x + fold.width / 2} y=${fold.y + 4} text-anchor="middle">${fold.text}</text>`;
}

function drawMark(mark: MarkShape): SVGTemplateResult {
  const first = mark.texts[0];
  return svg`<g><title>${mark.name}</title>${mark.dot === null ? nothing : svg`<circle class="dot" cx=${mark.dot} cy=${mark.y} r="4.5"/>`}${
    mark.dot === null || first === undefined ? nothing : svg`<path class="line thin dotted" d=${`M${mark.dot + 8} ${mark.y}H${first.x - 6}`}/>`}${
    mark.texts.map((text) => svg`<text class="ink" x=${text.x} y=${text.y}>${text.text}</text>`)}</g>`;
}

/** The notes at the foot. */
function drawNotes(shape: SpacetimeShape): SVGTemplateResult | typeof nothing {
  if (shape.notes.length === 0) return nothing;
  const last = shape.noteLines.length - 1;
  return svg`<g><title>${shape.notes.join(" · ")}</title>${shape.noteLines.map(
    (line, index) => svg`<text class="halo" x="4" y=${shape.height - 7 - (last - index) * NOTE_LINE}>${line}</text>`,
  )}</g>`;
}

function drawStored(cell: SpacetimeShape["stored"][number], pick: (selection: Selection) => void): SVGTemplateResult {
  const { click, key } = onPick(pick, cell.selection);
  return svg`<g role="button" tabindex="0" aria-label=${cell.text} aria-pressed=${cell.picked ? "true" : "false"} @click=${click}
    @keydown=${key}>${
    cell.joined ? svg`<path class="line dark" d=${`M${cell.x - 8} ${cell.y + 9}h8`}/>` : nothing}<rect class=${`cell ${cell.hue}`} x=${cell.x}
    y=${cell.y} width=${cell.width} height="18"/>${cell.picked || cell.matched
      ? svg`<rect class="ring" x=${cell.x - 3} y=${cell.y - 3} width=${cell.width + 6} height="24" rx="2"/>`
      : nothing}<text class="ink" x=${cell.x + cell.width / 2} y=${cell.y + 13} text-anchor="middle">${cell.text}</text></g>`;
}

function drawBar(bar: SpacetimeShape["bars"][number], pick: (selection: Selection) => void): SVGTemplateResult {
  const { click, key } = onPick(pick, bar.selection);
  return svg`<g role="button" tabindex="0" aria-label=${bar.text} aria-pressed=${bar.picked ? "true" : "false"} @click=${click}
    @keydown=${key}><title>${bar.text}</title><rect class=${bar.picked ? "bar ring" : "bar"} x=${bar.x} y=${bar.y} width="10"
    height=${bar.height} rx="5"/></g>`;
}

export function drawArrow(arrow: ArrowShape, pick: (selection: Selection) => void, animate: boolean): SVGTemplateResult {
  const { click, key } = onPick(pick, arrow.selection);
  const path = `M${arrow.x1} ${arrow.y1}L${arrow.x2} ${arrow.y2}`;
  const failed = isLost(arrow);
  const classes = [
    "arrow", arrow.now ? "current" : "", arrow.picked ? "chosen" : "", failed ? "failed" : "", arrow.hue === null ? "" : "coloured",
  ].filter(Boolean).join(" ");
  const line = [
    "line", arrow.hue ?? "", arrow.fate === "under_way" ? "dashed" : "", animate && arrow.now && arrow.fate !== "under_way" ? "crosses" : "",
  ].filter(Boolean).join(" ");
  return svg`<g class=${classes} role="button" tabindex="0" aria-label=${arrow.name} aria-pressed=${arrow.picked ? "true" : "false"}
    @click=${click} @keydown=${key}><title>${arrow.name}</title><path class="reach" d=${path}/><path class=${line} d=${path}
    pathLength=${line.includes("crosses") ? 1 : nothing}/>${
      failed
        ? svg`<path class="cross" d=${`M${arrow.x2 - 7} ${arrow.y2 - 7}l14 14m0 -14l-14 14`}/>`
        : svg`<path class="head" d=${headPath(arrow)}/>`
    }${arrow.held ? svg`<path class="line dark" d=${`M${arrow.x2 - 3} ${arrow.y2 - 16}v9m5 -9v9`}/>` : nothing}${
      arrow.label === null
        ? nothing
        : svg`<text class="halo" transform=${`translate(${arrow.label.x} ${arrow.label.y}) rotate(${arrow.label.angle})`}
            text-anchor="middle">${arrow.label.text}</text>`
    }</g>`;
}

/** SVG path of a triangle at the end of the line, pointing along it. */
function headPath(arrow: ArrowShape): string {
  const dx = arrow.x2 - arrow.x1;
  const dy = arrow.y2 - arrow.y1;
  const length = Math.hypot(dx, dy) || 1;
  const [ux, uy] = [dx / length, dy / length];
  const [bx, by] = [arrow.x2 - ux * 10, arrow.y2 - uy * 10];
  const one = (value: number): number => Math.round(value * 10) / 10;
  return `M${arrow.x2} ${arrow.y2}L${one(bx - uy * 4.5)} ${one(by + ux * 4.5)}L${one(bx + uy * 4.5)} ${one(by - ux * 4.5)}Z`;
}

customElements.define("eos-spacetime", Spacetime);
