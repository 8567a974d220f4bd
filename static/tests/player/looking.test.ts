import assert from "node:assert/strict";
import test from "node:test";

import { Breakpoints, defaults } from "../../player/breakpoints.ts";
import type { Keeper } from "../../player/kept-breakpoints.ts";
import { conditionOf } from "../../player/breakpoints-condition.ts";
import type { Condition } from "../../player/conditions.ts";
import { inShort, outOfShort } from "../../player/conditions.ts";
import { placesOf } from "../../player/looking-places.ts";
import { Play } from "../../player/play.ts";
import type { Answer, Command } from "../../player/source.ts";
import { Problem } from "../../player/source.ts";
import { defaults as searching, stepNamed, StepSearch } from "../../player/step-search.ts";
import { PlayerStore } from "../../player/store.ts";
import { branch, Frames, makeRun, StoredSource } from "./fixture.ts";

/** Every `rule` condition holds at the multiples of its number: a server's answer that a test can know. */
class LookingSource extends StoredSource {
  refuses = false;

  override async ask(command: Command): Promise<Answer> {
    if (command.type !== "search" && command.type !== "run_until") return super.ask(command);
    this.asked.push(command);
    await Promise.resolve();
    if (this.refuses) throw new Problem("malformed", "problem.not_one_of");
    const conditions = command.conditions ?? [];
    const held = (number: number): number[] =>
      conditions.flatMap((condition, position) => (condition.on === "rule" && number % Number(condition.rule) === 0 ? [position] : []));
    const info = this.branches.find((one) => one.id === command.branch);
    const newest = info?.newest ?? 0;
    if (command.type === "search") {
      const to = Math.min(command.to, newest);
      const enough = command.any === true ? 1 : conditions.length;
      const numbers = [...Array(to + 1).keys()].filter((number) => number >= command.from && held(number).length >= enough);
      const hits = numbers.slice(0, 3).map((number) => ({ number, at: number, actor: "p1", key: "test.step", params: {} }));
      return { branch: command.branch, from: command.from, to, newest, numbers, hits };
    }
    for (let number = command.after + 1; number <= Math.min(newest, command.after + (command.limit ?? newest)); number += 1) {
      if (held(number).length > 0) return { branch: command.branch, newest, reached: number, stopped: "breakpoint", hits: held(number) };
    }
    return { branch: command.branch, newest, reached: newest, stopped: "end", hits: [] };
  }
}

class Kept implements Keeper {
  texts: string[];
  constructor(texts: string[] = []) {
    this.texts = texts;
  }
  read(): string[] {
    return this.texts;
  }
  write(texts: string[]): void {
    this.texts = texts;
  }
}

async function open(count: number, texts: string[] = []) {
  const source = new LookingSource({ main: makeRun(count), other: makeRun(count) }, [branch("main", count, { finished: "quiet" }), branch("other", 9)]);
  const frames = new Frames();
  const store = new PlayerStore(source, { schedule: frames.schedule, later: () => {}, startAt: { branch: null, step: 0 } });
  store.start();
  const keeper = new Kept(texts);
  const breakpoints = new Breakpoints(store, keeper);
  store.stops = breakpoints;
  await frames.settle();
  return { source, frames, store, keeper, breakpoints };
}

const every = (number: number): Condition => ({ on: "rule", rule: String(number) });
const ALL: Condition[] = [
  { on: "interesting" },
  { on: "kind", kind: "timer" },
  { on: "broken" },
  { on: "broken", guarantee: "lost" },
  { on: "state", machine: "transaction_states", state: "Ongoing" },
  { on: "state", machine: "producer_batch", state: "IN_FLIGHT", of: "p1/b1" },
  { on: "error" },
  { on: "error", error: "NOT_COORDINATOR" },
  { on: "subject", kind: "transaction", id: "a:b %/&" },
  { on: "rule", rule: "SEQ-11" },
  { on: "text", text: "最近：five", language: "zh-Hans" },
];

test("a condition's short text gives the condition again, in an address, too", () => {
  for (const condition of ALL) {
    const address = new URL("http://here/");
    address.searchParams.append("stop", inShort(condition));
    assert.deepEqual(outOfShort(new URL(address.href).searchParams.get("stop") ?? ""), condition);
  }
});

test("what is no condition is none", () => {
  for (const text of ["", "state", "state:only", "subject:coffee:x", "text:de:wort", "kind:", "%", `rule:${"x".repeat(201)}`]) {
    assert.equal(outOfShort(text), null, text);
  }
});

test("a form's fields say a condition, and an empty choice any", () => {
  const form = (fields: Record<string, string>): FormData => {
    const data = new FormData();
    for (const [name, value] of Object.entries(fields)) data.set(name, value);
    return data;
  };
  assert.deepEqual(conditionOf("broken", form({ guarantee: "" }), "en"), { on: "broken" });
  assert.deepEqual(conditionOf("state", form({ machine: "m", state: "s", of: "" }), "en"), { on: "state", machine: "m", state: "s" });
  assert.deepEqual(conditionOf("subject", form({ subject: "actor:broker-1" }), "en"), { on: "subject", kind: "actor", id: "broker-1" });
  assert.deepEqual(conditionOf("rule", form({ rule: " seq-11 " }), "en"), { on: "rule", rule: "SEQ-11" });
  assert.equal(conditionOf("text", form({ text: "  " }), "en"), null);
});

test("a run to a breakpoint takes the reader there and says what holds", async () => {
  const { store, frames, breakpoints } = await open(60);
  breakpoints.add(every(7));
  breakpoints.add(every(21));
  await breakpoints.runToNext();
  assert.deepEqual(breakpoints.outcome, { stopped: "breakpoint", step: 7, at: 7, conditions: [every(7)] });
  store.moveTo(14);
  await frames.settle();
  await breakpoints.runToNext();
  assert.deepEqual(breakpoints.outcome?.conditions, [every(7), every(21)]);
  assert.equal(store.target, 21);
  breakpoints.back();
  assert.equal(store.target, 14);
});

test("a run that meets none says how it ended", async () => {
  const { breakpoints } = await open(60);
  breakpoints.add(every(99));
  await breakpoints.runToNext();
  assert.deepEqual(breakpoints.outcome, { stopped: "end", step: 60, at: 60, conditions: [] });
});

test("a run waits before a question", async () => {
  const { store, breakpoints } = await open(60);
  store.gate = { waitsIn: (_branch, from, to) => (from <= 5 && 5 <= to ? 5 : null), coming: () => null, blocked: () => {} };
  breakpoints.add(every(7));
  await breakpoints.runToNext();
  assert.equal(store.target, 4);
  assert.deepEqual([breakpoints.outcome?.step, breakpoints.outcome?.at], [7, 4]);
});

test("stored steps are asked about in stretches, and only those not asked about yet", async () => {
  const { source, frames, breakpoints } = await open(60);
  const stretch = defaults.stretch;
  defaults.stretch = 25;
  try {
    breakpoints.add(every(7));
    await frames.settle();
  } finally {
    defaults.stretch = stretch;
  }
  const asked = source.asked.filter((command) => command.type === "search").map(({ from, to }) => [from, to]);
  assert.deepEqual(asked, [[1, 25], [26, 50], [51, 60]]);
  assert.deepEqual(breakpoints.numbers, [7, 14, 21, 28, 35, 42, 49, 56]);
  assert.deepEqual([breakpoints.holdsAt(7), breakpoints.holdsAt(8), breakpoints.holdsAt(61)], [true, false, null]);
});

test("what is off does not stop, is kept as off, and nothing is asked for it", async () => {
  const { keeper, breakpoints, frames, source } = await open(60, ["-rule:7", "no condition"]);
  assert.deepEqual(breakpoints.list, [{ condition: every(7), isOn: false }]);
  assert.equal(source.asked.filter((command) => command.type === "search").length, 0);
  breakpoints.toggle(every(7));
  await frames.settle();
  assert.deepEqual(keeper.texts, ["rule:7"]);
  assert.equal(breakpoints.holdsAt(7), true);
  breakpoints.toggle(every(7));
  assert.deepEqual([keeper.texts, breakpoints.holdsAt(7), breakpoints.numbers], [["-rule:7"], false, []]);
});

test("there are no more than the server takes, and none twice", async () => {
  const { breakpoints } = await open(9);
  for (let number = 1; number <= defaults.most; number += 1) assert.equal(breakpoints.add(every(number)), true);
  assert.equal(breakpoints.add(every(1)), true);
  assert.equal(breakpoints.add(every(99)), false);
  assert.equal(breakpoints.list.length, defaults.most);
});

test("what the server refuses is said once and stops nothing", async () => {
  const { source, store, frames, breakpoints } = await open(60);
  source.refuses = true;
  breakpoints.add(every(7));
  await frames.settle();
  assert.equal(store.problem?.key, "problem.not_one_of");
  assert.equal(source.asked.filter((command) => command.type === "search").length, 1);
  assert.equal(breakpoints.holdsAt(7), false);
});

test("playing stops at a breakpoint, goes on from it, and waits where it is not known yet", async () => {
  const { store, frames, breakpoints } = await open(60);
  const actions: (() => void)[] = [];
  const play = new Play(store, { after: (_milliseconds, action) => actions.push(action), cancel: () => {} });
  breakpoints.add(every(7));
  await frames.settle();
  const playOn = async (): Promise<number> => {
    play.start();
    for (let turn = 0; turn < 40 && play.running; turn += 1) {
      actions.shift()?.();
      await frames.settle();
    }
    return store.shown;
  };
  assert.equal(await playOn(), 7);
  assert.equal(await playOn(), 14);
  store.stops = { holdsAt: () => null };
  store.moveTo(20);
  await frames.settle();
  play.start();
  for (let turn = 0; turn < 6; turn += 1) {
    actions.shift()?.();
    await frames.settle();
  }
  assert.equal(store.shown, 21, "one step on, and then it waits for an answer");
  assert.equal(play.running, true);
});

test("a search finds in all steps, goes through them, and begins again on another branch", async () => {
  const { store, frames, source } = await open(60);
  const search = new StepSearch(store);
  const stretch = searching.stretch;
  searching.stretch = 25;
  try {
    search.start([every(10), every(4)]);
    await frames.settle();
  } finally {
    searching.stretch = stretch;
  }
  assert.deepEqual([search.numbers, search.upTo, search.complete], [[20, 40, 60], 60, true]);
  assert.deepEqual(source.asked.filter((command) => command.type === "search").map(({ any }) => any), [undefined, undefined, undefined]);
  assert.deepEqual([search.go(1), store.target, search.place], [true, 20, 1]);
  assert.deepEqual([search.go(1), search.go(1), search.go(1), store.target], [true, true, false, 60]);
  assert.deepEqual([search.go(-1), store.target], [true, 40]);
  store.switchTo("other", 0);
  await frames.settle();
  assert.deepEqual([search.numbers, search.upTo], [[], 9]);
  search.stop();
  assert.equal(search.active, false);
});

test("a late answer to an older search is not taken", async () => {
  const { store, frames } = await open(60);
  const search = new StepSearch(store);
  search.start([every(10)]);
  search.start([every(30)]);
  await frames.settle();
  assert.deepEqual(search.numbers, [30, 60]);
});

test("marks that would lie on each other are one", () => {
  const axis = { left: 0, right: 100, end: 100 };
  assert.deepEqual(placesOf([1, 2, 3, 7, 50], axis), [1, 7, 50]);
});

test("who types a number alone names a step", () => {
  const text = (words: string): Condition[] => [{ on: "text", text: words, language: "en" }];
  assert.equal(stepNamed(text("57"), 96), 57);
  assert.equal(stepNamed(text("#57"), 96), 57);
  assert.equal(stepNamed(text("97"), 96), null, "no such step yet");
  assert.equal(stepNamed(text("57 lost"), 96), null);
  assert.equal(stepNamed([...text("57"), { on: "error" }], 96), null);
});
