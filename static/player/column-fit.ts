/**
 * A side column shows every panel in the height it has. Panels that the step is not about fold to their headings,
 * which state their facts, from below, until the rest fits. What the reader opened stays open until Escape.
 */

import { INTERNAL } from "../diagrams/internal-partitions.ts";
import type { Frame } from "./frame.ts";

export const defaults = {
  /** px between two folded sections of one panel, and what the margin under a panel shrinks by (player.css). */
  gap: 4,
  margin: 6,
  /** A panel that would save less than this is not worth folding. */
  saves: 12,
  /** Milliseconds: frames that come closer together than this are passed by, as when the scrubber is dragged. */
  rest: 100,
  /** Milliseconds that folds may be behind while frames keep coming. */
  behind: 500,
};

/** Which panel shows which part of the view: the beginning of a change's path, `*` for any name. */
const SHOWN: readonly { path: readonly string[]; tag: string }[] = [
  { path: ["records"], tag: "eos-ledger" },
  { path: ["consumers"], tag: "eos-consumers" },
  { path: ["zookeeper"], tag: "eos-zookeeper" },
  { path: ["brokers", "*", "producer_id_block"], tag: "eos-zookeeper" },
  { path: ["partitions", "*", "replicas", "*", "producers"], tag: "eos-producer-table" },
  { path: ["partitions", "*", "replicas", "*", "aborted_index"], tag: "eos-aborted-index" },
  { path: ["brokers", "*", "transactions"], tag: "eos-coordinator" },
  { path: ["brokers", "*", "coordinator"], tag: "eos-coordinator" },
  { path: ["brokers", "*", "markers"], tag: "eos-marker-board" },
  { path: ["brokers", "*", "groups"], tag: "eos-groups" },
  { path: ["middleware"], tag: "eos-middleware-roles" },
  { path: ["middleware", "transactions"], tag: "eos-middleware-votes" },
  { path: ["middleware", "participants", "*", "log"], tag: "eos-compensation-log" },
  { path: ["clients", "*", "queues"], tag: "eos-accumulator" },
  { path: ["clients", "*", "pool"], tag: "eos-accumulator" },
  { path: ["clients", "*", "requests"], tag: "eos-in-flight" },
  { path: ["clients", "*", "connections"], tag: "eos-in-flight" },
  { path: ["clients", "*", "transaction_manager"], tag: "eos-client-machine" },
  { path: ["clients", "*", "timers"], tag: "eos-timers" },
];

/** The panels that show what the step decided or changed. */
export function panelsOf(frame: Frame | undefined): Set<string> {
  const tags = new Set<string>();
  const step = frame?.step;
  if (step == null) return tags;
  if (step.decision !== null) tags.add("eos-decision").add("eos-producer-table");
  if (step.refusal !== null) tags.add("eos-decision");
  for (const change of step.changes) {
    if (writesInternalLog(frame, change.path)) tags.add("eos-internal-log");
    for (const { path, tag } of SHOWN) {
      if (path.every((name, index) => name === "*" || change.path[index] === name)) tags.add(tag);
    }
  }
  return tags;
}

/** Followers copy all the time; what counts is what the leader has, and how far it is replicated. */
function writesInternalLog(frame: Frame | undefined, [root, name = "", , replica, part = ""]: readonly string[]): boolean {
  if (root !== "partitions" || !INTERNAL.test(name) || !["batches", "high_watermark"].includes(part)) return false;
  const leader = frame?.view.partitions?.[name]?.leader;
  return leader != null && String(leader) === replica;
}

export interface Fitted {
  tag: string;
  /** px, open and folded; folded, also the margin under it is smaller. */
  open: number;
  folded: number;
  about: boolean;
  kept: boolean;
}

/**
 * The panels to fold so that all of them fit into `room` px, in the order of folding: first those that the step is
 * not about, from below. One that has room after all, because a later one made enough, stays open.
 */
export function toFold(panels: readonly Fitted[], room: number): string[] {
  let height = panels.reduce((sum, panel) => sum + panel.open, 0);
  const saves = (panel: Fitted): number => panel.open - panel.folded;
  const fromBelow = [...panels].reverse().filter((panel) => !panel.kept && saves(panel) >= defaults.saves);
  const chosen: Fitted[] = [];
  for (const panel of [...fromBelow.filter((one) => !one.about), ...fromBelow.filter((one) => one.about)]) {
    if (height <= room) break;
    chosen.push(panel);
    height -= saves(panel);
  }
  const kept = new Set<Fitted>();
  for (const panel of [...chosen].reverse()) {
    if (height + saves(panel) > room) continue;
    kept.add(panel);
    height += saves(panel);
  }
  return chosen.filter((panel) => !kept.has(panel)).map((panel) => panel.tag);
}

/**
 * When to fit. Fitting lays the columns out several times over, which a single step bears at once and a drag does not:
 * there the folds stay as they are until the reader rests, or follow twice a second.
 */
export class FitTimes {
  readonly #fit: () => void;
  readonly #heights: () => string;
  readonly #clock: () => number;
  #fitted = -Infinity;
  #came = -Infinity;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #known = "";

  /** `fit` folds, `heights` tells what the panels' own heights are afterwards. */
  constructor(fit: () => void, heights: () => string, clock: () => number = () => performance.now()) {
    this.#fit = fit;
    this.#heights = heights;
    this.#clock = clock;
  }

  /** A frame was drawn. */
  frame(): void {
    const now = this.#clock();
    const hurried = now - this.#came < defaults.rest;
    this.#came = now;
    if (hurried && now - this.#fitted < defaults.behind) this.#later();
    else this.now();
  }

  /** A panel's size differs: by the last fit itself, or because what is in it changed by itself. */
  resized(): void {
    if (this.#timer === undefined && this.#heights() !== this.#known) this.now();
  }

  now(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#fitted = this.#clock();
    this.#fit();
    this.#known = this.#heights();
  }

  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.now(), defaults.rest);
  }
}

const CONTENT = "[class~=panel] > :not(button)";

/**
 * Measures and folds the panels of one column, before the frame is painted. Everything is measured in one layout, the
 * one that the paint needs anyway while nothing has to fold: scrubbing must not wait for it.
 */
export function fitColumn(column: HTMLElement, about: ReadonlySet<string>, kept: ReadonlySet<string>, scrolls: boolean): void {
  const contents = [...column.querySelectorAll<HTMLElement>(CONTENT)];
  for (const content of contents) fold(content, false);
  if (scrolls || column.clientHeight === 0 || column.scrollHeight <= column.clientHeight) return;
  const panels = contents.map((content) => measured(content, about, kept));
  const between = column.scrollHeight - panels.reduce((sum, panel) => sum + panel.open, 0);
  const chosen = new Set(toFold(panels, column.clientHeight - between));
  for (const content of contents) if (chosen.has(content.localName)) fold(content, true);
}

function fold(content: HTMLElement, folded: boolean): void {
  content.toggleAttribute("folded", folded);
  content.parentElement?.toggleAttribute("data-folded", folded);
}

function measured(content: HTMLElement, about: ReadonlySet<string>, kept: ReadonlySet<string>): Fitted {
  const headings = [...(content.shadowRoot?.querySelectorAll<HTMLElement>("section > h2") ?? [])];
  const open = content.offsetHeight;
  const heading = headings.reduce((sum, one) => sum + one.offsetHeight, 0) + (headings.length - 1) * defaults.gap;
  return {
    tag: content.localName,
    open,
    folded: headings.length === 0 ? open : heading - defaults.margin,
    about: about.has(content.localName),
    kept: kept.has(content.localName) || content.parentElement?.matches(":focus-within") === true,
  };
}
