import assert from "node:assert/strict";
import test from "node:test";

import { axisOf, forksOf, roundEnd, stepAt, ticks, wayOf, xOf } from "../../player/timeline.ts";
import { MARK_INTERESTING, MARK_LOST_MESSAGE, MARK_SEEN } from "../../player/windows.ts";
import { branch } from "./fixture.ts";

test("while a run can go on the axis ends at a round number beyond it", () => {
  assert.deepEqual([0, 1, 19, 20, 42, 96, 97, 500, 5000].map(roundEnd), [20, 20, 20, 30, 60, 100, 150, 600, 6000]);
});

test("a finished run fills the axis", () => {
  assert.deepEqual(axisOf([branch("main", 96, { finished: "quiet" })], 124, 952), { left: 124, right: 952, end: 96 });
  assert.equal(axisOf([branch("main", 96, { finished: "quiet" }), branch("b", 40)], 0, 100).end, 96);
  assert.equal(axisOf([], 0, 100).end, 20);
});

test("every step of 20,000 is found again from its x", () => {
  const axis = { left: 124, right: 952, end: 20000 };
  for (const number of [0, 1, 9999, 19999, 20000]) {
    assert.equal(stepAt(axis, xOf(axis, number), 20000), number);
  }
});

test("outside the axis is its nearest end", () => {
  const axis = { left: 100, right: 200, end: 50 };
  assert.equal(stepAt(axis, -20, 42), 0);
  assert.equal(stepAt(axis, 900, 42), 42);
});

test("ticks of 20,000 steps cost no more than their columns", () => {
  const axis = { left: 0, right: 900, end: 20000 };
  const mark = (number: number): number => MARK_SEEN | (number % 2 === 0 ? MARK_INTERESTING : 0);
  const drawn = ticks(axis, 20000, mark, 66);
  assert.ok(drawn.plain.split("M").length - 1 <= 301, `${drawn.plain.split("M").length}`);
  assert.ok(drawn.interesting.length <= 130, `${drawn.interesting.length}`);
});

test("marks become ticks, what was never fetched is said to be unknown", () => {
  const axis = { left: 0, right: 100, end: 10 };
  const marks = [0, 1, MARK_SEEN | MARK_LOST_MESSAGE, 0, 0, MARK_SEEN | MARK_INTERESTING, 1, 1, 1, 1, 0];
  const drawn = ticks(axis, 10, (number) => marks[number] as number, 60);
  assert.equal(drawn.plain, "M10.0 60v-4M20.0 60v-4M50.0 60v-4M60.0 60v-4M70.0 60v-4M80.0 60v-4M90.0 60v-4");
  assert.deepEqual([drawn.interesting, drawn.lost, drawn.unknown], [[5], [2], [[3, 4], [10, 10]]]);
});

test("in a run with beats every beat has its own scale, and every step is found again", () => {
  const segments = [{ first: 1, last: 4, x: 10, width: 40 }, { first: 5, last: 104, x: 53, width: 200 }];
  const axis = { left: 10, right: 253, end: 104, segments };
  for (let number = 0; number <= 104; number += 1) assert.equal(stepAt(axis, xOf(axis, number), 104), number);
  assert.equal(xOf(axis, 4), 45);
  assert.equal(xOf(axis, 104), 253, "at its last step nothing is ahead");
  assert.ok(xOf(axis, 5) > 53);
  assert.equal(xOf(axis, 500), xOf(axis, 104), "behind what was planned is its end");
  assert.equal(stepAt(axis, 250, 20), 20, "what is not made cannot be gone to");
  const drawn = ticks(axis, 104, () => MARK_SEEN, 60);
  assert.equal(drawn.plain.split("M").length - 1, 104);
});

test("other branches are shown where they leave those on show", () => {
  const branches = [
    branch("main", 96), branch("a", 60, { parent: "main", leaves_at: 30 }), branch("b", 70, { parent: "main", leaves_at: 30 }),
    branch("c", 80, { parent: "b", leaves_at: 50 }), branch("d", 90, { parent: "main", leaves_at: 40 }),
  ];
  const drawn = (...onShow: [owner: string, to: number][]) =>
    forksOf(branches, onShow.map(([owner, to]) => ({ owner, to }))).map(({ at, branches: leaving }) => [at, leaving.map(({ id }) => id)]);
  assert.deepEqual(drawn(["main", 96]), [[30, ["a", "b"]], [40, ["d"]]]);
  assert.deepEqual(drawn(["main", 30], ["b", 70]), [[30, ["a"]], [50, ["c"]]], "d leaves main behind the step at which b has left it");
});

test("a finger that goes up or down scrolls, and one that has hardly moved has not chosen yet", () => {
  assert.deepEqual([wayOf(2, 3), wayOf(9, 4), wayOf(-8, 1), wayOf(3, -12), wayOf(0, 7)], [null, "along", "along", "across", "across"]);
});
