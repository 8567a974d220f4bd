import assert from "node:assert/strict";
import test from "node:test";

import { actionOf, belongsToFocus, KEYS } from "../../player/keys.ts";
import { Play } from "../../player/play.ts";
import type { Timers } from "../../player/play.ts";
import { PlayerStore } from "../../player/store.ts";
import { branch, Frames, makeRun, StoredSource } from "./fixture.ts";

class Clock implements Timers {
  actions = new Map<number, () => void>();
  #ids = 0;
  after(_milliseconds: number, action: () => void): number {
    this.#ids += 1;
    this.actions.set(this.#ids, action);
    return this.#ids;
  }
  cancel(timer: number): void {
    this.actions.delete(timer);
  }
  tick(): void {
    const due = [...this.actions];
    this.actions.clear();
    for (const [, action] of due) action();
  }
}

async function open(made: number, finished: string | null) {
  const source = new StoredSource({ main: makeRun(60) }, [branch("main", made, { finished })]);
  const frames = new Frames();
  const store = new PlayerStore(source, { schedule: frames.schedule, later: () => {}, startAt: { branch: null, step: 0 } });
  store.start();
  await frames.settle();
  const clock = new Clock();
  return { source, frames, store, clock, play: new Play(store, clock) };
}

test("plays one step after another and stops at the end", async () => {
  const { store, frames, clock, play } = await open(3, "quiet");
  play.start();
  const seen: number[] = [];
  for (let turn = 0; turn < 6; turn += 1) {
    clock.tick();
    await frames.settle();
    seen.push(store.shown);
  }
  assert.deepEqual(seen.slice(0, 4), [1, 2, 3, 3]);
  assert.equal(play.running, false);
  assert.equal(clock.actions.size, 0);
});

test("asks for the next steps before it runs out", async () => {
  const { source, store, frames, clock, play } = await open(5, null);
  play.start();
  await frames.settle();
  clock.tick();
  await frames.settle();
  const asked = source.asked.filter((command) => command.type === "advance");
  assert.equal(asked.length, 1, "while five steps lie ahead nothing is asked, at four credit is asked for");
  assert.ok(store.newest > 5);
  assert.equal(store.shown, 1);
});

test("pause stops at once and leaves nothing running", async () => {
  const { store, frames, clock, play } = await open(20, "quiet");
  play.start();
  clock.tick();
  await frames.settle();
  play.stop();
  clock.tick();
  await frames.settle();
  assert.equal(store.shown, 1);
  assert.equal(clock.actions.size, 0);
});

const key = (name: string, more: Partial<KeyboardEvent> = {}) => ({
  key: name,
  shiftKey: false,
  altKey: false,
  ctrlKey: false,
  metaKey: false,
  ...more,
});

test("keys do what the help lists", () => {
  assert.equal(actionOf(key("ArrowRight")), "forward");
  assert.equal(actionOf(key("ArrowRight", { shiftKey: true })), "next_interesting");
  assert.equal(actionOf(key("ArrowLeft", { shiftKey: true })), "previous_interesting");
  assert.equal(actionOf(key("PageDown")), "forward", "a presenter's remote");
  assert.equal(actionOf(key("PageUp")), "back");
  assert.equal(actionOf(key(" ")), "play");
  assert.equal(actionOf(key("B", { shiftKey: true })), "branch");
  assert.equal(actionOf(key("7")), "number");
  assert.equal(actionOf(key("?", { shiftKey: true })), "help");
  assert.equal(actionOf(key("Escape")), "close");
  assert.equal(actionOf(key("x")), null);
  assert.equal(actionOf(key("0")), "stage");
});

test("the browser's own shortcuts stay the browser's", () => {
  for (const modifier of ["altKey", "ctrlKey", "metaKey"]) {
    assert.equal(actionOf(key("ArrowLeft", { [modifier]: true })), null);
    assert.equal(actionOf(key("d", { [modifier]: true })), null);
  }
});

test("a field keeps its keys, a button keeps its space", () => {
  const inside = (selector: string) => ({ closest: (wanted: string) => (wanted.includes(selector) ? {} : null) }) as unknown as Element;
  assert.equal(belongsToFocus(key("b"), inside("textarea")), true);
  assert.equal(belongsToFocus(key(" "), inside("summary")), true);
  assert.equal(belongsToFocus(key("ArrowRight"), inside("summary")), false);
  assert.equal(belongsToFocus(key("Escape"), inside("textarea")), false);
  assert.equal(belongsToFocus(key("b"), null), false);
});

test("every key has its own action", () => {
  assert.equal(new Set(KEYS.map((row) => row.action)).size, KEYS.length);
});
