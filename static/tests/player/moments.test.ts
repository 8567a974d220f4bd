/** Moments: which steps of two runs are shown beside each other. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Moments } from "../../player/moments.ts";

/** Both runs have steps 1 and 2. Then the right one has one more step, and the left one ends sooner. */
const moments = new Moments({ same: 2, ends: [4, 6], moments: [[2, 3], [3, 4], [3, 5], [4, 6]], parts: { "t-0": [4, 3], c1: [null, 5] }, crossed: false });

test("a step that only one run has moves that run alone", () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 6].map((moment) => moments.at(moment)), [[0, 0], [1, 1], [2, 2], [2, 3], [3, 4], [3, 5], [4, 6]]);
  assert.deepEqual([2, 3, 4].map((moment) => moments.moved(moment)), [[true, true], [false, true], [true, true]]);
  assert.deepEqual([3, 4].map((step) => moments.isShared(1, step)), [false, true]);
  assert.deepEqual(moments.at(8), [6, 8], "behind what was compared both go on");
  assert.equal(moments.first, 3);
  assert.equal(new Moments({ same: 2, ends: [2, 2], moments: [], parts: {}, crossed: false }).first, null);
});

test("the moment of a step is the first one that shows it", () => {
  assert.deepEqual([0, 2, 3, 4, 6].map((step) => moments.of(0, step)), [0, 2, 4, 6, 8]);
  assert.deepEqual([3, 4, 6].map((step) => moments.of(1, step)), [3, 4, 6]);
  assert.deepEqual([moments.upTo([2, 3]), moments.upTo([3, 5]), moments.upTo([3, 3])], [3, 5, 3]);
});

test("what a run only has at another time does not differ", () => {
  assert.deepEqual(([[3, 2], [3, 3], [4, 2]] as const).map((steps) => moments.differs("t-0", steps)), [false, true, true]);
  assert.deepEqual(([[9, 4], [3, 5]] as const).map((steps) => moments.differs("c1", steps)), [false, true]);
  assert.equal(moments.differs("p1", [9, 9]), false);
});

test("both part where the first state or number differs in either run, not where an event does", () => {
  const known = { same: 2, ends: [4, 6], moments: [[2, 3], [3, 4], [3, 5], [4, 6]], parts: {}, crossed: false };
  assert.deepEqual(moments.parting, { moment: 3, steps: [null, 3] });
  assert.deepEqual(new Moments({ ...known, parts: { "t-0": [4, 6] }, numbers: { p1: [4, 5] } }).parting, { moment: 5, steps: [null, 5] });
  assert.deepEqual(new Moments({ ...known, parts: { "t-0": [4, 6] } }).parting, { moment: 6, steps: [4, 6] });
  assert.deepEqual([new Moments(known).parting, new Moments({ ...known, moments: [] }).parting], [{ moment: 3, steps: [3, 3] }, null]);
});

test("nothing differs before the moment at which both part", () => {
  const parting = moments.parting?.moment ?? 0;
  assert.deepEqual([parting - 1, parting].map((moment) => moments.differs("t-0", moments.at(moment))), [false, true]);
});

test("the run that has gone through more states of a thing is ahead in it", () => {
  const paced = new Moments({ same: 2, ends: [9, 9], moments: [[3, 3]], parts: {}, changes: { "t-0": [[3, 5], [4, 8]] }, crossed: false });
  assert.deepEqual(([[3, 3], [3, 4], [3, 8]] as const).map((shown) => paced.ahead("t-0", shown)), ["left", null, "right"]);
  assert.equal(paced.ahead("t-1", [9, 9]), null);
});

test("a run is ahead in a thing since the moment at which only it has changed it", () => {
  const paced = new Moments({ same: 2, ends: [9, 9], moments: [[3, 3], [4, 4], [5, 4], [6, 5]], parts: {}, changes: { "t-0": [[3, 5, 6], [3]] }, crossed: false });
  assert.deepEqual(([[4, 4], [5, 4], [6, 5]] as const).map((shown) => paced.aheadSince("t-0", shown)), [null, 5, 5]);
});

test("the first difference is where a leader decides otherwise, if no state differs before; that decision is no event that both have", () => {
  const known = { same: 2, ends: [4, 6], moments: [[2, 3], [3, 4], [3, 5], [4, 6]], parts: { "t-0": [4, 6] }, crossed: false };
  const decided = new Moments({ ...known, decides: [3, 4] });
  assert.deepEqual([decided.parting, new Moments(known).parting], [{ steps: [3, 4], moment: 4, isPair: true }, { steps: [4, 6], moment: 6 }]);
  assert.deepEqual(new Moments({ ...known, decides: [4, 6], parts: { "t-0": [3, 4] } }).parting, { steps: [3, 4], moment: 4 });
  assert.deepEqual([decided.isShared(1, 4), new Moments(known).isShared(1, 4)], [false, true]);
});

test("where both decide otherwise is a moment that both have reached", () => {
  const known = { same: 2, ends: [4, 6], moments: [[2, 3], [3, 4], [3, 5], [4, 6]], parts: {}, crossed: false };
  assert.deepEqual(new Moments({ ...known, decides: [3, 5] }).decides, { steps: [3, 5], moment: 5, isPair: true });
  assert.equal(new Moments(known).timed, null);
});

test("runs that go through the same values at other times differ in time alone", () => {
  const runs = { same: 2, ends: [4, 4], moments: [[3, 3]], parts: {}, numbers: {}, timed: [3, 3], crossed: false };
  assert.equal(new Moments(runs).isOfTime, true);
  assert.equal(new Moments({ ...runs, parts: { "t-0": [3, 3] } }).isOfTime, false);
  assert.equal(new Moments({ ...runs, decides: [3, 3] }).isOfTime, false);
});
