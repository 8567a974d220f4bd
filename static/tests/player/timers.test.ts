import assert from "node:assert/strict";
import test from "node:test";

import type { View } from "../../player/frame.ts";
import { endedSubject, endedTimers } from "../../diagrams/timers.ts";
import { endOf } from "../../player/selection-about.ts";
import { timersOf } from "../../player/timers.ts";
import { client, clientBatch, frameOf, speakEnglish, view } from "../diagrams/fixture.ts";

const LINGER = { kind: "linger", subject: "b1", since: 95, until: 105 };
const TIMEOUT = { kind: "transaction_timeout", subject: "txn-1", since: 20, until: 15_020 };
const VIEW = {
  time: 100,
  clients: { p1: { timers: { "linger b1": LINGER } } },
  derived: { pending: [], disagreements: {}, broken: {}, timers: { "broker-2/transaction_timeout txn-1": { actor: "broker-2", ...TIMEOUT } } },
} as unknown as View;

test("timers of clients and those that the engine derives stand together", () => {
  assert.deepEqual(timersOf(VIEW), [
    { actor: "p1", name: "linger b1", timer: LINGER },
    { actor: "broker-2", name: "transaction_timeout txn-1", timer: TIMEOUT },
  ]);
});

test("the end of every component's timer is known", () => {
  assert.equal(endOf({ kind: "timer", id: "broker-2/transaction_timeout txn-1" }, VIEW), 15_020);
  assert.equal(endOf({ kind: "timer", id: "broker-2/transaction_timeout txn-2" }, VIEW), null);
  assert.equal(endOf({ kind: "actor", id: "broker-2" }, VIEW), null);
});

test("a timer of a numbered transaction is named with its actor when it ends", () => {
  const frame = frameOf(null, view({ clients: {} }));
  const timer = { kind: "back_check", subject: "1", since: 0, until: 5 };
  assert.equal(endedSubject(frame, { actor: "middleware", name: "back_check 1", timer }), "middleware 1");
  const linger = { actor: "p1", name: "linger b1", timer: LINGER };
  assert.equal(endedSubject(frame, linger), "b1");
  const known = frameOf(null, view({ clients: { p1: client({ batches: { b1: clientBatch({ serials: [2, 3] }) } }) } }));
  assert.equal(endedSubject(known, linger), "r2–r3", "a batch that is known is named by its records");
});

test("a timer that is gone only after its end is said to have ended at its end", () => {
  speakEnglish();
  const frame = frameOf(null, view({ clients: {}, time: 120 }));
  const linger = { actor: "p1", name: "linger b1", timer: LINGER };
  assert.match(endedTimers(frame, [], [linger]) ?? "", /105/);
  const stopped = { ...linger, timer: { ...LINGER, until: 130 } };
  assert.match(endedTimers(frame, [], [stopped]) ?? "", /120/);
});
