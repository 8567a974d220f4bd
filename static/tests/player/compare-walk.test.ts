/** Two runs in lockstep: the place of each, and where they part. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Walker } from "../../player/compare-walk.ts";
import { Walk } from "../../player/compare-walk.ts";
import { Moments } from "../../player/moments.ts";
import type { PlayerStore } from "../../player/store.ts";

/** A run that is made to its end, one step each 10 ms. */
function walker(name: Walker["name"], newest: number): Walker {
  const store = { newest, target: 0, canGrow: false, busy: false, problem: null, branch: name, plans: { own: () => null }, get shown() { return this.target; }, moveTo(step: number) { this.target = step; } };
  return { name, store: store as unknown as PlayerStore, line: { newest, step: () => undefined, time: (step) => 10 * step } };
}

function walkOf(parts: Record<string, number[]>): { walk: Walk; shown: () => number[] } {
  const walk = new Walk(() => undefined);
  walk.sides = [walker("left", 5), walker("right", 6)];
  // After step 2, the left run makes steps 3 and 4 before the right one makes its step 3.
  walk.moments = new Moments({ same: 2, ends: [5, 6], moments: [[3, 2], [4, 2], [4, 3], [4, 4], [5, 5], [5, 6]], parts, crossed: false });
  return { walk, shown: () => walk.sides.map(({ store }) => store.shown) };
}

test("a press to the end counts although the runs are still being opened", async () => {
  const { walk } = walkOf({});
  // The right run is not open yet; once it is, it has six steps to make.
  class Opening extends EventTarget {
    info: object | null = null;
    newest = 0;
    target = 0;
    branch = "right";
    plans = { own: () => null };
    get canGrow(): boolean { return this.info !== null && this.newest < 6; }
    get shown(): number { return this.target; }
    growOnceFree(): void { this.newest = 6; }
    moveTo(step: number): void { this.target = step; }
  }
  const store = new Opening();
  walk.sides = [walk.sides[0] as Walker, { ...(walk.sides[1] as Walker), store: store as unknown as PlayerStore }];
  const arrived = walk.toTheEnd();
  await new Promise((resume) => setTimeout(resume));
  store.info = {};
  store.dispatchEvent(new Event("change"));
  await arrived;
  assert.deepEqual([store.newest, walk.isAtEnd], [6, true]);
});

test("both stand at one moment, and go on and back by moments", async () => {
  const { walk, shown } = walkOf({});
  walk.goTo(3);
  assert.deepEqual(shown(), [3, 2]);
  await walk.forward();
  await walk.forward();
  assert.deepEqual(shown(), [4, 3]);
  walk.back();
  assert.deepEqual(shown(), [4, 2]);
});

test("both part at the first step of either run that makes a state differ; only that run is marked", async () => {
  const { walk, shown } = walkOf({ "t-0": [3, 4] });
  await walk.showFirst(walk.parting);
  assert.deepEqual(shown(), [3, 2]);
  assert.deepEqual(walk.sides.map((side) => walk.partsHere(side)), [true, false]);
  await walk.forward();
  assert.deepEqual(walk.sides.map((side) => walk.partsHere(side)), [false, false]);
});

test("by virtual time, both part at one time, and are marked there alone", async () => {
  const { walk, shown } = walkOf({ "t-0": [4, 4] });
  await walk.turn("time");
  await walk.showFirst(walk.parting);
  assert.deepEqual([walk.partingTime, walk.at, shown()], [40, 40, [4, 4]]);
  assert.deepEqual([walk.partsHere(walk.sides[0] as Walker), walk.isBeforeParting], [true, false]);
  walk.goTo(45);
  assert.equal(walk.partsHere(walk.sides[0] as Walker), false);
});

test("the first stop is the fault that only one run has, before the differences that follow", () => {
  const { walk } = walkOf({});
  walk.moments = new Moments({ same: 2, ends: [5, 6], moments: [[2, 3], [3, 4], [4, 5], [5, 6]], parts: { "t-0": [4, 5] }, fault: [null, 3], crossed: false });
  assert.deepEqual(walk.landmarks.map(({ kind, at }) => [kind, at]), [["fault", 3], ["state", 5]]);
  walk.goTo(4);
  assert.equal(walk.placeKind, "events");
});

test("a press leads to the first difference, from there to where a leader decides differently, and back", async () => {
  const { walk } = walkOf({ "t-0": [3, 4] });
  walk.moments = new Moments({ same: 2, ends: [5, 6], moments: [[3, 2], [4, 2], [4, 3], [4, 4], [5, 5], [5, 6]], parts: { "t-0": [3, 4] }, decides: [5, 5], crossed: false });
  const kinds: (string | undefined)[] = [];
  for (let press = 0; press < 3; press += 1) {
    kinds.push(walk.landmark?.kind);
    await walk.showFirst(walk.landmark?.parting ?? null);
  }
  assert.deepEqual([kinds, walk.at], [["state", "decides", "state"], 3]);
});

test("two decisions that no moment has both stand beside each other, and the ways on go back or on in both", async () => {
  const { walk, shown } = walkOf({ "t-0": [3, 4] });
  walk.moments = new Moments({ same: 2, ends: [5, 6], moments: [[3, 2], [4, 2], [4, 3], [4, 4], [5, 5], [5, 6]], parts: { "t-0": [3, 4] }, decides: [5, 3], crossed: false });
  await walk.showFirst(walk.moments.decides);
  assert.deepEqual([shown(), walk.pair, walk.placeKind, walk.isAtEnd], [[5, 3], [5, 3], "decides", false]);
  assert.deepEqual(walk.sides.map((side) => walk.decidesHere(side)), [true, true]);
  await walk.forward();
  assert.deepEqual([shown(), walk.pair, walk.placeKind], [[5, 6], null, "ends"]);
  await walk.showFirst(walk.moments.decides);
  walk.back();
  assert.deepEqual(shown(), [4, 2]);
});

test("runs that differ in time alone part where their times do", async () => {
  const { walk, shown } = walkOf({});
  walk.moments = new Moments({ same: 2, ends: [5, 6], moments: [[3, 2], [4, 2], [4, 3], [4, 4], [5, 5], [5, 6]], parts: {}, timed: [4, 4], crossed: false });
  assert.deepEqual(walk.landmarks.map(({ kind }) => kind), ["times"]);
  await walk.showFirst(walk.parting);
  assert.deepEqual([shown(), walk.placeKind, walk.isAtOnlyLandmark], [[4, 4], "times", true]);
  walk.goTo(0);
  assert.equal(walk.placeKind, "same");
  walk.goTo(7);
  assert.equal(walk.placeKind, "after");
});

test("the other way round, both stay where they are as far as a moment or time has both", async () => {
  const { walk, shown } = walkOf({});
  walk.goTo(4);
  await walk.turn("time");
  assert.deepEqual([walk.at, shown()], [40, [4, 4]]);
  await walk.turn("step");
  assert.deepEqual(shown(), [4, 4]);
});

test("the other way round before the runs are aligned, a place behind both ends is their ends", async () => {
  const { walk, shown } = walkOf({});
  walk.moments = null;
  walk.goTo(9);
  await walk.turn("time");
  assert.deepEqual([walk.by, walk.at, shown()], ["time", 60, [5, 6]]);
});
