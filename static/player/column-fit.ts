/**
 * A side column shows every panel in the height it has. Panels that the step is not about fold to their headings,
 * which state their facts, from below, until the rest fits. What the reader opened stays open until Escape.
 */

import type { Frame } from "./frame.ts";

export const defaults = {
  /** px that a heading takes, and px between two sections of one panel. */
  heading: 18,
  gap: 4,
  /** A panel that would save less than this is not worth folding. */
  saves: 6,
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
    for (const { path, tag } of SHOWN) {
      if (path.every((name, index) => name === "*" || change.path[index] === name)) tags.add(tag);
    }
  }
  return tags;
}

export interface Fitted {
  tag: string;
  /** px, open and folded. */
  open: number;
  folded: number;
  about: boolean;
  kept: boolean;
}

/** The panels to fold so that all of them fit into `room` px: first those that the step is not about, from below. */
export function toFold(panels: readonly Fitted[], room: number): Set<string> {
  const chosen = new Set<string>();
  let height = panels.reduce((sum, panel) => sum + panel.open, 0);
  const worth = (panel: Fitted): boolean => !panel.kept && panel.open - panel.folded >= defaults.saves;
  const fromBelow = [...panels].reverse().filter(worth);
  for (const panel of [...fromBelow.filter((one) => !one.about), ...fromBelow.filter((one) => one.about)]) {
    if (height <= room) break;
    chosen.add(panel.tag);
    height -= panel.open - panel.folded;
  }
  return chosen;
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

/** Measures and folds the panels of one column, before the frame is painted. */
export function fitColumn(column: HTMLElement, about: ReadonlySet<string>, kept: ReadonlySet<string>, scrolls: boolean): void {
  const contents = [...column.querySelectorAll<HTMLElement>(CONTENT)];
  for (const content of contents) fold(content, false);
  const overflows = (): boolean => column.clientHeight > 0 && column.scrollHeight > column.clientHeight;
  if (scrolls || !overflows()) return;
  const { order, enough } = choose(column, contents, about, kept);
  const folded: HTMLElement[] = [];
  for (const content of order.flatMap((tag) => contents.find((one) => one.localName === tag) ?? [])) {
    // The estimate first, then one by one: a long heading may take two lines.
    if (folded.length >= enough && !overflows()) break;
    fold(content, true);
    folded.push(content);
  }
  // What was folded last may have room after all.
  for (const content of folded.reverse()) {
    fold(content, false);
    if (overflows()) fold(content, true);
  }
}

function fold(content: HTMLElement, folded: boolean): void {
  content.toggleAttribute("folded", folded);
  content.parentElement?.toggleAttribute("data-folded", folded);
}

/** All panels that may fold, in their order, and how many of them are enough by their usual heights. */
function choose(
  column: HTMLElement, contents: readonly HTMLElement[], about: ReadonlySet<string>, kept: ReadonlySet<string>,
): { order: string[]; enough: number } {
  const panels = contents.map((content): Fitted => {
    const headings = content.shadowRoot?.querySelectorAll("section > h2").length ?? 0;
    const open = content.offsetHeight;
    return {
      tag: content.localName,
      open,
      folded: headings === 0 ? open : headings * defaults.heading + (headings - 1) * defaults.gap,
      about: about.has(content.localName),
      kept: kept.has(content.localName) || content.parentElement?.matches(":focus-within") === true,
    };
  });
  const between = column.scrollHeight - panels.reduce((sum, panel) => sum + panel.open, 0);
  return { order: [...toFold(panels, Number.NEGATIVE_INFINITY)], enough: toFold(panels, column.clientHeight - between).size };
}
