import assert from "node:assert/strict";
import { test } from "node:test";
import { svg } from "lit";
import type { ReaderLaneView } from "../../generated/messages.ts";
import { railOf } from "../../stage/coordinator.ts";
import { heldStretches, reasonAt, wordsOf } from "../../stage/hidden.ts";
import type { ConsumerView } from "../../player/frame.ts";
import type { Focus, Places } from "../../stage/contract.ts";
import { NO_FOCUS } from "../../stage/contract.ts";
import { places } from "../../stage/places.ts";
import { hiddenText, readers, readersText, wordOf } from "../../stage/readers.ts";
import { HEADER, derived, frameOf, logBatch, markup, partition, replica, view } from "../diagrams/fixture.ts";
import { PHONE, planOf } from "./plans.ts";
import { speakStage } from "./words.ts";

speakStage();

const lane: ReaderLaneView = {
  position: 1, stretches: [[0, 0, "delivered"]], folded: 0, ahead: [[1, 4, "undecided"], [5, 5, "not_replicated"]], bound: 1, held_by: { producer_id: 1000, first_offset: 1 },
};

test("on a phone the squares of one offset stand under each other, whatever else their rows say", () => {
  const plan = planOf(1, 1, 1);
  const here = places(plan, HEADER, view(), { ...PHONE, height: 360 });
  const lanes = (isolation: string, stretches: [number, number, string][]) => ({ isolation, alive: true, paused: false, positions: {}, delivered: {}, delivered_count: 0, applied_count: 0, skipped_duplicates: 0, lanes: { "t-0": { position: 9, stretches, folded: 0, ahead: [], bound: 9, held_by: null } } });
  const consumers = { c1: lanes("read_committed", [[0, 29, "delivered"]]), c2: lanes("read_uncommitted", [[0, 8, "delivered"], [9, 29, "undecided"]]) };
  const batches = [logBatch(0, 30)];
  const objects = readers(frameOf(null, view({ consumers, partitions: { "t-0": partition(replica(batches)) } } as never)), here, NO_FOCUS);
  const found = objects.filter(({ key }) => key.startsWith("reader:")).map(({ draw }) => [...markup(svg`${draw}`).matchAll(/<rect[^>]* x="?([\d.]+)"?[^>]* width="?(?:10\.5|9\.1)\b/g)].map(([, x]) => Math.floor(Number(x))));
  assert.equal(found.length, 2);
  assert.ok((found[0]?.length ?? 0) > 2 && found[0]?.every((x, index) => Math.abs(x - (found[1]?.[index] ?? 0)) < 2), JSON.stringify(found));
});

test("on a phone the row of the step that reads keeps its squares beside the tag, without the count that the tag follows", () => {
  const here = places(planOf(1, 1, 1), HEADER, view(), { ...PHONE, height: 360 });
  const lanes = { "t-0": { position: 6, stretches: [[0, 5, "delivered"]], folded: 0, ahead: [], bound: 6, held_by: null } };
  const consumer = { isolation: "read_committed", alive: true, paused: false, positions: {}, delivered: {}, delivered_count: 6, applied_count: 0, skipped_duplicates: 0, lanes };
  const frame = frameOf(null, view({ consumers: { c1: consumer, c2: consumer }, partitions: { "t-0": partition(replica([logBatch(0, 6)])) } } as never));
  const squares = (focus: Focus): number[] => readers(frame, here, focus).filter(({ key }) => key.startsWith("reader:")).map(({ draw }) => [...markup(svg`${draw}`).matchAll(/<rect[^>]* width="?(?:10\.5|9\.1)\b/g)].length);
  const tag = { key: "stage.tag.reads_skips", params: { count: 2, skipped: 2 }, bad: false };
  const focus = { kind: "read", actor: "c1", partition: "t-0", tag } as unknown as Focus;
  assert.deepEqual(squares(focus), squares(NO_FOCUS));
  assert.equal(squares(focus)[0], 6);
  const [row] = readers(frame, here, focus).filter(({ key }) => key.startsWith("reader:"));
  assert.ok(!markup(svg`${row?.draw}`).includes("6 read"));
});

test("the row in question is marked at its edge and behind its name, so that no mark lies over its words", () => {
  const here = places(planOf(1, 1, 1, 1), HEADER, view(), { ...PHONE, height: 700 });
  const consumer = { isolation: "read_committed", alive: true, paused: false, positions: {}, delivered: {}, delivered_count: 0, applied_count: 0, skipped_duplicates: 0, lanes: {} };
  const row = readers(frameOf(null, view({ consumers: { c1: consumer } } as never)), here, { ...NO_FOCUS, kind: "read", actor: "c1", partition: "t-0" }).find(({ key }) => key.startsWith("reader:"));
  const drawn = markup(svg`${row?.draw}`);
  assert.match(drawn, /<rect[^>]* height="?20\b[^>]* class="?wash/);
  assert.ok(!drawn.includes("halo"));
});

test("how much each consumer read is said in words, for where something lies over the rows", () => {
  const lanes = { "t-0": { position: 3, stretches: [[0, 2, "delivered"]], folded: 0, ahead: [], bound: 3, held_by: null } };
  const frame = frameOf(null, view({ consumers: { c1: { lanes } } } as never));
  const here = { readers: { "t-0": { c1: {} } }, hue: () => "" } as unknown as Places;
  assert.deepEqual(readersText(frame, here), ["c1: 3 read from t-0"]);
});

test("Why a record is hidden is what the engine tells of the log, where a reader is held back", () => {
  const held: [number, number, "undecided" | "behind"][] = [[1, 2, "undecided"], [3, 4, "behind"]];
  assert.equal(reasonAt(held, lane, logBatch(0, 1), 0), null);
  assert.equal(reasonAt(held, lane, logBatch(1, 2), 1), "undecided");
  assert.equal(reasonAt(held, lane, logBatch(3, 1), 3), "behind");
  assert.equal(reasonAt(held, lane, logBatch(5, 1), 5), "not_replicated");
  assert.equal(reasonAt(held, lane, logBatch(4, 1, { control: "COMMIT" }), 4), null);
  // A consumer that may read a record reads it, whatever is held back from others.
  assert.equal(reasonAt(held, { ...lane, ahead: [[1, 4, "not_fetched"]] }, logBatch(3, 1), 3), null);
});

test("What its marker aborted says so from the marker on, before any consumer skips it", () => {
  const aborted = logBatch(1, 2, { outcome: "aborted" });
  const marker = logBatch(5, 1, { control: "ABORT" });
  const words = (held: [number, number, "marker" | "behind"][], consumers: object): string[] => {
    const frame = frameOf(null, view({ consumers, derived: derived({ held: { "t-0": held } }) } as never));
    return heldStretches(frame, "t-0", [logBatch(0, 1), aborted, logBatch(3, 1), marker]).map(({ first, long }) => `${first} ${long}`);
  };
  const lanes = (ahead: ReaderLaneView["ahead"]) => ({ c1: { isolation: "read_committed", lanes: { "t-0": { ...lane, ahead, held_by: null } } } });
  assert.deepEqual(words([[1, 2, "marker"], [3, 3, "behind"]], lanes([[1, 5, "undecided"]])), ["1 aborted, marker above the high watermark", "3 wait behind it"]);
  assert.deepEqual(words([], lanes([[1, 5, "not_fetched"]])), ["1 aborted"]);
  assert.deepEqual(words([], {}), ["1 aborted"]);
});

test("A row draws what its consumer may fetch as the log has it, and the marker as a marker", () => {
  const here = places(planOf(1, 1, 1), HEADER, view(), { ...PHONE, height: 360 });
  const lanes = { "t-0": { position: 0, stretches: [], folded: 0, ahead: [[0, 3, "not_fetched"], [4, 4, "not_replicated"]], bound: 4, held_by: null } };
  const consumer = { isolation: "read_committed", alive: true, paused: false, positions: {}, delivered: {}, delivered_count: 0, applied_count: 0, skipped_duplicates: 0, lanes };
  const batches = [logBatch(0, 2, { outcome: "aborted" }), logBatch(2, 1), logBatch(3, 1, { control: "ABORT" }), logBatch(4, 1)];
  const row = readers(frameOf(null, view({ consumers: { c1: consumer }, partitions: { "t-0": partition(replica(batches)) } } as never)), here, NO_FOCUS).find(({ key }) => key.startsWith("reader:"));
  const drawn = markup(svg`${row?.draw}`);
  const count = (pattern: RegExp): number => [...drawn.matchAll(pattern)].length;
  assert.deepEqual([count(/cell small/g), count(/ring soft/g), count(/"?rail\b/g), count(/none wait/g)], [3, 2, 1, 1]);
});

test("Only a marker that is written waits for its copies", () => {
  const counts = { undecided: 0, marker: 0, behind: 1, unrecorded: 0, aborted: 0, not_replicated: 0 };
  assert.equal(hiddenText({ ...counts, undecided: 1 })?.long, "1 without a marker, 1 later one waits");
  assert.equal(hiddenText({ ...counts, marker: 1 })?.long, "1 needs a replicated marker, 1 later one waits");
});

test("Aborted records that a consumer skipped stay said beside hidden ones", () => {
  const counts = { undecided: 1, marker: 0, behind: 0, unrecorded: 0, aborted: 1, not_replicated: 0 };
  assert.deepEqual(hiddenText(counts), { least: "1 hidden", short: "1 hidden, 1 skipped", long: "1 hidden, 1 skipped" });
  assert.equal(hiddenText({ ...counts, undecided: 0 })?.least, "1 skipped");
});

test("A consumer that fetches no more says why", () => {
  const group = { group_id: "g", coordinator: 1, committed: {}, waiting: [], in_flight: null, last_error: null };
  const word = (of: Partial<ConsumerView>): string | null => wordOf({ alive: true, paused: false, group, ...of });
  assert.deepEqual([word({}), word({ group: { ...group, left: true } }), word({ group: { ...group, closed: true, left: true } }), word({ alive: false })], [null, "polled too late", "closed", "is down"]);
});

test("A file of before that does not tell why says so", () => {
  assert.equal(reasonAt([], lane, logBatch(1, 2, { outcome: "open" }), 1), "unrecorded");
  assert.match(wordsOf("unrecorded", null).long, /reason not recorded/);
});

test("A coordinator's states stand on the way that an id takes; none is left out", () => {
  assert.deepEqual(railOf("Empty", null, null), ["Empty", "Ongoing", "PrepareCommit", "CompleteCommit"]);
  assert.deepEqual(railOf("Ongoing", "PrepareAbort", null), ["Empty", "Ongoing", "PrepareAbort", "CompleteAbort"]);
  assert.ok(railOf("Ongoing", "PrepareEpochFence", null).includes("PrepareEpochFence"));
  assert.ok(railOf("Empty", "Unheard", "Ongoing").includes("Unheard"));
});
