import assert from "node:assert/strict";
import test from "node:test";

import type { Step } from "../../player/frame.ts";
import { nextMoment, previousMoment, stepAtTime } from "../../player/lockstep.ts";
import type { Line } from "../../player/lockstep.ts";
import { step } from "./fixture.ts";

function line(times: number[], keys: string[] = [], missing: number[] = []): Line {
  const steps = times.map((at, index) => step(index + 1, at, [], { key: keys[index] ?? "same" }));
  return {
    newest: times.length,
    step: (number) => (missing.includes(number) ? undefined : (steps[number - 1] as Step | undefined)),
    time: (number) => (number === 0 ? 0 : times[number - 1]),
  };
}

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
