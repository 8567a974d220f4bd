import assert from "node:assert/strict";
import test from "node:test";
import { rowEnd } from "../../player/row-end.ts";

test("a list ends in the middle of the last row that its place reaches", () => {
  assert.equal(rowEnd([20, 60, 100, 140], 120), 100);
  assert.equal(rowEnd([20, 60, 100, 140], 100), 100);
});

test("it keeps its height where a row is larger than half of it", () => {
  assert.equal(rowEnd([20, 130], 120), null);
  assert.equal(rowEnd([], 120), null);
});
