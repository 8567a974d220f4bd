import assert from "node:assert/strict";
import { before, test } from "node:test";
import { MARK, textWidth } from "../../diagrams/geometry.ts";
import { placeLabels } from "../../diagrams/label-places.ts";
import { fateText, messageLabel } from "../../diagrams/message-words.ts";
import { laneHeads, lanesLeft } from "../../diagrams/spacetime-heads.ts";
import type { ArrowShape, SpacetimeShape } from "../../diagrams/spacetime-layout.ts";
import { layoutSpacetime, sentUpTo } from "../../diagrams/spacetime-layout.ts";
import { noteLines } from "../../diagrams/spacetime-foot.ts";
import { TO_SCALE } from "../../diagrams/spacetime-rows.ts";
import { drawArrow, drawSpacetime } from "../../diagrams/spacetime.ts";
import type { Arrow, MessageView } from "../../player/frame.ts";
import { DUPLICATE, answer, frameOf, logBatch, markup, message, partition, replica, speakEnglish, stepOf, view } from "./fixture.ts";

before(speakEnglish);

const SIZE = { width: 648, height: 464 };
const BY_TIME = { ...SIZE, spacing: "time" as const };

function arrow(id: number, sent: [step: number, at: number], settled: [step: number, at: number] | null, over: Partial<Arrow> = {}, of: Partial<MessageView> = {}): Arrow {
  const made = over.message ?? message({ sent_at: sent[1], arrives_at: settled?.[1] ?? sent[1] + 5, ...of, id });
  return {
    id, message: { ...made, id }, sentStep: sent[0], sentAt: sent[1], settledStep: settled?.[0] ?? null, settledAt: settled?.[1] ?? null,
    fate: settled === null ? "under_way" : "delivered", delayed: false, duplicated: false, stored: {}, equals: {}, ...over,
  };
}

/**
 * SC-03 in four arrows: a request, its response, which is dropped, the request sent again in this step, and its
 * response.
 */
const RETRY = [
  arrow(1, [9, 8], [16, 13], { stored: { "t-0": 40 } }),
  arrow(2, [20, 20], [21, 22], { fate: "dropped", message: answer() }),
  arrow(3, [41, 138], [42, 143]),
  arrow(4, [42, 143], null, { message: answer({ arrives_at: 148 }) }),
];

function find(arrows: readonly ArrowShape[], key: string): ArrowShape {
  const found = arrows.find((item) => item.key === key);
  assert.ok(found !== undefined, key);
  return found;
}

test("arrows go downwards, from the sender's lane to the receiver's; a dropped one ends on the way", () => {
  const shape = layoutSpacetime(frameOf(DUPLICATE), RETRY, SIZE);
  const at = (actor: string): number => shape.lanes.find((lane) => lane.actor === actor)?.x ?? -1;
  assert.deepEqual(shape.lanes.map((lane) => lane.actor), ["p1", "broker-1"]);
  for (const item of shape.arrows) assert.ok(item.y2 > item.y1, item.key);
  const first = find(shape.arrows, "1");
  assert.deepEqual([first.x1, first.x2], [at("p1") + 5, at("broker-1") - 5]);
  const dropped = find(shape.arrows, "2");
  assert.ok(dropped.x2 > at("p1") + 50 && dropped.x2 < at("broker-1") - 50);
  assert.equal(find(shape.arrows, "4").fate, "under_way");
});

test("a step stands on the lane of the broker that acts, not of the follower whose fetch lets it act", () => {
  const { step, ...rest } = frameOf(DUPLICATE);
  assert.ok(step !== null);
  const frame = { ...rest, step: { ...step, actor: "broker-3", derived: { by: "broker-1" } } };
  const { lanes, band } = layoutSpacetime(frame, RETRY, SIZE);
  assert.deepEqual(lanes.map((lane) => lane.actor), ["p1", "broker-1", "broker-3"], "the follower has a lane, too");
  assert.equal(band?.x, lanes.find((lane) => lane.actor === "broker-1")?.x);
});

test("a loss that is a turning point is drawn, although later losses take the room", () => {
  const losses = Array.from({ length: 20 }, (_, index) => arrow(10 + index, [10 + index, 10 + index], [11 + index, 11 + index], { fate: "dropped" }));
  const mark = { step: 11, at: 11, actor: "broker-1", key: "diagram.spacetime.mark", params: { at: 11, actor: "broker-1", sentence: "lost" }, rules: [] };
  const drawn = (marks: (typeof mark)[]): string[] => layoutSpacetime(frameOf(DUPLICATE), losses, SIZE, marks).arrows.map((one) => one.key);
  assert.ok(!drawn([]).includes("10") && drawn([mark]).includes("10"));
});

test("a message under way is said as it is at the step on show, not as it was sent", () => {
  const sent = arrow(5, [9, 8], null, { message: message({ arrives_at: 13 }) });
  assert.equal(fateText(sent, true), "in transit, due at t = 13 ms");
  assert.equal(fateText(sent, true, { ...sent.message, arrives_at: 63 }), "in transit, due at t = 63 ms");
  assert.equal(fateText(sent, true, { ...sent.message, held: true }), "waits until the receiver resumes");
  assert.equal(fateText(sent, true, { ...sent.message, waits_behind: 4 }), "waits in its connection behind an earlier request");
});

test("two pictures beside each other have the same lanes, and no message of others", () => {
  const elsewhere = arrow(6, [30, 100], [31, 101], {}, { from: "c1", to: "broker-1" });
  const arrows = [...RETRY.slice(0, 2), elsewhere, ...RETRY.slice(2)];
  const shape = layoutSpacetime(frameOf(DUPLICATE), arrows, { ...SIZE, columns: ["broker-1", "broker-2", "p1"] });
  assert.deepEqual(shape.lanes.map((lane) => lane.actor), ["p1", "broker-1", "broker-2"]);
  assert.deepEqual(shape.arrows.map(({ key }) => key), ["1", "2", "3", "4"]);
  assert.ok(shape.wanted.includes("c1"));
  assert.deepEqual(shape.band?.texts, []);
});

test("a delayed message ends at its new time", () => {
  const sent = arrow(5, [41, 138], null, { message: message({ sent_at: 138, arrives_at: 143 }) });
  const ends = (arrives_at: number): number => {
    const frame = frameOf(DUPLICATE);
    frame.view.network = { ...frame.view.network, messages: { 5: { ...sent.message, arrives_at } } } as typeof frame.view.network;
    return find(layoutSpacetime(frame, [...RETRY.slice(0, 2), sent], BY_TIME).arrows, "5").y2;
  };
  assert.ok(ends(243) > ends(143));
});

test("what happens after the step on show is not known to it", () => {
  const early = frameOf({ ...DUPLICATE, number: 20, at: 20, decision: null });
  const shape = layoutSpacetime({ ...early, view: view({ time: 20 }) }, RETRY, SIZE);
  assert.deepEqual(shape.arrows.map((item) => [item.key, item.fate]), [["1", "delivered"], ["2", "under_way"]]);
  assert.equal(sentUpTo(RETRY, 20), 2);
  assert.equal(sentUpTo(RETRY, 8), 0);
});

test("a batch sent a second time says so, and both arrows have the producer's hue", () => {
  const shape = layoutSpacetime(frameOf(DUPLICATE), RETRY, SIZE);
  assert.equal(find(shape.arrows, "1").label?.text, "Produce t-0, 0·0 | 0–2");
  assert.equal(find(shape.arrows, "3").label?.text, "Produce resent: t-0, 0·0 | 0–2");
  assert.deepEqual([find(shape.arrows, "1").hue, find(shape.arrows, "4").hue], ["b0", null]);
});

test("the stored batch stands beside the arrow that brought it, marked as the equal of this step's", () => {
  const shape = layoutSpacetime(frameOf(DUPLICATE), RETRY, SIZE);
  assert.deepEqual(shape.stored.map((cell) => [cell.key, cell.text, cell.matched]), [["t-0/40", "stored: 40–42", true]]);
});

test("a cell of stored offsets does not stand on the cross of a message that was lost", () => {
  const other = { from: "broker-1", to: "broker-2" };
  const shape = layoutSpacetime(frameOf(DUPLICATE), [...RETRY, arrow(5, [15, 12], [17, 14], { fate: "dropped" }, other)], { width: 360, height: 464 });
  const { x2, y2 } = find(shape.arrows, "5");
  assert.equal(shape.stored.length, 1);
  for (const { x, y, width } of shape.stored) assert.ok(x2 + 7 <= x || x2 - 7 >= x + width || y2 + 7 <= y || y2 - 7 >= y + 18, JSON.stringify({ x, y, width, x2, y2 }));
});

test("beside a duplicate stands its equal, not that it was stored", () => {
  const duplicate = arrow(3, [20, 138], [41, 143], { equals: { "t-0": 40 } });
  const shape = layoutSpacetime(frameOf(DUPLICATE), [duplicate], SIZE);
  assert.deepEqual(shape.stored.map(({ text, hue }) => [text, hue]), [["= 40–42: not stored again", "plain"]]);
});

test("the band is this step's: what arrived and what became of it", () => {
  const shape = layoutSpacetime(frameOf(DUPLICATE), RETRY, SIZE);
  assert.deepEqual(shape.band?.texts.map((text) => text.text), [
    "t-0: 0·0 | 0–2", "Duplicate: success (NONE),", "base offset 40.",
  ]);
  assert.ok(shape.band !== null && shape.band.y < (shape.times.find((time) => time.now)?.y ?? 0));
});

test("in a narrow picture the band's words stand under its row, clear of what arrives there, and within the picture", () => {
  const { band, arrows, width } = layoutSpacetime(frameOf(DUPLICATE), RETRY, { width: 390, height: 464 });
  assert.ok(band !== null && band.texts.length > 0);
  for (const { y, x, text } of band.texts) assert.ok(y - 13 > band.middle && x + textWidth(text, 14, true) <= width && y < band.y + band.height, text);
  assert.equal(find(arrows, "3").y2, band.middle);
});

test("no label stands on the cross of a message that was lost, or below the lanes", () => {
  for (const wide of [390, 648, 1280]) {
    const shape = layoutSpacetime(frameOf(DUPLICATE), RETRY, { width: wide, height: 464 });
    const crosses = shape.arrows.filter(({ fate }) => fate === "dropped" || fate === "lost");
    assert.ok(crosses.length > 0);
    for (const { label } of shape.arrows) {
      if (label === null) continue;
      const half = textWidth(label.text, 12) / 2 * Math.cos((label.angle * Math.PI) / 180);
      const tall = textWidth(label.text, 12) / 2 * Math.abs(Math.sin((label.angle * Math.PI) / 180));
      assert.ok(label.y + tall <= shape.bottom + 2, label.text);
      for (const { x2, y2 } of crosses) {
        const along = label.y + Math.tan((label.angle * Math.PI) / 180) * (x2 - label.x) - 5;
        assert.ok(Math.abs(x2 - label.x) > half + 4 || Math.abs(along - y2) > 10, `${label.text} at ${wide}`);
      }
    }
  }
});

test("a turning point has a row of its own, named beside the lanes where no arrow runs", () => {
  const mark = { step: 30, at: 78, actor: "p1", key: "diagram.lanes.empty", params: {}, rules: [] };
  const early = { ...mark, step: 3 };
  const shape = layoutSpacetime(frameOf(DUPLICATE), RETRY, SIZE, [early, mark, { ...mark, step: 50 }]);
  assert.deepEqual(shape.marks.map((item) => item.step), [30]);
  const [shown] = shape.marks;
  const lastLane = Math.max(...shape.lanes.map((lane) => lane.x));
  assert.ok((shown?.texts[0]?.x ?? 0) > lastLane);
  assert.ok(shape.times.some((time) => time.text === "78 ms"));
  const narrow = layoutSpacetime(frameOf(DUPLICATE), RETRY, { width: 390, height: 464 }, [mark]);
  assert.deepEqual(narrow.marks, []);
});

test("the words beside the lanes stay within the picture, however many lanes there are", () => {
  const text = "broker-1 answers that the transaction of the producer was committed before the request arrived, and p1, p2, p3, p4 send their next requests";
  const mark = { step: 30, at: 78, actor: "p1", key: "diagram.spacetime.mark", params: { at: 78, actor: "p1", sentence: text }, rules: [] };
  const frame = frameOf(DUPLICATE);
  if (frame.step !== null) Object.assign(frame.step, { key: "diagram.spacetime.mark", params: { at: 143, actor: "p1", sentence: text }, decision: null, refusal: null });
  for (const lanes of [2, 3, 4, 5, 6]) {
    const others = Array.from({ length: lanes - 2 }, (_, index) => arrow(10 + index, [40, 138], null, { message: message({ from: "p1", to: `c${index}` }) }));
    const { band, marks, lanes: heads } = layoutSpacetime(frame, [...RETRY, ...others], SIZE, [mark]);
    const words = [...(band?.texts ?? []), ...marks.flatMap(({ texts }) => texts.map((one) => ({ ...one, strong: false })))];
    assert.equal(heads.length, lanes);
    assert.ok(words.length > 1);
    for (const { x, text: line, strong } of words) assert.ok(x + textWidth(line, strong ? 14 : 12, strong) * 0.92 <= SIZE.width, `${lanes} lanes: ${line}`);
    assert.ok(words.every(({ text: line }) => !line.includes("…")), `${lanes} lanes`);
  }
});

test("the messages that stored a record twice are drawn, however many others lie between them", () => {
  const copies = [0, 1, 2, 3].map((copy) => arrow(100 + copy, [10 + 40 * copy, 10 + 40 * copy], [12 + 40 * copy, 15 + 40 * copy], { stored: { "t-0": 40 + copy } }));
  const others = Array.from({ length: 60 }, (_, index) => arrow(10 + index, [14 + 2 * index, 14 + 2 * index], [15 + 2 * index, 16 + 2 * index], {
    message: message({ api: "Fetch", from: "c1", to: "broker-2" }) }));
  const arrows = [...copies, ...others].sort((one, other) => one.sentStep - other.sentStep);
  const log = replica(copies.map((_, copy) => logBatch(40 + copy, 1, { serials: [7] })));
  const guarantees = { duplicated: { judged: true, count: 3, serials: [7], broken_at: 52 } };
  const frame = frameOf(null, view({ partitions: { "t-0": partition(log) }, guarantees } as never));
  if (frame.step === null) frame.step = stepOf({ number: 200, at: 200 });
  const drawn = (height: number): string[] => layoutSpacetime(frame, arrows, { width: 648, height }).arrows.map(({ key }) => key);
  for (const height of [464, 340]) for (const { id } of copies) assert.ok(drawn(height).includes(String(id)), `${id} in ${height} px`);
});

test("a fold stands where no arrow runs through it", () => {
  const between = Array.from({ length: 30 }, (_, index) => arrow(10 + index, [22 + (index >> 1), 23 + index], [23 + (index >> 1), 24 + index], {
    message: message({ api: "Fetch", from: "c1", to: "broker-2" }) }));
  const shape = layoutSpacetime(frameOf(DUPLICATE), [...RETRY.slice(0, 2), ...between, ...RETRY.slice(2)], SIZE);
  assert.ok(shape.folds.length > 0);
  for (const fold of shape.folds) {
    for (const item of shape.arrows) {
      if (item.y2 <= fold.y - 11 || item.y1 >= fold.y + 11) continue;
      const x = item.x1 + ((item.x2 - item.x1) * (fold.y - item.y1)) / (item.y2 - item.y1);
      assert.ok(x < fold.x || x > fold.x + fold.width, `${item.name} through ${fold.text}`);
    }
  }
});

test("long quiet times are shortened and say by how much", () => {
  const shape = layoutSpacetime(frameOf(DUPLICATE), RETRY, SIZE);
  assert.deepEqual(shape.shortened.map((cut) => cut.text), ["116 ms, shortened"]);
});

/** The distance of two times in the picture, in px. */
function between(shape: SpacetimeShape, one: string, other: string): number {
  const y = (text: string): number => shape.times.find((time) => time.text === text)?.y ?? assert.fail(text);
  return y(other) - y(one);
}

test("spaced by time, distances are to one scale, and a break says how long nothing was sent", () => {
  const shape = layoutSpacetime(frameOf(DUPLICATE), RETRY, BY_TIME);
  assert.equal(between(shape, "13 ms", "20 ms"), 7 * TO_SCALE.perMillisecond);
  assert.equal(between(shape, "8 ms", "13 ms"), 5 * TO_SCALE.perMillisecond);
  assert.deepEqual(shape.shortened.map((cut) => cut.text), ["116 ms, nothing sent"]);
  assert.equal(shape.notes[0], "Gaps of 3 to 30 ms are to scale; longer ones are shortened");
  const quiet = shape.twin.indexOf("t = 22 ms to t = 138 ms: 116 ms, nothing sent.");
  assert.ok(quiet > shape.twin.findIndex((line) => line.startsWith("t = 20 ms:")) && quiet < shape.twin.findIndex((line) => line.startsWith("t = 138 ms:")));
});

test("spaced by time, as much quiet as the scale goes stands to scale, and one millisecond more is a break", () => {
  for (const [quiet, cuts] of [[TO_SCALE.cutAfter, 0], [TO_SCALE.cutAfter + 1, 1]] as const) {
    const calm = [arrow(1, [1, 10], [2, 20]), arrow(2, [3, 20 + quiet], [4, 25 + quiet])];
    const frame = frameOf({ ...DUPLICATE, number: 4, at: 25 + quiet, decision: null }, view({ time: 25 + quiet }));
    assert.equal(layoutSpacetime(frame, calm, BY_TIME).shortened.length, cuts);
  }
});

test("spaced by time, events of one millisecond stand apart all the same, and in order", () => {
  const burst = Array.from({ length: 6 }, (_, index) => arrow(1 + index, [1 + 2 * index, 10], [2 + 2 * index, 10]));
  const frame = frameOf({ ...DUPLICATE, number: 12, at: 10, decision: null }, view({ time: 10 }));
  const shape = layoutSpacetime(frame, burst, BY_TIME);
  const rows = [...new Set(shape.arrows.flatMap((item) => [item.y1, item.y2]))];
  assert.ok(rows.length >= 6);
  rows.slice(1).forEach((y, index) => assert.ok(y - (rows[index] as number) >= TO_SCALE.least, `${rows}`));
});

test("spaced by time, what happened last stands there without gaps, and the reading between it is counted on the axis", () => {
  const busy = Array.from({ length: 60 }, (_, index) => arrow(1 + index, [1 + 2 * index, 10 * index], [2 + 2 * index, 10 * index + 5], {
    message: index % 2 === 0 ? message({}) : message({ api: "Fetch", from: "c1", to: "broker-1", fields: { fetch_offset: 40 } }) }));
  const frame = frameOf({ ...DUPLICATE, number: 120, at: 595, decision: null }, view({ time: 595 }));
  const shape = layoutSpacetime(frame, busy, { ...BY_TIME, height: 400 });
  const shown = shape.arrows.map((item) => Number(item.key)).filter((key) => key % 2 === 1 && key < 60);
  assert.deepEqual(shown, Array.from({ length: shown.length }, (_, index) => 59 - 2 * (shown.length - 1 - index)));
  assert.deepEqual([shape.folds.length, shape.counts.length > 0, new Set(shape.counts.map((count) => count.text)).size], [0, true, 1]);
});

test("what is awaited beyond the scale is shortened, as it is not known what will be sent until then", () => {
  const late = [...RETRY.slice(0, 3), arrow(4, [42, 143], null, { message: answer({ arrives_at: 30_143 }) })];
  const shape = layoutSpacetime(frameOf(DUPLICATE), late, BY_TIME);
  assert.equal(shape.shortened[shape.shortened.length - 1]?.text, "30 s, shortened");
});

test("a thousand messages: what matters stays, every other one is counted in a fold or as earlier", () => {
  const many = Array.from({ length: 1000 }, (_, index) => {
    const step = 10 + index;
    return arrow(100 + index, [step, step], [step + 1, step + 1], {}, {
      fields: { batches: { "t-0": { record_count: 1, producer_id: 5, producer_epoch: 0, base_sequence: index, last_sequence: index } } },
    });
  });
  many[995] = arrow(1095, [1005, 1005], [1006, 1006], { fate: "dropped" });
  const frame = frameOf({ ...DUPLICATE, number: 1010, at: 1010, decision: null }, view({ time: 1010 }));
  const shape = layoutSpacetime(frame, many, SIZE);
  assert.ok(shape.arrows.some((item) => item.key === "1095"), "the dropped one stays");
  const number = (text: string): number => Number(/\d+/.exec(text)?.[0] ?? 0);
  const folded = shape.folds.reduce((sum, fold) => sum + number(fold.text), 0);
  const earlier = number(shape.notes.find((note) => note.includes("earlier")) ?? "0");
  assert.equal(shape.arrows.length + folded + earlier, 1000);
  assert.ok(shape.bottom <= SIZE.height, `${shape.bottom}`);
});

test("a request that is sent again after a loss stays beside the lost one, however many messages follow", () => {
  const markers = { api: "WriteTxnMarkers", from: "broker-2", to: "broker-1", partitions: ["t-0"], fields: {} };
  const answered = { ...markers, from: "broker-1", to: "broker-2", is_response: true };
  const others = Array.from({ length: 60 }, (_, index) => arrow(100 + index, [40 + index, 40 + index], [41 + index, 41 + index], {}, { api: "Produce", partitions: ["t-1"], fields: {} }));
  const kept = (...first: Arrow[]): string[] => layoutSpacetime(frameOf({ ...DUPLICATE, number: 110, at: 110, decision: null }, view({ time: 110 })), [...first, ...others], SIZE).arrows.map(({ key }) => key);
  // Either the request is lost, or its response.
  assert.deepEqual(kept(arrow(1, [5, 5], [6, 6], { fate: "dropped" }, markers), arrow(2, [9, 9], [10, 10], {}, markers)).slice(0, 2), ["1", "2"]);
  const [request, response, again] = [arrow(1, [5, 5], [6, 6], {}, markers), arrow(2, [6, 6], [7, 7], { fate: "dropped" }, answered), arrow(3, [9, 9], [10, 10], {}, markers)];
  assert.deepEqual(kept(request, response, again).slice(0, 2), ["2", "3"]);
});

test("what is foremost is drawn and labelled before everything else, and its actors have lanes", () => {
  const markers = { api: "WriteTxnMarkers", from: "broker-2", to: "broker-1", partitions: ["t-0"], fields: {} };
  const lost = arrow(1, [5, 5], [6, 6], { fate: "dropped" }, markers);
  const others = Array.from({ length: 60 }, (_, index) => arrow(100 + index, [40 + index, 40 + index], [41 + index, 41 + index], {}, { api: "Fetch", from: "c1", to: "broker-1", partitions: ["t-1"], fields: {} }));
  const frame = frameOf({ ...DUPLICATE, number: 110, at: 110, decision: null }, view({ time: 110 }));
  for (const spacing of ["step", "time"] as const) {
    const { arrows, wanted } = layoutSpacetime(frame, [lost, ...others], { width: 390, height: 260, spacing, columns: [], foremost: { messages: [1], actors: ["t-0", "app-1"] } });
    assert.equal(find(arrows, "1").label?.text, "WriteTxnMarkers t-0: dropped", spacing);
    assert.deepEqual(wanted.slice(0, 3), ["broker-1", "broker-2", "app-1"], spacing);
  }
});

test("a lost message has its cross where it was lost, and nothing at its receiver", () => {
  const lost = arrow(1, [41, 138], [42, 143], { fate: "dropped" });
  const drop = { ...DUPLICATE, number: 42, at: 143, actor: lost.message.to, decision: null };
  assert.equal(layoutSpacetime(frameOf(drop, view({ time: 143 })), [lost], SIZE).band?.x, null);
  assert.notEqual(layoutSpacetime(frameOf(drop, view({ time: 143 })), [{ ...lost, fate: "delivered" }], SIZE).band?.x, null);
});

test("by time, no time stands on the edge of the band of this step", () => {
  const frame = frameOf({ ...DUPLICATE, number: 50, at: 50, decision: null }, view({ time: 50 }));
  const { times, band } = layoutSpacetime(frame, [arrow(1, [48, 48], [49, 49]), arrow(2, [49, 49], [50, 50])], { ...BY_TIME, columns: [] });
  for (const { y, now } of times) assert.ok(now || y < (band?.y ?? 0) || y - 11 > (band?.y ?? 0), `${y} ${band?.y}`);
});

test("labels do not stand on each other; one without room is left out and counted", () => {
  const lines = Array.from({ length: 12 }, (_, index) => ({
    x1: 60, y1: 100 + index * 4, x2: 560, y2: 120 + index * 4, text: "OUT_OF_ORDER_SEQUENCE_NUMBER", weight: 0,
  }));
  const places = placeLabels(lines, [], { width: 648 });
  const placed = places.filter((place) => place !== null);
  assert.ok(placed.length >= 4 && placed.length < 12, `${placed.length} of 12`);
  for (const one of placed) {
    for (const other of placed) {
      if (one === other) continue;
      assert.ok(Math.abs(one.y - other.y) > 9 || Math.abs(one.x - other.x) > 200, JSON.stringify([one, other]));
    }
  }
  assert.equal(placeLabels(lines.slice(0, 1), [{ x: 0, y: 0, width: 648, height: 464 }], { width: 648 })[0], null);
});

test("beside a steep arrow a label finds room that it does not find along it", () => {
  const steep = { x1: 87, y1: 60, x2: 245, y2: 182, text: "Produce t-0 (delayed)", weight: 0 };
  const along = [{ x: 94, y: 76, width: 100, height: 14 }, { x: 196, y: 150, width: 40, height: 40 }];
  const [place] = placeLabels([steep], along, { width: 639 });
  assert.equal(place?.angle, 0);
});

test("a lost message's label stays nearer to its own arrow than to one that runs beside it", () => {
  const beside = { x1: 251, y1: 82, x2: 82, y2: 126, text: "EndTxn response", weight: 1 };
  const lost = { x1: 251, y1: 94, x2: 199, y2: 102, text: "WriteTxnMarkers t-0: dropped", weight: 3, cross: 9 };
  const down = { x1: 251, y1: 94, x2: 251, y2: 138, text: "WriteTxnMarkers t-1", weight: 1 };
  const [, place] = placeLabels([beside, lost, down], [], { width: 390, lanes: [82, 167, 251, 336] });
  assert.ok(place !== null && place !== undefined && place.x > 160, JSON.stringify(place));
});

test("a label that would lie over another arrow says less, and all of it where there is room", () => {
  const line = { x1: 60, y1: 100, x2: 260, y2: 110, text: "NONE, base offset 40", short: "NONE", weight: 0 };
  // Two lines that leave room at the middle of the arrow only for a short text, on both of its sides.
  const fence = [110, 210].map((x) => ({ x1: x, y1: 60, x2: x + 1, y2: 160, text: "", weight: -1 }));
  assert.equal(placeLabels([line], [], { width: 390 })[0]?.text, "NONE, base offset 40");
  assert.equal(placeLabels([line, ...fence], [], { width: 390 })[0]?.text, "NONE");
});

test("messages in words", () => {
  assert.equal(messageLabel(answer()), "Produce response: t-0, base offset 40");
  assert.equal(messageLabel(answer({ fields: { partitions: { "t-0": { error: "OUT_OF_ORDER_SEQUENCE_NUMBER", base_offset: -1 } } } })), "OUT_OF_ORDER_SEQUENCE_NUMBER");
  assert.equal(messageLabel(message({ api: "Fetch", fields: { fetch_offset: 40 } })), "Fetch t-0 from 40");
  assert.equal(messageLabel(message({ api: "Fetch", partitions: ["t-0", "t-1"], fields: { offsets: { "t-0": 40, "t-1": 2 } } })), "Fetch t-0, t-1");
  assert.equal(messageLabel(answer({ api: "InitProducerId", partitions: [], fields: { producer_id: 7, producer_epoch: 0 } })), "PID 7, epoch 0");
  assert.equal(messageLabel(answer({ api: "ZooKeeperReply", partitions: [], fields: { conflict: true, version: 3 } })), "refused: current version 3");
});

test("an arrow is a button whose name tells the whole story", () => {
  const shape = layoutSpacetime(frameOf(DUPLICATE), RETRY, SIZE);
  const dropped = find(shape.arrows, "2");
  assert.equal(dropped.name, "t = 20 ms: broker-1 to p1: Produce response: t-0, base offset 40; dropped at t = 22 ms.");
  const text = markup(drawArrow({ ...dropped, label: null }, () => undefined, false));
  assert.equal(
    text,
    `<g class="arrow failed" role="button" tabindex="0" aria-label="${dropped.name}" aria-pressed="false"><title>${dropped.name}</title>` +
      `<path class="reach" d="M${dropped.x1} ${dropped.y1}L${dropped.x2} ${dropped.y2}"/><path class="line" ` +
      `d="M${dropped.x1} ${dropped.y1}L${dropped.x2} ${dropped.y2}"/><path class="cross" d="M${dropped.x2 - 7} ${dropped.y2 - 7}l14 14m0 -14l-14 14"/></g>`,
  );
});

test("selecting a batch anywhere thickens its arrows", () => {
  const frame = frameOf(DUPLICATE, view(), { selection: { kind: "batch", id: "t-0/40", partition: "t-0", serials: [1, 2, 3] } });
  const shape = layoutSpacetime(frame, RETRY, SIZE);
  assert.deepEqual(shape.arrows.filter((item) => item.picked).map((item) => item.key), ["1", "2", "3", "4"]);
});

test("the drawing is whole and the twin tells every arrow", () => {
  const shape = layoutSpacetime(frameOf(DUPLICATE), RETRY, SIZE);
  const text = markup(drawSpacetime(shape, () => undefined, false));
  assert.ok(!/undefined|NaN|\[object/.test(text), text);
  for (const item of shape.arrows) assert.ok(shape.twin.includes(item.name));
});

test("the first lane stands past the widest time", () => {
  const short = { text: "10530 ms", now: true };
  const long = { text: "1 min 10 s 530 ms", now: true };
  assert.equal(lanesLeft([short]), lanesLeft([]));
  for (const times of [[short], [long, short]]) {
    const widest = Math.max(...times.map(({ text, now }) => textWidth(text, MARK, now)));
    assert.ok(4 + widest + 5 <= lanesLeft(times), `${widest} px of text, the lane at ${lanesLeft(times)}`);
  }
});

test("a broker that leads another partition is named as its leader, not as a follower", () => {
  const log = replica([logBatch(40, 3)]);
  const now = view({ partitions: { "t-0": partition(log), "t-1": { ...partition(log), leader: 2 } } });
  const heads = laneHeads(frameOf(DUPLICATE, now), ["p1", "broker-1", "broker-2"], SIZE.width, 82);
  assert.deepEqual(heads.map(({ role }) => role).slice(1), ["leader of t-0", "leader of t-1"]);
  const narrow = laneHeads(frameOf(DUPLICATE, now), ["p1", "broker-1", "broker-2"], 260, 82);
  assert.deepEqual(narrow.map(({ role }) => role).slice(1), ["leader", "leader"], "in fewer words, which are true, too");
});

test("an application has no messages, so the picture does not miss them", () => {
  const { notes } = layoutSpacetime(frameOf(DUPLICATE), RETRY, SIZE);
  assert.ok(DUPLICATE !== null && frameOf(DUPLICATE).header.actors.some(({ role }) => role === "application"));
  assert.ok(!notes.some((note) => note.includes("app-1")), notes.join());
});

test("beside another picture, the notes have two lines, which the rows leave free", () => {
  const others = Array.from({ length: 60 }, (_, index) => arrow(100 + index, [40 + index, 40 + index], [41 + index, 41 + index], {}, { partitions: ["t-1"], fields: {} }));
  const frame = frameOf({ ...DUPLICATE, number: 110, at: 110, decision: null }, view({ time: 110 }));
  const { height, noteLines: lines } = layoutSpacetime(frame, others, { width: 640, height: 300, columns: [] });
  assert.ok(lines.length <= 2 && height === 300, `${lines.length} ${height}`);
});

test("no note at the foot is cut: where they need more lines than are kept for them, the picture grows", () => {
  const notes = [1, 2, 3, 4, 5].map((count) => ({ text: `${count} components without a message here (p1, p2, p3)`, brief: `${count} components without a message here` }));
  for (const width of [390, 1280]) assert.equal(noteLines(notes, width, "step").join(" "), notes.map(({ brief }) => brief).join(" · "));
});
