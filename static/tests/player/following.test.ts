import assert from "node:assert/strict";
import { test } from "node:test";
import { Following, Presenting } from "../../player/following.ts";
import type { Place, Presented, View } from "../../player/following.ts";
import type { Selection } from "../../player/frame.ts";
import type { PlayerStore } from "../../player/store.ts";

/** As much of a store as a follower touches. */
class Store extends EventTarget {
  branch = "1";
  target = 0;
  shown = 0;
  selected: Selection | null = null;
  lines = { branches: new Map([["1", {}]]) };

  switchTo(branch: string, number: number): void {
    this.branch = branch;
    this.moveTo(number);
  }

  moveTo(number: number): void {
    this.target = number;
    this.dispatchEvent(new Event("change"));
  }

  select(selection: Selection | null): void {
    this.selected = selection;
  }
}

function presented(number: number, step: number, more: Partial<Presented> = {}): Presented {
  return { number, branch: "1", step, view: "lanes", selection: null, ended: false, ...more };
}

function begin(): { store: Store; following: Following; views: View[] } {
  const store = new Store();
  const views: View[] = [];
  return { store, following: new Following(store as unknown as PlayerStore, (view) => views.push(view)), views };
}

test("a follower is taken to each place, and looks where the presenter looks", () => {
  const { store, following, views } = begin();
  following.heard(presented(1, 4));
  following.heard(presented(2, 9, { view: "spacetime", selection: { kind: "actor", id: "p1" } }));
  assert.deepEqual([store.branch, store.target, store.selected?.id, views], ["1", 9, "p1", ["lanes", "spacetime"]]);
  following.heard(presented(1, 4));
  assert.equal(store.target, 9, "an older place that comes late is ignored");
});

test("going somewhere lets go, and the presenter's next move leaves the reader alone", () => {
  const { store, following, views } = begin();
  following.heard(presented(1, 4));
  store.moveTo(2);
  assert.equal(following.state, "free");
  following.heard(presented(2, 7, { view: "text" }));
  assert.deepEqual([store.target, views], [2, ["lanes"]]);
  following.followAgain();
  assert.deepEqual([following.state, store.target, views], ["following", 7, ["lanes", "text"]]);
});

test("a branch that is not known yet is gone to when it is", () => {
  const { store, following } = begin();
  following.heard(presented(1, 4));
  following.heard(presented(2, 12, { branch: "2" }));
  assert.deepEqual([store.branch, store.target, following.state], ["1", 4, "following"]);
  store.lines.branches.set("2", {});
  store.dispatchEvent(new Event("change"));
  assert.deepEqual([store.branch, store.target, following.state], ["2", 12, "following"]);
});

test("after a lost connection the same place is said again and changes nothing for who let go", () => {
  const { store, following } = begin();
  following.heard(presented(3, 4));
  following.heard(presented(3, 4));
  assert.equal(following.state, "following");
  store.moveTo(1);
  following.heard(presented(3, 4));
  assert.deepEqual([following.state, store.target], ["free", 1]);
});

test("the end is said, and nothing takes the reader along any more", () => {
  const { store, following } = begin();
  following.heard(presented(1, 4));
  following.heard(presented(2, 4, { ended: true }));
  assert.equal(following.state, "ended");
  following.followAgain();
  store.moveTo(0);
  assert.equal(following.state, "ended");
});

function presenter(resumed = false): { presenting: Presenting; told: number[]; pass: () => void; go: (step: number) => void; cut: (lost: boolean) => void } {
  const told: number[] = [];
  const waiting: (() => void)[] = [];
  let place: Place = { branch: "1", step: 0, view: "lanes", selection: null };
  let lost = false;
  const presenting = new Presenting(
    () => place,
    ({ step }) => {
      if (!lost) told.push(step);
      return !lost;
    },
    resumed,
    { after: (_milliseconds, action) => waiting.push(action) },
  );
  return {
    presenting,
    told,
    pass: () => waiting.splice(0).forEach((action) => action()),
    go: (step) => {
      place = { ...place, step };
      presenting.changed();
    },
    cut: (isLost) => (lost = isLost),
  };
}

test("a presenter who scrubs tells the first place and the last, not all between", () => {
  const { told, pass, go } = presenter();
  for (const step of [1, 2, 3, 4]) go(step);
  assert.deepEqual(told, [1]);
  pass();
  assert.deepEqual(told, [1, 4]);
  pass();
  pass();
  assert.deepEqual(told, [1, 4]);
});

test("what could not be told is told when the connection is there again", () => {
  const { presenting, told, pass, go, cut } = presenter();
  go(1);
  pass();
  cut(true);
  go(5);
  cut(false);
  presenting.again();
  assert.deepEqual(told, [1, 5]);
});

test("opening the page again is nobody's move", () => {
  const { told, pass, go } = presenter(true);
  go(6);
  pass();
  go(7);
  assert.deepEqual(told, [7]);
});
