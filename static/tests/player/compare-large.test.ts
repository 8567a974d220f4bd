import assert from "node:assert/strict";
import test from "node:test";

import { largeOf, spreadOf } from "../../player/compare-large.ts";
import type { Frame } from "../../player/frame.ts";
import { frameOf, logBatch, partition, replica, stepOf, view } from "../diagrams/fixture.ts";

const MARKER = { control: "COMMIT", serials: [] };

/** A log of one record, and of its marker if that was appended (at `marker` ms). */
const log = (marker: number | null): ReturnType<typeof partition> => {
  const batches = [logBatch(0, 1), ...(marker === null ? [] : [logBatch(1, 1, { ...MARKER, appended_at: marker })])];
  return partition(replica(batches, { last_stable_offset: marker === null ? 0 : 2 }));
};

const at = (logs: Record<string, ReturnType<typeof partition>>, about: string | null = null): Frame =>
  frameOf(about === null ? null : stepOf({ params: { partition: about } }), view({ partitions: logs }));

const COORDINATOR = "__transaction_state-10";

test("the partition whose marker is missing in one run is large, whatever the steps are about", () => {
  const left = at({ "t-0": log(240), "t-1": log(240), [COORDINATOR]: log(250) }, COORDINATOR);
  const right = at({ "t-0": log(null), "t-1": log(240), [COORDINATOR]: log(null) }, "t-1");
  assert.equal(largeOf(left, right, "t-1"), "t-0");
});

test("at the end both logs hold the same: the one that came to it later is large", () => {
  const right = at({ "t-0": log(30240), "t-1": log(241), [COORDINATOR]: log(30250) }, COORDINATOR);
  assert.equal(largeOf(at({ "t-0": log(240), "t-1": log(240), [COORDINATOR]: log(250) }), right, null), "t-0");
});

test("where nothing differs, the step on show chooses, and then the last one", () => {
  const logs = { "t-0": log(240), "t-1": log(240) };
  assert.equal(largeOf(at(logs), at(logs, "t-1"), "t-0"), "t-1");
  assert.equal(largeOf(at(logs), at(logs), "t-1"), "t-1");
});

test("where one run is only ahead, the log in which it is ahead is large, whatever the step is about", () => {
  const right = at({ "t-0": log(null), "t-1": log(240) }, "t-1");
  assert.equal(largeOf(at({ "t-0": log(240), "t-1": log(240) }), right, "t-1", () => false), "t-0");
});

test("what the reader picked is large", () => {
  const right = { ...at({ "t-0": log(null), "t-1": log(240) }), selection: { kind: "partition", id: "t-1" } as const };
  assert.equal(largeOf(at({ "t-0": log(240), "t-1": log(240) }), right, null), "t-1");
});

test("both sides are drawn by both logs of a partition, the cluster's own logs by their words", () => {
  const logs = [log(240), log(null)];
  const views = logs.map((one) => at({ "t-0": one, [COORDINATOR]: one }).view);
  assert.deepEqual(spreadOf([...views, undefined]), {
    "t-0": { records: 1, markers: 1, logs: logs.map(({ replicas }) => replicas["1"]?.batches), readers: Object.keys(views[0]?.consumers ?? {}).sort() },
  });
});
