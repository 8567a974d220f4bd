/**
 * The projector's camera: finds the part of the picture with the cause and effect of a step, in the proportions of the
 * picture (pure), and moves the view there. Places do not change.
 */

import { round } from "../diagrams/geometry.ts";
import type { Frame } from "../player/frame.ts";
import type { Box, Focus, Places, StageObject } from "./contract.ts";
import { LATER } from "./later.ts";

/** The least share of the picture's width that is shown: with less, viewers lose orientation. */
const CLOSEST = 0.64;
const MARGIN = 30;
/**
 * Units kept free above and below the step's objects. They are fewer than `MARGIN`, because the picture is three times
 * as wide as high, so that each unit of height costs three units of width.
 */
const MARGIN_ABOVE = 6;

/** Size of the part of a broker's box with its name, in units. */
const NAME = { width: 120, height: 26 };

/**
 * The boxes with the names of the brokers that a step is about: the broker where it happens, the leaders of its
 * partitions, and sender and receiver of lost messages.
 */
function brokersOf({ view, previousView }: Frame, { actor, partition, tag, messages }: Focus, { brokers }: Places): Box[] {
  const lost = [...messages.lost, ...messages.dropped].map((id) => previousView?.network?.messages[String(id)]);
  const leaders = [partition, ...[tag?.params["partitions"]].flat()].map((name) => `broker-${view.partitions?.[String(name)]?.leader}`);
  return [actor, ...leaders, ...lost.flatMap((one) => [one?.from, one?.to])].flatMap((name) => brokers[name ?? ""]?.box ?? []).map(({ x, y }) => ({ x, y, ...NAME }));
}

/** The part of the picture that is shown at a step: what it changes, and the names of the brokers that it is about. */
export function lookOf(objects: readonly StageObject[], here: Places, frame: Frame, focus: Focus): Box {
  return cameraOf(objects, here, brokersOf(frame, focus, here));
}

/** The part with everything that a step changes, and with these names; the whole picture if it is upright. */
export function cameraOf(objects: readonly StageObject[], here: Places, names: readonly Box[] = []): Box {
  const whole: Box = { x: 0, y: 0, width: here.width, height: here.height };
  const about = objects.filter((object) => object.hot === true && object.width > 0);
  if (about.length === 0 || here.upright) return whole;
  const hot: Box[] = [...about, ...names];
  const left = Math.min(...hot.map(({ x }) => x)) - MARGIN;
  const top = Math.min(...hot.map(({ y }) => y)) - MARGIN_ABOVE;
  const right = Math.max(...hot.map(({ x, width }) => x + width)) + MARGIN;
  const bottom = Math.max(...hot.map(({ y, height }) => y + height)) + MARGIN_ABOVE;
  const shape = here.width / here.height;
  const width = Math.max(right - left, (bottom - top) * shape, here.width * CLOSEST);
  if (width >= here.width) return whole;
  const height = width / shape;
  const x = Math.min(Math.max((left + right - width) / 2, 0), here.width - width);
  const y = Math.min(Math.max((top + bottom - height) / 2, 0), here.height - height);
  return { x: round(x), y: round(y), width: round(width), height: round(height) };
}

/**
 * The visible part of a picture (`box`), and the width of the whole picture (`of`), both in units. With another width
 * it is another picture, to which the view does not glide.
 */
export interface Seen {
  box: Box;
  of: number;
}

const GLIDE = { duration: 420, easing: "cubic-bezier(.45, 0, .2, 1)" };

/**
 * Moves the view to the next visible part. The picture is drawn in its final state and moved as a whole from its old
 * place, so nothing in it is drawn again on the way.
 */
export class Camera {
  #seen: Seen | null = null;
  #running: Animation | null = null;

  look(scene: SVGSVGElement | null, seen: Seen | null, glides: boolean): void {
    const before = this.#seen;
    if (seen === before || isSame(seen, before)) return;
    const way = scene === null || seen === null || before === null || before.of !== seen.of || !glides ? null
      : glideWay(this.#where(scene, before.box), seen.box, scene.clientWidth);
    this.#running?.cancel();
    this.#seen = seen;
    if (scene === null || way === null) return;
    scene.style.overflow = "visible";
    const running = scene.animate([{ transform: way, transformOrigin: "0 0" }, { transform: "none", transformOrigin: "0 0" }], GLIDE);
    const done = (): void => {
      if (this.#running === running) scene.style.overflow = "";
    };
    this.#running = running;
    running.finished.then(done, done);
  }

  /** The part that is visible at this moment of the motion to `box`. */
  #where(scene: SVGSVGElement, box: Box): Box {
    if (this.#running?.playState !== "running" || scene.clientWidth === 0) return box;
    const { a, e, f } = new DOMMatrix(getComputedStyle(scene).transform);
    const unit = box.width / scene.clientWidth;
    return { x: box.x - (e / a) * unit, y: box.y - (f / a) * unit, width: box.width / a, height: box.height / a };
  }
}

function isSame(one: Seen | null, other: Seen | null): boolean {
  if (one === null || other === null || one.of !== other.of) return false;
  return one.box.x === other.box.x && one.box.y === other.box.y && one.box.width === other.box.width;
}

/** The CSS transform by which a picture that shows the part `to` in `width` px shows the part `from` instead. */
export function glideWay(from: Box, to: Box, width: number): string {
  const closer = to.width / from.width;
  const unit = (width / to.width) * closer;
  return `translate(${round((to.x - from.x) * unit)}px, ${round((to.y - from.y) * unit)}px) scale(${closer})`;
}

LATER.camera = { Camera, of: lookOf };
