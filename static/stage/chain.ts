/**
 * The answer to *why* on the picture: a number on each thing that one of its sentences is about, and a line from one to
 * the next. Pure. The words stand beside it (static/player/why.ts).
 */

import { nothing, svg } from "lit";
import { round } from "../diagrams/geometry.ts";
import type { Selection } from "../player/frame.ts";
import { say } from "../player/text.ts";
import type { Places, StageObject } from "./contract.ts";
import { textWidth } from "./draw.ts";

const HEIGHT = 22;
/** A mark ends here inside the thing that it stands on: names begin behind it. */
const BESIDE = 9;
/** So much of a mark above a body stands on it. */
const INSIDE = 3;
/** Numbers that stand on one thing before the others are told as more. */
const NUMBERS = 4;

/** What the sentences of a chain are about, in their order; null where one is about nothing that can be selected. */
export type Chain = readonly (Selection | null)[];

interface Mark {
  numbers: number[];
  object: StageObject;
}

/** Marks over everything else; nothing for a chain that names nothing in the picture. */
export function chainMarks(objects: readonly StageObject[], chain: Chain, here: Places): StageObject[] {
  const marks = new Map<string, Mark>();
  chain.forEach((subject, index) => {
    const object = subject === null ? undefined : objectOf(objects, subject);
    if (object === undefined) return;
    const mark = marks.get(object.key) ?? { numbers: [], object };
    mark.numbers.push(index + 1);
    marks.set(object.key, mark);
  });
  const placed = [...marks.values()].map((mark) => ({ ...mark, ...placeOf(mark, here) }));
  if (placed.length === 0) return [];
  return [lineThrough(placed), ...placed.map(badge)];
}

/** The thing that stands for a subject: itself, else the batch that holds the record, else the partition it stands in. */
export function objectOf(objects: readonly StageObject[], subject: Selection): StageObject | undefined {
  const seen = objects.filter(({ select, width, key }) => select !== undefined && width > 0 && !key.startsWith("strip:"));
  const named = (kind: string, id: string): StageObject | undefined => seen.find(({ select }) => select?.kind === kind && select.id === id);
  const own = named(subject.kind, subject.id);
  if (own !== undefined) return own;
  const serials = subject.kind === "record" ? [Number(subject.id)] : subject.serials ?? [];
  const holding = serials.length === 0 ? undefined : seen.find(({ select }) => serials.some((serial) => select?.serials?.includes(serial) === true));
  if (holding !== undefined) return holding;
  return subject.partition === undefined ? undefined : named("partition", subject.partition);
}

function labelOf({ numbers }: Mark): string {
  const shown = numbers.slice(0, NUMBERS).join(" ");
  return numbers.length > NUMBERS ? `${shown} +${numbers.length - NUMBERS}` : shown;
}

/** On the upper left corner, inside the picture; where bodies reach to its edge, above them, so that names stay free. */
function placeOf(mark: Mark, here: Places): { x: number; y: number; width: number } {
  const width = Math.max(HEIGHT, round(textWidth(labelOf(mark), 13, true) + 14));
  const { x, y, width: whole } = mark.object;
  const hasEdge = here.upright && x + BESIDE < width + 2;
  const above = hasEdge ? y - HEIGHT + INSIDE : y - HEIGHT / 2;
  // Nothing stands above the first body: its name stands left, its numbers right.
  const left = hasEdge && above < 2 ? x + whole * 0.3 : x + BESIDE - width;
  return {
    x: round(Math.min(Math.max(left, 2), here.width - width - 2)),
    y: round(Math.min(Math.max(above, 2), here.height - HEIGHT - 2)),
    width,
  };
}

type Placed = Mark & { x: number; y: number; width: number };

function badge(mark: Placed): StageObject {
  const { x, y, width, numbers, object } = mark;
  return {
    key: `chain:${object.key}`, x, y, width, height: HEIGHT, phase: "static", depth: 7, link: numbers[0] ?? 1,
    label: say("stage.chain.link", { numbers }),
    draw: svg`<rect class="link-number" width=${width} height=${HEIGHT} rx=${HEIGHT / 2}/><text x=${width / 2} y="15.5" class="inv s13" text-anchor="middle">${labelOf(mark)}</text>`,
  };
}

/** In the order of the sentences, once to each thing. */
function lineThrough(placed: readonly Placed[]): StageObject {
  const points = placed.map(({ x, y, width }) => `${x + width / 2},${y + HEIGHT / 2}`);
  return {
    key: "chain", x: 0, y: 0, width: 0, height: 0, phase: "static", depth: 6.5, label: "",
    draw: points.length < 2 ? svg`${nothing}` : svg`<path class="link-line" d=${`M${points.join("L")}`}/>`,
  };
}
