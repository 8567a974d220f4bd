import assert from "node:assert/strict";
import { test } from "node:test";
import { overlap } from "../../diagrams/geometry.ts";
import type { LogBatchView } from "../../player/frame.ts";
import { hueInLog, isFenced } from "../../diagrams/instance.ts";
import { signsIn } from "../../stage/legend.ts";
import { places } from "../../stage/places.ts";
import { cellsText } from "../../stage/under-phone.ts";
import { HEADER, derived, frameOf, logBatch, partition, replica, view } from "../diagrams/fixture.ts";
import { DESK, planOf } from "./plans.ts";
import { speakStage } from "./words.ts";

const signs = (batches: LogBatchView[], fenced: Record<string, number> = {}): string[] => {
  const log = partition(replica(batches));
  const frame = frameOf(null, view({ clients: {}, partitions: { "t-0": log }, derived: derived({ fenced }) }));
  const here = places(planOf(1, 1, 2, 0), HEADER, frame.view, DESK);
  return signsIn(frame, { ...here, clients: {} }).map(([key]) => key.replace("stage.sign.", ""));
};

test("The legend has what is on the stage, and nothing else", () => {
  const one = signs([logBatch(40, 1)]);
  assert.ok(one.includes("batch") && one.includes("lso"));
  assert.ok(!one.some((key) => ["open", "aborted", "marker", "hue", "old", "removed", "reader"].includes(key)), one.join());
  const more = signs([logBatch(39, 1), logBatch(40, 1, { producer_id: 7, outcome: "aborted" }), logBatch(41, 1, { producer_id: 7, control: "ABORT" })], { 7: 0 });
  for (const key of ["aborted", "marker", "hue", "old"]) assert.ok(more.includes(key), `${key} of ${more.join()}`);
});

test("In a run without sequences, the legend names none", () => {
  const plain = { producer_id: null, producer_epoch: null, first_sequence: null, last_sequence: null };
  assert.deepEqual(signs([logBatch(40, 1, plain)]).slice(0, 1), ["plain_batch"]);
});

test("What has the fenced epoch or a lower one is fenced", () => {
  const drawn = view({ derived: derived({ fenced: { 1000: 1 } }) });
  assert.deepEqual([0, 1, 2, null].map((epoch) => isFenced(drawn, 1000, epoch)), [true, true, false, false]);
  assert.equal(isFenced(drawn, 1001, 0), false);
});

test("What a log has of a fenced epoch is filled once its transaction is decided", () => {
  const drawn = view({ derived: derived({ fenced: { 1000: 1 } }) });
  const one = { producer_id: 1000, producer_epoch: 0 };
  const hues = (["open", "committed", "aborted"] as const).map((outcome) => hueInLog(drawn, { hue: () => "h1" }, logBatch(0, 1, { ...one, outcome })));
  assert.deepEqual(hues, ["h1 old", "h1", "h1"]);
});

test("Without consumers the legend has their column; where they leave no room, it stands under the only client", () => {
  for (const plan of [planOf(3, 1, 1, 0), planOf(3, 1, 2, 0), planOf(3, 2, 1, 2)]) {
    const run = places(plan, HEADER, { time: 0 }, DESK);
    const legend = run.legend ?? assert.fail();
    for (const { box } of [...Object.values(run.clients), ...Object.values(run.brokers), ...Object.values(run.readers).flatMap((rows) => Object.values(rows))]) assert.ok(!overlap(box, legend));
    assert.ok(legend.y + legend.height <= run.height);
  }
});

test("Under a phone's picture stands what the numbers in its cells are, from the first batch with a sequence on", () => {
  speakStage();
  const said = (batch: LogBatchView): string => cellsText(view({ clients: {}, partitions: { "t-0": partition(replica([batch])) } }));
  assert.equal(said(logBatch(0, 2)), "cells: PID·epoch, seq");
  assert.equal(said(logBatch(0, 2, { producer_id: null, producer_epoch: null, first_sequence: null, last_sequence: null })), "");
  assert.equal(said(logBatch(0, 1, { control: "ABORT" })), "");
});
