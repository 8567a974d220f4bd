/**
 * `<eos-scrubber .store=${store} .walk=${walk}>`: the line of all steps, below the names of the beats, with a knob that
 * can be dragged. If the knob is released at a step that is not made yet, the server makes the steps up to there.
 *
 * Dragging only sets the step at which the reader wants to be; the store makes at most one frame per animation frame.
 * The ticks of the steps are one SVG path. It is drawn again only when steps arrive or the axis changes, and rarely
 * during a drag, because the ticks of a long run cost as much as a frame.
 */

import type { SVGTemplateResult, TemplateResult } from "lit";
import { html, nothing, svg } from "lit";
import { guard } from "lit/directives/guard.js";
import { ownBox, zoomOf } from "../diagrams/own-box.ts";
import { axisFor, planOf, stepsOf } from "./axis-of.ts";
import type { BeatWalk } from "./beat-walk.ts";
import { branchTitle } from "./branch-name.ts";
import type { PlayerStore } from "./store.ts";
import { MeasuredElement } from "./store-element.ts";
import { listed } from "./joins.ts";
import { say } from "./text.ts";
import type { Axis, Ticks } from "./timeline.ts";
import { forksOf, stepAt, ticks, wayOf, xOf } from "./timeline.ts";

export const defaults = {
  height: 28,
  track: 12,
  /** The number of steps by which Page Up and Page Down move. */
  page: 20,
  /** The most milliseconds by which the ticks may be out of date while the knob is dragged. */
  ticksBehind: 1500,
};

export class Scrubber extends MeasuredElement {
  static override properties = { ...MeasuredElement.properties, walk: { attribute: false }, wanted: { state: true } };

  declare walk: BeatWalk | undefined;
  /** The step that is not made yet and over which the reader holds the knob; null: none. */
  declare wanted: number | null;
  #left = 0;
  #zoom = 1;
  #dragging = false;
  /**
   * Where a finger touched the line, in px of the window, as long as it has neither dragged nor scrolled; else null.
   */
  #touched: { x: number; y: number } | null = null;
  #ticks: unknown[] = [];
  #ticksAt = -Infinity;

  constructor() {
    super();
    this.walk = undefined;
    this.wanted = null;
  }

  protected override render(): TemplateResult | typeof nothing {
    const store = this.store;
    if (store === undefined || store.header === null || this.width === 0) return nothing;
    const shown = store.shown;
    return html`<div class="slider" role="slider" tabindex="0" aria-label=${say("player.scrubber")}
        aria-valuemin="0" aria-valuemax=${reachOf(store)} aria-valuenow=${shown}
        aria-valuetext=${say("player.step_of", { step: shown, of: stepsOf(store), at: store.frame?.view.time ?? 0 })}
        @keydown=${this.#key} @pointerdown=${this.#down} @pointermove=${this.#move} @pointerup=${this.#up} @pointercancel=${this.#up}>
      </div>
      ${this.#picture(store, axisFor(store, this.width), shown)}`;
  }

  #picture(store: PlayerStore, axis: Axis, shown: number): TemplateResult {
    const { height, track } = defaults;
    const now = xOf(axis, shown);
    const end = xOf(axis, store.newest);
    return html`<svg width=${this.width} height=${height} aria-hidden="true">
      <path class="track ahead" d="M${now} ${track}H${end}" />
      <path class="track unmade" d="M${end} ${track}H${axis.right}" />
      <path class="track done" d="M${axis.left} ${track}H${now}" />
      ${guard(this.#ticksFor(store, axis), () => marks(store, axis, track))}
      ${this.wanted === null ? nothing : svg`<circle class="knob-wanted" cx=${xOf(axis, this.wanted)} cy=${track} r="9" />`}
      <g transform="translate(${now})"><circle class="knob" cy=${track} r="9" /><circle class="knob-eye" cy=${track} r="4.5" /></g>
    </svg>`;
  }

  /** The inputs of the drawn ticks. */
  #ticksFor(store: PlayerStore, axis: Axis): unknown[] {
    const now = performance.now();
    if (this.#dragging && now - this.#ticksAt < defaults.ticksBehind) return this.#ticks;
    const versions = store.lines.stretches(store.branch).map((stretch) => store.lines.windows(stretch.owner).version);
    this.#ticksAt = now;
    const beats = axis.segments?.map(({ x }) => Math.round(x)).join(" ") ?? "";
    this.#ticks = [...versions, store.branch, store.newest, store.lines.branches.size, axis.end, this.width, beats];
    return this.#ticks;
  }

  readonly #down = (event: PointerEvent): void => {
    if (event.button !== 0 || this.store === undefined) return;
    const slider = event.currentTarget as HTMLElement;
    this.#left = ownBox(slider).left;
    this.#zoom = zoomOf(slider);
    slider.setPointerCapture(event.pointerId);
    if (event.pointerType === "touch") {
      this.#touched = { x: event.clientX, y: event.clientY };
      return;
    }
    this.#hold(true);
    this.#to(event);
  };

  readonly #move = (event: PointerEvent): void => {
    if (this.#touched !== null) {
      const way = wayOf(event.clientX - this.#touched.x, event.clientY - this.#touched.y);
      if (way === null) return;
      this.#touched = null;
      this.#hold(way === "along");
    }
    if (this.#dragging) this.#to(event);
  };

  /** Ends a drag. If a finger is lifted without having dragged or scrolled, goes to the step where it touched. */
  readonly #up = (event: PointerEvent): void => {
    if (this.#touched !== null && event.type === "pointerup") this.#to(event);
    this.#touched = null;
    this.#hold(false);
    if (this.wanted !== null) void this.#make(this.wanted);
    this.requestUpdate();
  };

  #hold(isHeld: boolean): void {
    this.#dragging = isHeld;
    if (this.store !== undefined) this.store.isDragged = isHeld;
  }

  #to(event: PointerEvent): void {
    const store = this.store;
    if (store === undefined) return;
    this.#goTo(store, stepAt(axisFor(store, this.width), event.clientX / this.#zoom - this.#left, reachOf(store)));
  }

  #goTo(store: PlayerStore, number: number): void {
    const made = Math.min(number, store.newest);
    this.wanted = number > made ? number : null;
    store.moveTo(store.pace?.nearest(made) ?? made);
  }

  async #make(number: number): Promise<void> {
    await this.walk?.goTo(number);
    if (!this.#dragging) this.wanted = null;
  }

  /** The keys of a slider, without the arrow keys, which are the player's own. */
  readonly #key = (event: KeyboardEvent): void => {
    const store = this.store;
    if (store === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    const targets: Record<string, number> = {
      Home: 0,
      End: reachOf(store),
      PageDown: store.target - defaults.page,
      PageUp: store.target + defaults.page,
    };
    const target = targets[event.key];
    if (target === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    this.#goTo(store, Math.max(0, Math.min(target, reachOf(store))));
    if (this.wanted !== null) void this.#make(this.wanted);
  };
}

/**
 * The last step to which the reader can drag: in a run that can go on, also the planned steps that are not made yet.
 */
function reachOf(store: PlayerStore): number {
  return store.canGrow ? Math.max(store.newest, planOf(store)?.steps ?? 0) : store.newest;
}

function marks(store: PlayerStore, axis: Axis, track: number): SVGTemplateResult {
  const drawn: Ticks = ticks(axis, store.newest, store.lines.marks(store.branch), track + 2);
  const at = (number: number): number => xOf(axis, number);
  // An interesting step has a bar and a lost message a cross. No bar is drawn where it would blur a cross.
  const isCrossed = (number: number): boolean => drawn.lost.some((lost) => Math.abs(at(lost) - at(number)) < 7);
  const bars = drawn.interesting.filter((number) => !isCrossed(number)).map((number) => `M${at(number).toFixed(1)} ${track - 5}v10`).join("");
  const crosses = drawn.lost.map((number) => `M${(at(number) - 4).toFixed(1)} ${track - 4}l8 8m0 -8l-8 8`).join("");
  const refused = drawn.refused.map((number) => `M${at(number).toFixed(1)} ${track + 6}l4.5 8h-9z`).join("");
  const broken = drawn.broken.map((number) => `M${(at(number) - 4).toFixed(1)} ${track + 6}l8 8m0 -8l-8 8`).join("");
  const unknown = drawn.unknown.map(([from, to]) => `M${at(from).toFixed(1)} ${track + 6}H${at(to).toFixed(1)}`).join("");
  const gaps = (axis.segments ?? []).slice(1).map(({ x }) => `M${(x - 1.5).toFixed(1)} ${track - 9}v18`).join("");
  // A branch that leaves at the last step has no room for its mark; it is only in the list of branches.
  const forks = forksOf(store.lines.branches.values(), store.lines.stretches(store.branch)).filter((fork) => fork.at < reachOf(store));
  return svg`<path class="beat-gaps" d=${gaps} /><path class="ticks" d=${drawn.plain} /><path class="bars" d=${bars} />
    <path class="crosses" d=${crosses} /><path class="refusals" d=${refused} /><path class="breaks" d=${broken} />
    <path class="not-judged" d=${unknown} />
    ${forks.map(({ at: number, branches }) => svg`<path class="fork" d=${`M${at(number).toFixed(1)} ${track}c0 8 4 11 12 11`}><title>${listed(branches.map(({ id }) => branchTitle(store.lines.branches, id)))}</title></path>`)}`;
}

customElements.define("eos-scrubber", Scrubber);
