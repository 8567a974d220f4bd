import assert from "node:assert/strict";
import test from "node:test";

import { Code, checksOf, testsOf } from "../../player/checks.ts";
import type { CodeDocument } from "../../player/checks.ts";
import type { Step } from "../../player/frame.ts";
import { Play } from "../../player/play.ts";
import { PlayerStore } from "../../player/store.ts";
import { words } from "../../player/text.ts";
import { readZoom, Zoom, zoomText } from "../../player/zoom.ts";
import { MIDDLES } from "../../player/panels.ts";
import type { Middle } from "../../player/panels.ts";
import { readView, viewOf, ZoomView } from "../../player/zoom-view.ts";
import { branch, Frames, makeRun, step, StoredSource } from "./fixture.ts";

const DOCUMENT: CodeDocument = {
  components: {
    state: {
      kafka: "ProducerAppendInfo", machines: [],
      lines: [
        { depth: 0, text: "append(batch):" },
        { depth: 1, text: "if duplicate:", decides: ["append?decision.duplicate"], says: ["broker.duplicate"] },
        { depth: 1, text: "if batch.epoch < epoch:", decides: ["append?decision.epoch"], says: ["broker.fenced"], kafka: "checkProducerEpoch" },
      ],
    },
    caller: { kafka: "", machines: ["client"], lines: [{ depth: 0, text: "woken", says: ["client.woken"] }] },
  },
  rows: { client: [null, ["caller", 0]] },
  tables: { client: [["A", "x", ""], ["READY", "fatal", ""]] },
};
const code = new Code(DOCUMENT);

/** A refusal with its checks, a row that it fired, and another note. */
const REFUSED: Partial<Step> = {
  key: "broker.fenced", rules: ["SEQ-12"], notes: [{ key: "client.woken", params: {}, rules: ["SND-1"] }],
  decision: {
    by: "broker-1", subject: "t-0", machine: "append", arrived: {}, stored: null,
    rows: [
      { rule: "SEQ-11", key: "decision.duplicate", params: { first: 3 }, outcome: "passed" },
      { rule: "SEQ-12", key: "decision.epoch", params: { arrived: 0, stored: 2, first: 3 }, outcome: "decided" },
      { rule: "SEQ-13", key: "decision.sequence", params: {}, outcome: "not_reached" },
    ],
  },
  refusal: { rule: "SEQ-12", error: "INVALID_PRODUCER_EPOCH", compared: [["stored", 2], ["arrived", 0]], next: "n", next_params: {} },
  transition: { machine: "client", of: "p1", from: "READY", to: "FATAL", on: "fatal", row: 1 },
};

test("a step's checks are its tests, its rows, its sentence and what else happened, each with its line", () => {
  words.learn("en", { texts: { "decision.epoch": "Is epoch {arrived} lower than {stored}?" }, sources: {} });
  const checks = checksOf(step(1, 0, [], REFUSED), code);
  assert.deepEqual(checks.map(({ kind, outcome, place }) => [kind, outcome, place]), [
    ["test", "passed", ["state", 1]],
    ["test", "decided", ["state", 2]],
    ["row", null, ["caller", 0]],
    ["sentence", null, ["state", 2]],
    ["note", null, ["caller", 0]],
  ]);
  // The engine gives a test all numbers of its table; those that its question names were compared.
  assert.deepEqual(checks[1]?.numbers, [["arrived", 0], ["stored", 2]]);
  assert.deepEqual(checks[3]?.numbers, [["stored", 2], ["arrived", 0]]);
  assert.equal(testsOf(step(1, 0, [], REFUSED), code).length, 3);
});

test("guards of rows that were tried before the one that fired are checks, too", () => {
  const tried = new Code({
    ...DOCUMENT, rows: { client: [["caller", 0], ["state", 0], null, ["caller", 0]] },
    tables: { client: [["READY", "end", "in_transition"], ["OTHER", "end", ""], ["READY", "begin", ""], ["READY", "end", "settled"]] },
  });
  const fired = { machine: "client", of: "p1", from: "READY", to: "ENDED", on: "end", row: 3 };
  const [guard, row] = checksOf(step(1, 0, [], { transition: fired }), tried);
  assert.deepEqual([guard?.kind, guard?.params["guard"], guard?.outcome, guard?.place], ["guard", "in_transition", "passed", ["caller", 0]]);
  assert.deepEqual([row?.kind, row?.place], ["row", ["caller", 0]]);
});

test("rows before the last one of a step come first", () => {
  const first = { machine: "client", of: "p1", from: "A", to: "A", on: "x", row: 0 };
  const checks = checksOf(step(1, 0, [], { ...REFUSED, decision: null, earlier_transitions: [first] }), null);
  assert.deepEqual(checks.map(({ kind, key }) => [kind, key]).slice(0, 2), [["row", "player.check.row_stays"], ["row", "player.check.row"]]);
});

async function open() {
  const frames = new Frames();
  const run = makeRun(12);
  Object.assign(run.steps[3] ?? {}, REFUSED); // Step 4.
  const source = new StoredSource({ main: run }, [branch("main", 12)]);
  const store = new PlayerStore(source, { schedule: frames.schedule, later: () => {}, startAt: { branch: null, step: 3 } });
  const zoom = new Zoom(store);
  store.pace = zoom;
  store.start();
  await frames.settle();
  const press = async (key: "forward" | "back") => {
    store[key]();
    await frames.settle();
    return [store.shown, zoom.at];
  };
  return { frames, store, zoom, press };
}

test("at the level of checks forward and back go through every check before the next step", async () => {
  const { zoom, press } = await open();
  zoom.use("decision");
  assert.deepEqual(await press("forward"), [4, 0]);
  for (const at of [1, 2, 3, 4]) assert.deepEqual(await press("forward"), [4, at]);
  assert.equal(zoom.check?.kind, "note");
  assert.deepEqual(await press("forward"), [5, 0]);
  assert.deepEqual(await press("back"), [4, 4]);
  assert.deepEqual(await press("back"), [4, 3]);
});

test("playing goes through them as well", async () => {
  const { frames, store, zoom } = await open();
  zoom.use("decision");
  let due: (() => void) | null = null;
  const play = new Play(store, { after: (_milliseconds, action) => { due = action; return 1; }, cancel: () => { due = null; } });
  play.start();
  const seen: number[][] = [];
  for (let turn = 0; turn < 7; turn += 1) {
    (due as (() => void) | null)?.();
    await frames.settle();
    seen.push([store.shown, zoom.at]);
  }
  play.stop();
  assert.deepEqual(seen, [[4, 0], [4, 1], [4, 2], [4, 3], [4, 4], [5, 0], [6, 0]]);
});

test("at the level of steps they do not, and no check is on show", async () => {
  const { zoom, press } = await open();
  assert.deepEqual(await press("forward"), [4, 0]);
  assert.equal(zoom.check, null);
  assert.deepEqual(await press("forward"), [5, 0]);
});

test("a jump enters a step at its first check", async () => {
  const { frames, store, zoom, press } = await open();
  zoom.use("decision");
  await press("forward");
  zoom.go(3);
  store.moveTo(9);
  await frames.settle();
  assert.deepEqual([store.shown, zoom.at], [9, 0]);
});

test("at the level of transactions forward, back and the scrubber rest where one begins or ends", async () => {
  const { zoom, press } = await open();
  zoom.stops = [2, 7, 10];
  zoom.use("transaction");
  assert.deepEqual(await press("forward"), [7, 0]);
  assert.deepEqual(await press("forward"), [10, 0]);
  // After the last check, a press moves by a step.
  assert.deepEqual(await press("forward"), [11, 0]);
  assert.deepEqual(await press("back"), [10, 0]);
  assert.equal(zoom.nearest(6), 7);
  assert.equal(zoom.nearest(100), 10);
  zoom.use("message");
  assert.equal(zoom.nearest(6), 6);
});

test("the address says the level and the check, and is read back; what cannot be read is the look at steps", () => {
  assert.deepEqual(["message", "transaction", "decision"].map((level) => zoomText({ level: level as "message", at: 0 })), ["", "transaction", "decision"]);
  assert.deepEqual(readZoom(zoomText({ level: "decision", at: 4 })), { level: "decision", at: 4 });
  for (const text of ["", "closer", "decision:0", "decision:x", "decision:99999"]) assert.deepEqual(readZoom(text), { level: "message", at: 0 });
});

test("levels follow each other and end", async () => {
  const { zoom } = await open();
  zoom.by(1);
  zoom.by(1);
  assert.equal(zoom.level, "decision");
  zoom.by(-1);
  zoom.by(-1);
  zoom.by(-1);
  assert.equal(zoom.level, "transaction");
});

test("a view in an address says what the middle shows and what the space-time diagram is spaced by", () => {
  for (const view of [...MIDDLES, "spacetime:time"]) {
    const read = readView(view);
    assert.equal(read === null ? null : viewOf(read.middle, read.spacing), view);
  }
  for (const word of ["", "time", "lanes:time", "spacetime:"]) assert.equal(readView(word), null);
  assert.equal(viewOf("lanes", "time"), "lanes");
});

test("a closer look opens the code, and leaving it brings back what stood there", () => {
  const shown: Middle[] = [];
  const stage = { middle: "spacetime" as Middle, show(middle: Middle) { stage.middle = middle; shown.push(middle); } };
  const view = new ZoomView(stage);
  view.follow("decision");
  view.follow("decision");
  view.follow("transaction");
  view.follow("message");
  assert.deepEqual(shown, ["code", "transactions", "spacetime"]);
});
