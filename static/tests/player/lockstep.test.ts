import assert from "node:assert/strict";
import test from "node:test";

import type { Step } from "../../player/frame.ts";
import { compareOn, nextMoment, previousMoment, stepAtTime } from "../../player/lockstep.ts";
import type { Line } from "../../player/lockstep.ts";
import { step } from "./fixture.ts";

const START = { sameUpTo: 0, first: null, isComplete: false };

function line(times: number[], keys: string[] = [], missing: number[] = []): Line {
  const steps = times.map((at, index) => step(index + 1, at, [], { key: keys[index] ?? "same" }));
  return {
    newest: times.length,
    step: (number) => (missing.includes(number) ? undefined : (steps[number - 1] as Step | undefined)),
    time: (number) => (number === 0 ? 0 : times[number - 1]),
  };
}

test("the first step that differs in what happened is found", () => {
  const found = compareOn(START, line([1, 2, 3], ["a", "b", "c"]), line([1, 2, 3], ["a", "x", "c"]));
  assert.deepEqual(found, { sameUpTo: 1, first: 2, isComplete: true });
});

test("the same thing at another time differs", () => {
  assert.equal(compareOn(START, line([1, 5]), line([1, 6])).first, 2);
});

test("stops at what was not fetched and goes on from there", () => {
  const right = line([1, 2, 3], ["a", "a", "z"]);
  const waiting = compareOn(START, line([1, 2, 3], ["a", "a", "a"], [2]), right);
  assert.deepEqual(waiting, { sameUpTo: 1, first: null, isComplete: false });
  assert.deepEqual(compareOn(waiting, line([1, 2, 3], ["a", "a", "a"]), right), { sameUpTo: 2, first: 3, isComplete: true });
});

test("runs that are equal as far as both go have no difference", () => {
  assert.deepEqual(compareOn(START, line([1, 2]), line([1, 2, 3])), { sameUpTo: 2, first: null, isComplete: true });
});

test("the step at a time is the last one not later", () => {
  const run = line([3, 3, 8, 8, 8, 20]);
  assert.deepEqual([0, 2, 3, 7, 8, 19, 20, 99].map((at) => stepAtTime(run, at)), [0, 0, 2, 2, 5, 5, 6, 6]);
});

test("moments are those of either run", () => {
  const lines = [line([3, 8, 20]), line([3, 5, 30])];
  assert.deepEqual([0, 3, 5, 8, 20].map((at) => nextMoment(lines, at)), [3, 5, 8, 20, 30]);
  assert.equal(nextMoment(lines, 30), null);
  assert.deepEqual([30, 20, 8, 5, 3, 0].map((at) => previousMoment(lines, at)), [20, 8, 5, 3, 0, 0]);
});
