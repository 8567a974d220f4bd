import assert from "node:assert/strict";
import test from "node:test";

import type { Step } from "../../player/frame.ts";
import { rightOf, stopBefore } from "../../player/questions.ts";
import type { Question } from "../../player/questions.ts";
import { unsaid } from "../../player/reasons.ts";
import { PlayerStore } from "../../player/store.ts";
import { branch, Frames, makeRun, StoredSource } from "./fixture.ts";

function question(at: number): Question {
  return { checkpoint: 0, ask: "append", at, message: null, key: "k", params: {}, choices: [], right: "a", reasons: {} };
}

test("what the step on show says is not given as a reason once more", () => {
  const reason = (key: string) => ({ key, params: {}, rule: null, outcome: null });
  const step = { key: "broker.appended", notes: [], derived: undefined } as unknown as Step;
  assert.deepEqual(unsaid([reason("broker.appended"), reason("check.sequence")], step), [reason("check.sequence")]);
});

test("a question stops before the step that answers it, once", () => {
  const questions = [question(4), question(9)];
  assert.equal(stopBefore(questions, new Set(), 1, 4), null);
  assert.equal(stopBefore(questions, new Set(), 1, 5), 5);
  assert.equal(stopBefore(questions, new Set([4]), 1, 20), 10);
  assert.equal(stopBefore(questions, new Set([4, 9]), 1, 20), null);
  assert.equal(stopBefore(questions, new Set(), 6, 9), null);
});

async function open(stops: number[]) {
  const frames = new Frames();
  const source = new StoredSource({ main: makeRun(40) }, [branch("main", 40)]);
  const store = new PlayerStore(source, { schedule: frames.schedule, later: () => {}, startAt: { branch: null, step: 0 } });
  const gate = {
    blockedTimes: 0,
    waitsIn: (_branch: string, from: number, to: number) => stops.find((stop) => stop >= from && stop <= to) ?? null,
    coming: (): Promise<void> | null => null,
    blocked: () => void (gate.blockedTimes += 1),
  };
  store.start();
  await frames.settle();
  store.gate = gate;
  return { frames, gate, store, stops };
}

test("forward waits at a gate until it opens; back and jumps do not ask", async () => {
  const { frames, gate, store, stops } = await open([3]);
  for (let turn = 0; turn < 5; turn += 1) {
    store.forward();
    await frames.settle();
  }
  assert.deepEqual([store.shown, gate.blockedTimes], [2, 3]);
  store.back();
  await frames.settle();
  assert.equal(store.shown, 1);
  stops.length = 0;
  store.forward();
  store.forward();
  await frames.settle();
  assert.equal(store.shown, 3);
  store.moveTo(30);
  await frames.settle();
  assert.equal(store.shown, 30);
});

test("who goes on before the questions are here goes on once they are, and stops at them", async () => {
  const { frames, gate, store, stops } = await open([]);
  for (const go of [() => store.forward(), () => void store.nextInteresting(), () => store.moveUpTo(30)]) {
    store.moveTo(1);
    await frames.settle();
    let come = (): void => {};
    const coming = new Promise<void>((resolve) => (come = resolve));
    gate.coming = () => coming;
    go();
    await frames.settle();
    assert.equal(store.shown, 1);
    gate.coming = () => null;
    stops.splice(0, stops.length, 2);
    come();
    await frames.settle();
    assert.equal(store.shown, 1);
    assert.ok(gate.blockedTimes > 0);
    gate.blockedTimes = 0;
  }
});

test("the way to the next interesting step ends before a gate", async () => {
  const { frames, store, stops } = await open([]);
  await store.nextInteresting();
  await frames.settle();
  const interesting = store.shown;
  store.moveTo(0);
  await frames.settle();
  stops.push(interesting);
  await store.nextInteresting();
  await frames.settle();
  assert.equal(store.shown, interesting - 1);
});

test("neither the end nor a run without more of interest leads past a gate", async () => {
  const { frames, gate, store, stops } = await open([]);
  while (store.shown < 40) {
    await store.nextInteresting();
    await frames.settle();
  }
  await store.previousInteresting();
  await frames.settle();
  const last = store.shown;
  stops.push(40);
  await store.nextInteresting();
  await frames.settle();
  assert.equal(store.shown, 39);
  store.moveTo(last);
  store.toNewest();
  await frames.settle();
  assert.equal(store.shown, 39);
  store.toNewest();
  assert.equal(gate.blockedTimes, 1);
});

test("right answers are counted among those that were given", () => {
  const questions = [question(4), question(9), question(12), question(15)];
  assert.deepEqual(rightOf({ questions, answers: { 4: "a", 9: "b", 12: "" } }), { right: 1, given: 2 });
});
