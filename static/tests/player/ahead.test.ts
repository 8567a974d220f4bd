import assert from "node:assert/strict";
import test from "node:test";

import { piece, Reading } from "../../diagrams/reading.ts";
import type { Frame, Step, View } from "../../player/frame.ts";
import type { Answer, Command } from "../../player/source.ts";
import { Problem } from "../../player/source.ts";
import { PlayerStore } from "../../player/store.ts";
import { wholeView } from "../../player/whole.ts";
import { branch, Frames, makeRun, StoredSource, withoutEmpty } from "./fixture.ts";

/** A server far away: it makes requested steps when the test says so. */
class FarSource extends StoredSource {
  #arrives: (() => void)[] = [];
  refusal: Problem | null = null;

  override async ask(command: Command): Promise<Answer> {
    if (command.type === "advance") {
      const arrives = new Promise<void>((resume) => this.#arrives.push(resume));
      this.asked.push(command);
      await arrives;
      if (this.refusal !== null) throw this.refusal;
      this.asked.pop();
    }
    return super.ask(command);
  }

  answer(): void {
    for (const arrive of this.#arrives.splice(0)) arrive();
  }

  tellsAhead(after: number, step = this.runs["main"]?.steps[after] as Step): void {
    this.listener?.aheadCame("main", after, structuredClone(step));
  }
}

/** A page at the newest step of five, which received the sixth. */
async function open() {
  const run = makeRun(20);
  const source = new FarSource({ main: run }, [branch("main", 5)]);
  const frames = new Frames();
  const store = new PlayerStore(source, { schedule: frames.schedule, later: () => {}, now: () => 0, startAt: { branch: null, step: 5 } });
  store.start();
  await frames.settle();
  source.tellsAhead(5);
  return { run, source, frames, store };
}

const viewOf = (store: PlayerStore): unknown => withoutEmpty(store.frame?.view as View);
const expected = (view: View | undefined): unknown => withoutEmpty(wholeView(view as View));

test("who stands at the newest step asks once what follows it", async () => {
  const run = makeRun(20);
  const source = new FarSource({ main: run }, [branch("main", 5)]);
  const frames = new Frames();
  const rests: (() => void)[] = [];
  const store = new PlayerStore(source, { schedule: frames.schedule, later: (_milliseconds, action) => void rests.push(action), startAt: { branch: null, step: 5 } });
  store.start();
  await frames.settle();
  store.select({ kind: "actor", id: "p1" });
  await frames.settle();
  for (const rest of rests.splice(0)) rest();
  await frames.settle();
  for (const rest of rests.splice(0)) rest();
  assert.deepEqual(source.asked.filter(({ type }) => type === "ahead"), [{ type: "ahead", branch: "main", after: 5 }]);
});

test("a step that was sent ahead is requested at once and on show before the server has answered", async () => {
  const { run, source, frames, store } = await open();
  store.forward();
  assert.deepEqual(source.asked.at(-1), { type: "advance", branch: "main", after: 5, count: 1, ahead: true });
  frames.paint();
  assert.equal(store.shown, 6);
  assert.deepEqual(viewOf(store), expected(run.views[6]));
});

test("what a panel made of the foreseen frame is what it needs for the frame that comes", async () => {
  const run = makeRun(20);
  const source = new FarSource({ main: run }, [branch("main", 5)]);
  const frames = new Frames();
  const idle: (() => void)[] = [];
  const store = new PlayerStore(source, { schedule: frames.schedule, later: () => {}, idle: (action) => void idle.push(action), now: () => 0, startAt: { branch: null, step: 5 } });
  const foreseen: Frame[] = [];
  store.addEventListener("foreseen", (event) => foreseen.push((event as CustomEvent<Frame>).detail));
  store.start();
  await frames.settle();
  source.tellsAhead(5);
  for (const action of idle.splice(0)) action();
  const [next] = foreseen as [Frame];
  assert.deepEqual(withoutEmpty(next.view), expected(run.views[6]));
  const before = new Reading(next);
  const made = piece(before.frame, "all", [], (frame) => [frame.step?.number, frame.step?.params, frame.view.time, frame.view.clients, frame.previousView?.time]);
  store.forward();
  frames.paint();
  const now = new Reading(store.frame as Frame, before);
  assert.equal(piece(now.frame, "all", [], () => "made anew"), made);
});

test("who steps on among stored steps gets the next one foreseen, with the same view that is shown then", async () => {
  const run = makeRun(20);
  const source = new FarSource({ main: run }, [branch("main", 10)]);
  const frames = new Frames();
  const idle: (() => void)[] = [];
  let now = 0;
  const store = new PlayerStore(source, { schedule: frames.schedule, later: () => {}, idle: (action) => void idle.push(action), now: () => (now += 1000), startAt: { branch: null, step: 5 } });
  const foreseen: Frame[] = [];
  store.addEventListener("foreseen", (event) => foreseen.push((event as CustomEvent<Frame>).detail));
  store.start();
  await frames.settle();
  store.forward();
  await frames.settle();
  for (const action of idle.splice(0)) action();
  assert.deepEqual(foreseen.map(({ step }) => step?.number), [7]);
  store.forward();
  await frames.settle();
  const [next] = foreseen as [Frame];
  assert.deepEqual([store.shown, store.frame?.step === next.step, store.frame?.view.clients === next.view.clients], [7, true, true]);
});

test("that it was stored changes nothing on show", async () => {
  const { source, frames, store } = await open();
  store.forward();
  await frames.settle();
  const frame = store.frame;
  let changes = 0;
  store.addEventListener("change", () => (changes += 1));
  source.answer();
  await frames.settle();
  assert.equal(store.frame, frame);
  assert.deepEqual([changes, store.newest, store.busy], [0, 6, false]);
});

test("a step that was not sent ahead is waited for", async () => {
  const { source, frames, store } = await open();
  source.tellsAhead(9); // The step is of another run, for which no page waits.
  store.forward();
  await frames.settle();
  source.answer();
  await frames.settle();
  store.forward();
  await frames.settle();
  assert.equal(store.shown, 6);
  source.answer();
  await frames.settle();
  assert.equal(store.shown, 7);
});

test("another step that was stored in its place is shown instead", async () => {
  const { run, source, frames, store } = await open();
  const sixth = run.steps[5] as Step;
  source.runs["main"] = { ...run, steps: run.steps.map((step) => (step === sixth ? { ...step, changes: [{ path: ["time"], before: 25, after: 26 }] } : step)) };
  store.forward();
  await frames.settle();
  source.answer();
  await frames.settle();
  assert.equal(store.shown, 6);
  assert.equal(store.frame?.view.time, 26);
  assert.deepEqual(viewOf(store), expected({ ...(run.views[5] as View), time: 26 }));
});

test("a refused command takes the step back and says why", async () => {
  const { run, source, frames, store } = await open();
  store.forward();
  await frames.settle();
  source.refusal = new Problem("limit", "problem.session_full");
  source.answer();
  await frames.settle();
  assert.deepEqual([store.shown, store.newest, store.target], [5, 5, 5]);
  assert.deepEqual(viewOf(store), expected(run.views[5]));
  assert.equal(store.problem?.key, "problem.session_full");
  assert.equal(store.lines.mark("main", 6), 0);
});

test("what is done to the run waits until the step is stored, and a connection that comes back receives what is stored", async () => {
  const { source, frames, store } = await open();
  store.forward();
  frames.paint();
  const done = store.intervene({ action: "crash", actor: "broker-1" });
  await frames.settle();
  assert.deepEqual(source.asked.map(({ type }) => type).filter((type) => !["window", "near_view", "plan"].includes(type)), ["advance"]);
  assert.deepEqual(store.have(), { main: 5 });
  source.answer();
  await frames.settle();
  assert.equal(await done, true);
  assert.deepEqual(source.asked.at(-1), { type: "intervene", branch: "main", after: 6, intervention: { action: "crash", actor: "broker-1" } });
  assert.equal(store.problem, null);
});

test("pressing on shows what was sent and has the rest made", async () => {
  const { source, frames, store } = await open();
  for (let press = 0; press < 3; press += 1) store.forward();
  await frames.settle();
  assert.equal(store.shown, 6);
  source.answer();
  await frames.settle();
  source.answer();
  await frames.settle();
  assert.equal(store.shown, 8);
});
