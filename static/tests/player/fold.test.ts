import assert from "node:assert/strict";
import test from "node:test";

import { changedPaths, Walk } from "../../player/fold.ts";
import { pathKey } from "../../player/frame.ts";
import type { Step, View } from "../../player/frame.ts";
import { makeRun, step, withoutEmpty } from "./fixture.ts";

for (const seed of [1, 2, 3]) {
  test(`folding forward gives every view (seed ${seed})`, () => {
    const { steps, views } = makeRun(300, seed);
    const walk = new Walk(views[0] as View);
    steps.forEach((one, index) => {
      walk.forward(one);
      assert.deepEqual(withoutEmpty(walk.freeze()), withoutEmpty(views[index + 1] as View), `step ${one.number}`);
    });
  });

  test(`folding backward gives every view (seed ${seed})`, () => {
    const { steps, views } = makeRun(300, seed);
    const walk = new Walk(views[300] as View);
    for (let index = 299; index >= 0; index -= 1) {
      walk.backward(steps[index] as Step);
      assert.deepEqual(withoutEmpty(walk.freeze()), withoutEmpty(views[index] as View), `before step ${index + 1}`);
    }
  });
}

test("a walk changes neither its first view nor a view it gave away nor a step", () => {
  const { steps, views } = makeRun(100);
  const first = views[0] as View;
  const copyOfFirst = structuredClone(first);
  const copyOfSteps = structuredClone(steps);
  const walk = new Walk(first);
  for (const one of steps.slice(0, 50)) walk.forward(one);
  const given = walk.freeze();
  const copyOfGiven = structuredClone(given);
  for (const one of steps.slice(50)) walk.forward(one);
  walk.freeze();
  assert.deepEqual(first, copyOfFirst);
  assert.deepEqual(given, copyOfGiven);
  assert.deepEqual(steps, copyOfSteps);
});

test("what did not change stays the same object", () => {
  const walk = new Walk({ time: 0, clients: {}, consumers: {} } as View);
  walk.forward(step(1, 1, [{ path: ["clients", "p1"], after: {} }]));
  const one = walk.freeze();
  walk.forward(step(2, 2, [{ path: ["time"], before: 0, after: 2 }]));
  const two = walk.freeze();
  assert.notEqual(one, two);
  assert.equal(one.clients, two.clients);
});

test("changed paths hold every changed path and those above, and no others", () => {
  const one = step(1, 1, [{ path: ["a", "b", "c"], after: 1 }, { path: ["time"], after: 2 }]);
  assert.deepEqual([...changedPaths(one)].sort(), [pathKey(["a"]), pathKey(["a", "b"]), pathKey(["a", "b", "c"]), "time"].sort());
  assert.equal(changedPaths(null).size, 0);
});
