import assert from "node:assert/strict";
import test from "node:test";

import { StepWindows, sliceOf, windowOf } from "../../player/windows.ts";
import { step } from "./fixture.ts";

const window = (index: number) => Array.from({ length: 500 }, (_, place) => step(index * 500 + place + 1, place, []));

function held(windows: StepWindows, count: number): number[] {
  return Array.from({ length: count }, (_, index) => index).filter((index) => windows.get(index * 500 + 1) !== undefined);
}

test("the windows beside the reader's own are held, and every step ever seen keeps its mark", () => {
  const windows = new StepWindows(1);
  for (let index = 0; index < 8; index += 1) windows.put(window(index), 1);
  assert.deepEqual(held(windows, 8), [0, 1]);
  assert.equal(windows.seenUpTo(0), 4000);
});

test("where the reader goes, what is far from there goes", () => {
  const windows = new StepWindows(1);
  for (const index of [0, 1, 2]) windows.put(window(index), 1);
  windows.put(window(6), 3200);
  assert.deepEqual(held(windows, 8), [6]);
  windows.put(window(5), 3200);
  windows.put(window(7), 3200);
  assert.deepEqual(held(windows, 8), [5, 6, 7]);
});

test("a window that came in slices is one window", () => {
  const windows = new StepWindows(1);
  const steps = window(0);
  for (let from = 0; from < 500; from += 125) windows.put(steps.slice(from, from + 125), 1);
  assert.deepEqual([windows.get(1)?.number, windows.get(500)?.number, windows.get(501)], [1, 500, undefined]);
  assert.deepEqual([sliceOf(125), sliceOf(126), sliceOf(500), windowOf(500), windowOf(501)], [0, 1, 3, 0, 1]);
});
