/**
 * Drawing functions that all components on the stage share. Texts are fitted here: a long text becomes smaller and
 * wraps, so that it is not cut.
 */

import { nothing, svg } from "lit";
import type { SVGTemplateResult } from "lit";
import { round, textWidth as wideText, wrap } from "../diagrams/geometry.ts";

export type Drawn = SVGTemplateResult | typeof nothing;
export type Anchor = "start" | "middle" | "end";

/** Sizes of type on the stage, in units. */
export const TYPE = { mark: 12, small: 13, text: 14, strong: 15, name: 17 } as const;

/**
 * The width of a text in the stage's typeface, as a share of its width by the table of widths, which is for another
 * typeface.
 */
const NARROWER = 0.88;
const SQUARE_LETTERS = /[\u2e80-\uffff]/g;

/** Width of a text on the stage, in units. */
export function textWidth(said: string, size: number, bold = false): number {
  const square = said.match(SQUARE_LETTERS)?.length ?? 0;
  return square === 0 ? wideText(said, size, bold) * NARROWER : wideText(said.replace(SQUARE_LETTERS, ""), size, bold) * NARROWER + square * size * 1.02;
}

/** A line of text. `classes`: `b` bold ink, `k` ink, `q` quiet, `inv` inverted, `bad`; `s12` … `s17` sizes. */
export function text(x: number, y: number, said: string, classes = "", anchor: Anchor = "start"): SVGTemplateResult {
  return svg`<text x=${round(x)} y=${round(y)} class=${classes} text-anchor=${anchor}>${said}</text>`;
}

export function box(x: number, y: number, width: number, height: number, classes: string, radius = 4): SVGTemplateResult {
  return svg`<rect x=${round(x)} y=${round(y)} width=${round(Math.max(0, width))} height=${round(Math.max(0, height))} rx=${radius} class=${classes}/>`;
}

export function path(d: string, classes: string): SVGTemplateResult {
  return svg`<path d=${d} class=${classes}/>`;
}

/** The one yellow place of a step: a yellow rim in a black ring. */
export function halo(x: number, y: number, width: number, height: number, radius = 5): SVGTemplateResult {
  return svg`${box(x, y, width, height, "halo", radius)}${box(x - 3.5, y - 3.5, width + 7, height + 7, "ring", radius + 3)}`;
}

/**
 * The sizes of letters, in units, in a cell of this height: `who` for the producer's identity, `what` for the sequence
 * numbers.
 */
export function cellType(height: number): readonly [who: number, what: number] {
  return height >= 70 ? [14, 20] : height >= 54 ? [13, 17] : [12, 15];
}

/** The flag of a marker: C or A on a pole. */
export function flag(x: number, y: number, height: number, letter: string, hue: string): SVGTemplateResult {
  return svg`<path d=${`M${x},${y}V${y + height + 4}`} class=${`pole line ${hue}`}/><path d=${
    `M${x},${y}h17l-4,${height / 2}l4,${height / 2}h-17z`} class=${`flag line ${hue}`}/><text x=${x + 6.5} y=${
    y + height / 2 + 4.5} class="inv s12" text-anchor="middle">${letter}</text>`;
}

/** The slanted lines inside the box of an aborted batch. */
export function hatch(width: number, height: number, hue: string): SVGTemplateResult {
  const lines: string[] = [];
  for (let from = 6; from < width + height; from += 9) {
    const x1 = Math.min(from, width - 1);
    const y2 = Math.min(from, height - 1);
    lines.push(`M${round(x1)},${round(from - x1)}L${round(from - y2)},${round(y2)}`);
  }
  return path(lines.join(""), `hatch ${hue}`);
}

export interface Fitted {
  size: number;
  lines: string[];
  /** Whether a part of the text is left out; this only happens if `most` lines of the smallest size are not enough. */
  cut: boolean;
}

/**
 * The text, divided into lines of at most `width` units. A name without spaces is divided after its hyphens, dots,
 * slashes and underscores, or anywhere if that is not enough.
 */
function linesOf(said: string, width: number, size: number, bold: boolean): string[] {
  if (/\s|[\u2e80-\uffff]/.test(said)) return wrap(said, width, size, bold);
  const lines: string[] = [];
  let line = "";
  for (const piece of said.split(/(?<=[-._/])/)) {
    if (line !== "" && textWidth(line + piece, size, bold) > width) {
      lines.push(line);
      line = "";
    }
    for (const letter of piece) {
      if (line !== "" && textWidth(line + letter, size, bold) > width) {
        lines.push(line);
        line = "";
      }
      line += letter;
    }
  }
  if (line !== "") lines.push(line);
  return lines;
}

/**
 * The text in the largest size, from `size` down to `least`, in which it fits in at most `most` lines of `width` units.
 * If it does not even fit in the smallest size, it ends in an ellipsis.
 */
export function fitted(said: string, width: number, size: number, options: { least?: number; most?: number; bold?: boolean } = {}): Fitted {
  const { least = 10, most = 1, bold = false } = options;
  for (let at = size; at >= least; at -= 1) {
    if (textWidth(said, at, bold) <= width) return { size: at, lines: [said], cut: false };
    // Two lines of a readable size are better than one of a small size.
    if (most > 1 && at >= size - 2) {
      const clauses = said.split(/(?<=[,，])\s*/);
      // Lines end after commas if the text then fits.
      const lines = clauses.length === most && clauses.every((one) => textWidth(one, at, bold) <= width) ? clauses : linesOf(said, width, at, bold);
      const whole = said.split(/(?<=[-._/\s\u2e80-\uffff])/).every((piece) => textWidth(piece.trimEnd(), at, bold) <= width);
      if (whole && lines.length <= most) return { size: at, lines, cut: false };
    }
  }
  const lines = linesOf(said, width, least, bold);
  if (lines.length <= most) return { size: least, lines, cut: false };
  const kept = lines.slice(0, most);
  let last = kept[most - 1] ?? "";
  while (last !== "" && textWidth(`${last}…`, least, bold) > width) last = last.slice(0, -1);
  kept[most - 1] = `${last}…`;
  return { size: least, lines: kept, cut: true };
}

/**
 * The drawing of a text by `fitted`; several lines are centred on `y`. If a part is left out, a title has the whole.
 */
export function fittedText(x: number, y: number, said: string, width: number, size: number, options: {
  least?: number; most?: number; bold?: boolean; classes?: string; anchor?: Anchor;
} = {}): SVGTemplateResult {
  const { lines, size: at, cut } = fitted(said, width, size, options);
  const leading = at + 1.5;
  const first = y - ((lines.length - 1) * leading) / 2;
  return svg`<text x=${round(x)} text-anchor=${options.anchor ?? "start"} class=${`${options.classes ?? ""} s${Math.round(at)}`}>${
    cut ? svg`<title>${said}</title>` : nothing}${lines.map((line, index) => svg`<tspan x=${round(x)} y=${round(first + index * leading)}>${line}</tspan>`)}</text>`;
}

/** The width of a pill with a text in it, in units. */
export function pillWidth(said: string, size: number = TYPE.small, pad = 18): number {
  return round(textWidth(said, size, true) + pad);
}
