/**
 * Finds the ways of moving messages. Before and after a step no two messages overlap (network.ts), but on straight ways
 * they might. Then one goes around the other, or moves before or after it. Pure.
 */

import type { Box, Point, StageObject } from "./contract.ts";

export interface Way {
  /** The places of the message's upper left corner at equal intervals of the motion. */
  points: readonly Point[];
  /**
   * The intervals, from the first to the last, in which the message is invisible, because it waits for another one to
   * make room or passes behind one.
   */
  unseen: readonly [from: number, to: number];
}

/** `below`: height of the note under it, in units. */
type Travelling = StageObject & { via?: readonly Point[]; below?: number };

/** The number of intervals of the motion. */
const PARTS = 12;
/** An overlap of two messages of at most so many square units counts as none. */
const MEETS = 30;
/**
 * The sideways deviations that are tried, in this order, if a message must go around another one. Their unit is the
 * size of the message across its path; the sign is the side.
 */
const ASIDE = [1, -1, 1.6, -1.6, 2.4, -2.4];
/** The numbers of intervals that are tried in which a message rests before and after it moves. */
const HOLDS: readonly (readonly [before: number, after: number])[] = [[3, 0], [0, 4], [6, 0], [0, 6], [8, 0], [0, 8]];
/**
 * If no other way is free: the intervals that are tried in which the message is invisible, in the middle of its way.
 */
const BEHIND: readonly (readonly [from: number, to: number])[] = [[4, 8], [3, 9], [2, 10], [1, PARTS]];
const SEEN = [0, 0] as const;
/** Units kept free between two moving messages. */
const AIR = 2;
const BODY = /^(client|broker|co|node|beside|controller|reader):/;

/** Key of a moving message → its way. `stood`: the objects of the picture before, by key; `after`: the present ones. */
export function waysOf(stood: ReadonlyMap<string, StageObject>, after: readonly StageObject[]): Map<string, Way> {
  const flights = after.filter((one): one is Travelling => one.key.startsWith("m:") && one.phase === "cause");
  const moving = flights.flatMap((one) => {
    const points = directOf(one, stood.get(one.key));
    return points === null ? [] : [{ one, points: resampled(points), isNew: !stood.has(one.key) }];
  });
  const ways = new Map<string, Way>();
  if (moving.length === 0) return ways;
  const still = flights.filter((one) => !moving.some(({ one: other }) => other === one)).map((one): Placed => ({ one, way: { points: Array.from({ length: PARTS + 1 }, () => [one.x, one.y] as const), unseen: SEEN } }));
  const bodies = [...stood.values()].filter(({ key, width }) => BODY.test(key) && width > 0);
  const placed: Placed[] = [...still];
  // Messages that were in the picture before get their ways first, because new ones can wait until there is room. In
  // both groups, the message that the step is about is first, so that it goes straight.
  const order = [...moving].sort((one, other) => Number(one.isNew) - Number(other.isNew) || Number(other.one.hot === true) - Number(one.one.hot === true));
  for (const { one, points, isNew } of order) {
    const straight: Way = { points, unseen: SEEN };
    const own = over(one, straight, bodies);
    const cost = (way: Way): number => meeting(one, way, placed) + Math.max(0, over(one, way, bodies) - own);
    let [best, least] = [straight, meeting(one, straight, placed)];
    for (const way of least === 0 ? [] : otherWays(one, points, isNew)) {
      const more = cost(way);
      if (more < least) [best, least] = [way, more];
      if (least === 0) break;
    }
    placed.push({ one, way: best });
    ways.set(one.key, best);
  }
  return ways;
}

interface Placed {
  one: StageObject;
  way: Way;
}

/** The way along the wire from the message's old place, or from its sender; null for a message that stays. */
function directOf(one: Travelling, was: StageObject | undefined): Point[] | null {
  const { via = [] } = one;
  if (via.length > 1) {
    const start: Point = was === undefined ? (one.from ?? via[0] as Point) : [was.x, was.y];
    return [start, ...via.slice(1, -1), [one.x, one.y]];
  }
  // Without points on a wire, the message only moves aside for another one.
  return was !== undefined && (was.x !== one.x || was.y !== one.y) ? [[was.x, was.y], [one.x, one.y]] : null;
}

function resampled(points: readonly Point[], parts = PARTS): Point[] {
  return Array.from({ length: parts + 1 }, (_, index) => {
    const at = (index / parts) * (points.length - 1);
    const first = Math.min(points.length - 2, Math.floor(at));
    const [one, other] = [points[first] as Point, points[first + 1] as Point];
    return [one[0] + (other[0] - one[0]) * (at - first), one[1] + (other[1] - one[1]) * (at - first)];
  });
}

function* otherWays(one: StageObject, points: readonly Point[], isNew: boolean): Generator<Way> {
  for (const aside of ASIDE) yield { points: bent(points, one, aside), unseen: SEEN };
  for (const [before, after] of HOLDS) {
    const held = heldFor(points, before, after);
    const unseen = isNew ? ([0, before] as const) : SEEN;
    yield { points: held, unseen };
    for (const aside of ASIDE.slice(0, 4)) yield { points: bent(held, one, aside), unseen };
  }
  for (const [from, to] of BEHIND) yield { points, unseen: [isNew ? 0 : from, to] };
}

/** The way with a deviation across its direction, by `aside` times the size of the message. */
function bent(points: readonly Point[], { width, height }: StageObject, aside: number): Point[] {
  const [first, last] = [points[0] as Point, points.at(-1) as Point];
  const isAcross = Math.abs(last[0] - first[0]) >= Math.abs(last[1] - first[1]);
  return points.map(([x, y], index) => {
    // The message reaches the full deviation early and returns late.
    const share = index === points.length - 1 ? 0 : Math.min(1, 3 * Math.sin((Math.PI * index) / (points.length - 1)));
    return isAcross ? [x, y + share * aside * (height + AIR)] : [x + share * aside * (width + AIR), y];
  });
}

/** The way with intervals in which the message rests before and after it moves. */
function heldFor(points: readonly Point[], before: number, after: number): Point[] {
  const moves = resampled(points, PARTS - before - after);
  return [...Array.from({ length: before }, () => points[0] as Point), ...moves, ...Array.from({ length: after }, () => points.at(-1) as Point)];
}

export const isSeen = ({ unseen: [from, to] }: Way, part: number): boolean => part < from || part >= to;

function boxIn({ width, height, below = 0 }: Travelling, way: Way, part: number): Box | null {
  const [x, y] = way.points[part] as Point;
  return isSeen(way, part) ? { x, y, width, height: height + below } : null;
}

function areaOf(one: Box, other: Box): number {
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return width > 0 && height > 0 ? width * height : 0;
}

/** The area, in square units, on which a message overlaps others on its way, summed over the intervals. */
export function meeting(one: StageObject, way: Way, others: readonly Placed[]): number {
  let sum = 0;
  for (let part = 0; part <= PARTS; part += 1) {
    const own = boxIn(one, way, part);
    if (own === null) continue;
    for (const { one: other, way: its } of others) {
      const at = boxIn(other, its, part);
      const area = at === null ? 0 : areaOf(own, at);
      if (area > MEETS) sum += area;
    }
  }
  return sum;
}

/** The area of components, in square units, that a message covers on its way, summed over the intervals. */
function over(one: StageObject, way: Way, bodies: readonly StageObject[]): number {
  let sum = 0;
  for (let part = 0; part <= PARTS; part += 1) {
    const own = boxIn(one, way, part);
    if (own !== null) for (const body of bodies) sum += areaOf(own, body);
  }
  return sum;
}
