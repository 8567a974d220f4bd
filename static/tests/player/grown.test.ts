import assert from "node:assert/strict";
import test from "node:test";

import { Walk } from "../../player/fold.ts";
import type { Change, Step, View } from "../../player/frame.ts";
import { shareGrown } from "../../player/grown.ts";
import { step } from "./fixture.ts";

const PATH = ["clients", "p1", "batches", "b1", "serials"];
const list = (length: number, first = 1) => Array.from({ length }, (_, index) => first + index);
const changed = (before: number[], after: number[], path = PATH): Change => ({ path, before, after });

function filling(from: number, to: number): Step[] {
  return list(to - from, from).map((length) => step(length, length, [changed(list(length), list(length + 1))]));
}

/** How many numbers the changes of these steps hold in their own lists. */
function numbersHeld(steps: readonly Step[]): number {
  const lists = steps.flatMap(({ changes }) => changes.flatMap((change) => Object.values(change))).filter(Array.isArray);
  return lists.filter((one) => typeof one[0] === "number").reduce((sum, one) => sum + one.length, 0);
}

test("steps that fill a batch say what they said, in their lists, as JSON and to a walk forward and back", () => {
  const plain = filling(1, 120);
  const steps = structuredClone(plain);
  shareGrown(steps);
  assert.equal(JSON.stringify(steps), JSON.stringify(plain));
  steps.forEach(({ changes }, place) => {
    assert.deepEqual([changes[0]?.before, changes[0]?.after], [plain[place]?.changes[0]?.before, plain[place]?.changes[0]?.after]);
    assert.ok("before" in (changes[0] as Change) && "after" in (changes[0] as Change));
  });
  const start = { time: 0, clients: { p1: { batches: { b1: { serials: [1] } } } } } as unknown as View;
  const walk = new Walk(start);
  for (const one of steps) walk.forward(one);
  assert.deepEqual(walk.freeze().clients?.["p1"]?.batches["b1"]?.serials, list(120));
  for (const one of steps.toReversed()) walk.backward(one);
  assert.deepEqual(walk.freeze(), start);
});

test("their lists are held once", () => {
  const steps = filling(1, 120);
  assert.ok(numbersHeld(steps) > 10_000);
  shareGrown(steps);
  assert.ok(numbersHeld(steps) < 100, `${numbersHeld(steps)} numbers`);
});

test("what is taken from, set anew, made or removed stays as it came, and so do lists of objects", () => {
  const objects = Array.from({ length: 9 }, (_, id) => ({ id }));
  const changes: Change[] = [
    changed(list(20), list(19)),
    changed(list(10), list(12, 5)),
    { path: PATH, after: list(9) },
    { path: PATH, before: list(9) },
    { path: PATH, before: objects.slice(1), after: structuredClone(objects) },
    { path: ["time"], before: 1, after: 2 },
  ];
  const steps = [step(1, 1, structuredClone(changes))];
  shareGrown(steps);
  assert.deepEqual(steps[0]?.changes, changes);
});

test("two rows of one path do not mix: a list that went back begins another", () => {
  const steps = [
    step(1, 1, [changed(list(9), list(10))]), step(2, 2, [changed(list(10), list(11))]),
    step(3, 3, [changed(list(10), [...list(10), 99])]), step(4, 4, [changed([...list(10), 99], [...list(10), 99, 100])]),
  ];
  const plain = structuredClone(steps);
  shareGrown(steps);
  assert.equal(JSON.stringify(steps), JSON.stringify(plain));
});
