/**
 * The column beside the lanes of the space-time diagram: the turning points between the arrows (a fault, a timer that
 * ran out), each on the row of its step, and the result of this step. Pure.
 *
 * Texts have a column of their own, so that no arrow runs through them. With too many actors, or on a narrow screen, it
 * has no room; the band's text then stands beside its actor, and the turning points are only in the diagram's text.
 */

import type { Mark } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { MARK, round, wrapAtMost } from "./geometry.ts";

export const defaults = {
  /** px of the column, and the least px with which it is shown. */
  width: 224,
  least: 170,
  narrow: 560,
  /** The least px between two actors' lanes. */
  spacing: 96,
  marks: 3,
  /** The most lines of a sentence, which none reaches. */
  lines: 9,
  lineHeight: 14,
};

/** px of the column for so many actors; null if there is no room. */
export function marginWidth(width: number, left: number, actors: number): number | null {
  if (width < defaults.narrow) return null;
  const room = width - left - defaults.spacing * Math.max(0, actors - 1);
  return room < defaults.least ? null : Math.min(defaults.width, room);
}

/** px of the column for texts: {@link marginWidth} without the gap to the last lane and the picture's edge. */
export function wordsWidth(column: number): number {
  return column - 26;
}

/** The newest turning points after step `from` and before step `until`; `marks` are in order of their steps. */
export function turningPoints(marks: readonly Mark[], from: number, until: number): Mark[] {
  return marks.filter((mark) => mark.step > from && mark.step < until).slice(-defaults.marks);
}

/**
 * The lines of a turning point. `column`: from {@link marginWidth}; without one there are none, because its text is in
 * the diagram's text.
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
