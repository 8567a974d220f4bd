/** Places the labels of the space-time diagram's arrows, so that they cover no other text and no cell. Pure. */

import { named } from "../player/joins.ts";
import { say } from "../player/text.ts";
import type { Box } from "./geometry.ts";
import { MARK, TEXT, textWidth } from "./geometry.ts";
import { placeLabels } from "./label-places.ts";
import { batchKey, messageLabel } from "./message-words.ts";
import { isLost } from "./sent-again.ts";
import type { Drawn, SpacetimeShape } from "./spacetime-layout.ts";
import { ROLE_Y, TIMES } from "./spacetime-heads.ts";

/** px from the middle of a cross, or of this step's dot, to its edge. */
export const CROSS = 9;
/** px from the middle of any other dot to its edge. */
const DOT = 4;

/**
 * Gives every arrow its label, or none if there is no place for it. `sent`: batch → its newest message. `first`: ids of
 * messages whose labels choose their places before all others.
 */
export function labelArrows(shape: SpacetimeShape, kept: readonly Drawn[], sent: ReadonlyMap<string, number>, first: readonly number[]): void {
  const texts = kept.map((drawn) => {
    const key = batchKey(drawn.arrow.message);
    const text = messageLabel(drawn.arrow.message, key !== null && sent.get(key) !== drawn.arrow.id);
    return { text: withFate(text, drawn), short: withFate(firstPart(text, drawn), drawn) };
  });
  const left = shape.lanes[0]?.x ?? TIMES;
  const taken = [
    ...shape.lanes.flatMap((lane) => [head(lane.x, lane.titleY, textWidth(lane.title, TEXT, true)), head(lane.x, ROLE_Y, textWidth(lane.role, MARK))]),
    ...shape.times.map((time) => ({ x: 4, y: time.y - 12, width: textWidth(time.text, MARK, time.now), height: 15 })),
    ...shape.shortened.map((cut) => ({ x: left + 12, y: cut.y - 7, width: textWidth(cut.text, MARK), height: 14 })),
    ...shape.folds.map((fold) => ({ x: fold.x, y: fold.y - 12, width: fold.width, height: 24 })),
    ...shape.arrows.filter(isLost).map(({ x2, y2 }) => ({ x: x2 - CROSS, y: y2 - CROSS, width: 2 * CROSS, height: 2 * CROSS })),
    ...(shape.band === null || shape.band.x === null ? [] : [{ x: shape.band.x - CROSS, y: shape.band.middle - CROSS, width: 2 * CROSS, height: 2 * CROSS }]),
    ...shape.stored.map((cell) => ({ x: cell.x - 8, y: cell.y - 3, width: cell.width + 11, height: 24 })),
    ...shape.marks.flatMap(({ dot, y, texts: [said] }): Box[] => (dot === null || said === undefined ? [] : [{ x: dot - CROSS, y: y - 4, width: said.x - dot, height: 8 }])),
    ...shape.marks.flatMap(({ texts: lines }) => lines.map(({ x, y, text }) => ({ x, y: y - 11, width: textWidth(text, MARK), height: 14 }))),
    ...(shape.band?.plate ? [shape.band.plate] : []),
  ];
  const places = placeLabels(
    shape.arrows.map((arrow, index) => ({
      x1: arrow.x1, y1: arrow.y1, x2: arrow.x2, y2: arrow.y2, ...(texts[index] ?? { text: "" }),
      ...(isLost(arrow) ? { cross: CROSS } : {}),
      weight: (first.includes(Number(arrow.key)) ? 10 : 0) + (arrow.now ? 4 : 0) + (arrow.picked ? 3 : 0) + (arrow.fate === "delivered" ? 0 : 2),
    })),
    taken,
    { width: shape.width, bottom: shape.bottom, lanes: shape.lanes.map(({ x }) => x), dots: shape.dots.map(({ x, y }) => ({ x: x - DOT, y: y - DOT, width: 2 * DOT, height: 2 * DOT })) },
  );
  shape.arrows.forEach((arrow, index) => {
    arrow.label = places[index] ?? null;
  });
}

/** The box of a text above a lane, centred on it. */
function head(x: number, baseline: number, width: number): Box {
  return { x: x - width / 2, y: baseline - 11, width, height: 13 };
}

/**
 * The short text of a label. For a request, its API and partition; for a response with an error, the error or, if the
 * response did not arrive, the request to which it belongs.
 */
function firstPart(text: string, { underWay, arrow: { message, fate } }: Drawn): string {
  if (message.is_response && message.error !== null && message.error !== "NONE") {
    const [answered = text, error = answered] = text.split(/[:：] ?/);
    return underWay || fate === "delivered" ? error : answered;
  }
  return text.split(/[,，]/)[0] ?? text;
}

function withFate(text: string, drawn: Drawn): string {
  if (!drawn.underWay && drawn.arrow.fate !== "delivered") return named(text, say(`diagram.fate.short.${drawn.arrow.fate}`));
  if (drawn.arrow.duplicated) return `${text} ${say("diagram.fate.short.duplicated")}`;
  return drawn.arrow.delayed ? `${text} ${say("diagram.fate.short.delayed")}` : text;
}
