/**
 * How the edges of a state machine run between its boxes, so that few of them cross and none hides another. Pure.
 *
 * An edge leaves and enters boxes through the sides that face each other. The ends of edges at one side of a box stand
 * apart, in the order of the boxes at their other ends.
 */

import { clamp, round } from "./geometry.ts";

export interface PlacedBox {
  x: number;
  y: number;
  width: number;
  height: number;
  column: number;
  row: number;
}

type Side = "left" | "right" | "top" | "bottom";

interface End {
  edge: number;
  box: PlacedBox;
  other: PlacedBox;
  side: Side;
}

/** `APART`: px between two ends on one side. `CORNER`: px that ends keep from a box's corners. */
const APART = 8;
const CORNER = 6;
/** px by which an edge bends outwards if it has to pass other boxes of its row or column. */
const SWING = 15;

/** The SVG paths from box to box, in the order of `edges`. `rows`: the number of rows of boxes. */
export function edgePaths(edges: readonly { from: PlacedBox; to: PlacedBox }[], rows: number): string[] {
  const boxes = [...new Set(edges.flatMap(({ from, to }) => [from, to]))];
  const ends = edges.flatMap(({ from, to }, edge): [End, End] => {
    const [leaves, enters] = sides(from, to, rows, boxes);
    return [{ edge, box: from, other: to, side: leaves }, { edge, box: to, other: from, side: enters }];
  });
  const places = ends.map((end) => portOf(end, ends));
  return edges.map((_, edge) => {
    const [first, last] = [edge * 2, edge * 2 + 1];
    return path(places[first] as Port, places[last] as Port);
  });
}

function sides(from: PlacedBox, to: PlacedBox, rows: number, boxes: readonly PlacedBox[]): [Side, Side] {
  const across = to.column - from.column;
  const down = to.row - from.row;
  const facing: [Side, Side] = across > 0 ? ["right", "left"] : ["left", "right"];
  if (across === 0) {
    if (Math.abs(down) > 1) return ["left", "left"];
    return down > 0 ? ["bottom", "top"] : ["top", "bottom"];
  }
  const isBetween = ({ row, column }: PlacedBox): boolean => row === from.row && (column - from.column) * (column - to.column) < 0;
  if (down === 0 && boxes.some(isBetween)) return from.row === 0 && rows > 1 ? ["top", "top"] : ["bottom", "bottom"];
  return Math.abs(across) === 1 && Math.abs(down) === 1 ? [down > 0 ? "bottom" : "top", facing[1]] : facing;
}

interface Port {
  x: number;
  y: number;
  side: Side;
}

function portOf(end: End, ends: readonly End[]): Port {
  const upright = end.side === "left" || end.side === "right";
  const towards = ({ other }: End): number => (upright ? other.y : other.x);
  const beside = ends.filter((one) => one.box === end.box && one.side === end.side)
    .sort((one, two) => towards(one) - towards(two) || one.edge - two.edge);
  const { x, y, width, height } = end.box;
  const length = upright ? height : width;
  const gap = Math.min(APART, (length - 2 * CORNER) / Math.max(1, beside.length - 1));
  const shift = (beside.indexOf(end) - (beside.length - 1) / 2) * gap;
  const at = clamp(length / 2 + shift, CORNER, length - CORNER);
  if (end.side === "left") return { x, y: y + at, side: end.side };
  if (end.side === "right") return { x: x + width, y: y + at, side: end.side };
  return { x: x + at, y: end.side === "top" ? y : y + height, side: end.side };
}

function path(from: Port, to: Port): string {
  const [x1, y1, x2, y2] = [round(from.x), round(from.y), round(to.x), round(to.y)];
  const upright = (side: Side): boolean => side === "top" || side === "bottom";
  const aligned = upright(from.side) ? Math.abs(x1 - x2) < 3 : Math.abs(y1 - y2) < 3;
  if (from.side !== to.side && upright(from.side) === upright(to.side) && aligned) return `M${x1} ${y1}L${x2} ${y2}`;
  const far = from.side === to.side ? SWING : 0;
  const [a, b] = [control(from, to, far), control(to, from, far)];
  return `M${x1} ${y1}C${a} ${b} ${x2} ${y2}`;
}

/**
 * The Bézier control point for one end of a curve, perpendicular to the box's side. `far`: its px; 0: by the distance.
 */
function control(port: Port, other: Port, far: number): string {
  const [dx, dy] = [Math.abs(other.x - port.x), Math.abs(other.y - port.y)];
  const out = far > 0 ? far : 0.55 * (port.side === "left" || port.side === "right" ? dx : dy);
  const [sx, sy] = { left: [-1, 0], right: [1, 0], top: [0, -1], bottom: [0, 1] }[port.side] as [number, number];
  return `${round(port.x + sx * out)} ${round(port.y + sy * out)}`;
}
