import assert from "node:assert/strict";
import test from "node:test";

import { aboutIt, endOf } from "../../player/selection-about.ts";
import { pointed } from "../../player/pointing.ts";
import type { Selection, View } from "../../player/frame.ts";

const message: Selection = { kind: "message", id: "7" };

test("the innermost panel on the path says what a press would select", () => {
  const panel = Object.assign(new EventTarget(), { pointedAt: (path: readonly EventTarget[]) => (path.length > 2 ? message : null) });
  const inside = new EventTarget();
  assert.deepEqual(pointed([inside, panel, new EventTarget()]), message);
  assert.equal(pointed([inside, panel]), null);
  assert.equal(pointed([inside, new EventTarget()]), null);
});

test("what steps name can be looked for, and nothing else", () => {
  assert.deepEqual(aboutIt(message), { on: "subject", kind: "message", id: "7" });
  assert.deepEqual(aboutIt({ kind: "transaction", id: "txn-1" }), { on: "subject", kind: "transaction", id: "txn-1" });
  for (const kind of ["batch", "record", "timer"] as const) assert.equal(aboutIt({ kind, id: "p1/b1" }), null);
});

test("a timer ends when the view says so, whatever stands in its name", () => {
  const view = { time: 5, clients: { p1: { timers: { "expiry a/b": { kind: "expiry", subject: "a/b", since: 1, until: 99 } } } } } as unknown as View;
  assert.equal(endOf({ kind: "timer", id: "p1/expiry a/b" }, view), 99);
  assert.equal(endOf({ kind: "timer", id: "p1/gone" }, view), null);
  assert.equal(endOf({ kind: "timer", id: "p9/expiry a/b" }, view), null);
  assert.equal(endOf(message, view), null);
});
