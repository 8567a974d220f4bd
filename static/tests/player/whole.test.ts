import assert from "node:assert/strict";
import test from "node:test";

import type { View } from "../../player/frame.ts";
import { wholeView } from "../../player/whole.ts";

const BARE = {
  time: 3,
  clients: { p1: { alive: true, transaction_manager: { state: "READY" } }, p2: { alive: true, transaction_manager: null } },
  partitions: { "t-0": { leader: 1, replicas: { "1": { log_end: 4 } } }, "t-1": { leader: 2 } },
} as unknown as View;

test("tables and lists that hold nothing are there again, at every depth", () => {
  const view = wholeView(BARE);
  assert.deepEqual(view.records, {});
  assert.deepEqual(view.network?.messages, {});
  assert.deepEqual(view.clients?.["p1"]?.requests, {});
  assert.deepEqual(view.clients?.["p1"]?.pool.waiters, []);
  assert.deepEqual(view.clients?.["p1"]?.transaction_manager?.partitions, {});
  assert.equal(view.clients?.["p2"]?.transaction_manager, null);
  assert.deepEqual(view.partitions?.["t-0"]?.replicas["1"]?.producers, {});
  assert.deepEqual(view.partitions?.["t-1"]?.replicas, {});
  assert.equal(view.time, 3);
});

test("the view it was made from is not touched, and the same view gives the same object", () => {
  const copy = structuredClone(BARE);
  assert.equal(wholeView(BARE), wholeView(BARE));
  assert.deepEqual(BARE, copy);
});

test("a part that did not change stays the same object in the next view", () => {
  const next = { ...BARE, time: 4 };
  const one = wholeView(BARE);
  const two = wholeView(next);
  assert.equal(one.clients?.["p1"], two.clients?.["p1"]);
  assert.equal(one.partitions, two.partitions);
});
