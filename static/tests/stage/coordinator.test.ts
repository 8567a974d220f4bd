import assert from "node:assert/strict";
import { test } from "node:test";
import { svg } from "lit";
import { say } from "../../player/text.ts";
import type { Focus } from "../../stage/contract.ts";
import { NO_FOCUS } from "../../stage/contract.ts";
import { coordinatorObjects, railOf, railTag } from "../../stage/coordinator.ts";
import { places } from "../../stage/places.ts";
import { HEADER, frameOf, logBatch, markup, partition, replica, stepOf, view } from "../diagrams/fixture.ts";
import { DESK, planOf } from "./plans.ts";
import { speakStage } from "./words.ts";

speakStage();

const ENTRY = {
  state: "PrepareAbort", pending_state: null, producer_id: 1000, last_producer_id: null, producer_epoch: 0, last_producer_epoch: null, timeout_ms: 60000,
  partitions: ["t-0"], started_at: 1, times_out_at: null, last_update: 2, failed_epoch_fence: false, coordinator_epoch: 0, log_partition: 10,
};

test("the log line of a coordinator leaves no room for a tag that stands over the coordinator", () => {
  const plan = { ...planOf(1, 1, 1), brokers: [{ name: "broker-1", lanes: ["t-0"], transactional_ids: ["txn-1"], groups: [] }] };
  const here = places(plan, HEADER, view(), DESK);
  const frame = frameOf(stepOf(), view({ brokers: { 1: { alive: true, transactions: { "txn-1": ENTRY } } } } as never));
  const tag = { key: "stage.tag.being_written", params: {} };
  const focus: Focus = { ...NO_FOCUS, kind: "refused", actor: "broker-1", transactional_id: "txn-1", tag };
  assert.notEqual(railTag(frame, here, focus, "broker-1"), null);
  assert.equal(railTag(frame, here, { ...focus, compared: [["state", "PrepareAbort"]] }, "broker-1"), null);
});

test("an id that is empty again shows the way that it went last", () => {
  const here = places({ ...planOf(1, 1, 1), brokers: [{ name: "broker-1", lanes: ["t-0"], transactional_ids: ["txn-1"], groups: [] }] }, HEADER, view(), DESK);
  const drawn = (states: readonly string[]): string => {
    const batches = states.map((state, index) => logBatch(index, 1, { content: { kind: "transaction_state", keys: ["txn-1"], values: [{ state }] } } as never));
    const frame = frameOf(stepOf(), view({
      brokers: { 1: { alive: true, transactions: { "txn-1": { ...ENTRY, state: "Empty" } } } },
      partitions: { "__transaction_state-10": partition(replica(batches)) },
    } as never));
    return coordinatorObjects(frame, here, NO_FOCUS, "broker-1", here.brokers["broker-1"]?.coordinator ?? assert.fail()).map(({ draw }) => markup(svg`${draw}`)).join("");
  };
  assert.match(drawn(["Empty", "Ongoing", "PrepareCommit", "CompleteCommit", "Empty", "Ongoing", "PrepareCommit", "CompleteCommit", "Empty"]), />\d earlier</);
  assert.match(drawn(["Empty"]), /CompleteCommit/);
  assert.match(drawn(["Empty", "Ongoing", "PrepareAbort", "CompleteAbort", "Empty"]), /CompleteAbort/);
  assert.doesNotMatch(drawn(["Empty", "Ongoing", "PrepareAbort", "CompleteAbort", "Empty"]), /CompleteCommit/);
});

test("a state that the usual path does not have follows the one that the id has left", () => {
  assert.deepEqual(railOf("CompleteCommit", "Dead", null), ["Empty", "Ongoing", "PrepareCommit", "CompleteCommit", "Dead"]);
  assert.deepEqual(railOf("Empty", "Dead", null), ["Empty", "Dead"]);
  assert.deepEqual(railOf("CompleteCommit", "PrepareAbort", null), ["CompleteCommit", "PrepareAbort", "CompleteAbort"]);
});

test("a coordinator whose only id expired says so, and shows the records of its log", () => {
  const here = places({ ...planOf(1, 1, 1), brokers: [{ name: "broker-1", lanes: ["t-0"], transactional_ids: ["txn-1"], groups: [] }] }, HEADER, view(), DESK);
  const drawn = (last: object | null): string => {
    const batches = [{ state: "Empty" }, last].map((value, index) => logBatch(index, 1, { content: { kind: "transaction_state", keys: ["txn-1"], values: [value] } } as never));
    const frame = frameOf(stepOf(), view({ brokers: { 1: { alive: true, transactions: {} } }, partitions: { "__transaction_state-10": partition(replica(batches)) } } as never));
    return coordinatorObjects(frame, here, NO_FOCUS, "broker-1", here.brokers["broker-1"]?.coordinator ?? assert.fail()).map(({ draw }) => markup(svg`${draw}`)).join("");
  };
  assert.match(drawn(null), /removed: tombstone at offset 1/);
  assert.match(drawn(null), />∅</);
  assert.doesNotMatch(drawn({ state: "CompleteCommit" }), /removed/);
});

test("a tag beside a coordinator's state names the broker without a response, so it does not read as the coordinator's own", () => {
  for (const key of ["stage.tag.marker_unanswered", "stage.tag.marker_unanswered_short"]) {
    assert.ok(say(key, { broker: "broker-1", partitions: ["t-0"] }).startsWith("No response from broker-1"), key);
  }
});
