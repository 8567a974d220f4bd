/**
 * Places the marks of an answer to *why* on the picture: each thing that is the subject of a sentence gets the number
 * of the sentence. The sentences themselves are below the picture (static/player/why.ts). Pure.
 */

import { svg } from "lit";
import { overlap, round } from "../diagrams/geometry.ts";
import { say } from "../player/text.ts";
import type { Chain } from "./chain.ts";
import { objectOf } from "./chain.ts";
import type { Box, Places, StageObject } from "./contract.ts";
import { textWidth } from "./draw.ts";
import { LATER } from "./later.ts";

const HEIGHT = 22;
/** Units of a thing's width that a mark at its corner covers; names begin after them. */
const BESIDE = 9;
/** Units by which a mark above a box overlaps it. */
const INSIDE = 3;
/** A thing at least so many units wide has room for a mark between its own words. */
const WIDE = 120;
/** The preferred and the least distance, in units, between a mark and a word (which may have a frame around it). */
const CLEAR = { suits: 14, needs: 6 };
/** px between the marks of one thing. */
const APART = 2;
/** The most numbers shown on one thing; the others are counted. */
const NUMBERS = 4;

interface Mark {
  numbers: number[];
  object: StageObject;
}

/**
 * The box, in units, that the stage shows while the sentences of an answer cover its foot. `share`: the share of the
 * picture's height, from the top, that they leave free. If they cover no subject of a sentence, the box is the whole
 * picture; else it is such that the picture is moved up, and made smaller as far as letters stay readable.
 */
export function uncovered(objects: readonly StageObject[], chain: Chain, here: Places, share: number): Box {
  const whole: Box = { x: 0, y: 0, width: here.width, height: here.height };
  if (share >= 1 || share <= 0 || here.upright) return whole;
  const about = chain.map((subject) => (subject === null ? undefined : objectOf(objects, subject))).filter((object) => object !== undefined);
  const free = here.height * share;
  const foot = Math.min(here.height, Math.max(0, ...about.map(({ y, height }) => y + height)) + AROUND.below);
  if (foot <= free) return whole;
  const named = about.filter(({ height }) => height > 0);
  const hot = objects.filter((object) => object.hot === true && object.width > 0);
  const topOf = (those: readonly StageObject[]): number => Math.max(0, Math.min(...those.map(({ y }) => y)) - AROUND.above);
  // If a slightly smaller picture is enough, its top is not cut off. Else the top is cut off, but the things that the
  // step is about stay visible, unless letters would become too small.
  const all = topOf([...named, ...hot]);
  const top = free / foot >= GENTLE ? 0 : free / (foot - all) >= SMALLEST ? all : topOf(named);
  const scale = Math.min(1, Math.max(SMALLEST, free / (foot - top)));
  const width = here.width / scale;
  return { x: round((here.width - width) / 2), y: round(Math.min(top, foot - free / scale)), width: round(width), height: round(here.height / scale) };
}

/** Units above and below the subjects of sentences that stay visible: for their marks, and for the name above a log. */
const AROUND = { above: 24, below: 14 };
/**
 * `GENTLE`: the least scale down to which the whole picture is made smaller. `SMALLEST`: the least scale of a picture
 * whose top is cut off.
 */
const SMALLEST = 0.64;
const GENTLE = 0.72;

/**
 * The objects of the marks; none if no subject of the chain is in the picture. `here`: the places, whose height ends
 * where the sentences begin; `top`: y of the upper edge of the visible part; `words`: the boxes of texts in the
 * picture.
 */
export function chainMarks(objects: readonly StageObject[], chain: Chain, here: Places, words: readonly Box[] = [], top = 0): StageObject[] {
  const marks = new Map<string, Mark>();
  chain.forEach((subject, index) => {
    const object = subject === null ? undefined : objectOf(objects, subject);
    if (object === undefined || object.y > here.height - HEIGHT || object.y + object.height < top + HEIGHT) return;
    const mark = marks.get(object.key) ?? { numbers: [], object };
    mark.numbers.push(index + 1);
    marks.set(object.key, mark);
  });
  const placed: Placed[] = [];
  for (const mark of marks.values()) placed.push({ ...mark, ...placeOf(mark, here, top, [...words, ...gripsIn(objects), ...othersOf(objects, mark.object), ...placed]) });
  return placed.flatMap(badges);
}

/**
 * The boxes of components other than the thing's, without those that contain the thing or lie in it. A mark keeps off
 * them, because on an edge between two boxes it could belong to either.
 */
function othersOf(objects: readonly StageObject[], own: StageObject): Box[] {
  const contains = (outer: Box, inner: Box): boolean => outer.x <= inner.x && outer.y <= inner.y && outer.x + outer.width >= inner.x + inner.width && outer.y + outer.height >= inner.y + inner.height;
  return objects.filter((other) => (other.select ?? other.brings)?.kind === "actor" && other.width > 0 && !contains(other, own) && !contains(own, other));
}

/** The boxes of the dots on messages that say that actions are available. */
function gripsIn(objects: readonly StageObject[]): Box[] {
  return objects.flatMap(({ x, y, grip }) => (grip === undefined ? [] : [{ x: x + grip - 3, y: y + 5, width: 6, height: 16 }]));
}

/** The texts of the marks of a thing: one for each number shown, and a last one that counts the other numbers. */
function labelsOf({ numbers }: Mark): string[] {
  const shown = numbers.slice(0, NUMBERS).map(String);
  return numbers.length > NUMBERS ? [...shown, `+${numbers.length - NUMBERS}`] : shown;
}

function widthOf(label: string): number {
  return Math.max(HEIGHT, round(textWidth(label, 13, true) + 14));
}

/**
 * The box of a mark, inside the picture: on the upper left corner of its thing; above the thing if the thing reaches to
 * the edge of the picture; over its middle if the thing is hardly wider than the mark. If that place has words
 * (`taken`), the mark is elsewhere along the edges of the thing.
 */
function placeOf(mark: Mark, here: Places, top: number, taken: readonly Box[]): Box {
  const widths = labelsOf(mark).map(widthOf);
  const width = widths.reduce((sum, one) => sum + one, (widths.length - 1) * APART);
  const { x, y, width: whole, height: tall } = mark.object;
  const hasEdge = here.upright && x + BESIDE < width + 2;
  const above = hasEdge ? y - HEIGHT + INSIDE : y - HEIGHT / 2;
  // Above the uppermost box there is no room. Its name is on the left inside it, so the mark is farther right.
  const left = hasEdge && above < 2 ? x + whole * 0.3 : x + BESIDE - width;
  // If the foot of the thing is covered, only its visible part counts.
  const foot = Math.min(y + tall, here.height);
  const under = foot - HEIGHT / 2;
  const middle = x + (whole - width) / 2;
  const along = [0.15, 0.35, 0.55, 0.75, 1].map((share) => x + whole * share - width / 2);
  const corners = [left, x - width - 2, x + whole + 2];
  const beside = [0.5, 0.25, 0.75].map((share) => [x + whole - width / 2, y + (foot - y) * share - HEIGHT / 2]);
  // On an upright stage, boxes stand close to each other: a mark across an edge would seem to belong to the neighbour.
  const within = here.upright && tall >= HEIGHT - 1 && whole >= WIDE && y >= 0 ? clearIn({ x, y: round(y + Math.min(4, (tall - HEIGHT) / 2)), width: whole, height: HEIGHT }, width, taken) : null;
  if (within !== null && within.y + HEIGHT <= here.height) return within;
  const narrow = whole < 2 * width ? [[middle, above], [middle, under]] : [];
  const places = [...narrow, [left, above], ...corners.map((at) => [at, above]), ...along.map((at) => [at, above]), ...beside, ...along.map((at) => [at, under]), ...corners.map((at) => [at, under])];
  const inside = places.map(([atX = 0, atY = 0]): Box => ({
    x: round(Math.min(Math.max(atX, 2), here.width - width - 2)), y: round(Math.min(Math.max(atY, top + 2), here.height - HEIGHT - 2)), width, height: HEIGHT,
  }));
  return freest(inside, taken) ?? (inside[0] as Box);
}

/**
 * The first place in a line for a mark of this width that is at the preferred distance (`CLEAR`) from words; else the
 * place farthest from them. Null if every place is closer than the least distance.
 */
function clearIn(line: Box, width: number, taken: readonly Box[]): Box | null {
  const words = taken.filter((word) => word.y < line.y + line.height && word.y + word.height > line.y);
  let best: Box | null = null;
  let most: number = CLEAR.needs;
  for (let x = line.x + 0.1 * line.width; x + width < line.x + 0.9 * line.width; x += 2) {
    const clear = Math.min(CLEAR.suits, ...words.map((word) => Math.max(word.x - x - width, x - word.x - word.width)));
    if (clear > most) [best, most] = [{ ...line, x: round(x), width }, clear];
  }
  return best;
}

type Placed = Mark & Box;

/** One small box for each number of a mark, side by side. */
function badges(mark: Placed): StageObject[] {
  const { y, numbers, object } = mark;
  let { x } = mark;
  return labelsOf(mark).map((label, at): StageObject => {
    const [left, width] = [x, widthOf(label)];
    x += width + APART;
    return {
      key: at === 0 ? `chain:${object.key}` : `chain:${object.key}:${at}`, x: left, y, width, height: HEIGHT, phase: "static", depth: 7, link: numbers[at] ?? 1,
      label: say("stage.chain.link", { numbers: numbers.slice(at, at < NUMBERS ? at + 1 : undefined) }),
      draw: svg`<rect class="link-number" width=${width} height=${HEIGHT} rx=${HEIGHT / 2}/><text x=${width / 2} y="15.5" class="inv s13" text-anchor="middle">${label}</text>`,
    };
  });
}

function sharedArea(one: Box, other: Box): number {
  if (!overlap(one, other)) return 0;
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  return width * (Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y));
}

/** The first of the places that cover least of the boxes in `taken`. */
function freest(places: readonly Box[], taken: readonly Box[]): Box | undefined {
  let best: Box | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const place of places) {
    const covered = taken.reduce((sum, one) => sum + sharedArea(place, one), 0);
    if (covered < least - 0.5) [best, least] = [place, covered];
    if (covered < 0.5) break;
  }
  return best;
}

LATER.chain = { marks: chainMarks, uncovered };
