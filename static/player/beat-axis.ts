/**
 * Computes the width of each beat on the time axis: the width that its name needs, plus a share of the width that is
 * left over, by the square root of its number of steps. All names are set alike: in one line or, if they do not fit, by
 * the first of the further `settings` (more lines, smaller letters) with which they do. What is left over is first used
 * so that as many names as possible need only two lines. Pure.
 */

import { textWidth } from "../diagrams/geometry.ts";
import type { Beat } from "./beats.ts";
import { numberOf, tileTexts } from "./beats.ts";
import { phrasesOf } from "./phrases.ts";
import type { Segment } from "./timeline.ts";

export const defaults = {
  /** px between two beats. */
  gap: 3,
  /**
   * `beside`: px of a beat for its number beside the name, and for the space around both. `air`: px for the space
   * alone, if the number is in the first line of the name.
   */
  beside: 37,
  air: 22,
  /**
   * For a beat that shows only its number. `numbered`: px of the space beside the number. `numberedShare`: a factor by
   * which its share of the width that is left over is smaller.
   */
  numbered: 18,
  numberedShare: 0.3,
  /** The width of a text in the page's typeface, as a share of the width that `textWidth` estimates. */
  narrower: 0.85,
  /**
   * The ways to set the names, in the order in which they are tried. `size`: px of a letter; `lines`: the most lines;
   * `beside`: whether the numbers are beside the names or in their first lines.
   */
  settings: [
    { size: 14, lines: 1, beside: true }, { size: 14, lines: 2, beside: true }, { size: 13, lines: 2, beside: true }, { size: 12, lines: 2, beside: true },
    { size: 12, lines: 3, beside: true }, { size: 12, lines: 3, beside: false }, { size: 11, lines: 3, beside: false },
    { size: 11, lines: 4, beside: false },
  ],
};

/**
 * Where a line of Chinese may end. `marks`: only at spaces and punctuation; `words`: also between words; `anywhere`:
 * after any character, used if the names do not fit otherwise.
 */
export type LineBreaks = "marks" | "words" | "anywhere";

export interface BeatAxis {
  segments: Segment[];
  setting: number;
  breaks: LineBreaks;
  /** Whether every name has room without a word being cut. */
  fits: boolean;
}

/** The mark behind the name of a beat in which a guarantee is first broken. */
const BROKEN_MARK = " ✕";

/**
 * The axis that was made last, with its inputs (`of`, `beats`). It is used again, because at each step several parts of
 * the page ask for the same axis.
 */
let last: { of: string; beats: readonly Beat[]; axis: BeatAxis } | null = null;

/**
 * The axis with the beats between x = `left` and `right`, in px. The last beat reaches to step `end`, which may be
 * after the last planned step. `broken`: the steps that first break a guarantee, as far as they are known.
 */
export function beatAxis(beats: readonly Beat[], end: number, left: number, right: number, broken: readonly number[] = []): BeatAxis {
  const names = beats.map((beat, place) => {
    const mark = beat.key.startsWith("beat.broken_") || isBrokenIn(beat, place === beats.length - 1 ? Math.max(end, beat.last) : beat.last, broken) ? BROKEN_MARK : "";
    return isNumberAlone(beat) ? [] : tileTexts(beats, place).map(([title, more]) => [`${title}${more === "" ? mark : ""}`, more === "" ? "" : `${more}${mark}`] as const);
  });
  const of = [end, left, right, ...names].join("\n");
  if (last?.beats !== beats || last.of !== of) last = { of, beats, axis: laidOut(beats, names, end, left, right) };
  return last.axis;
}

/** Whether one of the steps in `broken` is in the beat, which reaches to step `last`. */
export function isBrokenIn(beat: Beat, last: number, broken: readonly number[]): boolean {
  return broken.some((step) => step >= beat.first && step <= last);
}

/** Whether a beat shows only its number, as the beats before the change do if a run was changed after many beats. */
export function isNumberAlone(beat: Beat): boolean {
  return beat.kept === true;
}

function laidOut(beats: readonly Beat[], names: readonly (readonly (readonly [string, string])[])[], end: number, left: number, right: number): BeatAxis {
  const room = right - left - defaults.gap * (beats.length - 1);
  const set = (breaks: LineBreaks, setting: number, most = Number.POSITIVE_INFINITY): { setting: number; breaks: LineBreaks; need: number[] } => {
    const { size, lines: whole, beside } = defaults.settings[setting] as (typeof defaults.settings)[number];
    const lines = Math.min(whole, most);
    return { setting, breaks, need: names.map((texts, place) => isNumberAlone(beats[place] as Beat) ? textWidth(numberOf(beats, place), size) + defaults.numbered : Math.max(...texts.map(([title, more]) => bothWidth(beside ? title : `${numberOf(beats, place)}. ${title}`, more, size, lines, breaks))) + (beside ? defaults.beside + textWidth(numberOf(beats, place).slice(1), size) : defaults.air)) };
  };
  const settings = [...defaults.settings.keys()];
  const tries = [...settings.flatMap((setting) => [set("marks", setting), set("words", setting)]), ...settings.map((setting) => set("anywhere", setting))];
  const fitting = tries.find((one) => sum(one.need) <= room);
  const { setting, breaks, need: first } = fitting ?? (tries.at(-1) as (typeof tries)[number]);
  const need = [...first];
  const inTwo = set(breaks, setting, 2).need.map((width, place) => ({ place, more: width - (first[place] ?? 0) }));
  for (const { place, more } of inTwo.sort((one, other) => one.more - other.more)) if (sum(need) + more <= room) need[place] = (need[place] ?? 0) + more;
  const segments = spread(beats, need, end, left, right, (beat) => (isNumberAlone(beat) ? defaults.numberedShare : 1));
  return { segments, setting, breaks, fits: fitting !== undefined };
}

/** The axis for a bar that is too narrow for names: the width of a beat depends only on its number of steps. */
export function namelessAxis(beats: readonly Beat[], end: number, left: number, right: number): BeatAxis {
  return { segments: spread(beats, beats.map(() => 0), end, left, right, () => 1), setting: 0, breaks: "marks", fits: true };
}

/** The beats side by side, each with the px in `need` (all less if they do not fit) and its share of the rest. */
function spread(beats: readonly Beat[], need: readonly number[], end: number, left: number, right: number, shareOf: (beat: Beat) => number): Segment[] {
  const room = right - left - defaults.gap * (beats.length - 1);
  const steps = beats.map((beat, place) => Math.max(1, (place === beats.length - 1 ? Math.max(end, beat.last) : beat.last) - beat.first + 1));
  const roots = steps.map((count, place) => Math.sqrt(count) * shareOf(beats[place] as Beat));
  const least = sum(need);
  const scale = least > room ? room / least : 1;
  const rest = Math.max(0, room - least);
  let x = left;
  return beats.map((beat, place): Segment => {
    const width = (need[place] ?? 0) * scale + (rest * (roots[place] ?? 0)) / (sum(roots) || 1);
    const segment = { first: beat.first, last: beat.first + (steps[place] ?? 1) - 1, x, width };
    x += width + defaults.gap;
    return segment;
  });
}

const SQUARE_LETTERS = /[✕\u2e80-\uffff]/g;

/** Places at which a line may end besides spaces: after the underscores of an error's name. */
export const BREAKS = /(?<=[A-Z]_)/;

const ANYWHERE = /(?<=\s)|(?<=[\u2e80-\uffff])|(?=[\u2e80-\uffff])|(?<=[A-Z]_)/;
const AT_MARKS = /(?<=\s)(?<!\d\s(?=[条个次步批份项名台段]))|(?<=[\u3000-\u303f\uff00-\uffef])|(?<=[A-Z]_)/;

/** The name, divided into pieces between which a line may end. */
export function piecesOf(name: string, breaks: LineBreaks): string[] {
  if (breaks === "words") return phrasesOf(name).flatMap((phrase) => phrase.split(BREAKS));
  return name.split(breaks === "marks" ? AT_MARKS : ANYWHERE);
}

/**
 * The least width, in px, of a name with an addition in `lines` lines of letters of `size` px. The addition begins on a
 * line of its own, unless there is only one line.
 */
function bothWidth(title: string, added: string, size: number, lines: number, breaks: LineBreaks): number {
  if (added === "") return nameWidth(title, size, lines, breaks);
  if (lines === 1) return nameWidth(`${title} ${added}`, size, 1, breaks);
  const splits = Array.from({ length: lines - 1 }, (_, own) => Math.max(nameWidth(title, size, own + 1, breaks), nameWidth(added, size, lines - own - 1, breaks)));
  return Math.min(...splits);
}

/**
 * The least width, in px, in which a name fits in `lines` lines that end only where `breaks` allows. Chinese characters
 * and the mark of a broken guarantee are as wide as they are high.
 */
function nameWidth(name: string, size: number, lines: number, breaks: LineBreaks): number {
  const wide = (text: string): number => {
    const square = text.match(SQUARE_LETTERS)?.length ?? 0;
    return textWidth(text.replace(SQUARE_LETTERS, ""), size, true) * defaults.narrower + square * size * 1.02;
  };
  const pieces = piecesOf(name, breaks).map((piece) => ({ full: wide(piece), last: wide(piece.trimEnd()) }));
  const linesAt = (width: number): number => {
    let count = 1;
    let at = 0;
    for (const { full, last } of pieces) {
      if (at > 0 && at + last > width) [count, at] = [count + 1, 0];
      at += full;
    }
    return count;
  };
  let [least, most] = [Math.max(...pieces.map(({ last }) => last)), wide(name)];
  if (linesAt(least) <= lines) return least;
  while (most - least > 1) {
    const middle = (least + most) / 2;
    if (linesAt(middle) <= lines) most = middle;
    else least = middle;
  }
  return most;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
