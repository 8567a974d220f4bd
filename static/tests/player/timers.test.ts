import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import type { View } from "../../player/frame.ts";
import { endOf } from "../../player/selection-about.ts";
import { timersOf } from "../../player/timers.ts";

/** The same that tests/engine/test_timers.py reads. */
const CASE = JSON.parse(readFileSync("tests/engine/timers.json", "utf8")) as { view: View; running: [string, string, object][] };

test("the player and the engine gather the same timers", () => {
  assert.deepEqual(timersOf(CASE.view).map(({ actor, name, timer }) => [actor, name, timer]), CASE.running);
});

test("whoever's timer it is, its end is known", () => {
  assert.equal(endOf({ kind: "timer", id: "broker-2/transaction_timeout txn-1" }, CASE.view), 15_020);
  assert.equal(endOf({ kind: "timer", id: "broker-2/transaction_timeout txn-2" }, CASE.view), null);
  assert.equal(endOf({ kind: "actor", id: "broker-2" }, CASE.view), null);
});
