import assert from "node:assert/strict";
import test from "node:test";

import { columnsOf } from "../../player/compare-middle.ts";

test("both sides get what each asks for, in turn, as far as there is room", () => {
  assert.deepEqual(columnsOf(["p1", "broker-1"], ["p1", "broker-1"], 7), ["p1", "broker-1"]);
  assert.deepEqual(columnsOf(["broker-1", "broker-2"], ["c1"], 7), ["broker-1", "c1", "broker-2"]);
  assert.deepEqual(columnsOf(["a", "b", "c"], ["d", "e"], 3), ["a", "d", "b"]);
});
