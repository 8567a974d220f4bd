/**
 * The column right of the lanes of the space-time diagram. It has the texts of the turning points (a fault, a timer
 * that ran out), each on the row of its step, and the texts of this step's band. Pure.
 *
 * These texts have a column of their own so that no arrow runs through them. With many actors, or in a narrow picture,
 * there is no room for it; the band's texts then stand beside its actor, and the texts of the turning points are left
 * out.
 */

import type { Mark } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { MARK, round, wrapAtMost } from "./geometry.ts";

export const defaults = {
  /** `width`: px of the column; `least`: the px below which it is left out; `narrow`: px of a picture without one. */
  width: 224,
  least: 170,
  narrow: 560,
  /** The least px between two actors' lanes. */
  spacing: 96,
  marks: 3,
  /** The most lines of one sentence. It is more than any sentence has. */
  lines: 9,
  lineHeight: 14,
};

/**
 * px of the column in a picture of `width` px whose first lane is at `left`; null if it has no room beside the actors.
 */
export function marginWidth(width: number, left: number, actors: number): number | null {
  if (width < defaults.narrow) return null;
  const room = width - left - defaults.spacing * Math.max(0, actors - 1);
  return room < defaults.least ? null : Math.min(defaults.width, room);
}

/** px of the column that its texts may take: without the gaps to the last lane and to the edge of the picture. */
export function wordsWidth(column: number): number {
  return column - 26;
}

/** The newest turning points after step `from` and before step `until`; `marks` are in order of their steps. */
export function turningPoints(marks: readonly Mark[], from: number, until: number): Mark[] {
  return marks.filter((mark) => mark.step > from && mark.step < until).slice(-defaults.marks);
}

/**
 * The lines of a turning point's text. `column`: px from {@link marginWidth}; null, if there is no column: no lines.
 */
function markLines(mark: Mark, column: number | null): string[] {
  return column === null ? [] : wrapAtMost(say(mark.key, mark.params), wordsWidth(column), MARK, defaults.lines);
}

/** px from a mark's row to the next row. */
export function markHeight(mark: Mark, column: number | null): number {
  return markLines(mark, column).length * defaults.lineHeight + 5;
}

export interface MarkShape {
  step: number;
  /** x of the actor's lane; null if it has none. */
  dot: number | null;
  y: number;
  texts: { x: number; y: number; text: string }[];
  name: string;
}

/** The shape of a turning point. `x`: where its text begins, if there is a column. */
export function layoutMark(mark: Mark, y: number, dot: number | null, x: number, column: number | null): MarkShape {
  return {
    step: mark.step,
    dot,
    y: round(y),
    texts: markLines(mark, column).map((text, index) => ({ x: round(x), y: round(y + 4 + index * defaults.lineHeight), text })),
    name: say("diagram.spacetime.mark", { at: mark.at, actor: mark.actor, sentence: say(mark.key, mark.params) }),
  };
}
