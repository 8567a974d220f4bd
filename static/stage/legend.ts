/**
 * Draws the legend of the stage: a sign and its text for each kind of thing that is on the stage at this step. It has
 * one place: below the consumers or, if they leave no room, under the only client; without consumers, in their column.
 * Pure.
 */

import { type nothing, svg } from "lit";
import type { SVGTemplateResult } from "lit";
import { isAbsent } from "../diagrams/batch.ts";
import { clamp, round } from "../diagrams/geometry.ts";
import { isOpen } from "../diagrams/instance.ts";
import { leaderBatches, leaderLog } from "../diagrams/leader-log.ts";
import { INTERNAL } from "../diagrams/internal-partitions.ts";
import type { ClientBatchView, Frame, LogBatchView, View } from "../player/frame.ts";
import { say } from "../player/text.ts";
import type { Box, Places } from "./contract.ts";
import { box, fittedText, flag, hatch, path, text, textWidth } from "./draw.ts";
import { LOG as STATES } from "./coordinator.ts";
import { LEGEND, SIGN } from "./legend-size.ts";
import { windowOf } from "./contract.ts";
import { batchesQueued, fatesDrawn } from "./producers.ts";

type Drawn = SVGTemplateResult | typeof nothing;

const CELL = (classes = ""): SVGTemplateResult => box(0, 0, SIGN.width, 14, `cell b0${classes}`, 2);
const DRAWN = {
  batch: CELL(), open: CELL(" open"), aborted: svg`${CELL()}${hatch(SIGN.width, 14, "b0")}`, marker: svg`<g transform="scale(0.86)">${flag(5, -1, 14, "C", "b0")}</g>`, lso: box(6, -1, 5, 15, "lso", 1),
  plain: box(0, 0, SIGN.width, 14, "cell plain", 2), waiting: box(0, 0, SIGN.width, 14, "cell plain open", 2), old: CELL(" old"),
  hue: svg`${box(0, 0, 12, 14, "cell b0", 2)}${box(14, 0, 12, 14, "cell b1", 2)}`,
  reader: svg`${box(0, 3, 8, 8, "flag b0", 1.5)}${box(10, 3, 7, 7, "cell small b0", 1.5)}${path("M20.5,3v9M20.5,3.6h5v4.5h-5", "rail")}`,
  /** `hue`: that of the first producer id, or of producers without one. */
  plainReader: (hue: string): SVGTemplateResult => svg`${box(4, 3, 8, 8, `flag ${hue}`, 1.5)}${box(14, 3, 7, 7, `cell small ${hue}`, 1.5)}`,
  sent: (hue: string): SVGTemplateResult => svg`${box(0, 3, 8, 8, `flag ${hue}`, 1.5)}${path("M10,4l6,6m0,-6l-6,6", "failed")}${box(18.5, 3, 7, 7, "none wait", 1.5)}`,
  lost: (hue: string): SVGTemplateResult => svg`${box(0, 3, 8, 8, `flag ${hue}`, 1.5)}${box(13, 3, 8, 8, `flag ${hue}`, 1.5)}${path("M12,2l10,10m0,-10l-10,10", "failed")}`,
  sentAborted: svg`${box(0, 3, 8, 8, "flag b0", 1.5)}${box(9.5, 3, 7, 7, "none", 1.5)}${path("M10,9.5l6,-6", "rail")}${box(18.5, 3, 7, 7, "none wait", 1.5)}`,
  message: path("M0.5,1.5H8L12,7L8,12.5H0.5ZM25.5,1.5H18L14,7L18,12.5H25.5L22.5,7Z", "rail"),
  removed: svg`${box(0, -1, SIGN.width, 16, "pill", 2)}${text(SIGN.width / 2, 11.5, "∅", "s12 b", "middle")}`,
};
/** A sign: the catalogue key of its text, and its drawing. */
type Sign = readonly [key: string, sign: SVGTemplateResult];
const LOG: readonly Sign[] = [
  ["stage.sign.log_batch", DRAWN.batch], ["stage.sign.lso", DRAWN.lso], ["stage.sign.log_open", DRAWN.open], ["stage.sign.aborted", DRAWN.aborted],
  ["stage.sign.marker", DRAWN.marker],
];

/** The signs of a log case. */
export function signsOfLog(view: View): Sign[] {
  return idsIn(batchesIn(view)).size > 1 ? [...LOG, ["stage.sign.hue", DRAWN.hue]] : [...LOG];
}

function idsIn(stored: readonly Pick<LogBatchView, "producer_id">[]): Set<string> {
  return new Set(stored.map(({ producer_id: id }) => id).filter((id) => !isAbsent(id)).map(String));
}

/** The signs of the things on the stage now, the most needed first. */
export function signsIn({ view }: Frame, here: Places): Sign[] {
  const batches = batchesDrawn(view, here);
  const clients = Object.values(view.clients ?? {});
  const queued = batchesQueued(view, here);
  const isNumbered = ({ first_sequence: first }: ClientBatchView): boolean => !isAbsent(first);
  const hasOpen = batches.some(isOpen);
  const hasIds = idsIn(batches).size > 0;
  const ids = idsIn([...batches, ...clients.flatMap((client) => client.transaction_manager ?? [])]);
  const hasReaders = Object.values(here.readers).some((rows) => Object.keys(rows).length > 0);
  const fates = fatesDrawn(view, here);
  const hue = ids.size > 0 ? "b0" : here.hue(undefined);
  const hasLost = (view.guarantees?.["lost"]?.count ?? 0) > 0;
  const hasMarkers = batches.some(({ control }) => control !== null);
  const has: [boolean, Sign][] = [
    hasIds || queued.some(isNumbered) ? [true, ["stage.sign.batch", DRAWN.batch]] : [batches.length > 0, ["stage.sign.plain_batch", DRAWN.plain]],
    [Object.values(here.brokers).some(({ lanes }) => Object.keys(lanes).length > 0), ["stage.sign.lso", DRAWN.lso]],
    [hasOpen, ["stage.sign.open", DRAWN.open]],
    [batches.some(({ outcome }) => outcome === "aborted"), ["stage.sign.aborted", DRAWN.aborted]],
    [hasReaders && batches.length > 0, hasMarkers ? ["stage.sign.reader", DRAWN.reader] : ["stage.sign.plain_reader", DRAWN.plainReader(hue)]],
    [clients.length > 0, ["stage.sign.message", DRAWN.message]],
    [!queued.every(isNumbered), [clients.some((client) => client.transaction_manager != null) ? "stage.sign.unnumbered" : "stage.sign.queued", DRAWN.waiting]],
    [Object.keys(view.derived?.fenced ?? {}).length > 0, ["stage.sign.old", DRAWN.old]],
    [hasMarkers, ["stage.sign.marker", DRAWN.marker]],
    [ids.size > 1, ["stage.sign.hue", DRAWN.hue]],
    [hasRemoved(view), ["stage.sign.removed", DRAWN.removed]],
    [fates.size > 0 && hasLost, ["stage.sign.lost", DRAWN.lost(hue)]],
    [fates.size > 0 && !hasLost, ["stage.sign.sent", fates.has("aborted") && !fates.has("failed") && !fates.has("refused") ? DRAWN.sentAborted : DRAWN.sent(hue)]],
  ];
  return has.filter(([is]) => is).map(([, sign]) => sign);
}

/** The batches of leaders' logs that the lanes draw: of a long log only the newest ones. */
function batchesDrawn(view: View, here: Places): LogBatchView[] {
  return Object.values(here.brokers).flatMap(({ lanes }) => Object.entries(lanes)).flatMap(([name, lane]) => {
    const log = leaderLog(view.partitions?.[name]);
    if (log === undefined) return [];
    const { first } = windowOf(lane, log.log_start, log.log_end, log.batches);
    return Object.values(log.batches).filter(({ last_offset: last }) => last >= first);
  });
}

/** All batches in the logs of the leaders of data partitions. */
export function batchesIn(view: View): LogBatchView[] {
  return Object.entries(view.partitions ?? {}).filter(([name]) => !INTERNAL.test(name))
    .flatMap(([, partition]) => leaderBatches(partition));
}

/** Whether a coordinator has removed a transactional id: its log has a record without a value. */
function hasRemoved(view: View): boolean {
  return Object.entries(view.partitions ?? {}).filter(([name]) => STATES.test(name)).some(([, partition]) =>
    leaderBatches(partition).some(({ content }) => (content?.values ?? []).includes(null)));
}

/** Signs and their box. `pitch`: px from one sign to the next. */
interface Placed extends Box {
  signs: readonly Sign[];
  pitch: number;
}

/** The drawing of the legend; empty if it has no place or too little room. */
export function legendIn(frame: Frame, here: Places): Drawn {
  return svg`${placedIn(frame, here).map(({ x, y, width, signs, pitch }) => legend(x, y + HEAD - 10, width, signs, pitch).drawn)}`;
}

/** The boxes of the legend. */
export const legendBoxes = (frame: Frame, here: Places): Box[] => placedIn(frame, here);

function placedIn(frame: Frame, here: Places): Placed[] {
  if (here.kind === "middleware" || here.upright) return [];
  const signs = here.kind === "log" ? signsOfLog(frame.view) : signsIn(frame, here);
  const rows = Object.values(here.readers).flatMap((lane) => Object.values(lane).map(({ box: one }) => one));
  const [first] = rows;
  // No room is kept for a tag below the last row, because tags avoid the legend.
  const top = Math.max(...rows.map((row) => row.y + row.height)) + 10;
  // If the column of consumers is narrow, the legend begins farther left, over the column of fetches.
  const more = clamp(WIDE - (first?.width ?? 0), 0, (here.fetches?.width ?? 0) - 16);
  const under = first === undefined ? undefined : { x: first.x - more, y: top, width: first.width + more, height: here.height - 8 - top };
  const place = here.legend ?? under;
  return place === undefined ? [] : atFoot(place, signs);
}

/** Units of width from which on the texts of consumers' signs have their full size. */
const WIDE = 210;
/** Units of height of the heading with the space under it. */
const HEAD = 22;

/**
 * As many of the signs as have room, at the foot of a box, closer together if all would not fit; none if fewer than
 * `LEGEND.least` (or than all) have room.
 */
function atFoot({ x, y, width, height }: Box, signs: readonly Sign[]): Placed[] {
  const room = height - LEGEND.head;
  const pitch = clamp(room / Math.max(1, signs.length), SIGN.close, SIGN.row);
  const fitting = signs.slice(0, Math.floor(room / pitch + 0.01));
  if (signs.length === 0 || fitting.length < Math.min(LEGEND.least, signs.length)) return [];
  const high = fitting.length * pitch + HEAD;
  return [{ x, y: y + height - high, width, height: high, signs: fitting, pitch }];
}

/** The signs, each with its words, all in letters of the same size. */
function rowsOf(x: number, y: number, width: number, signs: readonly Sign[], pitch: number): SVGTemplateResult {
  const room = width - SIGN.width - 8;
  const size = Math.floor(Math.max(9, Math.min(13, ...signs.map(([key]) => (13 * room) / textWidth(say(key), 13)))));
  return svg`${signs.map(([key, sign], index) => {
    const top = y + index * pitch;
    return svg`<g transform=${`translate(${round(x)},${round(top)}) scale(${round(Math.min(1, pitch / SIGN.row))})`}>${sign}</g>${fittedText(x + SIGN.width + 8, top + 11, say(key), room, size, { classes: "q", least: 9 })}`;
  })}`;
}

/** The signs under their heading; `end` is the y of their lower edge. */
export function legend(x: number, y: number, width: number, signs: readonly Sign[], pitch: number = SIGN.row): { drawn: SVGTemplateResult; end: number } {
  return { drawn: svg`${text(x, y, say("stage.log.how"), "s13 b")}${rowsOf(x, y + 10, width, signs, pitch)}`, end: y + 10 + signs.length * pitch };
}
