/** A log case on the stage: where consumers stop is stated beside its lanes. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { svg } from "lit";
import { heads } from "../../stage/brokers.ts";
import { NO_FOCUS } from "../../stage/contract.ts";
import type { StageObject, StagePlan } from "../../stage/contract.ts";
import { laneObjects } from "../../stage/lanes.ts";
import { places } from "../../stage/places.ts";
import { readers } from "../../stage/readers.ts";
import { FIVE, frameOf, HEADER, logBatch, markup, partition, replica, view } from "../diagrams/fixture.ts";
import { DESK, planOf } from "./plans.ts";
import { speakStage } from "./words.ts";

speakStage();

test("beside a log stands how far consumers of both isolation levels read, and the legend", () => {
  const saidOf = (stable: number): string => {
    const log = { ...replica(FIVE), last_stable_offset: stable, high_watermark: 50 };
    const files = view({ partitions: { "t-0": partition(log) }, consumers: {} });
    const here = places(null, { ...HEADER, profile: "log", partitions: ["t-0"] }, files, { width: 1280, height: 412, form: "desk" });
    return heads(frameOf(null, files), here, NO_FOCUS).map(({ draw }) => markup(svg`${draw}`)).join("");
  };
  for (const words of ["read_committed consumers stop at position 43", "read_uncommitted consumers reach position 50", "Legend"]) assert.ok(saidOf(43).includes(words), words);
  assert.ok(saidOf(50).includes("read_committed consumers reach position 50"), "nothing holds them back");
});

test("all cells of a lane have the word before their sequences, or none", () => {
  const wordsIn = (...sizes: number[]): number => {
    let base = 0;
    const batches = sizes.map((size) => logBatch((base += size) - size, size));
    const files = view({ partitions: { "t-0": partition(replica(batches)) }, consumers: {} });
    const here = places(null, { ...HEADER, partitions: ["t-0"] }, files, { width: 1280, height: 412, form: "desk" });
    const [broker, place] = ["broker-1", here.brokers["broker-1"]?.lanes["t-0"]];
    if (place === undefined) throw new Error("no lane");
    return laneObjects({ frame: frameOf(null, files), here, focus: NO_FOCUS, broker, partition: "t-0", place }).map(({ draw }) => markup(svg`${draw}`)).join("").split(">seq ").length - 1;
  };
  assert.deepEqual([wordsIn(3, 3), wordsIn(3, 3, 1, 1, 1, 1)], [2, 0]);
});

test("a log that holds consumers back shows one of them, which no file names, until a preview has readers", () => {
  const log = { ...replica(FIVE), last_stable_offset: 43, high_watermark: 50 };
  const lane = { position: 43, stretches: [[40, 42, "delivered"]], folded: 0, ahead: [[43, 49, "undecided"]], bound: 43, held_by: null };
  const rows = (derived: object, consumers = {}, plan: StagePlan | null = null): StageObject[] => {
    const files = view({ partitions: { "t-0": partition(log) }, consumers, derived } as never);
    const frame = frameOf(null, files);
    return readers(frame, places(plan, { ...HEADER, profile: "log", partitions: ["t-0"] }, files, { width: 1280, height: 412, form: "desk" }), NO_FOCUS);
  };
  const [row, ...others] = rows({ broken: {}, possible: { "t-0": lane }, held: { "t-0": [[43, 49, "undecided"]] } });
  assert.match(row?.label ?? "", /any consumer.*read_committed.*at offset 43/);
  assert.equal(row?.select, undefined, "there is no such actor to select");
  assert.ok(others.some(({ ask }) => ask?.question === "lso" && ask.subject === "t-0"));
  assert.deepEqual(rows({ broken: {} }), [], "an older session does not know it");
  const preview = planOf(1, 1, 2);
  const [own] = preview.consumers;
  const before = rows({ broken: {}, possible: { "t-0": lane } }, {}, preview);
  assert.match(before[0]?.label ?? "", /any consumer/, "also in a branch with a preview, before it has readers");
  const reader = { isolation: "read_committed", alive: true, paused: false, positions: {}, delivered: {}, delivered_count: 0, applied_count: 0, skipped_duplicates: 0, lanes: { "t-0": lane } };
  const after = rows({ broken: {}, possible: { "t-0": lane } }, { [own?.name ?? ""]: reader }, preview);
  assert.ok(after.every(({ label }) => !(label ?? "").includes("any consumer")));
  const type = [...markup(svg`${row?.draw}`).matchAll(/\bs(\d+)\b/g)].map(([, size]) => Number(size));
  assert.ok(type.length > 0 && Math.min(...type) >= 10, `type of ${type.join(", ")}`);
});

test("under the readers of a run stands the legend where there is room; runs without transactions have fewer signs", () => {
  const said = (partitions: number, of: Partial<StagePlan> = {}): string => heads(frameOf(null, view()), places({ ...planOf(2, partitions, 1), ...of }, HEADER, view(), DESK), NO_FOCUS)
    .map(({ draw }) => markup(svg`${draw}`)).join("");
  assert.match(said(1), /batch: PID·epoch, seq.*LSO; thin line: HW/s);
  const plain = said(1, { brokers: planOf(2, 1, 1).brokers.map((broker) => ({ ...broker, transactional_ids: [] })) });
  assert.ok(plain.includes("batch: PID·epoch, seq") && !plain.includes("ABORT"));
  assert.ok(plain.includes("at a producer: no seq") && !plain.includes("no marker"), "without transactions no batch waits for a marker");
  const low = { ...places(planOf(2, 1, 1), HEADER, view(), DESK), legend: { x: 0, y: 0, width: 200, height: 40 } };
  assert.equal(heads(frameOf(null, view()), low, NO_FOCUS).some(({ draw }) => markup(svg`${draw}`).includes("PID·epoch")), false, "a place without room has none");
});
