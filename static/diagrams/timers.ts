/**
 * Which timers run, as shrinking arcs with the time that is left.
 *
 *     <eos-timers></eos-timers>
 *     document.querySelector("eos-timers").frame = frame;
 */

import { css, html, nothing, svg } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Frame, Selection } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { timerWord } from "./accumulator-layout.ts";
import { duration } from "./batch.ts";
import { changesAt, hasChanged, isNew } from "./changes.ts";
import { DiagramElement, folded, section } from "./element.ts";
import { round } from "./geometry.ts";
import { isLogCase, notInFiles } from "./log-case.ts";
import { isPicked } from "./picked.ts";

export const defaults = { timers: 4, radius: 14 };

export interface ArcShape {
  key: string;
  /** SVG path of what is left; null when nothing is, a full circle when nothing has passed. */
  path: string | null;
  left: string;
  lines: string[];
  fresh: boolean;
  picked: boolean;
  name: string;
  selection: Selection;
}

/** The arc from twelve o'clock, counter-clockwise shrinking; `share` 0 to 1 of the time that is left. */
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

/** What fits inside the arc: milliseconds up to four digits, then whole seconds, minutes, hours or days. */
export function shortLeft(left: number): string {
  const units: [number, string][] = [[172_800_000, "d"], [7_200_000, "h"], [600_000, "m"], [10_000, "s"]];
  const sizes: Record<string, number> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };
  for (const [from, unit] of units) if (left >= from) return `${Math.round(left / (sizes[unit] ?? 1))}${unit}`;
  return String(left);
}

export function layoutTimers(frame: Frame, options = defaults): { arcs: ArcShape[]; folded: string[]; ended: string | null } {
  const now = frame.view.time;
  const all = Object.entries(frame.view.clients ?? {}).flatMap(([client, view]) =>
    Object.entries(view.timers).map(([name, timer]) => ({ client, name, timer })),
  );
  all.sort((one, other) => one.timer.until - other.timer.until || (one.name < other.name ? -1 : 1));
  const arcs = all.slice(0, options.timers).map(({ client, name, timer }): ArcShape => {
    const whole = timer.until - timer.since;
    const left = Math.max(0, timer.until - now);
    const selection: Selection = { kind: "timer", id: `${client}/${name}` };
    const batch = frame.view.clients?.[client]?.batches[timer.subject];
    if (batch !== undefined) {
      selection.partition = batch.partition;
      selection.serials = [...batch.serials];
    }
    const of = say("diagram.timer.of", { whole: duration(whole, frame.language), subject: `${client} ${timer.subject}` });
    return {
      key: `${client}/${name}`,
      path: arcPath(whole <= 0 ? 0 : left / whole, options.radius),
      left: shortLeft(left),
      lines: [timerWord(timer.kind), of],
      fresh: isNew(frame, "clients", client, "timers", name),
      picked: isPicked(frame.selection, selection),
      name: say("diagram.timer.name", {
        kind: timerWord(timer.kind), subject: `${client} ${timer.subject}`, left: duration(left, frame.language),
        until: timer.until,
      }),
      selection,
    };
  });
  const rest = all.slice(options.timers).map(({ client, timer }) =>
    say("diagram.timer.name", {
      kind: timerWord(timer.kind), subject: `${client} ${timer.subject}`,
      left: duration(Math.max(0, timer.until - now), frame.language), until: timer.until,
    }),
  );
  return { arcs, folded: rest, ended: endedTimers(frame) };
}

/** Timers that this step removed: *Retry backoff ended at 138 ms*. */
function endedTimers(frame: Frame): string | null {
  const ended: string[] = [];
  for (const change of changesAt(frame, "clients")) {
    const [room, client, table, name] = change.path;
    if (room !== "clients" || table !== "timers" || change.path.length !== 4 || change.after !== undefined) continue;
    const timer = frame.previousView?.clients?.[client ?? ""]?.timers[name ?? ""];
    if (timer === undefined) continue;
    const key = timer.until <= frame.view.time ? "diagram.timer.ended" : "diagram.timer.stopped";
    ended.push(say(key, { kind: timerWord(timer.kind), subject: timer.subject, at: frame.view.time }));
  }
  if (ended.length === 0) return null;
  return ended.length > 2 ? say("diagram.timer.many_ended", { count: ended.length }) : ended.join(" ");
}

export class Timers extends DiagramElement {
  static override styles = [
    ...DiagramElement.styles,
    css`
      .arcs { display: grid; grid-template-columns: repeat(auto-fill, minmax(124px, 1fr)); gap: 5px 8px; margin-top: 4px; }
      .arc { display: grid; grid-template-columns: 36px 1fr; gap: 6px; align-items: center; line-height: 13px; }
      .arc b { font-weight: 400; color: var(--ink); }
      .arc small { font-size: var(--t-mark); color: var(--ink-2); }
      .arc text { font-size: 10px; font-weight: 650; fill: var(--ink); }
      .arc circle { fill: none; stroke: var(--line); stroke-width: 4; }
      .arc path { fill: none; stroke: var(--ink); stroke-width: 4; }
      .arc span { overflow-wrap: anywhere; }
    `,
  ];

  protected override show(frame: Frame): TemplateResult {
    if (isLogCase(frame)) return notInFiles(say("diagram.timer.heading"));
    const shape = layoutTimers(frame);
    if (shape.arcs.length === 0) {
      return folded(say("diagram.timer.heading"), shape.ended ?? say("diagram.timer.none"));
    }
    const changed = hasChanged(frame, "clients") && shape.ended !== null;
    return section(
      say("diagram.timer.heading"),
      changed ? html`<span class="changed">${shape.ended}</span>` : say("diagram.timer.running", { count: shape.arcs.length + shape.folded.length }),
      html`<div class="arcs">${repeat(shape.arcs, (arc) => arc.key, (arc) => this.#arc(arc))}</div>${
        shape.folded.length === 0
          ? nothing
          : html`<details class="more"><summary>${say("diagram.timer.more", { count: shape.folded.length })}</summary>${
              shape.folded.map((text) => html`<p>${text}</p>`)}</details>`
      }`,
    );
  }

  #arc(arc: ArcShape): TemplateResult {
    const centre = defaults.radius + 3;
    return html`<button class="arc ${arc.picked ? "picked" : ""} ${arc.fresh ? "changed" : ""}" aria-label=${arc.name}
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
