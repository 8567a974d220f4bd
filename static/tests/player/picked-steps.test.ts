import assert from "node:assert/strict";
import { test } from "node:test";
import { readSteps, writeSteps } from "../../player/picked-steps.ts";

test("steps are read in any order, each once, as far as the run has them", () => {
  assert.deepEqual(readSteps("12–14, 3; 3 13-15", 14), [3, 12, 13, 14]);
  assert.deepEqual(readSteps("0", 14), [0]);
  assert.deepEqual(readSteps("9-7, x, -, 1-2-3, ,", 14), []);
});

test("a range without an end in the run ends with it", () => {
  assert.deepEqual(readSteps("3-99999999999999", 5), [3, 4, 5]);
});

test("neighbours are written as a range, and read again they are the same", () => {
  assert.equal(writeSteps([3, 12, 13, 14]), "3, 12–14");
  assert.deepEqual(readSteps(writeSteps([0, 2, 3, 9]), 20), [0, 2, 3, 9]);
  assert.equal(writeSteps([]), "");
});
