/** Draws the shapes of lanes as a lit template with keys, so that a batch keeps its element while the log grows. */

import { html, nothing, svg } from "lit";
import type { SVGTemplateResult, TemplateResult } from "lit";
import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";
import type { Selection } from "../player/frame.ts";
import { named, sentences } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { asPress, onPick } from "./element.ts";
import { TEXT, textWidth } from "./geometry.ts";
import { orderSign } from "./order-sign.ts";
import type {
  ArrivalShape, AskShape, CellShape, DifferenceShape, FoldShape, GateShape, LaneShape, LanesShape, ReaderShape, TextShape,
} from "./lane-shapes.ts";
import { edgeOf } from "./lanes-plan.ts";

export interface LanesActions {
  pick: (selection: Selection) => void;
  /** Scrolls a lane by this number of batches: towards older ones or, if it is negative, towards newer ones. */
  scroll: (partition: string, batches: number) => void;
  /** Scrolls a lane to where this number of its newest batches is left out. */
  scrollTo: (partition: string, batches: number) => void;
  /** Makes the lane show every batch in narrow cells. */
  open: (partition: string) => void;
  focus: (partition: string) => void;
  /** Asks the engine why (docs/websocket.md); null if no engine can answer. */
  why: ((question: string, subject: string) => void) | null;
}

export function drawLanes(shape: LanesShape, actions: LanesActions, animate: boolean): TemplateResult {
  return html`<svg width=${shape.width} height=${shape.height} viewBox="0 0 ${shape.width} ${shape.height}"
    role="group" aria-labelledby="twin">${repeat(
      shape.lanes,
      (lane) => lane.partition,
      (lane, index) => guard([lane, shape.width, index, animate], () => drawLane(lane, shape.width, index, actions, animate)),
    )}${repeat(
      shape.folded,
      (line) => line.partition,
      (line) => drawLine(line, shape.width, actions),
    )}${shape.rest === null
      ? nothing
      : svg`<text class="text" x=${edgeOf(shape.width)} y=${shape.rest.y + 17}>${shape.rest.text}</text>`}</svg>`;
}

function drawLine(line: LanesShape["folded"][number], width: number, actions: LanesActions): SVGTemplateResult {
  const open = (): void => actions.focus(line.partition);
  const key = (event: KeyboardEvent): void => {
    if (event.key === "Enter") open();
  };
  return svg`<g role="button" class="wide" tabindex="0" aria-label=${sentences([named(line.partition, `${line.text}${say("join.stop")}`), say("diagram.lanes.open")])}
    @click=${open} @keydown=${key}><rect x="0" y=${line.y} width=${width} height="26" fill="transparent"/><path class="rule"
    d=${`M8 ${line.y}H${width - 8}`}/>${line.differs ? differs(edgeOf(width), line.y + 17, textWidth(line.partition, TEXT, true)) : nothing}<text class="text strong" x=${edgeOf(width)} y=${line.y + 17}>${line.partition}</text><text
    class=${line.changed ? "text strong" : "text"} x=${width - (width < 480 ? 8 : 16)} y=${line.y + 17} text-anchor="end">${line.text}</text></g>`;
}

/** The mark of a difference in the compared run: a frame around a name, and a sign if there is room. */
function differs(x: number, y: number, width: number): SVGTemplateResult {
  return svg`<rect class="differs" x=${x - 4} y=${y - 14} width=${width + 8} height="19" rx="3"/>${x < 20 ? nothing : svg`<text class="text strong" x=${x - 7} y=${y} text-anchor="end">≠</text>`}`;
}

function drawLane(
  lane: LaneShape, width: number, index: number, actions: LanesActions, animate: boolean,
): SVGTemplateResult {
  const { click, key } = onPick(actions.pick, { kind: "partition", id: lane.partition });
  const left = edgeOf(width);
  const title = lane.titleY;
  const keys = (event: KeyboardEvent): void => {
    const page = { PageUp: 8, PageDown: -8, Home: lane.older, End: -Infinity }[event.key];
    if (page === undefined) return key(event);
    event.preventDefault();
    actions.scroll(lane.partition, page);
  };
  return svg`<g class="lane" data-partition=${lane.partition}>${
    index === 0 ? nothing : svg`<path class="rule" d=${`M0 ${lane.top}H${width}`}/>`
  }<g role="button" tabindex="0" aria-label=${say("diagram.lanes.title_name", { partition: lane.partition })}
    aria-pressed=${lane.picked ? "true" : "false"} @click=${click} @keydown=${keys}>${
      lane.picked
        ? svg`<rect class="ring" x=${left - 5} y=${title - 14} width=${lane.titleWidth + 10} height="19" rx="3"/>`
        : nothing
    }${lane.differs ? differs(left, title, lane.titleWidth) : nothing}<text class="title" x=${left} y=${title}>${lane.title}</text></g>${
    lane.arrival === null ? nothing : drawArrival(lane.arrival, actions, animate)
  }${lane.differing.map(drawDiffering)}${repeat(lane.folds, (fold) => fold.first, (fold) => drawFold(fold, lane.partition, actions))}${repeat(
    lane.cells,
    (cell) => cell.key,
    (cell) => drawCell(cell, actions, animate),
  )}${lane.gates.map(drawGate)}${lane.followers.map(
    (mark) => svg`<path class="dot" d=${`M${mark.x} ${mark.y}l4 6h-8z`}/>`,
  )}${repeat(lane.readers, (reader) => reader.key, (reader) => drawReader(reader, actions))}${
    lane.differences.map(drawDifference)}${lane.texts.map(drawText)}${
    repeat(actions.why === null ? [] : lane.asks, (ask) => ask.subject, (ask) => drawAsk(ask, actions))}</g>`;
}

/**
 * The mark of a batch that differs in the compared run: a box behind its offsets, with the sign of a difference between
 * them if there is room.
 */
function drawDiffering({ x, y, width, height, signX }: LaneShape["differing"][number]): SVGTemplateResult {
  return svg`<rect class="differs" x=${x} y=${y} width=${width} height=${height}/>${signX === null ? nothing : svg`<text class="text strong" x=${signX} y=${y + height - 2} text-anchor="middle">≠</text>`}`;
}

export function drawText(text: TextShape): SVGTemplateResult {
  if (text.term !== undefined) {
    return svg`<text class=${`${text.style} term`} data-term=${text.term} role="button" tabindex="0" aria-haspopup="dialog" x=${text.x} y=${text.y} text-anchor=${text.anchor} @keydown=${asPress}>${text.text}</text>`;
  }
  return svg`<text class=${text.style} x=${text.x} y=${text.y} text-anchor=${text.anchor}>${text.text}</text>`;
}

export function drawCell(cell: CellShape, actions: Pick<LanesActions, "pick">, animate: boolean): SVGTemplateResult {
  const { click, key } = onPick(actions.pick, cell.selection);
  const classes = [
    "cell", cell.hue, cell.pending ? "pending" : "", cell.broken && !cell.deleted ? "broken" : "", cell.deleted ? "deleted" : "",
  ].filter(Boolean).join(" ");
  const ring = cell.landed || cell.matched || cell.picked;
  const middle = cell.x + cell.width / 2;
  const centre = cell.y + cell.height / 2;
  const lift = cell.below === null ? 4.5 : -2;
  return svg`<g role="button" tabindex="0" class=${animate && cell.landed ? "lands" : ""} aria-label=${cell.name}
    aria-pressed=${cell.picked ? "true" : "false"} @click=${click} @keydown=${key}><title>${cell.name}</title>${
    cell.landed
      ? svg`<rect class="wash" x=${cell.x - 4} y=${cell.y - 4} width=${cell.width + 8} height=${cell.height + 8} rx="3"/>`
      : nothing
  }${cell.control === null
    ? svg`<rect class=${classes} x=${cell.x} y=${cell.y} width=${cell.width} height=${cell.height}/>${hatching(cell)}${cell.late && !cell.deleted ? orderSign(cell.x + 4, cell.y + 8) : nothing}<text
      class=${`label${cell.labelSmall ? " small" : ""}${cell.deleted ? " gone" : ""}${cell.aborted ? " halo" : ""}`} x=${middle} y=${centre + lift} text-anchor="middle">${cell.label}</text>`
    : flag(cell.x + 8, cell, `${cell.hue}${cell.deleted ? " deleted" : ""}`)
  }${cell.below === null
    ? nothing
    : svg`<text class=${`${cell.twice && !cell.deleted && cell.isWho !== true ? "alarm" : "ink"}${cell.aborted ? " halo" : ""}`} x=${cell.control === null ? middle : cell.x + 14} y=${
        cell.y + cell.height - 6
      } text-anchor=${cell.control === null ? "middle" : "start"}>${cell.below}</text>`
  }${ring
    ? svg`<rect class="ring" x=${cell.x - 4} y=${cell.y - 4} width=${cell.width + 8} height=${cell.height + 8} rx="3"/>`
    : nothing}</g>`;
}

/** The flag of a marker with its result, C or A. */
function flag(x: number, { y, height, label }: { y: number; height: number; label: string }, classes: string): SVGTemplateResult {
  return svg`<path class=${`flag line ${classes}`} d=${flagPath(x, y, height)}/><text class="inverted" x=${x + 9} y=${y + 13} text-anchor="middle">${label}</text>`;
}

/** SVG path of a marker's flag: a swallowtail on a pole, as on the stage. */
function flagPath(x: number, y: number, height: number): string {
  return `M${x} ${y}h20l-4 8.5l4 8.5h-17v${height - 17}h-3z`;
}

/** Slanted lines of an aborted batch, inside its cell. */
function hatching(cell: CellShape): SVGTemplateResult | typeof nothing {
  if (!cell.aborted) return nothing;
  const lines: string[] = [];
  for (let from = 6; from < cell.width + cell.height; from += 9) {
    const x1 = Math.min(from, cell.width);
    const y1 = from - x1;
    const y2 = Math.min(from, cell.height);
    const x2 = from - y2;
    lines.push(`M${cell.x + x1} ${cell.y + y1}L${cell.x + x2} ${cell.y + y2}`);
  }
  return svg`<path class=${`hatch ${cell.hue}`} d=${lines.join("")}/>`;
}

function drawFold(fold: FoldShape, partition: string, actions: LanesActions): SVGTemplateResult {
  const go = (): void => (fold.opens ? actions.open(partition) : actions.scrollTo(partition, fold.to));
  const key = (event: KeyboardEvent): void => {
    if (event.key === "Enter") go();
  };
  const middle = fold.x + fold.width / 2;
  const first = fold.y + fold.height / 2 - (fold.lines.length > 1 ? 2 : -4);
  return svg`<g role="button" tabindex="0" aria-label=${fold.name} @click=${go} @keydown=${key}><rect class=${fold.twice ? "foldbox twice" : "foldbox"}
    x=${fold.x + 2} y=${fold.y} width=${fold.width - 4} height=${fold.height} rx="4"/>${fold.lines.map(
      (line, index) => svg`<text class=${fold.twice && index > 0 ? "alarm" : nothing} x=${middle} y=${first + index * 12} text-anchor="middle">${line}</text>`,
    )}</g>`;
}

function drawGate(gate: GateShape): SVGTemplateResult {
  return svg`<rect class=${`gate ${gate.kind}`} x=${gate.x} y=${gate.y} width=${gate.width} height=${gate.height}/>`;
}

/**
 * An invisible button that asks the engine why. It lies over the name of the last stable offset (why is it there?) or
 * over records that a consumer has not received (why not?).
 */
function drawAsk(ask: AskShape, actions: LanesActions): SVGTemplateResult {
  const { click, key } = onPick(() => actions.why?.(ask.question, ask.subject), { kind: "partition", id: ask.subject });
  return svg`<g class="asks" role="button" tabindex="0" aria-label=${ask.name} @click=${click} @keydown=${key}><title>${ask.name}</title><rect
    x=${ask.x} y=${ask.y} width=${ask.width} height=${ask.height} rx="3"/></g>`;
}

function drawReader(reader: ReaderShape, actions: LanesActions): SVGTemplateResult {
  const { click, key } = onPick(actions.pick, reader.selection);
  const end = Math.max(reader.right - 5, reader.left);
  return svg`<g role="button" tabindex="0" aria-label=${say("diagram.lanes.reader_name", {
    consumer: reader.name, isolation: reader.isolation,
  })} aria-pressed=${reader.picked ? "true" : "false"} @click=${click} @keydown=${key}>${
    reader.picked
      ? svg`<rect class="ring" x=${reader.left - 5} y=${reader.y - 17} width=${Math.max(40, end - reader.left + 16)} height="24" rx="3"/>`
      : svg`<rect x=${reader.left} y=${reader.y - 17} width=${Math.max(24, end - reader.left)} height="22" fill="transparent"/>`
  }${reader.spans.map((span) => drawSpan(span, reader.y))}${reader.marked.map(({ x, width }) =>
    svg`<rect class="ring" x=${x - 2} y=${reader.y - 6.5} width=${width + 4} height="13" rx="2"/>`)}<path class="dot" d=${`M${end - 1} ${reader.y - 5}l8 5-8 5z`}/></g>`;
}

/** A part of a consumer's strip; its shape, not its colour, shows the fate. */
function drawSpan({ x, width, fate }: ReaderShape["spans"][number], y: number): SVGTemplateResult {
  const [left, right] = [x + 1.5, x + width - 1.5];
  if (fate === "control" || fate === "not_fetched") return svg`<path class="line thin" d=${`M${left} ${y}H${right}`}/>`;
  if (fate === "delivered") return svg`<rect class="strip delivered" x=${left} y=${y - 3.5} width=${Math.max(2, right - left)} height="7"/>`;
  const box = svg`<rect class=${`strip ${fate}`} x=${left} y=${y - 3.5} width=${Math.max(2, right - left)} height="7"/>`;
  if (fate !== "aborted") return box;
  const lines: string[] = [];
  for (let from = left + 3; from < right; from += 6) lines.push(`M${from} ${y + 3.5}L${Math.min(from + 5, right)} ${y - 3.5}`);
  return svg`${box}<path class="line thin" d=${lines.join("")}/>`;
}

/**
 * Two dotted lines around a range that only one of two consumers has received. The sign ≠ is not used here, because it
 * marks differences between two runs.
 */
function drawDifference({ x, width, top, bottom }: DifferenceShape): SVGTemplateResult {
  const [left, right] = [x + 2, x + width - 2];
  return svg`<g class="difference"><path class="line dotted dark" d=${`M${left} ${top}V${bottom}M${right} ${top}V${bottom}`}/></g>`;
}

function drawArrival(arrival: ArrivalShape, actions: LanesActions, animate: boolean): SVGTemplateResult {
  const under = arrival.fate === "under_way";
  const moving = animate && !under ? "travels" : "";
  const after = animate && !under ? "appears" : "";
  return svg`<g class="arrival" data-fate=${arrival.fate}>${repeat(
    arrival.cells,
    (cell) => cell.key,
    (cell) => {
      const { click, key } = onPick(actions.pick, cell.selection);
      const ring = [cell.x - 5, cell.y - 5, cell.width + 10, cell.height + 10] as const;
      return svg`<g class=${moving} role="button" tabindex="0" aria-label=${cell.name}
        aria-pressed=${cell.picked ? "true" : "false"} @click=${click} @keydown=${key}>${
          under
            ? nothing
            : svg`<rect class="wash" x=${ring[0]} y=${ring[1]} width=${ring[2]} height=${ring[3]} rx="3"/>`
        }${cell.control == null
          ? svg`<rect class=${`cell ${cell.hue}${under || arrival.fate === "lost" ? " pending" : ""}`} x=${cell.x} y=${cell.y} width=${cell.width}
        height=${cell.height}/><text class="label" x=${cell.x + cell.width / 2} y=${cell.y + cell.height / 2 + 4.5}
        text-anchor="middle">${cell.label}</text>`
          : flag(cell.x + cell.width / 2 - 10, cell, cell.hue)
        }${
          under && !cell.picked
            ? nothing
            : svg`<rect class="ring" x=${ring[0]} y=${ring[1]} width=${ring[2]} height=${ring[3]} rx="3"/>`
        }</g>`;
    },
  )}<g class=${after}>${
    arrival.path === null
      ? nothing
      : arrival.fate === "appended"
        ? svg`<path class="line dark" d=${arrival.path}/><path class="dot" d=${arrowDown(arrival.path)}/>`
        : svg`<path class="line thin dotted" d=${arrival.path}/>`
  }${arrival.bars === null
    ? nothing
    : svg`<path class="line dark equal" d=${arrival.bars.x
        .map((x) => `M${x} ${arrival.bars?.top}V${arrival.bars?.bottom}`)
        .join("")}/>`}${
    arrival.cross === null
      ? nothing
      : svg`<path class="cross" d=${`M${arrival.cross.x - 8} ${arrival.cross.y - 8}l16 16m0 -16l-16 16`}/>`
  }${arrival.ghost === null ? nothing : drawGhost(arrival.ghost)}${arrival.texts.map(drawText)}</g></g>`;
}

function arrowDown(path: string): string {
  const [, x = "0", y = "0"] = /^M([\d.]+) [\d.]+V([\d.]+)$/.exec(path) ?? [];
  return `M${x} ${Number(y) + 5}l-5 -8h10z`;
}

function drawGhost(ghost: NonNullable<ArrivalShape["ghost"]>): SVGTemplateResult {
  const first = ghost.y + ghost.height / 2 - (ghost.lines.length > 1 ? 3 : -4);
  return svg`<rect class="line thin dotted" x=${ghost.x} y=${ghost.y} width=${ghost.width} height=${ghost.height}/>${
    ghost.lines.map(
      (line, index) => svg`<text class=${index === ghost.lines.length - 1 ? "strong" : ""} x=${
        ghost.x + ghost.width / 2} y=${first + index * 14} text-anchor="middle">${line}</text>`,
    )}`;
}
