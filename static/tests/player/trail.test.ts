import assert from "node:assert/strict";
import { test } from "node:test";
import { Trail, defaults } from "../../player/trail.ts";

function rested(...steps: number[]): Trail {
  const trail = new Trail();
  for (const step of steps) {
    trail.moved("1", step);
    trail.rests();
  }
  return trail;
}

test("a reader who rests before where they rested last went back from there, once", () => {
  const trail = rested(4, 9);
  for (const passed of [8, 7, 6]) trail.moved("1", passed);
  trail.rests();
  trail.moved("1", 7);
  trail.rests();
  assert.deepEqual(trail.take(), { branch: "1", last: 7, furthest: 9, backs: [9] });
});

test("what was sent is not sent again", () => {
  const trail = rested(3, 1);
  assert.deepEqual(trail.take()?.backs, [3]);
  assert.equal(trail.take(), null);
  trail.moved("1", 1);
  assert.equal(trail.take(), null);
  trail.moved("1", 2);
  assert.deepEqual(trail.take(), { branch: "1", last: 2, furthest: 3, backs: [] });
});

test("going to another branch ends the trail of the first", () => {
  const trail = rested(5, 2);
  assert.deepEqual(trail.moved("2", 8), { branch: "1", last: 2, furthest: 5, backs: [5] });
  assert.deepEqual(trail.take(), { branch: "2", last: 8, furthest: 8, backs: [] });
});

test("a message has a bound", () => {
  const trail = new Trail();
  for (let turn = 0; turn < defaults.backsMax + 20; turn += 1) {
    trail.moved("1", 9);
    trail.rests();
    trail.moved("1", 1);
    trail.rests();
  }
  assert.equal(trail.take()?.backs.length, defaults.backsMax);
});
