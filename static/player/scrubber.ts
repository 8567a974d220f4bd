/**
 * `<eos-scrubber .store=${store}>`: the branch tree above one line of steps that can be dragged.
 *
 * Dragging only says where the reader wants to be; the store makes at most one frame in an animation frame. Ticks
 * are one path, drawn again only when steps came or the axis changed, and in a drag only now and then: a long run's
 * ticks cost as much as a frame.
 */

import type { SVGTemplateResult, TemplateResult } from "lit";
import { guard } from "lit/directives/guard.js";
import { repeat } from "lit/directives/repeat.js";
import { html, nothing, svg } from "lit";
import { branchName } from "./branch-name.ts";
import { doneOn, inWords } from "./done.ts";
import type { PlayerStore } from "./store.ts";
import { axisSides, MeasuredElement } from "./store-element.ts";
import { say } from "./text.ts";
import type { Axis, BranchRow, Ticks } from "./timeline.ts";
import { axisOf, branchRows, labels, stepAt, ticks, xOf } from "./timeline.ts";

export const defaults = {
  // Rows stand 24 pixels apart, so that a finger meets one name and not its neighbour.
  wide: { height: 100, track: 66, tree: { lowest: 39, pitch: 24, rows: 2 }, labels: 90 },
  narrow: { height: 58, track: 44, tree: { lowest: 18, pitch: 12, rows: 2 }, labels: 0 },
  /** Steps that Page Up and Page Down move. */
  page: 20,
  /** Milliseconds that ticks may be behind while the knob is dragged. */
  ticksBehind: 1500,
};

export class Scrubber extends MeasuredElement {
  #left = 0;
  #dragging = false;
  #ticks: unknown[] = [];
  #ticksAt = -Infinity;

  protected override render(): TemplateResult | typeof nothing {
    const store = this.store;
    if (store === undefined || store.header === null || this.width === 0) return nothing;
    const axis = this.#axis(store);
    const shown = store.shown;
    const from = this.#sliderLeft;
    return html`<div class="slider" .style=${`left:${from}px`} role="slider" tabindex="0" aria-label=${say("player.scrubber")}
        aria-valuemin="0" aria-valuemax=${store.newest} aria-valuenow=${shown}
        aria-valuetext=${say("player.step_of", { step: shown, of: store.newest, at: store.frame?.view.time ?? 0 })}
        @keydown=${this.#key} @pointerdown=${this.#down} @pointermove=${this.#move} @pointerup=${this.#up} @pointercancel=${this.#up}>
      </div>
      ${this.#picture(store, axis, shown)}
      ${this.#branches(store, axis)}`;
  }

  /** The names of the branches stand left of the axis and are not part of what is dragged. */
  get #sliderLeft(): number {
    const sides = axisSides(this.width);
    return sides.labelled ? sides.left - 10 : 0;
  }

  get #shape(): typeof defaults.wide {
    return axisSides(this.width).labelled ? defaults.wide : defaults.narrow;
  }

  #axis(store: PlayerStore): Axis {
    const { left, right } = axisSides(this.width);
    return axisOf(store.lines.branches.values(), left, right);
  }

  #picture(store: PlayerStore, axis: Axis, shown: number): TemplateResult {
    const shape = this.#shape;
    const drawn = this.#ticksFor(store, axis);
    const now = xOf(axis, shown);
    const end = xOf(axis, store.newest);
    return html`<svg width=${this.width} height=${shape.height} aria-hidden="true">
      <text x=${axis.left - 12} y=${shape.track - 9} text-anchor="end">${say("player.interesting")}</text>
      <path class="track ahead" d="M${now} ${shape.track}H${end}" />
      <path class="track unmade" d="M${end} ${shape.track}H${axis.right}" />
      <path class="track done" d="M${axis.left} ${shape.track}H${now}" />
      ${guard(drawn, () => marks(store, axis, shape.track))}
      ${shape.labels === 0 ? nothing : numbers(axis, shown, shape.labels)}
      <g transform="translate(${now})"><path class="playhead" d="M0 0V${shape.track}" />
        <circle class="knob" cy=${shape.track} r="9" /><circle class="knob-eye" cy=${shape.track} r="3.5" />
        ${shape.labels === 0 ? nothing : svg`<text class="strong num" y=${shape.labels} text-anchor="middle">${shown}</text>`}</g>
    </svg>`;
  }

  /** What the ticks on show were drawn from. */
  #ticksFor(store: PlayerStore, axis: Axis): unknown[] {
    const now = performance.now();
    if (this.#dragging && now - this.#ticksAt < defaults.ticksBehind) return this.#ticks;
    const versions = store.lines.stretches(store.branch).map((stretch) => store.lines.windows(stretch.owner).version);
    this.#ticksAt = now;
    this.#ticks = [...versions, store.branch, store.newest, axis.end, this.width];
    return this.#ticks;
  }

  #branches(store: PlayerStore, axis: Axis): TemplateResult {
    const shape = this.#shape;
    const all = [...store.lines.branches.values()];
    const { rows, folded } = branchRows(all, store.branch, axis, shape.tree);
    const isLabelled = axisSides(this.width).labelled;
    return html`<svg class="tree" width=${this.width} height=${shape.tree.lowest + 8} aria-hidden="true">
        ${rows.map((row) => line(row, axis, isLabelled))}
      </svg>
      ${
        isLabelled
          ? html`<div class="branch-names" role="group" aria-label=${say("player.branches")}>
              ${rows.map((row) => this.#name(row, store))}
              ${folded === 0 ? nothing : html`<button class="more-branches" @click=${this.#openBranches}>${say("player.more_branches", { count: folded })}</button>`}
            </div>`
          : nothing
      }`;
  }

  #name(row: BranchRow, store: PlayerStore): TemplateResult {
    const what = interventionsOf(row);
    return html`<button class="branch-name" .style=${`top:${row.y - 12}px`} aria-current=${row.isCurrent ? "true" : "false"}
      title=${what === "" ? branchName(row.branch) : `${branchName(row.branch)}: ${what}`}
      @click=${() => store.switchTo(row.branch.id)}>${branchName(row.branch)}</button>`;
  }

  readonly #openBranches = (): void => {
    this.dispatchEvent(new CustomEvent("open-dialog", { detail: "eos-branches", bubbles: true }));
  };

  readonly #down = (event: PointerEvent): void => {
    if (event.button !== 0 || this.store === undefined) return;
    const slider = event.currentTarget as HTMLElement;
    this.#left = slider.getBoundingClientRect().left - this.#sliderLeft;
    this.#hold(true);
    slider.setPointerCapture(event.pointerId);
    this.#to(event);
  };

  readonly #move = (event: PointerEvent): void => {
    if (this.#dragging) this.#to(event);
  };

  readonly #up = (): void => {
    this.#hold(false);
    this.requestUpdate();
  };

  #hold(isHeld: boolean): void {
    this.#dragging = isHeld;
    if (this.store !== undefined) this.store.isDragged = isHeld;
  }

  #to(event: PointerEvent): void {
    const store = this.store;
    if (store === undefined) return;
    const number = stepAt(this.#axis(store), event.clientX - this.#left, store.newest);
    store.moveTo(store.pace?.nearest(number) ?? number);
  }

  /** Left and right are the player's own keys; these belong to a slider. */
  readonly #key = (event: KeyboardEvent): void => {
    const store = this.store;
    if (store === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const targets: Record<string, number> = {
      Home: 0,
      End: store.newest,
      PageDown: store.target - defaults.page,
      PageUp: store.target + defaults.page,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    store.moveTo(Math.max(0, Math.min(target, store.newest)));
  };
}

/** What was done to the world in a branch. */
function interventionsOf(row: BranchRow): string {
  return doneOn(row.branch).map(inWords).join(", ");
}

function line(row: BranchRow, axis: Axis, isNamed: boolean): SVGTemplateResult {
  // Where names do not stand at the side, they stand on the line.
  const what = isNamed ? interventionsOf(row) : row.branch.parent === null ? "" : branchName(row.branch);
  const room = axis.right - row.startX;
  return svg`<path class=${row.isCurrent ? "branch-line current" : "branch-line"} d=${row.path} />
    <circle class=${row.isCurrent ? "tip current" : "tip"} cx=${row.endX} cy=${row.y} r="3" />
    ${what !== "" && room > 60 ? svg`<text class="halo" x=${row.startX + 24} y=${row.y + 4}>${shorten(what, room - 40)}</text>` : nothing}`;
}

/** About six pixels a letter at this size, twelve for a Chinese one; the whole text is the button's title. */
function shorten(text: string, room: number): string {
  let width = 0;
  for (let index = 0; index < text.length; index += 1) {
    width += text.charCodeAt(index) > 0x2e80 ? 12 : 6;
    if (width > room) return `${text.slice(0, Math.max(1, index - 1))}…`;
  }
  return text;
}

function marks(store: PlayerStore, axis: Axis, track: number): SVGTemplateResult {
  const drawn: Ticks = ticks(axis, store.newest, store.lines.marks(store.branch), track - 6);
  const at = (number: number): number => xOf(axis, number);
  const y = track - 12;
  // A lost message has its cross; a triangle under it would only blur it.
  const isCrossed = (number: number): boolean => drawn.lost.some((lost) => Math.abs(at(lost) - at(number)) < 9);
  const triangles = drawn.interesting.filter((number) => !isCrossed(number)).map((number) => `M${at(number).toFixed(1)} ${y - 4}l4.5 8h-9z`).join("");
  const crosses = drawn.lost.map((number) => `M${(at(number) - 4).toFixed(1)} ${y - 4}l8 8m0 -8l-8 8`).join("");
  const bars = drawn.refused.map((number) => `M${at(number).toFixed(1)} ${track + 4}v6`).join("");
  const broken = drawn.broken.map((number) => `M${(at(number) - 4).toFixed(1)} ${track + 5}l8 8m0 -8l-8 8`).join("");
  const unknown = drawn.unknown.map(([from, to]) => `M${at(from).toFixed(1)} ${track - 8}H${at(to).toFixed(1)}`).join("");
  return svg`<path class="ticks" d=${drawn.plain} /><path class="triangles" d=${triangles} />
    <path class="crosses" d=${crosses} /><path class="refusals" d=${bars} /><path class="breaks" d=${broken} />
    <path class="not-judged" d=${unknown} />`;
}

/** Keyed: the one that makes room for the step on show leaves the others where they are. */
function numbers(axis: Axis, shown: number, y: number): unknown {
  const now = xOf(axis, shown);
  const shownLabels = labels(axis, 60).filter((number) => Math.abs(xOf(axis, number) - now) > 22);
  return repeat(shownLabels, (number) => number, (number) => svg`<text class="num" x=${xOf(axis, number)} y=${y} text-anchor="middle">${number}</text>`);
}

customElements.define("eos-scrubber", Scrubber);
