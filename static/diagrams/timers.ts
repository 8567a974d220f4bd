/**
 * The running timers as shrinking arcs with the remaining time.
 *
 *     <eos-timers></eos-timers>
 *     document.querySelector("eos-timers").frame = frame;
 */

import { css, html, nothing, svg } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Frame, Selection, View } from "../player/frame.ts";
import { duration, say } from "../player/text.ts";
import type { RunningTimer } from "../player/timers.ts";
import { timersOf } from "../player/timers.ts";
import { ownSubject, timerWord } from "./timer-word.ts";
import { DiagramElement, folded, section } from "./element.ts";
import { round } from "./geometry.ts";
import { isPicked } from "./picked.ts";
import { found } from "./reading.ts";
import { Slots } from "./slots.ts";

export const defaults = { timers: 4, radius: 14 };

export interface ArcShape {
  key: string;
  /** The path from {@link arcPath}. */
  path: string | null;
  /** Whether the view says when the wait began. If not, the share is not known, and the ring has no arc. */
  isWholeKnown: boolean;
  left: string;
  lines: string[];
  fresh: boolean;
  picked: boolean;
  name: string;
  selection: Selection;
}

/**
 * SVG path of a timer's arc, counter-clockwise from twelve o'clock. `share`: the share of the time that is left, 0 to
 * 1; `radius`: px. Null if no time is left; a full circle for 1.
 */
export function arcPath(share: number, radius: number): string | null {
  if (share <= 0) return null;
  const centre = radius + 3;
  if (share >= 0.999) {
    return `M${centre} 3A${radius} ${radius} 0 1 1 ${round(centre - 0.1)} 3Z`;
  }
  const angle = share * 2 * Math.PI;
  const x = round(centre - radius * Math.sin(angle));
  const y = round(centre - radius * Math.cos(angle));
  return `M${centre} 3A${radius} ${radius} 0 ${share > 0.5 ? 1 : 0} 0 ${x} ${y}`;
}

/**
 * A time of `left` ms as a text that fits inside the arc: the number of ms up to four digits; then whole seconds,
 * minutes, hours or days with their letter, such as `12s`.
 */
export function shortLeft(left: number): string {
  const units: [number, string][] = [[172_800_000, "d"], [7_200_000, "h"], [600_000, "m"], [10_000, "s"]];
  const sizes: Record<string, number> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };
  for (const [from, unit] of units) if (left >= from) return `${Math.round(left / (sizes[unit] ?? 1))}${unit}`;
  return String(left);
}

export function layoutTimers(frame: Frame, options = defaults): { arcs: ArcShape[]; folded: string[]; ended: string | null } {
  const all = [...found(frame, "timers", ({ view }) => timersOf(view))];
  const before = found(frame, "timers before", ({ previousView }) => (previousView === null ? null : timersOf(previousView)));
  const old = before === null ? null : new Set(before.map(keyOf));
  all.sort((one, other) => one.timer.until - other.timer.until || (one.name < other.name ? -1 : 1));
  return {
    arcs: all.slice(0, options.timers).map((one) => arcOf(frame, one, options.radius, old?.has(keyOf(one)) === false)),
    folded: all.slice(options.timers).map((one) => nameOf(frame, one)),
    ended: endedTimers(frame, all, before ?? []),
  };
}

/** The shape of a timer. `fresh`: whether the timer began in this step; false in the first view. */
function arcOf(frame: Frame, one: RunningTimer, radius: number, fresh: boolean): ArcShape {
  const { actor, name, timer } = one;
  const left = Math.max(0, timer.until - frame.view.time);
  const selection: Selection = { kind: "timer", id: `${actor}/${name}` };
  Object.assign(selection, found(frame, `batch of ${actor}/${name}`, ({ view }) => carriedBy(view, actor, timer.subject)));
  const whole = timer.since === null ? null : timer.until - timer.since;
  const subject = subjectOf(frame, one);
  return {
    key: `${actor}/${name}`,
    path: whole === null ? null : arcPath(whole <= 0 ? 0 : left / whole, radius),
    isWholeKnown: whole !== null,
    left: shortLeft(left),
    lines: [timerWord(timer.kind), whole === null ? subject : say("diagram.timer.of", { whole: duration(whole), subject })],
    fresh,
    picked: isPicked(frame.selection, selection),
    name: nameOf(frame, one),
    selection,
  };
}

/** The partition and serials of the batch that a timer runs for; an empty object if it runs for something else. */
function carriedBy(view: View, actor: string, subject: string): Pick<Selection, "partition" | "serials"> {
  const batch = view.clients?.[actor]?.batches[subject];
  return batch === undefined ? {} : { partition: batch.partition, serials: [...batch.serials] };
}

/**
 * What an ended timer ran for. If the engine's name of it is only a number, the name of the component is added.
 */
export function endedSubject(frame: Frame, one: RunningTimer): string {
  return /^\d+$/.test(one.timer.subject) ? subjectOf(frame, one) : ownSubject(frame, one);
}

function subjectOf(frame: Frame, one: RunningTimer): string {
  return `${one.actor} ${ownSubject(frame, one)}`;
}

function nameOf(frame: Frame, one: RunningTimer): string {
  const left = duration(Math.max(0, one.timer.until - frame.view.time));
  return say("diagram.timer.name", { kind: timerWord(one.timer.kind), subject: subjectOf(frame, one), left, until: one.timer.until });
}

const keyOf = ({ actor, name }: RunningTimer): string => `${actor}/${name}`;

/** The timers that ended in this step, in words: *Retry backoff ended at 138 ms*. Null if none ended. */
export function endedTimers(frame: Frame, all: readonly RunningTimer[], before: readonly RunningTimer[]): string | null {
  const running = new Set(all.map(keyOf));
  const gone = before.filter((one) => !running.has(keyOf(one)));
  const ended = gone.map((one) => {
    const { timer } = one;
    const words = { kind: timerWord(timer.kind), subject: endedSubject(frame, one) };
    const now = frame.view.time;
    if (timer.until > now) return say("diagram.timer.stopped", { ...words, at: now });
    return say("diagram.timer.ended", { ...words, at: timer.until });
  });
  if (ended.length === 0) return null;
  return ended.length > 1 ? say("diagram.timer.many_ended", { count: ended.length }) : ended.join(" ");
}

export class Timers extends DiagramElement {
  static override styles = [
    ...DiagramElement.styles,
    css`
      .arcs { display: grid; grid-template-columns: repeat(auto-fit, minmax(124px, 1fr)); gap: 5px 8px; margin-top: 4px; }
      .arc { display: grid; grid-template-columns: 36px 1fr; gap: 6px; align-items: center; line-height: 15px; }
      .arc b { font-weight: 400; color: var(--ink); }
      .arc small { font-size: var(--t-mark); color: var(--ink-2); }
      .arc text { font-size: 10px; font-weight: 650; fill: var(--ink); }
      .arc circle { fill: none; stroke: var(--line); stroke-width: 4; }
      .arc.open circle { stroke: var(--ink-2); stroke-width: 2; stroke-dasharray: 2 3; }
      .arc path { fill: none; stroke: var(--ink); stroke-width: 4; }
      .arc span { overflow-wrap: anywhere; }
    `,
  ];

  readonly #arcs = new Slots<string>();

  protected override show(frame: Frame): TemplateResult {
    const shape = layoutTimers(frame);
    const arcs = this.#arcs.keysFor(shape.arcs.map((arc) => arc.key));
    if (shape.arcs.length === 0) {
      return folded(say("diagram.timer.heading"), shape.ended ?? say("diagram.timer.none"));
    }
    return section(
      say("diagram.timer.heading"),
      shape.ended !== null ? html`<span class="changed">${shape.ended}</span>` : say("diagram.timer.running", { count: shape.arcs.length + shape.folded.length }),
      html`<div class="arcs">${repeat(shape.arcs, (_, index) => arcs[index], (arc) => this.#arc(arc))}</div>${
        shape.folded.length === 0
          ? nothing
          : html`<details class="more"><summary>${say("diagram.timer.more", { count: shape.folded.length })}</summary>${
              shape.folded.map((text) => html`<p>${text}</p>`)}</details>`
      }`,
    );
  }

  #arc(arc: ArcShape): TemplateResult {
    const centre = defaults.radius + 3;
    return html`<button class="arc ${arc.isWholeKnown ? "" : "open"} ${arc.picked ? "picked" : ""} ${arc.fresh ? "changed" : ""}" aria-label=${arc.name}
      aria-pressed=${arc.picked ? "true" : "false"} @click=${() => this.pick(arc.selection)}><svg width="34" height="34"
      viewBox="0 0 34 34" aria-hidden="true"><circle cx=${centre} cy=${centre} r=${defaults.radius}/>${
        arc.path === null ? nothing : timerArc(arc.path)
      }${timerText(arc.left, centre)}</svg><span><b>${arc.lines[0]}</b><br><small>${arc.lines[1]}</small></span></button>`;
  }
}

const timerArc = (path: string) => svg`<path d=${path}/>`;
const timerText = (text: string, centre: number) =>
  svg`<text x=${centre} y=${centre + 3.5} text-anchor="middle">${text}</text>`;

customElements.define("eos-timers", Timers);
