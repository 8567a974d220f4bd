import assert from "node:assert/strict";
import { before, test } from "node:test";
import { textWidth } from "../../diagrams/geometry.ts";
import { layoutCells, xOf } from "../../diagrams/lane-cells.ts";
import type { Stretch } from "../../diagrams/lane-readers.ts";
import { differences, readerFact } from "../../diagrams/lane-readers.ts";
import type { LanesShape } from "../../diagrams/lane-shapes.ts";
import { drawCell, drawLanes } from "../../diagrams/lanes-draw.ts";
import { layoutLanes } from "../../diagrams/lanes-layout.ts";
import { reachesUnlisted } from "../../diagrams/lanes-plan.ts";
import { partitionIn } from "../../diagrams/about.ts";
import { spreadOf } from "../../player/compare-large.ts";
import { Reading } from "../../diagrams/reading.ts";
import type { ReaderLaneView } from "../../generated/messages.ts";
import type { ConsumerView, FoldedLog, Selection, Step, View } from "../../player/frame.ts";
import { NOT_READ } from "../../stage/hidden.ts";
import {
  DUPLICATE, FIVE, answer, appendedStep, derived, frameOf, logBatch, markup, message, partition, refusedStep, replica, speakEnglish, stepOf, view,
} from "./fixture.ts";

before(speakEnglish);

const OPTIONS = { width: 648, height: 464, focus: null, scrolled: {} };
const CELLS = {
  left: 46, room: 460, unit: 36, foldWidth: 66, labelSize: 14, scrolled: 0, pinned: null, short: false,
};

function laneOf(frame: Parameters<typeof layoutLanes>[0], options: Parameters<typeof layoutLanes>[1] = OPTIONS) {
  const lane = layoutLanes(frame, options).lanes[0];
  assert.ok(lane !== undefined);
  return lane;
}

test("cells stand side by side, as wide as their offsets, with their labels", () => {
  const cells = layoutCells(replica(FIVE).batches, { ...CELLS, room: 900 });
  assert.deepEqual(
    cells.pieces.map((piece) => (piece.kind === "batch" ? [piece.x, piece.width, piece.label] : piece.kind)),
    [[46, 108, "0·0 | 0–2"], [154, 82.1, "0·0 | 3–4"], [236.1, 108, "0·0 | 5–7"], [344.1, 82.1, "0·0 | 8–9"], [426.2, 108, "0·0 | 10–12"]],
  );
});

test("as on the stage, an undecided batch of a fenced epoch is not filled", () => {
  const log = partition(replica([logBatch(40, 1, { outcome: "open" }), logBatch(41, 1, { producer_epoch: 1, outcome: "open" })]));
  const { cells } = laneOf(frameOf(null, view({ partitions: { "t-0": log }, derived: derived({ fenced: { 0: 0 } }) })));
  assert.deepEqual(cells.map(({ hue }) => hue.split(" ").slice(1)), [["old"], []]);
});

test("a partition is marked while the run beside this one has it otherwise", () => {
  const frame = frameOf(null, view({ partitions: { "t-0": partition(replica(FIVE)) } }));
  let reading = new Reading(frame);
  const differs = [["t-0"], [], ["broker-2"]].map((apart) => {
    reading = new Reading(frame, reading);
    return laneOf(reading.frame, { ...OPTIONS, apart }).differs;
  });
  assert.deepEqual(differs, [true, false, false]);
});

/**
 * For each run, the x at which each offset begins, after the pictures of both logs of t-0 were drawn beside each other.
 * `turns`: the batches of both runs, drawn in this order.
 */
function besides(...turns: [ReturnType<typeof logBatch>[], ReturnType<typeof logBatch>[]][]): number[][] {
  let readings: (Reading | null)[] = [null, null];
  let starts: number[][] = [];
  const known = new Map<object, ReturnType<typeof frameOf>>();
  for (const turn of turns) {
    const frames = turn.map((batches) => known.get(batches) ?? frameOf(null, view({ partitions: { "t-0": partition(replica(batches)) } })));
    turn.forEach((batches, side) => known.set(batches, frames[side] as (typeof frames)[number]));
    const spread = spreadOf(frames.map((frame) => frame.view));
    readings = frames.map((frame, side) => new Reading(frame, readings[side] ?? null));
    starts = readings.map((reading) => laneOf((reading as Reading).frame, { ...OPTIONS, spread }).cells.map(({ x }) => x));
  }
  return starts;
}

const singles = (count: number, more: object = {}): ReturnType<typeof logBatch>[] => Array.from({ length: count }, (_, offset) => logBatch(offset, 1, more));

test("beside another run a short log is seen from near, as wide as the longer of both lets it be", () => {
  const widths = [2, 5].map((count) => besides([singles(2), singles(count)])[0] ?? []).map(([first = 0, second = 0]) => second - first);
  const alone = laneOf(frameOf(null, view({ partitions: { "t-0": partition(replica(singles(2))) } }))).cells[0]?.width ?? 0;
  const [near = 0, longer = 0] = widths;
  assert.ok(alone < longer && longer < near, String([alone, ...widths]));
});

test("two runs beside each other draw one log by one scale, however its records lie in batches", () => {
  const logs = [[logBatch(0, 5)], singles(5)].map((batches) => replica(batches).batches);
  const [one, other] = logs.map((log) => layoutCells(log, { ...CELLS, logs })).map((cells) => [0, 1, 2, 3, 4, 5].map((offset) => xOf(cells, offset)));
  assert.deepEqual(one, other);
  const producers = [...singles(1), logBatch(1, 1, { producer_id: 7 }), ...singles(4).slice(2)];
  const [same, mixed] = besides([singles(4), producers]);
  assert.deepEqual(same, mixed, "the producer stands in the labels of both or of none");
});

test("a log whose run stands still gets the scale of the other one, which grows", () => {
  const [short, long] = [singles(2), singles(6)];
  const [one = [], other = []] = besides([short, short], [short, long]);
  assert.deepEqual(one, other.slice(0, 2));
});

test("offsets stand at their cells, also inside a batch", () => {
  const cells = layoutCells(replica(FIVE).batches, { ...CELLS, room: 900 });
  assert.equal(xOf(cells, 40), 46);
  assert.equal(xOf(cells, 41), 82);
  assert.equal(xOf(cells, 43), 154);
  assert.equal(xOf(cells, 53), cells.right);
});

test("what does not fit is folded and counted; the fold and the cells name every offset once", () => {
  const many = Array.from({ length: 20_000 }, (_, index) => logBatch(40 + 2 * index, 2));
  const cells = layoutCells(replica(many).batches, CELLS);
  const [fold, ...rest] = cells.pieces;
  assert.ok(fold?.kind === "fold");
  assert.equal(fold.first, 40);
  assert.equal(fold.batches + rest.length, 20_000);
  assert.ok(rest.length >= 3 && rest.length <= 12);
  let next = fold.last + 1;
  for (const piece of rest) {
    assert.ok(piece.kind === "batch");
    assert.equal(piece.batch.base_offset, next);
    next = piece.batch.last_offset + 1;
  }
  assert.equal(next, 40_040);
  assert.ok(cells.right <= CELLS.left + CELLS.room);
});

test("an old batch that the step is about stays visible, with folds on both sides", () => {
  const many = Array.from({ length: 100 }, (_, index) => logBatch(40 + 2 * index, 2));
  const cells = layoutCells(replica(many).batches, { ...CELLS, pinned: 61 });
  assert.deepEqual(
    cells.pieces.slice(0, 3).map((piece) => (piece.kind === "fold" ? [piece.first, piece.last] : piece.batch.base_offset)),
    [[40, 59], 60, [62, (cells.pieces[3] as { batch: { base_offset: number } }).batch.base_offset - 1]],
  );
  assert.ok(cells.right <= CELLS.left + CELLS.room);
});

test("a lane that is scrolled to batches which a view does not list asks for them, whenever the view was cut", () => {
  const log = replica(Array.from({ length: 40 }, (_, index) => logBatch(200 + index * 2, 2)));
  const whole = view({ partitions: { "t-0": partition(log) } });
  const folded: View["folded"] = { at: 900, reaches: 250, logs: { "t-0": { "1": [[0, 199, 100, 200]] } } };
  const asks = (of: View, scrolled: number): boolean => reachesUnlisted(frameOf(null, of), "t-0", scrolled);
  const cut = { ...whole, folded };
  assert.deepEqual([asks(whole, 39), asks(cut, 10), asks(cut, 21), asks(cut, 39), asks(cut, 120)], [false, false, true, true, true]);
});

test("scrolled back, the newer batches are folded at the right", () => {
  const many = Array.from({ length: 100 }, (_, index) => logBatch(40 + 2 * index, 2));
  const cells = layoutCells(replica(many).batches, { ...CELLS, scrolled: 50 });
  const last = cells.pieces[cells.pieces.length - 1];
  assert.ok(last?.kind === "fold");
  assert.deepEqual([last.first, last.last, last.batches], [140, 239, 50]);
});

test("of three folds only the one behind the right edge holds newer batches", () => {
  const many = Array.from({ length: 100 }, (_, index) => logBatch(40 + 2 * index, 2));
  const { pieces } = layoutCells(replica(many).batches, { ...CELLS, scrolled: 50, pinned: 60 });
  assert.deepEqual(pieces.flatMap((piece) => (piece.kind === "fold" ? [piece.newer] : [])), [false, false, true]);
});

test("a fold counts the copies that it hides", () => {
  const many = Array.from({ length: 40 }, (_, index) => logBatch(index, 1, { serials: [index % 30] }));
  const guarantees = { duplicated: { judged: true, count: 10, serials: [0, 1, 2], broken_at: 9 } };
  const frame = frameOf(null, view({ partitions: { "t-0": partition(replica(many)) }, guarantees } as never));
  const lane = layoutLanes(frame, { ...OPTIONS, focus: "t-0", scrolled: { "t-0": 0 } }).lanes[0];
  // The records that were stored twice are visible, the others are folded.
  const seen = new Set(lane?.cells.map(({ selection }) => selection.serials?.[0]));
  assert.deepEqual([0, 1, 2].map((serial) => seen.has(serial)), [true, true, true]);
  assert.ok(lane?.folds.every(({ twice, lines }) => !twice && lines[1] === "folded"));
  const all = { ...guarantees.duplicated, serials: Array.from({ length: 10 }, (_, serial) => serial) };
  const full = layoutLanes(frameOf(null, view({ partitions: { "t-0": partition(replica(many)) }, guarantees: { duplicated: all } } as never)), { ...OPTIONS, focus: "t-0" }).lanes[0];
  const shown = full?.cells.filter(({ broken }) => broken).length ?? 0;
  const counted = full?.folds.flatMap(({ lines }) => /^(\d+) repeated$/.exec(lines[1] ?? "")?.[1] ?? []).reduce((sum, count) => sum + Number(count), 0);
  assert.equal(shown + (counted ?? 0), 10, "the first copies are not counted, and not framed");
});

test("no batch is folded while words beside the log have room; what broke a guarantee is folded last", () => {
  // SC-03 after its record r1 was dropped: r2, r3, r6–r8 are stored twice.
  const sizes: [number, number, number[]][] = [[0, 1, [2, 3]], [0, 3, [6, 7, 8]], [1, 0, [1]], [1, 1, [2, 3]], [1, 3, [6, 7, 8]], [1, 6, [9, 10]], [1, 8, [11, 12, 13, 14, 15]]];
  let offset = 40;
  const batches = sizes.map(([epoch, first, serials]) => {
    const batch = logBatch(offset, serials.length, { producer_epoch: epoch, first_sequence: first, last_sequence: first + serials.length - 1, serials });
    offset += serials.length;
    return batch;
  });
  const guarantees = { duplicated: { judged: true, count: 5, serials: [2, 3, 6, 7, 8], broken_at: 9 } };
  const frame = frameOf(null, view({ partitions: { "t-0": partition(replica(batches)) }, guarantees } as never));
  const lane = laneOf(frame, { ...OPTIONS, beside: true });
  assert.deepEqual(lane.folds, []);
  assert.deepEqual(lane.cells.map(({ label, below }) => [label, below]), [["r2–r3", "0·0 ×2"], ["r6–r8", "0·0 ×2"], ["r1", "0·1"], ["r2–r3", "0·1 ×2"], ["r6–r8", "0·1 ×2"], ["r9–r10", "0·1"], ["r11–r15", "0·1"]]);
  const cells = layoutCells(replica(batches).batches, { ...CELLS, room: 440, sought: [40, 42, 46, 48] });
  const seen = cells.pieces.flatMap((piece) => (piece.kind === "batch" ? [piece.batch.base_offset] : []));
  assert.ok(seen.length < 7 && seen.includes(40) && seen.includes(42));
});

test("what a reader of a log that fills the lane has is said within the picture", () => {
  const many = Array.from({ length: 30 }, (_, index) => logBatch(40 + 2 * index, 2));
  const log = { ...replica(many), last_stable_offset: 44, high_watermark: 44 };
  const consumers = { reader: { isolation: "read_committed", positions: { "t-0": 44 }, delivered: { "t-0": [1, 2] } } };
  const frame = frameOf(null, view({ partitions: { "t-0": partition(log) }, consumers } as never));
  for (const width of [390, 640]) {
    for (const { text, x, anchor } of laneOf(frame, { ...OPTIONS, width, height: null }).texts) {
      if (anchor === "start") assert.ok(x + textWidth(text, 12) <= width, `${text} at ${x} of ${width}`);
    }
  }
});

test("a fold that is opened closes no other: every batch is drawn, as long as offsets fit", () => {
  const many = Array.from({ length: 14 }, (_, index) => logBatch(40 + 2 * index, 2, { producer_epoch: index % 2 }));
  const frame = frameOf(null, view({ partitions: { "t-0": partition(replica(many)) } }));
  const lane = laneOf(frame);
  assert.ok(lane.folds.length > 0 && lane.folds.every(({ opens }) => opens));
  const opened = laneOf(frame, { ...OPTIONS, opened: new Set(["t-0"]) });
  assert.deepEqual([opened.folds.length, opened.cells.length], [0, 14]);
  assert.ok(opened.cells.every(({ x, width }, index) => x + width <= (opened.cells[index + 1]?.x ?? OPTIONS.width)));
  const offsets = opened.texts.filter(({ text }) => /^\d+$/.test(text));
  offsets.forEach(({ x, text }, index) => assert.ok(index === 0 || x - (offsets[index - 1]?.x ?? 0) >= textWidth(text, 12), text));
  const long = laneOf(frameOf(null, view({ partitions: { "t-0": partition(replica(Array.from({ length: 80 }, (_, index) => logBatch(index * 2, 2)))) } })));
  assert.ok(long.folds.length > 0 && long.folds.every(({ opens }) => !opens));
});

test("a click on a fold draws its batches, page by page, to the first batch and back to the newest", () => {
  const many = Array.from({ length: 40 }, (_, index) => logBatch(2 * index, 2));
  const base = frameOf(null, view({ partitions: { "t-0": partition(replica(many)) } }));
  const laneAt = (scrolled?: number) => layoutLanes(base, { ...OPTIONS, focus: "t-0", scrolled: scrolled === undefined ? {} : { "t-0": scrolled } }).lanes[0];
  let lane = laneAt();
  const seen = new Set(lane?.cells.map(({ key }) => key));
  for (let clicks = 0; (lane?.older ?? 0) > 0 && clicks < 40; clicks += 1) {
    lane = laneAt(lane?.folds[0]?.to);
    for (const { key } of lane?.cells ?? []) seen.add(key);
  }
  assert.equal(seen.size, 40);
  for (let clicks = 0; (lane?.newer ?? 0) > 0 && clicks < 40; clicks += 1) lane = laneAt(lane?.folds.at(-1)?.to);
  assert.deepEqual(lane?.cells.map(({ key }) => key), laneAt()?.cells.map(({ key }) => key));
});

test("what the view does not list is part of the folds, on both sides of an old batch that it does", () => {
  const all = Array.from({ length: 100 }, (_, index) => logBatch(40 + 2 * index, 2));
  const whole = layoutCells(replica(all).batches, { ...CELLS, pinned: 61 });
  const listed = all.filter((batch) => batch.base_offset === 60 || batch.base_offset >= 200);
  const folded: FoldedLog = [[40, 59, 10, 20], [62, 199, 69, 138]];
  assert.deepEqual(layoutCells(replica(listed).batches, { ...CELLS, pinned: 61, folded }), whole);
  const shown = layoutCells(replica(listed).batches, { ...CELLS, folded });
  assert.deepEqual(shown, layoutCells(replica(all).batches, CELLS));
  const [fold] = shown.pieces;
  assert.ok(fold?.kind === "fold");
  assert.deepEqual([fold.first, fold.batches + shown.pieces.length - 1], [40, 100]);
});

test("a long log of one producer leaves PID·epoch out of the cells and says so once", () => {
  const many = Array.from({ length: 30 }, (_, index) => logBatch(40 + 2 * index, 2));
  const frame = frameOf(null, view({ partitions: { "t-0": partition(replica(many)) } }));
  const lane = laneOf(frame);
  assert.equal(lane.cells.at(-1)?.label, "58–59");
  assert.ok(lane.texts.some((text) => text.text === "all records are from 0·0 (PID·epoch)"));
});

test("the retry that is already stored is drawn above its equal, with two bars, and nothing lands", () => {
  const lane = laneOf(frameOf(DUPLICATE));
  assert.equal(lane.arrival?.fate, "duplicate");
  assert.equal(lane.arrival.cells[0]?.label, "0·0 | 0–2");
  const matched = lane.cells.filter((cell) => cell.matched);
  assert.deepEqual(matched.map((cell) => cell.key), ["t-0/40"]);
  const middle = (matched[0]?.x ?? 0) + (matched[0]?.width ?? 0) / 2;
  assert.deepEqual(lane.arrival.bars?.x.map((x) => Math.round(x - middle)), [-5, 5]);
  assert.deepEqual(lane.arrival.ghost?.lines, ["would be 53–55", "not stored"]);
  assert.ok(lane.arrival.cross !== null);
  assert.deepEqual(lane.cells.filter((cell) => cell.landed), []);
  assert.ok(lane.arrival.texts[1]?.text.startsWith("Duplicate: success (NONE), base offset 40"));
});

test("a refused batch shows the error with the two numbers, and matches nothing", () => {
  const lane = laneOf(frameOf(refusedStep()));
  assert.equal(lane.arrival?.fate, "refused");
  assert.equal(lane.arrival.bars, null);
  assert.ok(lane.arrival.cross !== null);
  const twin = layoutLanes(frameOf(refusedStep()), OPTIONS).twin.join(" ");
  assert.ok(twin.includes("OUT_OF_ORDER_SEQUENCE_NUMBER: expected first seq 13, first seq in the request 15."), twin);
});

test("a batch refused before the checks of its log stands over it, too", () => {
  const step = refusedStep();
  const batch = { producer_id: 0, producer_epoch: 0, first_sequence: 15, last_sequence: 16 };
  const unchecked = { ...step, decision: null, derived: { arrivals: [{ partition: "t-0", broker: "1", fate: "refused", at: null, batch }] } } as Step;
  const [one, other] = [laneOf(frameOf(unchecked)), laneOf(frameOf(step))];
  assert.equal(one.arrival?.fate, "refused");
  assert.deepEqual(one.arrival.cells.map(({ label, hue }) => [label, hue]), other.arrival?.cells.map(({ label, hue }) => [label, hue]));
  const outside = { ...unchecked, refusal: { ...step.refusal, error: "TRANSACTION_ABORTABLE", compared: [["partition", "t-0"]] } } as Step;
  assert.equal(laneOf(frameOf(outside)).arrival?.texts[1]?.text, "Refused: TRANSACTION_ABORTABLE.");
});

test("an appended batch lands: its cell is marked and an arrow leads to it", () => {
  const batch = logBatch(53, 2);
  const frame = frameOf(appendedStep(batch), view({ partitions: { "t-0": partition(replica([...FIVE, batch])) } }));
  const lane = laneOf(frame);
  assert.equal(lane.arrival?.fate, "appended");
  assert.deepEqual(lane.cells.filter((cell) => cell.landed).map((cell) => cell.key), ["t-0/53"]);
  assert.equal(lane.arrival.cross, null);
  assert.ok(lane.arrival.path?.startsWith("M"));
});

test("records stored twice are red and say so; that they are is the judges' word", () => {
  const copy = logBatch(53, 3, { producer_id: -1, producer_epoch: -1, first_sequence: -1, last_sequence: -1, serials: [1, 2, 3] });
  const first = logBatch(40, 3, { producer_id: -1, producer_epoch: -1, first_sequence: -1, last_sequence: -1 });
  const now = view({ partitions: { "t-0": partition(replica([first, copy])) } });
  const unjudged = laneOf(frameOf(null, now));
  assert.deepEqual(unjudged.cells.map((cell) => [cell.hue, cell.label, cell.twice]), [["plain", "r1–r3", false], ["plain", "r1–r3", false]]);
  const judged = laneOf(frameOf(null, { ...now, guarantees: { duplicated: { judged: true, serials: [1, 2, 3] } } }));
  assert.deepEqual(judged.cells.map((cell) => cell.twice), [true, true]);
  assert.ok(judged.cells.every((cell) => cell.below !== null && cell.name.includes("stored more than once")));
});

test("a narrow cell of a record that is stored three times counts the copies", () => {
  const filling = Array.from({ length: 12 }, (_, index) => logBatch(40 + index, 1, { serials: [index + 10] }));
  const copies = [52, 53, 54].map((offset) => logBatch(offset, 1, { serials: [1] }));
  const now = view({ partitions: { "t-0": partition(replica([...filling, ...copies])) }, guarantees: { duplicated: { judged: true, serials: [1] } } });
  const said = laneOf(frameOf(null, now)).cells.filter(({ twice }) => twice).map(({ label, below }) => below ?? label);
  assert.deepEqual(said, ["×3", "×3", "×3"]);
});

test("of what is stored twice the first copy stays visible, however much lies between them", () => {
  const many = Array.from({ length: 40 }, (_, index) => logBatch(40 + 2 * index, 2, { serials: [2 * index, 2 * index + 1] }));
  const now = view({ partitions: { "t-0": partition(replica([...many, logBatch(120, 2, { serials: [20, 21] })])) } });
  const stands = (of: View): boolean => laneOf(frameOf(null, of)).cells.some(({ key }) => key.includes("60"));
  assert.equal(stands(now), false);
  assert.equal(stands({ ...now, guarantees: { duplicated: { judged: true, serials: [20, 21] } } }), true);
});

test("a record that is only out of order has a sign of its own, and the first copy of a duplicate has no frame", () => {
  const log = [logBatch(40, 1, { serials: [2] }), logBatch(41, 1, { serials: [1] }), logBatch(42, 1, { serials: [2] })];
  const guarantees = { duplicated: { judged: true, count: 1, serials: [2] }, reordered: { judged: true, count: 1, serials: [1] } };
  const now = view({ partitions: { "t-0": partition(replica(log)) }, guarantees } as never);
  assert.deepEqual(laneOf(frameOf(null, now)).cells.map(({ broken, late }) => [broken, late]), [[false, false], [false, true], [true, false]]);
});

test("every record that broke the guarantee is red, not those of the first break alone", () => {
  const copies = [logBatch(53, 1, { serials: [1] }), logBatch(54, 1, { serials: [4] })];
  const now = view({ partitions: { "t-0": partition(replica([logBatch(40, 3), logBatch(43, 2), ...copies])) } });
  const judged = { ...now, guarantees: { duplicated: { judged: true, count: 2, serials: [1] } } };
  const twice = (over: Partial<View>): boolean[] => laneOf(frameOf(null, { ...judged, ...over })).cells.map((cell) => cell.twice);
  assert.deepEqual(twice({ derived: derived({ broken: { duplicated: { 1: true, 4: true } } }) }), [true, true, true, true]);
  assert.deepEqual(twice({}), [true, false, true, false], "a recording of before names the first");
});

test("a record that broke another guarantee is red, too, and its name says which", () => {
  const now = view({ partitions: { "t-0": partition(replica([logBatch(40, 1, { serials: [1] }), logBatch(41, 1, { serials: [2] })])) } });
  const [first, second] = laneOf(frameOf(null, { ...now, guarantees: { visible_early: { judged: true, count: 1, serials: [2] } } })).cells;
  assert.deepEqual([first?.broken, second?.broken], [false, true]);
  assert.match(second?.name ?? "", /guarantee is broken here: \[player.guarantee.visible_early\]/, "its word is the player's");
});

test("what lies before the start of the log is dotted and struck through, and says that it is deleted", () => {
  const cells = laneOf(frameOf(null, view({ partitions: { "t-0": partition(replica(FIVE, { log_start: 44 })) } }))).cells;
  assert.deepEqual(cells.map((cell) => cell.deleted), [true, false, false, false, false]);
  assert.equal(cells[0]?.below, "deleted");
  assert.match(cells[0]?.name ?? "", /below the log start offset/);
  const drawn = markup(drawCell(cells[0] as (typeof cells)[number], { pick: () => undefined }, false));
  assert.match(drawn, /class="cell b0 deleted"/);
});

test("a transaction whose outcome is unknown is dashed, and says so; the LSO has gone on", () => {
  const ended: object = { transactional: true, outcome: "ended" };
  const batches = [
    logBatch(40, 2, ended), logBatch(42, 1, { control: "?", serials: [] }), logBatch(43, 1),
  ];
  const lane = laneOf(frameOf(null, view({ partitions: { "t-0": partition(replica(batches, { high_watermark: 44, last_stable_offset: 44 })) } })));
  assert.deepEqual(lane.cells.map((cell) => [cell.label, cell.pending, cell.aborted]), [
    ["0·0 | 0–1", true, false], ["?", false, false], ["0·0 | 3", false, false],
  ]);
  assert.ok(lane.cells[0]?.name.includes("whether by COMMIT or ABORT is not known here"));
  assert.ok(!lane.cells[2]?.name.includes("nobody told"));
});

test("control markers are flags; aborted is hatched, open is dashed, beyond the high watermark is dashed", () => {
  const outcome = (value: string): object => ({ transactional: true, outcome: value });
  const batches = [
    logBatch(40, 2, outcome("committed")), logBatch(42, 2, outcome("aborted")), logBatch(44, 2, outcome("open")),
    logBatch(46, 1, { control: "ABORT", coordinator_epoch: 3, serials: [] }), logBatch(47, 2),
  ];
  const log = partition(replica(batches, { high_watermark: 47, last_stable_offset: 44 }));
  const lane = laneOf(frameOf(null, view({ partitions: { "t-0": log } })));
  assert.deepEqual(
    lane.cells.map((cell) => [cell.label, cell.pending, cell.aborted, cell.below]),
    [
      ["0·0 | 0–1", false, false, "r1–r2"], ["0·0 | 2–3", false, true, "r3–r4"], ["0·0 | 4–5", true, false, "r5–r6"],
      ["A", false, false, "ce 3"], ["0·0 | 7–8", true, false, "r8–r9"],
    ],
  );
  const names = lane.texts.filter((text) => /^(LSO|HW)/.test(text.text)).map((text) => text.text);
  assert.deepEqual(names, ["LSO 44", "HW 47"]);
  const [lso, hw] = [lane.gates.find((gate) => gate.kind === "last_stable_offset"), lane.gates.find((gate) => gate.kind === "high_watermark")];
  assert.ok(lso !== undefined && hw !== undefined && lso.width > hw.width && lso.x < hw.x);
});

test("a reader's strip says what became of each offset, and why it does not have some", () => {
  const lane: ReaderLaneView = {
    ...NOT_READ, position: 45, stretches: [[40, 42, "delivered"], [43, 43, "aborted"], [44, 44, "control"]], ahead: [[45, 49, "undecided"], [50, 52, "not_replicated"]],
  };
  const consumer = consumerOf("read_committed", 45, lane);
  assert.deepEqual(
    laneOf(frameOf(null, view({ consumers: { c1: consumer } }))).readers[0]?.spans.map((span) => span.fate),
    ["delivered", "aborted", "control", "undecided", "not_replicated"],
  );
  const asks = laneOf(frameOf(null, view({ consumers: { c1: consumer } }))).asks;
  assert.deepEqual(
    asks.map((ask) => [ask.question, ask.subject]),
    [["lso", "t-0"], ["unseen", "c1/t-0/43"], ["unseen", "c1/t-0/44"], ["unseen", "c1/t-0/45"], ["unseen", "c1/t-0/50"]],
  );
  assert.ok(asks.every((ask) => ask.width > 0 && ask.height > 0));
  assert.equal(
    readerFact(consumer, "t-0"),
    "3 read; offset 43 hidden: transaction aborted; offsets 45–49 hidden: at or above the LSO; offsets 50–52 hidden: at or above the HW",
  );
  assert.equal(readerFact(consumerOf("read_uncommitted", 53, { ...NOT_READ, position: 53, stretches: [[40, 52, "delivered"]] }), "t-0"), "3 read, none hidden");
});

test("beside another run's picture both readers are named on their lines, in letters of one size", () => {
  const aborted = consumerOf("read_committed", 43, { ...NOT_READ, position: 43, stretches: [[40, 42, "aborted"]] });
  const all = consumerOf("read_uncommitted", 43, { ...NOT_READ, position: 43, stretches: [[40, 42, "delivered"]] });
  const short = { ...replica(FIVE.slice(0, 1)), last_stable_offset: 43, high_watermark: 43, log_end: 43 };
  const frame = frameOf(null, view({ partitions: { "t-0": partition(short) }, consumers: { c1: aborted, c2: all } }));
  for (const width of [500, 560, 640, 720]) {
    const lane = laneOf(frame, { ...OPTIONS, width, beside: true });
    const names = ["c1", "c2"].map((name) => lane.texts.find(({ text }) => text.startsWith(name)));
    assert.deepEqual(names.map((one) => one?.style.includes("text")), [false, false], String(width));
    assert.equal(names[0]?.x, names[1]?.x, String(width));
    lane.readers.forEach(({ y }, index) => assert.ok(Math.abs((names[index]?.y ?? 0) - y) <= 4, String(width)));
  }
});

test("a narrow picture beside another has producers on a second line before it folds, and says as much of each reader", () => {
  const two = [logBatch(0, 1, { producer_id: 0, producer_epoch: 0 }), logBatch(1, 2, { producer_id: 1000, producer_epoch: 0 }), logBatch(3, 1, { producer_id: 0, producer_epoch: 0 })];
  const one = consumerOf("read_committed", 4, { ...NOT_READ, position: 4, stretches: [[0, 0, "delivered"], [1, 2, "aborted"], [3, 3, "delivered"]] });
  const all = consumerOf("read_uncommitted", 4, { ...NOT_READ, position: 4, stretches: [[0, 3, "delivered"]] });
  const frame = frameOf(null, view({ partitions: { "t-0": partition(replica(two)) }, consumers: { "c-committed": one, "c-uncommitted-2": all } }));
  const lane = laneOf(frame, { width: 390, height: null, focus: null, scrolled: {}, beside: true });
  assert.equal(lane.folds.length, 0);
  assert.deepEqual(lane.cells.map(({ below }) => below), ["0·0", "1000·0", "0·0"]);
  const said = lane.texts.filter(({ text }) => text.startsWith("c-")).map(({ text }) => text.includes(":"));
  assert.ok(said.length === 2 && said[0] === said[1], String(said));
});

test("two readers differ where one was given what the other may not have; a reader that is only behind does not", () => {
  const committed: Stretch[] = [[0, 1, "delivered"], [2, 3, "aborted"], [4, 4, "control"], [5, 6, "undecided"], [7, 7, "not_fetched"]];
  assert.deepEqual(differences(committed, [[0, 3, "delivered"], [4, 4, "control"], [5, 7, "delivered"]]), [[2, 3], [5, 6]]);
  assert.deepEqual(differences(committed, [[0, 1, "delivered"], [2, 7, "not_fetched"]]), []);
  assert.deepEqual(differences([[0, 7, "not_fetched"]], [[0, 7, "delivered"]]), []);
});

function consumerOf(isolation: string, position: number, lane: ReaderLaneView): ConsumerView {
  return {
    isolation, alive: true, paused: false, positions: { "t-0": position }, delivered: { "t-0": [1, 2, 3] }, delivered_count: 3,
    applied_count: 3, skipped_duplicates: 0, lanes: { "t-0": lane },
  };
}

test("selecting a record marks the batch that holds it; selecting a batch elsewhere does too", () => {
  const pickedBy = (selection: Selection): string[] =>
    laneOf(frameOf(null, view(), { selection })).cells.filter((cell) => cell.picked).map((cell) => cell.key);
  assert.deepEqual(pickedBy({ kind: "record", id: "5", partition: "t-0", serials: [5] }), ["t-0/43"]);
  assert.deepEqual(pickedBy({ kind: "batch", id: "p1/b1", partition: "t-0", serials: [1, 2, 3] }), ["t-0/40"]);
  assert.deepEqual(pickedBy({ kind: "batch", id: "p1/b1", partition: "t-1", serials: [1, 2, 3] }), []);
});

test("requests under way to a partition wait above its lane, dashed", () => {
  const under = message({ id: 18, fields: { batches: { "t-0": {
    record_count: 2, producer_id: 0, producer_epoch: 0, base_sequence: 13, last_sequence: 14 } } } });
  const lane = laneOf(frameOf(null, view({ network: { messages: { 18: under } } })));
  assert.equal(lane.arrival?.fate, "under_way");
  assert.deepEqual(lane.arrival.cells.map((cell) => [cell.label, cell.x]), [["0·0 | 13–14", 46]]);
  assert.equal(lane.arrival.texts[0]?.text, "in transit, due at t = 143 ms");
});

test("a request that has arrived and waits its turn, or for a paused broker, is not due any more", () => {
  for (const waiting of [{ waits_behind: 17 }, { held: true }]) {
    const lane = laneOf(frameOf(null, view({ network: { messages: { 18: message({ id: 18, ...waiting }) } } })));
    assert.equal(lane.arrival?.texts[0]?.text, "waits at broker-1");
  }
});

test("several on their way are counted; those that have no room are counted only if there are any", () => {
  const two = Object.fromEntries([18, 19].map((id) => [id, message({ id })]));
  const lane = laneOf(frameOf(null, view({ network: { messages: two } })));
  assert.equal(lane.arrival?.texts[0]?.text, "2 in transit");
});

test("a batch without serials counts its records, with and without a producer id", () => {
  const log = [logBatch(40, 3, { serials: [] }), logBatch(43, 1, { serials: [], producer_id: -1, producer_epoch: -1, first_sequence: -1, last_sequence: -1 })];
  const lane = laneOf(frameOf(null, view({ partitions: { "t-0": partition(replica(log)) } })));
  assert.deepEqual(lane.cells.map(({ name }) => name), [
    "Offset 40–42: PID 0, epoch 0, seq 0–2 (3 records).", "Offset 43: 1 record, no PID (1 record).",
  ]);
});

test("the lane of a lost message has the focus, and is no line although its log is empty", () => {
  const lost = message({ id: 18, partitions: ["t-1"], fields: { batches: { "t-1": { record_count: 1, producer_id: 0, producer_epoch: 0, base_sequence: 0, last_sequence: 0 } } } });
  const empty = partition(replica([]));
  const now = view();
  now.partitions = { ...now.partitions, "t-1": empty };
  const frame = frameOf(
    stepOf({ kind: "fault", key: "fault.message_dropped", params: {}, messages: [{ id: 18, event: "dropped" }] }), now,
    { previousView: { ...now, network: { messages: { 18: lost } } } },
  );
  assert.equal(partitionIn(frame), "t-1");
  const shape = layoutLanes(frame, OPTIONS);
  assert.equal(shape.lanes.find((lane) => lane.partition === "t-1")?.arrival?.fate, "lost");
});

test("a request that the network loses stands above its lane, with a cross; a lost answer above the batch it is about", () => {
  const losing = (lost: ReturnType<typeof message>) => laneOf(frameOf(
    stepOf({ kind: "fault", messages: [{ id: 18, event: "dropped" }] }), view(), { previousView: view({ network: { messages: { 18: lost } } }) },
  ));
  const request = losing(message({ id: 18, fields: { batches: { "t-0": {
    record_count: 2, producer_id: 0, producer_epoch: 0, base_sequence: 13, last_sequence: 14 } } } }));
  assert.equal(request.arrival?.fate, "lost");
  assert.deepEqual(request.arrival.cells.map((cell) => cell.label), ["0·0 | 13–14"]);
  assert.match(request.arrival.texts[0]?.text ?? "", /does not process it/);
  const answered = answer({ id: 18, fields: { partitions: { "t-0": { error: "NONE", base_offset: 43 } } } });
  const stored = losing(answered);
  const about = stored.cells.find((cell) => cell.key === "t-0/43");
  assert.ok(Math.abs((stored.arrival?.cross?.x ?? 0) - (about?.x ?? 0) - (about?.width ?? 0) / 2) < 0.1);
  assert.match((stored.arrival?.texts ?? []).map((line) => line.text).join(" "), /confirms to \S+ that the batch is stored/);
  const refused = losing({ ...answered, fields: { partitions: { "t-0": { error: "INVALID_PRODUCER_EPOCH", base_offset: -1 } } } });
  assert.match(refused.arrival?.texts[0]?.text ?? "", /does not know whether its batch is stored/);
  assert.equal(refused.arrival?.path, null);
});

test("the gates' names stand beside what arrives, not on its arrow, bars or cross", () => {
  const first = view({ partitions: { "t-0": partition(replica(FIVE.slice(0, 1))), "t-1": partition(replica([])) } });
  for (const lane of [laneOf(frameOf(DUPLICATE)), laneOf(frameOf(refusedStep())), laneOf(frameOf(DUPLICATE, first))]) {
    const upright = [lane.arrival?.cross?.x, ...(lane.arrival?.bars?.x ?? [])].filter((x) => x !== undefined);
    for (const text of lane.texts.filter((one) => /LSO|HW/.test(one.text))) {
      const width = textWidth(text.text, 11, true);
      const from = text.anchor === "end" ? text.x - width : text.x;
      for (const x of upright) assert.ok(x < from - 2 || x > from + width + 2, text.text);
    }
  }
});

test("over a short log the LSO keeps its name beside the line of a response that is lost", () => {
  const short = { ...replica(FIVE.slice(0, 1)), last_stable_offset: 40, high_watermark: 43, log_end: 43 };
  const now = view({ partitions: { "t-0": partition(short) } });
  const lost = answer({ id: 18, fields: { partitions: { "t-0": { error: "NONE", base_offset: 40 } } } });
  const lane = laneOf(frameOf(stepOf({ kind: "fault", messages: [{ id: 18, event: "dropped" }] }), now, { previousView: { ...now, network: { messages: { 18: lost } } } }));
  const [name, gate] = [lane.texts.find(({ text }) => text.startsWith("LSO")), lane.gates.find(({ kind }) => kind === "last_stable_offset")];
  assert.ok(name !== undefined && gate !== undefined && name.x - gate.x < 14, `${name?.x} at ${gate?.x}`);
});

test("many partitions: the one in focus stays large, others shrink to a line, the rest is counted", () => {
  const names = Array.from({ length: 30 }, (_, index) => `t-${index}`);
  const partitions = Object.fromEntries(names.map((name) => [name, partition(replica(FIVE))]));
  const base = frameOf(null, view({ partitions }));
  const frame = { ...base, header: { ...base.header, partitions: names } };
  const shape = layoutLanes(frame, { ...OPTIONS, focus: "t-7" });
  assert.deepEqual(shape.lanes.map((lane) => lane.partition), ["t-7"]);
  assert.equal(shape.lanes.length + shape.folded.length + Number(/^(\d+)/.exec(shape.rest?.text ?? "")?.[1]), 30);
  assert.ok(shape.height <= 464);
});

test("a telephone gets one lane, short labels, and a line for each other partition", () => {
  const shape = layoutLanes(frameOf(DUPLICATE), { width: 358, height: null, focus: "t-0", scrolled: {} });
  assert.deepEqual(shape.lanes.map((lane) => [lane.partition, lane.cells[0]?.label]), [["t-0", "0–2"]]);
  assert.deepEqual(shape.folded.map((line) => line.partition), ["t-1"]);
  for (const cell of shape.lanes[0]?.cells ?? []) assert.ok(cell.x + cell.width <= 358, cell.key);
});

test("nothing leaves the picture: cells, texts that start at the left, and ghosts stay inside", () => {
  for (const step of [DUPLICATE, refusedStep(), null]) {
    const shape = layoutLanes(frameOf(step), OPTIONS);
    for (const lane of shape.lanes) {
      for (const cell of lane.cells) assert.ok(cell.x >= 0 && cell.x + cell.width <= 648);
      for (const text of lane.texts) assert.ok(text.x >= 0 && text.x <= 648 && text.y <= 464, text.text);
      const ghost = lane.arrival?.ghost;
      if (ghost) assert.ok(ghost.x + ghost.width <= 648);
    }
  }
});

test("the twin says what the picture shows", () => {
  const twin = layoutLanes(frameOf(DUPLICATE), OPTIONS).twin;
  assert.equal(
    twin[0],
    "t-0: leader broker-1, in sync 1, 2. Offset 40–42: PID 0, epoch 0, seq 0–2 (r1–r3). Offset 43–44: PID 0, epoch 0, seq 3–4 " +
      "(r4–r5). Offset 45–47: PID 0, epoch 0, seq 5–7 (r6–r8). Offset 48–49: PID 0, epoch 0, seq 8–9 (r9–r10). Offset 50–52: " +
      "PID 0, epoch 0, seq 10–12 (r11–r13). Log start 40, LSO 53, high watermark 53, log end 53.",
  );
  assert.ok(twin.some((text) => text === "c1, read_committed, is at offset 53: 13 read, none hidden."));
  const run = frameOf(DUPLICATE);
  assert.match(layoutLanes({ ...run, header: { ...run.header, profile: "log" } }, OPTIONS).twin[0] ?? "", /^t-0, from files\. Offset 40–42/);
});

test("a cell is a button with a name", () => {
  const cell = laneOf(frameOf(null)).cells[0];
  assert.ok(cell !== undefined);
  const middle = cell.x + cell.width / 2;
  assert.equal(
    markup(drawCell({ ...cell, below: null }, { pick: () => undefined }, false)),
    `<g role="button" tabindex="0" class="" aria-label="Offset 40–42: PID 0, epoch 0, seq 0–2 (r1–r3)." aria-pressed="false">` +
      `<title>${cell.name}</title><rect class="cell b0" x="${cell.x}" y="${cell.y}" width="${cell.width}" height="${cell.height}"/>` +
      `<text class="label" x="${middle}" y="${cell.y + cell.height / 2 + 4.5}" text-anchor="middle">0·0 | 0–2</text></g>`,
  );
});

test("the drawing has one group per lane, named by its twin, and no key twice", () => {
  const actions = { pick: () => undefined, scroll: () => undefined, scrollTo: () => undefined, open: () => undefined, focus: () => undefined, why: () => undefined };
  const text = markup(drawLanes(layoutLanes(frameOf(DUPLICATE), OPTIONS), actions, false));
  assert.ok(text.startsWith(`<svg width="648" height="464" viewBox="0 0 648 464" role="group" aria-labelledby="twin">`));
  assert.equal(text.match(/class="lane" data-partition/g)?.length, 2);
  assert.ok(text.includes(`data-fate="duplicate"`));
  assert.ok(!text.includes("undefined") && !text.includes("NaN") && !text.includes("[object"), text);
});

test("a marker that arrives is its flag, named as what it is, without serials or sequence numbers", () => {
  const marker = logBatch(43, 1, { control: "ABORT", first_sequence: null, last_sequence: null, serials: [] });
  const before = partition(replica([logBatch(40, 3)]));
  const now = partition(replica([logBatch(40, 3), marker]));
  const step = appendedStep(marker);
  const arrival = laneOf(frameOf(step, view({ partitions: { "t-0": now } }), { previousView: view({ partitions: { "t-0": before } }) })).arrival;
  assert.equal(arrival?.cells[0]?.label, "A");
  assert.deepEqual(arrival?.texts.map((text) => text.text), ["t = 143 ms: ABORT marker of PID 0, epoch 0 arrives.", "Appended at offset 43."]);
});

test("where the page scrolls the other lanes stand below the one in focus, as lines while a rule is to be seen below", () => {
  const both = { "t-0": partition(replica(FIVE)), "t-1": partition(replica(FIVE)) };
  const on = (step: Step | null): LanesShape =>
    layoutLanes(frameOf(step, view({ partitions: both })), { width: 358, height: null, focus: "t-1", scrolled: {} });
  const still = on(null);
  assert.deepEqual(still.lanes.map((lane) => [lane.partition, lane.tier]), [["t-1", "roomy"], ["t-0", "compact"]]);
  assert.deepEqual(still.folded, []);
  const decided = on(DUPLICATE);
  assert.deepEqual(decided.lanes.map((lane) => lane.partition), ["t-1"]);
  assert.deepEqual(decided.folded.map((line) => line.partition), ["t-0"]);
});

test("under another run's picture on a telephone only the lane in focus is drawn, with room for what arrives", () => {
  const { c1 } = view().consumers ?? assert.fail();
  const readers = { "c-committed": c1, "c-uncommitted": c1 } as NonNullable<View["consumers"]>;
  const both = { "t-0": partition(replica(FIVE)), "t-1": partition(replica(FIVE)) };
  const { lanes, folded } = layoutLanes(frameOf(null, view({ partitions: both, consumers: readers })), { width: 358, height: null, focus: "t-1", scrolled: {}, beside: true });
  assert.deepEqual([lanes.map((lane) => lane.partition), folded.map((line) => line.partition)], [["t-1"], []]);
  assert.ok((lanes[0]?.height ?? 999) <= 190);
});

test("a picture that is cropped ends with its last lane", () => {
  const frame = frameOf(null, view({ partitions: { "t-0": partition(replica(FIVE)) } }));
  const [whole, cropped] = [layoutLanes(frame, OPTIONS), layoutLanes(frame, { ...OPTIONS, cropped: true })];
  assert.equal(whole.height, OPTIONS.height);
  assert.ok(cropped.height < OPTIONS.height && cropped.height === cropped.lanes[0]?.height);
});

test("a record that was read too early stays visible, however many follow it", () => {
  const many = Array.from({ length: 40 }, (_, index) => logBatch(40 + 2 * index, 2, { serials: [2 * index, 2 * index + 1] }));
  const now = view({ partitions: { "t-0": partition(replica(many)) } });
  const stands = (of: View): boolean => laneOf(frameOf(null, of)).cells.some(({ key }) => key.includes("60"));
  assert.equal(stands(now), false);
  assert.equal(stands({ ...now, guarantees: { visible_early: { judged: true, serials: [20] } } }), true);
});
