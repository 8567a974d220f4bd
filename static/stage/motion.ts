/**
 * Animates a step, cause before effect: messages travel as far as virtual time takes them, the arriving batch is
 * compared, then it lands, and last the gates slide; the tag appears while the batch lands.
 *
 * A step forward with moving messages is drawn twice. In the first drawing (`causeFirst`), everything is as before and
 * only messages move. When they have arrived, the picture of the step itself is drawn, and the changed things move to
 * their places. Messages that have faded out by then are removed by a third drawing. After a step back, a jump, or if
 * the reader asks for less motion, only the final picture is drawn.
 */

import type { Mover, Phase, Point, StageObject } from "./contract.ts";
import { isSeen, waysOf } from "./ways.ts";

export const defaults = {
  /**
   * Milliseconds of each part of the motion. A message travels equally long however much virtual time it takes, because
   * the clock shows that.
   */
  travel: 420,
  compare: 140,
  land: 260,
  gate: 240,
  tag: 140,
  appear: 140,
};

const GO = "cubic-bezier(.45, 0, .2, 1)";
const FALL = "cubic-bezier(.2, .9, .25, 1.12)";
const SLIDE = "cubic-bezier(.3, 0, .1, 1)";

type Travelling = StageObject & { via?: readonly Point[]; way?: string };

const isOfNetwork = ({ key }: StageObject): boolean => /^[mw]:/.test(key);
const travels = (one: Travelling): boolean => one.phase === "cause" && (one.via?.length ?? 0) > 1;

/**
 * Whether an object belongs to one step only, so that it does not move from the place of its key in the step before.
 */
const isOfStep = ({ phase, key }: StageObject): boolean => phase === "compare" || phase === "tag" || key.startsWith("ring:") || key === "way";

/**
 * The objects to draw while messages travel: messages and their wires as in `after`, everything else as in `before`.
 */
export function causeFirst(before: readonly StageObject[], after: readonly StageObject[]): StageObject[] {
  const stood = new Map(before.map((one) => [one.key, one]));
  const moving = new Set(after.filter(({ phase }) => phase === "cause").map(({ key }) => key.replace(/^m:/, "w:")));
  const isNetwork = ({ key, phase }: StageObject): boolean => phase === "cause" || moving.has(key);
  const now = after.filter(isNetwork);
  const keys = new Set(now.map(({ key }) => key));
  const rest = [...stood.values()].filter((one) => !isOfNetwork(one) && !isOfStep(one) && !keys.has(one.key));
  return [...rest, ...now];
}

/**
 * The objects that fade out: messages in the picture before that are no longer in the present one, because the step
 * before delivered or lost them, with their wires.
 */
export function leaving(before: readonly StageObject[], after: readonly StageObject[]): StageObject[] {
  const keys = new Set(after.map(({ key }) => key));
  return before.filter((one) => isOfNetwork(one) && !keys.has(one.key)).map(({ select: _, ...one }) => ({ ...one, picked: false, gone: true, label: "" }));
}

/** Whether any message moves in a step. If none does, the first drawing is left out. */
export function hasTravel(after: readonly StageObject[]): boolean {
  return after.some(travels);
}

/** Phase → milliseconds after the second drawing at which its motion begins. */
export function timetable(before: readonly StageObject[], after: readonly StageObject[]): Record<Phase, number> {
  const compares = after.some(({ phase }) => phase === "compare") ? defaults.compare : 0;
  const stood = new Map(before.filter((one) => !isOfStep(one)).map((one) => [one.key, one]));
  const lands = after.some((one) => one.phase === "effect" && isOther(stood.get(one.key), one)) ? defaults.land : 0;
  return { static: 0, cause: 0, compare: 0, effect: compares, gate: compares + lands, tag: compares + lands * 0.6 };
}

function isOther(stood: StageObject | undefined, one: StageObject): boolean {
  return stood === undefined || stood.x !== one.x || stood.y !== one.y;
}

/**
 * Matches the keys of objects that belong to a lane. If a lane is drawn elsewhere, or as a strip, its batches and gates
 * are other objects, so that they do not move from one place to the other.
 */
const OF_LANE = /^(strip:)?(b|copy|hw|lso|gates|why|ask|off):/;

function isElsewhere(was: StageObject, one: StageObject): boolean {
  return OF_LANE.test(one.key) && (was.y !== one.y || was.height !== one.height);
}

const DURATION: Record<Phase, number> = {
  static: 0, cause: defaults.travel, compare: defaults.compare, effect: defaults.land, gate: defaults.gate, tag: defaults.tag,
};
const EASING: Record<Phase, string> = { static: "linear", cause: GO, compare: "linear", effect: FALL, gate: SLIDE, tag: "linear" };

/** Moves objects: `travel` runs on the first drawing of a step, `play` on the second. */
export class StageMover implements Mover {
  readonly #running = new Set<Animation>();

  /**
   * Moves messages from their old to their new places. Resolves to true when the last one has arrived; to false if the
   * motion was stopped.
   */
  travel(nodes: (key: string) => SVGGElement | null, before: readonly StageObject[], after: readonly StageObject[]): Promise<boolean> {
    this.stop();
    const stood = new Map(before.map((one) => [one.key, one]));
    this.#fade(nodes, leaving(before, after));
    const ways = waysOf(stood, after);
    for (const one of after as readonly Travelling[]) {
      if (one.way !== undefined) this.#bend(nodes, one.key, (stood.get(one.key) as Travelling | undefined)?.way, one.way);
      const way = ways.get(one.key);
      const node = way === undefined ? null : nodes(one.key);
      if (way === undefined || node === null) continue;
      const steps = way.points.map((point, part): Keyframe => ({ transform: moved(point), ...(way.unseen[1] === 0 ? {} : { opacity: isSeen(way, part) ? 1 : 0 }) }));
      this.#animate(node, steps, defaults.travel, 0, GO);
    }
    return this.#end(defaults.travel);
  }

  play(nodes: (key: string) => SVGGElement | null, before: readonly StageObject[], after: readonly StageObject[]): Promise<boolean> {
    this.stop();
    const stood = new Map(before.map((one) => [one.key, one]));
    const starts = timetable(before, after);
    let end = 0;
    this.#fade(nodes, leaving(before, after));
    for (const one of after as readonly Travelling[]) {
      if (one.way !== undefined) this.#bend(nodes, one.key, (stood.get(one.key) as Travelling | undefined)?.way, one.way);
      if (one.phase === "static") continue;
      const stands = isOfStep(one) ? undefined : stood.get(one.key);
      const isOwn = stands === undefined || !isElsewhere(stands, one);
      const was = isOwn ? stands : undefined;
      const from = was !== undefined && isOther(was, one) ? ([was.x, was.y] as const) : was === undefined && isOwn ? one.from : undefined;
      if (was !== undefined && from === undefined) continue;
      const node = nodes(one.key);
      if (node === null) continue;
      const start = starts[one.phase];
      if (from !== undefined && (one.phase !== "cause" || was !== undefined)) {
        const steps = [{ transform: moved(from), ...(was === undefined ? { opacity: 0 } : {}) }, { transform: moved([one.x, one.y]), ...(was === undefined ? { opacity: 1 } : {}) }];
        this.#animate(node, steps, DURATION[one.phase], start, EASING[one.phase]);
      } else {
        this.#animate(node, [{ opacity: 0 }, { opacity: 1 }], defaults.appear, start, "linear");
      }
      end = Math.max(end, start + DURATION[one.phase]);
    }
    return this.#end(end);
  }

  /** Animates a wire from the SVG path `was` to the path `way`, with the coloured line on it, when it makes way. */
  #bend(nodes: (key: string) => SVGGElement | null, key: string, was: string | undefined, way: string): void {
    if (was === undefined || was === way) return;
    for (const curve of nodes(key)?.querySelectorAll("path") ?? []) this.#animate(curve, [{ d: `path("${was}")` }, { d: `path("${way}")` }], defaults.travel, 0, GO);
  }

  #fade(nodes: (key: string) => SVGGElement | null, gone: readonly StageObject[]): void {
    for (const { key } of gone) {
      const node = nodes(key);
      if (node !== null) this.#animate(node, [{ opacity: 1 }, { opacity: 0 }], defaults.appear, 0, "linear", "both");
    }
  }

  stop(): void {
    for (const running of this.#running) running.cancel();
    this.#running.clear();
  }

  #animate(node: SVGElement, frames: Keyframe[], duration: number, delay: number, easing: string, fill: FillMode = "backwards"): void {
    // The easing is that of the whole motion; between its points, the motion is linear.
    const running = node.animate(frames, { duration, delay, easing, fill });
    this.#running.add(running);
    const done = (): void => void this.#running.delete(running);
    running.finished.then(done, done);
  }

  async #end(after: number): Promise<boolean> {
    const all = [...this.#running].map((running) => running.finished);
    if (all.length === 0 && after === 0) return true;
    return Promise.all(all).then(() => true, () => false);
  }
}

const moved = ([x, y]: Point): string => `translate(${x}px, ${y}px)`;
