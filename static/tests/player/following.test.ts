import assert from "node:assert/strict";
import { test } from "node:test";
import { Following, Presenting } from "../../player/following.ts";
import type { Place, Presented } from "../../player/following.ts";
import type { Selection } from "../../player/frame.ts";
import type { PlayerStore } from "../../player/store.ts";
import type { ShownWhy } from "../../player/why-answer.ts";
import type { View } from "../../player/zoom-view.ts";

/** The part of a store that a follower uses. */
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

  /** False: the requested step has not arrived yet. */
  isThere = true;

  moveTo(number: number): void {
    this.target = number;
    if (this.isThere) this.shown = number;
    this.dispatchEvent(new Event("change"));
  }

  came(): void {
    this.shown = this.target;
    this.dispatchEvent(new Event("change"));
  }

  select(selection: Selection | null): void {
    this.selected = selection;
  }
}

function presented(number: number, step: number, more: Partial<Presented> = {}): Presented {
  return { number, branch: "1", step, view: "lanes", zoom: "", selection: null, why: null, ended: false, ...more };
}

interface Begun {
  store: Store;
  following: Following;
  views: View[];
  zooms: string[];
  whys: (string | null)[];
}

function begin(): Begun {
  const store = new Store();
  const [views, zooms, whys]: [View[], string[], (string | null)[]] = [[], [], []];
  const stage = {
    // A level may set its view a second time, which does not count.
    look: (view: View) => { if (views.at(-1) !== view) views.push(view); },
    zoom: (zoom: string) => { zooms.push(zoom); },
    why: (why: ShownWhy | null) => { whys.push(why?.key ?? null); },
  };
  return { store, following: new Following(store as unknown as PlayerStore, stage), views, zooms, whys };
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

test("the presenter's check is gone to once its step is on show, and another one is the reader's own", () => {
  const { store, following, zooms } = begin();
  store.isThere = false;
  following.heard(presented(1, 4, { zoom: "decision:3", view: "code" }));
  assert.deepEqual(zooms, []);
  store.came();
  assert.deepEqual(zooms, ["decision:3"]);
  following.zoomed("decision:3");
  assert.equal(following.state, "following");
  store.isThere = true;
  following.heard(presented(2, 4, { zoom: "decision:4", view: "code" }));
  assert.deepEqual([zooms, following.state], [["decision:3", "decision:4"], "following"]);
  following.zoomed("decision:5");
  assert.equal(following.state, "free");
  following.followAgain();
  assert.deepEqual([zooms.at(-1), following.state], ["decision:4", "following"]);
});

test("the presenter's answer comes along, again for who comes back, and goes", () => {
  const { store, following, whys } = begin();
  const why: ShownWhy = { key: "why.lso", params: {}, links: [] };
  following.heard(presented(1, 4));
  following.heard(presented(2, 4, { why }));
  following.heard(presented(3, 5, { why: structuredClone(why) }));
  assert.deepEqual(whys, [null, "why.lso"]);
  store.moveTo(1);
  following.heard(presented(4, 5, { why: null }));
  assert.deepEqual(whys, [null, "why.lso"], "who let go keeps what is on show");
  following.followAgain();
  assert.deepEqual(whys, [null, "why.lso", null]);
});

function presenter(resumed = false): { presenting: Presenting; sent: number[]; pass: () => void; go: (step: number) => void; cut: (lost: boolean) => void } {
  const sent: number[] = [];
  const waiting: (() => void)[] = [];
  let place: Place = { branch: "1", step: 0, view: "lanes", zoom: "", selection: null, why: null };
  let lost = false;
  const presenting = new Presenting(
    () => place,
    ({ step }) => {
      if (!lost) sent.push(step);
      return !lost;
    },
    resumed,
    { after: (_milliseconds, action) => waiting.push(action) },
  );
  return {
    presenting,
    sent,
    pass: () => waiting.splice(0).forEach((action) => action()),
    go: (step) => {
      place = { ...place, step };
      presenting.changed();
    },
    cut: (isLost) => (lost = isLost),
  };
}

test("a presenter who scrubs tells the first place and the last, not all between", () => {
  const { sent, pass, go } = presenter();
  for (const step of [1, 2, 3, 4]) go(step);
  assert.deepEqual(sent, [1]);
  pass();
  assert.deepEqual(sent, [1, 4]);
  pass();
  pass();
  assert.deepEqual(sent, [1, 4]);
});

test("what could not be sent is sent when the connection is there again", () => {
  const { presenting, sent, pass, go, cut } = presenter();
  go(1);
  pass();
  cut(true);
  go(5);
  cut(false);
  presenting.again();
  assert.deepEqual(sent, [1, 5]);
});

test("opening the page again is not a move of the presenter", () => {
  const { sent, pass, go } = presenter(true);
  go(6);
  pass();
  go(7);
  assert.deepEqual(sent, [7]);
});
