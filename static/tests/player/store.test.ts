import assert from "node:assert/strict";
import test from "node:test";

import type { Step, View } from "../../player/frame.ts";
import { batchesIn, foldedLog } from "../../player/folded.ts";
import { Paints } from "../../player/paints.ts";
import { Problem } from "../../player/source.ts";
import { PlayerStore } from "../../player/store.ts";
import { wholeView } from "../../player/whole.ts";
import { branch, Frames, makeRun, StoredSource, withoutEmpty } from "./fixture.ts";

/** Nothing is fetched ahead, so that a test sees only what a position needs. */
const never = (): void => {};

/** A clock of which each reading takes a second. */
function slowly(): () => number {
  let now = 0;
  return () => (now += 1000);
}

async function open(count: number, made = count, step: number | null = 0) {
  const run = makeRun(count);
  const source = new StoredSource({ main: run }, [branch("main", made)]);
  const frames = new Frames();
  const store = new PlayerStore(source, { schedule: frames.schedule, later: never, now: slowly(), startAt: { branch: null, step } });
  store.start();
  await frames.settle();
  return { run, source, frames, store };
}

/** Makes the page hold all steps of a run of up to 500. */
async function loaded(source: StoredSource, frames: Frames, count: number): Promise<void> {
  await source.ask({ type: "window", branch: "main", from: 1, to: count });
  await frames.settle();
  source.asked.length = 0;
}

/** The part of a view that a frame shows: the view with its empty tables. */
function expected(view: View): unknown {
  return withoutEmpty(wholeView(view));
}

function viewOf(store: PlayerStore): unknown {
  return withoutEmpty(store.frame?.view as View);
}

test("opens where it was asked to, with one question beside that for the plan", async () => {
  const { run, source, store } = await open(2000, 2000, 1234);
  assert.equal(store.shown, 1234);
  assert.deepEqual(viewOf(store), expected(run.views[1234] as View));
  assert.deepEqual(withoutEmpty(store.frame?.previousView as View), expected(run.views[1233] as View));
  assert.deepEqual(
    source.asked.map((command) => (command.type === "window" ? [command.from, command.to] : command.type)),
    ["plan", "near_view", [1126, 1250]],
  );
});

test("every position of a long branch shows its own view, wherever the reader came from", async () => {
  const { run, store, frames } = await open(1700);
  for (const number of [1, 2, 1700, 499, 500, 501, 1, 1000, 1001, 999, 0, 1350, 1699]) {
    store.moveTo(number);
    await frames.settle();
    assert.equal(store.shown, number);
    assert.deepEqual(viewOf(store), expected(run.views[number] as View), `position ${number}`);
  }
});

test("within loaded steps nothing is asked", async () => {
  const { source, store, frames } = await open(400, 400, 400);
  await loaded(source, frames, 400);
  for (const number of [1, 400, 17, 333, 0, 200]) {
    store.moveTo(number);
    await frames.settle();
  }
  assert.deepEqual(source.asked, []);
});

test("many moves before a paint make one frame", async () => {
  const { source, store, frames } = await open(400, 400, 400);
  await loaded(source, frames, 400);
  let changes = 0;
  store.addEventListener("change", () => (changes += 1));
  for (let number = 1; number <= 300; number += 1) store.moveTo(number);
  assert.equal(frames.paint(), 1);
  assert.equal(changes, 1);
  assert.equal(store.shown, 300);
});

test("at the newest step forward has the server make one, and shows it", async () => {
  const { run, source, store, frames } = await open(20, 5, 5);
  store.forward();
  await frames.settle();
  assert.equal(store.shown, 6);
  assert.deepEqual(viewOf(store), expected(run.views[6] as View));
  const advance = source.asked.filter((command) => command.type === "advance");
  assert.deepEqual(advance, [{ type: "advance", branch: "main", after: 5, count: 1, ahead: true }]);
});

test("more steps can be asked for while one is being made, and are made after it", async () => {
  const { source, store, frames } = await open(20, 5, 5);
  void store.grow(1);
  void store.growOnceFree(4);
  await frames.settle();
  const asked = source.asked.filter((command) => command.type === "advance");
  assert.deepEqual(asked.map((command) => ("after" in command ? [command.after, command.count] : [])), [[5, 1], [6, 4]]);
});

test("pressing on while a step is being made asks for the rest afterwards and repeats none", async () => {
  const { source, store, frames } = await open(20, 5, 5);
  for (let press = 0; press < 4; press += 1) store.forward();
  await frames.settle();
  assert.equal(store.shown, 9);
  const asked = source.asked.filter((command) => command.type === "advance");
  assert.deepEqual(
    asked.map((command) => ("after" in command ? command.after : -1)),
    [5, 6],
  );
});

test("a finished branch makes no further step", async () => {
  const run = makeRun(5);
  const source = new StoredSource({ main: run }, [branch("main", 5, { finished: "quiet" })]);
  const frames = new Frames();
  const store = new PlayerStore(source, { schedule: frames.schedule, later: never, startAt: { branch: null, step: 5 } });
  store.start();
  await frames.settle();
  store.forward();
  await frames.settle();
  assert.equal(store.shown, 5);
  assert.equal(store.target, 5);
  assert.ok(!source.asked.some((command) => command.type === "advance"));
});

test("who asks for a step behind the end stands at the end once the run says that it is over", async () => {
  const { store, frames } = await open(5, 5, 5);
  store.forward();
  store.branchesChanged([branch("main", 5, { finished: "complete" })]);
  await frames.settle();
  assert.equal(store.shown, 5);
  assert.equal(store.target, 5);
});

test("a branch shares its parent's steps and goes its own way after it leaves", async () => {
  const main = makeRun(900, 1);
  const side = makeRun(60, 2, main.views[620] as View, 621);
  const source = new StoredSource({ main, side }, [
    branch("main", 900),
    branch("side", 680, { parent: "main", leaves_at: 620 }),
  ]);
  const frames = new Frames();
  const store = new PlayerStore(source, { schedule: frames.schedule, later: never, startAt: { branch: "side", step: 640 } });
  store.start();
  await frames.settle();
  assert.deepEqual(viewOf(store), expected(side.views[20] as View));
  for (const [number, view] of [
    [621, side.views[1]],
    [620, main.views[620]],
    [619, main.views[619]],
    [680, side.views[60]],
    [3, main.views[3]],
  ] as [number, View][]) {
    store.moveTo(number);
    await frames.settle();
    assert.deepEqual(viewOf(store), expected(view), `position ${number}`);
  }
  store.switchTo("main", 700);
  await frames.settle();
  assert.deepEqual(viewOf(store), expected(main.views[700] as View));
});

test("a move asks for the difference from the nearest view that is held, a farther one for a near view, and nothing else", async () => {
  const { run, source, store, frames } = await open(2600, 2600, 1100);
  source.asked.length = 0;
  for (const number of [1300, 1480, 700]) {
    store.moveTo(number);
    await frames.settle();
    assert.equal(store.shown, number);
    assert.deepEqual(viewOf(store), expected(run.views[number] as View), `position ${number}`);
    assert.deepEqual(withoutEmpty(store.frame?.previousView as View), expected(run.views[number - 1] as View));
  }
  assert.deepEqual(
    source.asked.map((command) => (command.type === "difference" ? [command.from, command.to] : command.type)),
    [[1100, 1300], [1300, 1480], "near_view"],
  );
});

test("a drag has one question under way at a time, and shows where it led while the reader is elsewhere", async () => {
  const { run, source, store, frames } = await open(3000, 3000, 3000);
  const ask = source.ask.bind(source);
  const answers: (() => void)[] = [];
  source.ask = async (command) => {
    if (command.type === "difference" || command.type === "near_view") await new Promise<void>((resume) => answers.push(resume));
    return ask(command);
  };
  for (const number of [2800, 2000, 1500]) {
    store.moveTo(number);
    await frames.settle();
  }
  assert.deepEqual([store.shown, answers.length], [3000, 1]);
  answers.shift()?.();
  await frames.settle();
  assert.deepEqual([store.shown, answers.length], [2800, 1]);
  assert.deepEqual(viewOf(store), expected(run.views[2800] as View));
  answers.shift()?.();
  await frames.settle();
  assert.deepEqual([store.shown, answers.length], [1500, 0]);
  assert.deepEqual(viewOf(store), expected(run.views[1500] as View));
  assert.deepEqual(source.asked.slice(-2).map((command) => command.type), ["difference", "near_view"]);
});

/** The view with only the batches at offset 20 and above, and the number of the others. */
function cut(view: View, number: number): View {
  const near = structuredClone(view);
  const batches = near.partitions?.["t-0"]?.replicas["1"]?.batches ?? {};
  const far = Object.keys(batches).filter((offset) => Number(offset) < 20);
  for (const offset of far) delete batches[offset];
  return { ...near, folded: { at: number, reaches: 500, logs: { "t-0": { "1": [[0, 19, far.length, far.length]] } } } };
}

async function openCut(count: number, step: number) {
  const run = makeRun(count);
  const source = new StoredSource({ main: run }, [branch("main", count)]);
  source.cut = cut;
  const frames = new Frames();
  const store = new PlayerStore(source, { schedule: frames.schedule, later: never, startAt: { branch: null, step } });
  store.start();
  await frames.settle();
  return { run, source, frames, store };
}

/** The number of batches according to a frame, and the number that the run has. */
function counted(store: PlayerStore, run: { views: View[] }): [number, number] {
  const view = store.frame?.view as View;
  const listed = Object.keys(view.partitions?.["t-0"]?.replicas["1"]?.batches ?? {}).length;
  const all = Object.keys((run.views[store.shown] as View).partitions?.["t-0"]?.replicas["1"]?.batches ?? {}).length;
  return [listed + batchesIn(foldedLog(view, "t-0", "1")), all];
}

test("where a step changed what is not listed the count comes from a near view of its own, forward and back", async () => {
  const { run, source, store, frames } = await openCut(900, 640);
  for (const number of [641, 642, 643, 650, 649, 648, 640, 600, 640, 641]) {
    store.moveTo(number);
    await frames.settle();
    assert.equal(store.shown, number);
    const [said, there] = counted(store, run);
    assert.equal(said, there, `step ${number}`);
  }
  assert.ok(source.asked.some((command) => command.type === "near_view" && command.number === 641));
});

test("looking back brings all of the view on show", async () => {
  const { run, source, store, frames } = await openCut(900, 640);
  assert.notDeepEqual(viewOf(store), expected(run.views[640] as View));
  assert.equal(await store.lookBack(), true);
  await frames.settle();
  assert.deepEqual(viewOf(store), expected(run.views[640] as View));
  const asked = source.asked.length;
  assert.equal(await store.lookBack(), true);
  assert.equal(source.asked.length, asked);
});

test("who steps on and on is given another near view before the view has grown far, and waits for none", async () => {
  const { run, source, store, frames } = await open(2600, 2600, 100);
  for (let number = 101; number <= 2500; number += 1) {
    store.moveTo(number);
    await frames.settle();
    assert.equal(store.shown, number);
  }
  assert.deepEqual(viewOf(store), expected(run.views[2500] as View));
  const near = source.asked.filter((command) => command.type === "near_view").map((command) => command.number);
  assert.deepEqual(near, [100, 701, 1302, 1903]);
});

test("a near view that was cut at the keyframe before is not asked for again", async () => {
  const run = makeRun(2000);
  const source = new StoredSource({ main: run }, [branch("main", 2000)]);
  source.cut = (view, number) => ({ ...view, folded: { at: number - (number % 500), reaches: 500 } });
  const frames = new Frames();
  const store = new PlayerStore(source, { schedule: frames.schedule, later: never, startAt: { branch: null, step: 1999 } });
  store.start();
  await frames.settle();
  store.select({ kind: "partition", id: "t-0" });
  await frames.settle();
  assert.equal(store.shown, 1999);
  assert.deepEqual(source.asked.filter(({ type }) => type === "near_view").length, 1);
});

test("where a difference is refused the steps lead there", async () => {
  const { run, source, store, frames } = await open(2000, 2000, 2000);
  const ask = source.ask.bind(source);
  source.ask = async (command) => {
    if (command.type === "difference") throw new Problem("limit", "problem.difference_too_long");
    return ask(command);
  };
  for (const number of [300, 1700]) {
    store.moveTo(number);
    await frames.settle();
    assert.equal(store.shown, number);
    assert.deepEqual(viewOf(store), expected(run.views[number] as View), `position ${number}`);
  }
});

test("who rests after a far move has the steps around them", async () => {
  const run = makeRun(3000);
  const source = new StoredSource({ main: run }, [branch("main", 3000)]);
  const frames = new Frames();
  const resting: (() => void)[] = [];
  const later = (_milliseconds: number, action: () => void): void => void resting.push(action);
  const store = new PlayerStore(source, { schedule: frames.schedule, later, startAt: { branch: null, step: 3000 } });
  store.start();
  await frames.settle();
  store.moveTo(1130);
  await frames.settle();
  const held = (): number[] => [1120, 1129, 1131].filter((number) => store.lines.step("main", number) !== undefined);
  assert.deepEqual(held(), []);
  for (let turn = 0; turn < 4; turn += 1) {
    for (const action of resting.splice(0)) action();
    await frames.settle();
  }
  assert.deepEqual(held(), [1120, 1129, 1131]);
  assert.equal(store.shown, 1130);
});

test("a long run is walked to and fro by windows, with few of them held", async () => {
  const { run, store, frames } = await open(9000, 9000, 9000);
  for (const number of [8000, 4000, 4100, 30, 8999, 5, 6000]) {
    store.moveTo(number);
    await frames.settle();
    assert.deepEqual(viewOf(store), expected(run.views[number] as View), `position ${number}`);
  }
  const loaded = run.steps.filter((one) => store.lines.step("main", one.number) !== undefined);
  assert.ok(loaded.length <= 4 * 500, `${loaded.length} steps are held`);
});

test("next and previous interesting go by the marks", async () => {
  const { store, frames } = await open(100, 100, 3);
  void store.nextInteresting();
  await frames.settle();
  assert.equal(store.shown, 7);
  void store.nextInteresting();
  await frames.settle();
  assert.equal(store.shown, 14);
  void store.previousInteresting();
  await frames.settle();
  assert.equal(store.shown, 7);
});

test("animation only after one step forward", async () => {
  const { store, frames } = await open(100, 100, 10);
  store.forward();
  await frames.settle();
  assert.equal(store.frame?.animate, true);
  store.select({ kind: "partition", id: "t-0" });
  await frames.settle();
  assert.equal(store.frame?.animate, false);
  store.back();
  await frames.settle();
  assert.equal(store.frame?.animate, false);
  store.moveTo(50);
  await frames.settle();
  assert.equal(store.frame?.animate, false);
});

test("a step that comes upon another shows its end at once: its motion would not come to one", async () => {
  const source = new StoredSource({ main: makeRun(100) }, [branch("main", 100)]);
  const frames = new Frames();
  let now = 10_000;
  const store = new PlayerStore(source, { schedule: frames.schedule, later: never, now: () => now, startAt: { branch: null, step: 10 } });
  store.start();
  await frames.settle();
  const moves = async (after: number): Promise<boolean | undefined> => {
    now += after;
    store.forward();
    await frames.settle();
    return store.frame?.animate;
  };
  assert.deepEqual([await moves(500), await moves(150), await moves(399), await moves(400)], [true, false, false, true]);
  // A selection changes the frame, but not the time at which its step came.
  now += 300;
  store.select({ kind: "partition", id: "t-0" });
  await frames.settle();
  assert.equal(await moves(100), true);
});

test("after a lost connection the page says what it holds", async () => {
  const { store } = await open(700, 700, 600);
  assert.deepEqual(store.have(), { main: 0 });
  const { source, frames, store: whole } = await open(300, 300, 300);
  await loaded(source, frames, 300);
  assert.deepEqual(whole.have(), { main: 300 });
});

test("arrows carry the fate of messages over the loaded steps", async () => {
  const run = makeRun(6);
  const message = { id: 7, api: "Produce", from: "p1", to: "broker-1" };
  const [one, , three] = run.steps as [Step, Step, Step];
  one.messages = [{ id: 7, event: "sent" }];
  one.changes.push({ path: ["network", "messages", "7"], after: message });
  three.messages = [{ id: 7, event: "dropped" }];
  three.changes.push({ path: ["network", "messages", "7"], before: message });
  const source = new StoredSource({ main: run }, [branch("main", 6)]);
  const frames = new Frames();
  const store = new PlayerStore(source, { schedule: frames.schedule, later: never, startAt: { branch: null, step: 6 } });
  store.start();
  await frames.settle();
  assert.equal(store.arrows.length, 1);
  const [arrow] = store.arrows;
  assert.deepEqual(
    [arrow?.id, arrow?.fate, arrow?.sentStep, arrow?.settledStep, arrow?.message.api],
    [7, "dropped", 1, 3, "Produce"],
  );
});

test("slices that are not needed yet are fetched one after another, the nearest first", async () => {
  const run = makeRun(2600);
  const source = new StoredSource({ main: run }, [branch("main", 2600)]);
  const frames = new Frames();
  const later = (_milliseconds: number, action: () => void): void => void setImmediate(action);
  const store = new PlayerStore(source, { schedule: frames.schedule, later, startAt: { branch: null, step: 1100 } });
  store.start();
  await frames.settle();
  const windows = source.asked.filter((command) => command.type === "window");
  assert.deepEqual(
    windows.map((command) => (command.from - 1) / 125),
    [8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15, 0, 16, 17, 18, 19, 20],
  );
  assert.deepEqual(store.have(), { main: 2600 });
});

test("what a held knob passes between two paints is not drawn", async () => {
  const run = makeRun(400);
  const source = new StoredSource({ main: run }, [branch("main", 400)]);
  const beforePaint: (() => void)[] = [];
  const { schedule } = new Paints((action) => void beforePaint.push(action));
  const store = new PlayerStore(source, { schedule, later: never, startAt: { branch: null, step: 10 } });
  const paint = async (): Promise<void> => {
    beforePaint.splice(0).forEach((action) => action());
    await new Promise((resume) => setImmediate(resume));
  };
  store.start();
  await source.ask({ type: "window", branch: "main", from: 1, to: 400 });
  for (let count = 0; count < 10; count += 1) await paint();
  const shown: number[] = [];
  store.addEventListener("change", () => shown.push(store.shown));
  const moves = async (...numbers: number[]): Promise<void> => {
    for (const number of numbers) {
      store.moveTo(number);
      await Promise.resolve();
    }
  };
  await moves(20, 21);
  await paint();
  store.isDragged = true;
  await moves(30, 31);
  await paint();
  assert.deepEqual(shown, [20, 21, 31]);
});

test("what a held knob received is read for one paint and drawn for the next", async () => {
  const run = makeRun(2000);
  const source = new StoredSource({ main: run }, [branch("main", 2000)]);
  const beforePaint: (() => void)[] = [];
  const { schedule, pass } = new Paints((action) => void beforePaint.push(action));
  const store = new PlayerStore(source, { schedule, pass, later: never, startAt: { branch: null, step: 10 } });
  const paint = async (): Promise<number> => {
    beforePaint.splice(0).forEach((action) => action());
    await new Promise((resume) => setImmediate(resume));
    return store.shown;
  };
  store.start();
  for (let count = 0; count < 10; count += 1) await paint();
  store.isDragged = true;
  store.moveTo(1500);
  assert.deepEqual([await paint(), await paint(), await paint()], [10, 10, 1500]);
});
