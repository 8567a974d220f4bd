import assert from "node:assert/strict";
import test from "node:test";

import { Slots } from "../../diagrams/slots.ts";

test("what stays keeps its key, what comes takes one that is free, in order", () => {
  const slots = new Slots<string>();
  assert.deepEqual(slots.keysFor(["a", "b", "c"]), [0, 1, 2]);
  assert.deepEqual(slots.keysFor(["b", "c", "d"]), [1, 2, 0]);
  assert.deepEqual(slots.keysFor(["x", "y", "z"]), [1, 2, 0], "nothing has to move");
  assert.deepEqual(slots.keysFor(["y"]), [2]);
  assert.deepEqual(slots.keysFor(["y", "u", "v"]), [2, 0, 1]);
});

test("keys are never shared, however the number of things changes", () => {
  const slots = new Slots<number>();
  let state = 7;
  for (let turn = 0; turn < 300; turn += 1) {
    const ids = new Set<number>();
    for (let count = turn % 9; count > 0; count -= 1) {
      state = (state * 1103515245 + 12345) % 2147483648;
      ids.add(state % 12);
    }
    const keys = slots.keysFor([...ids]);
    assert.equal(new Set(keys).size, ids.size);
  }
});
