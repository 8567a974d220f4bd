import assert from "node:assert/strict";
import test from "node:test";

import { toFold } from "../../player/column-fit.ts";
import type { Fitted } from "../../player/column-fit.ts";
import { FitTimes } from "../../player/column-folds.ts";
import type { Frame } from "../../player/frame.ts";
import { panelsOf, placesOf } from "../../player/panels.ts";

const panel = (tag: string, open: number, over: Partial<Fitted> = {}): Fitted => ({
  tag, open, folded: Math.min(open, 18), about: false, kept: false, ...over,
});

test("nothing folds while all of it fits", () => {
  assert.deepEqual([...toFold([panel("a", 100), panel("b", 100)], 200)], []);
});

test("what the step is not about folds first, from below, and no more than needed", () => {
  const panels = [panel("a", 100, { about: true }), panel("b", 100), panel("c", 100), panel("d", 18)];
  assert.deepEqual([...toFold(panels, 250)], ["c"]);
  assert.deepEqual([...toFold(panels, 160)], ["c", "b"]);
  assert.deepEqual([...toFold(panels, 80)], ["c", "b", "a"]);
});

test("what a later panel made room for stays open", () => {
  const panels = [panel("a", 300, { about: true }), panel("b", 40), panel("c", 40)];
  assert.deepEqual(toFold(panels, 200), ["a"]);
});

test("what the reader opened stays open", () => {
  assert.deepEqual([...toFold([panel("a", 100), panel("b", 100, { kept: true })], 120)], ["a"]);
});

test("a step is about the panels that show what it decided and changed", () => {
  const step = { decision: {}, refusal: null, changes: [{ path: ["clients", "p1", "timers", "linger b1"] }, { path: ["time"] }] };
  const found = panelsOf({ step } as unknown as Frame);
  assert.deepEqual([...found].sort(), ["eos-decision", "eos-producer-table", "eos-timers"]);
  assert.deepEqual([...panelsOf(undefined)], []);
});

test("who looks at one column learns in which others the step is to be seen", () => {
  const placesAfter = (...paths: string[][]): string[] => {
    const step = { decision: null, refusal: null, changes: paths.map((path) => ({ path })) };
    return [...placesOf({ step } as unknown as Frame)].sort();
  };
  assert.deepEqual(placesAfter(["clients", "p1", "pool", "free"]), ["left"]);
  assert.deepEqual(placesAfter(["partitions", "t-0", "replicas", "1", "log_end"], ["records", "1", "told"]), ["middle", "right"]);
  assert.deepEqual(placesAfter(["time"]), []);
  assert.deepEqual([...placesOf(undefined)], []);
});

test("a step is fitted with its frame, a drag only once the reader rests", (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  let now = 0;
  let isHeld = false;
  const done: string[] = [];
  const times = new FitTimes(() => done.push("fit"), () => done.push("anew"), () => isHeld, () => now);
  const pass = (milliseconds: number): void => {
    now += milliseconds;
    context.mock.timers.tick(milliseconds);
  };
  times.frame();
  assert.deepEqual(done.splice(0), ["fit"]);
  for (let frame = 0; frame < 60; frame += 1) {
    pass(16);
    times.frame();
    times.resized();
  }
  assert.deepEqual(done.splice(0), []);
  pass(1000);
  assert.deepEqual(done.splice(0), ["anew"]);
  times.resized();
  times.frame();
  assert.deepEqual(done.splice(0), ["fit", "fit"]);
  pass(1000);
  done.length = 0;
  isHeld = true;
  for (let frame = 0; frame < 10; frame += 1) {
    pass(250); // Answers that take their time are no rest.
    times.frame();
    times.resized();
  }
  assert.deepEqual(done.splice(0), []);
  isHeld = false;
  pass(1000);
  assert.deepEqual(done.splice(0), ["anew"]);
  times.frame();
  times.stop();
  done.length = 0;
  pass(1000);
  assert.deepEqual(done, []);
});
