/** The differences between the steps on show of two runs. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Plan } from "../../generated/messages.ts";
import type { Frame } from "../../player/frame.ts";
import { pathKey } from "../../player/frame.ts";
import { changesOne, factsApart, holdingApart, nearestFirst, nothingApart, passedApart } from "../../player/compare-facts.ts";
import { speakStage } from "../stage/words.ts";

speakStage();

const RUNS = { left_run: "Original run", right_run: "Changed run a" };
const frame = (view: object): Frame => ({ step: null, view, changed: new Set() }) as unknown as Frame;
const partition = (leader: number, isr: number[]): object => ({ leader, isr, replicas: { [leader]: { log_end: 2, high_watermark: 2, last_stable_offset: 2 } } });

test("a node that is down in one run comes first, then what else differs, in one order on both sides", () => {
  const one = frame({ partitions: { "t-1": partition(2, [2, 3]) }, brokers: { 2: { alive: true, transactions: { "txn-1": { state: "PrepareCommit", coordinator_epoch: 0 } } } } });
  const other = frame({ partitions: { "t-1": partition(3, [3]) }, brokers: { 2: { alive: false } } });
  assert.deepEqual(factsApart(one, other).map(({ about, left, right }) => [about, left, right]), [
    ["broker-2", "up", "down"], ["t-1", "broker-2", "broker-3"], ["t-1", "2, 3", "3"],
  ]);
  assert.deepEqual(factsApart(one, one), []);
});

test("the run whose step changes what differs is told from one whose step changes something else", () => {
  const step = (...path: string[]): { changed: Set<string> } => ({ changed: new Set([pathKey(path)]) });
  assert.equal(changesOne(step("partitions", "t-0"), ["t-0"]), true);
  assert.equal(changesOne(step("middleware", "participants", "participant-1"), ["participant-1"]), true);
  assert.equal(changesOne(step("clients", "p1"), ["t-0"]), false);
});

test("a participant that crashed keeps the state that is on its disk", () => {
  const mw = (alive: boolean, state: string): Frame => frame({ middleware: { transactions: { 1: { state: "COMMITTING" } }, participants: { "participant-2": { alive, transactions: { 1: { state } } } } } });
  assert.deepEqual(factsApart(mw(true, "COMMITTED"), mw(false, "PREPARED")).map(({ name, left, right }) => [name, left, right]), [["participant-2", "committed", "down, prepared"]]);
});

test("a participant before its first message is idle, as on the stage, and not merely up", () => {
  const mw = (transactions: object): Frame => frame({ middleware: { transactions: { 1: { state: "STARTED" } }, participants: { "participant-1": { alive: true, transactions } } } });
  assert.deepEqual(factsApart(mw({ 1: { state: "COMMITTED" } }), mw({})).map(({ name, left, right }) => [name, left, right]), [["participant-1", "committed", "idle"]]);
});

test("where all states are alike again, it is said through which other states a run came", () => {
  const plan = (...states: string[]): { passed: Plan["passed"] } => ({ passed: { middleware: { 1: states.map((state, place) => ({ state, since: place + 1 })) } } });
  const plans = [plan("AWAIT_CONFIRM", "COMMITTING"), plan("AWAIT_CONFIRM", "CHECKING", "COMMITTING")];
  const passed = passedApart(["middleware"], plans as never, [3, 3], RUNS);
  assert.deepEqual(passed, ["middleware (checking in “Changed run a” only)"]);
  assert.deepEqual(passedApart(["middleware"], plans as never, [3, 1], RUNS), ["middleware"]);
  assert.match(nothingApart(14, [22, 25], [], RUNS, { passed }), /not all of them came here through the same states: middleware \(checking/);
});

test("a window of the middleware that is over in both runs is held against the other one, and is a matter of time", () => {
  const mw = (until: number | null): Frame => frame({ middleware: { transactions: { 1: { state: "COMMITTED", window: { since: 135, until } } } } });
  assert.deepEqual(factsApart(mw(205), mw(5135)), [{ about: "middleware", name: "middleware's window", left: "135 ms–205 ms", right: "135 ms–5135 ms", isOfTime: true }]);
  assert.deepEqual([factsApart(mw(205), mw(205)), factsApart(mw(205), mw(null))], [[], []]);
});

test("what began to differ first comes first, and before it the participant in which one run was behind until then", () => {
  const all = ["middleware", "business", "participant-2", "participant-3"].map((about) => ({ about, name: about, left: "committed", right: "prepared" }));
  const order = (parted: Record<string, number>, behind: Record<string, number>): string[] =>
    nearestFirst(all, (about) => parted[about] ?? null, (about) => behind[about] ?? null).map(({ about }) => about);
  assert.deepEqual(order({ middleware: 21, business: 20 }, { "participant-2": 17, "participant-3": 22 }), ["participant-2", "business", "middleware"]);
  assert.deepEqual(order({}, { "participant-2": 17 }), [], "a run that is only ahead is named in a sentence");
});

test("a producer that was fenced in one run says so, and a partition what became of its records", () => {
  const run = (state: string, error: string | null, outcome: string): Frame => frame({
    clients: { p1: { alive: true, paused: false, closed: false, transaction_manager: { state, last_error: error, transactional_id: "txn-1", producer_id: 1000, producer_epoch: 0 } } },
    partitions: { "t-0": { leader: 1, isr: [1], replicas: { 1: { log_end: 2, high_watermark: 2, last_stable_offset: 2, batches: { 0: { outcome, record_count: 1 } } } } } },
  });
  assert.deepEqual(factsApart(run("READY", null, "committed"), run("FATAL_ERROR", "PRODUCER_FENCED", "aborted")).map(({ about, left, right }) => [about, left, right]), [
    ["p1", "ready", "fatal error (PRODUCER_FENCED)"], ["t-0", "1 committed", "1 aborted"],
  ]);
});

test("where no state differs it is said that the events before do, once they do", () => {
  const said = (same: number | null, ...shown: number[]): string => nothingApart(same, shown, [], RUNS);
  assert.equal(said(15, 15, 15), "So far no log and no component differs, except in time.");
  assert.match(said(15, 15, 16), /^The events differ from step 16 on/);
  assert.match(said(15, 22, 25), /^The events differ from step 16 on/);
  assert.equal(said(null, 22, 22), "So far no log and no component differs, except in time.");
  assert.equal(nothingApart(null, [2001, 2001], [], RUNS, { compared: 2000 }), "No difference up to step 2000.", "of a long run, only the first steps are compared");
  const ahead = (...sides: ("left" | "right")[]): string => nothingApart(15, [22, 25], sides.map((side, place) => ({ about: `t-${place}`, side })), RUNS);
  assert.match(ahead("right", "right"), /differ in time only: “Changed run a” is ahead in t-0, t-1\.$/);
  assert.match(ahead("left", "right"), /: “Original run” is ahead in t-0, “Changed run a” in t-1\.$/);
});

test("a producer that holds a batch again, which in the other run is on its way, is named where no state differs", () => {
  const run = (state: string, serials: number[]): Frame => frame({ clients: { p1: { batches: { b2: { partition: "t-1", state, serials, attempts: 1 } } } } });
  assert.deepEqual(holdingApart(run("IN_FLIGHT", [4, 5]), run("WAITING", [4, 5])), ["p1"]);
  assert.deepEqual([holdingApart(run("WAITING", [4, 5]), run("WAITING", [4, 5])), holdingApart(undefined, run("WAITING", [4]))], [[], []]);
  assert.match(nothingApart(41, [42, 43], [], RUNS, { holding: ["p1"] }), /except in time and in the batches of p1\.$/);
});

test("an offset is marked that one log lacks, or that holds another record or outcome there; not one that both have alike", () => {
  const batch = (base: number, serial: number, outcome: string): object => ({ base_offset: base, last_offset: base, outcome, record_count: 1, control: null, serials: [serial], producer_id: 1000, producer_epoch: 0, first_sequence: base });
  const run = (...batches: [base: number, serial: number, outcome: string][]): Frame => frame({
    partitions: { "t-0": { leader: 1, isr: [1], replicas: { 1: { log_end: batches.length, high_watermark: batches.length, last_stable_offset: batches.length, batches: Object.fromEntries(batches.map((one) => [one[0], batch(...one)])) } } } },
  });
  const marked = (one: Frame, other: Frame): readonly string[] | undefined => factsApart(one, other).find(({ about }) => about === "t-0")?.marks;
  const log = run([0, 1, "committed"], [1, 2, "committed"]);
  assert.deepEqual(marked(log, run([0, 1, "committed"])), ["t-0 1"]);
  assert.deepEqual(marked(log, run()), ["t-0 0", "t-0 1"]);
  assert.deepEqual(marked(log, run([0, 1, "committed"], [1, 2, "aborted"])), ["t-0 1"]);
  assert.deepEqual(marked(log, run([1, 2, "committed"])), [], "what one log has deleted is not known");
});

test("the same records in another order are listed from the first offset that has another one", () => {
  const run = (...serials: number[]): Frame => frame({
    partitions: { "t-0": { leader: 1, isr: [1], replicas: { 1: { log_end: 3, high_watermark: 3, last_stable_offset: 3, batches: Object.fromEntries(serials.map((serial, base) => [base, { base_offset: base, last_offset: base, outcome: null, record_count: 1, control: null, serials: [serial], producer_id: null }])) } } } },
  });
  assert.deepEqual(factsApart(run(1, 3, 2), run(1, 2, 3)), [{ about: "t-0", name: "records of t-0 from offset 1", left: "r3, r2", right: "r2, r3", marks: ["t-0 1", "t-0 2"] }]);
  assert.deepEqual(factsApart(run(1, 2), run(1, 2)), []);
});

test("a batch with another PID has a mark of its own, not that of another content", () => {
  const log = (pid: number): Frame => frame({ partitions: { "t-0": { leader: 1, isr: [1], replicas: { 1: { log_end: 1, high_watermark: 1, last_stable_offset: 1, batches: { 0: { base_offset: 0, last_offset: 0, record_count: 1, producer_id: pid, producer_epoch: 0, first_sequence: 0, control: null, outcome: null, serials: [1] } } } } } } });
  assert.deepEqual(factsApart(log(7), log(-1)).map(({ left, right, marks }) => [left, right, marks]), [["PID 7, epoch 0, seq 0", "no PID", ["t-0 #0"]]]);
});

test("the same record under another epoch and sequence number differs in its numbers, after every state", () => {
  const run = (epoch: number, seq: number): Frame => frame({
    clients: { p1: { alive: true, paused: false, closed: false, transaction_manager: { state: "READY", last_error: null, transactional_id: "txn-1", producer_id: 1000, producer_epoch: epoch } } },
    partitions: { "t-0": { leader: 1, isr: [1], replicas: { 1: { log_end: 1, high_watermark: 1, last_stable_offset: 1, batches: { 0: { base_offset: 0, last_offset: 0, outcome: "committed", record_count: 1, control: null, producer_id: 1000, producer_epoch: epoch, first_sequence: seq } } } } } },
  });
  const all = factsApart(run(0, 1), run(1, 0));
  assert.deepEqual(all.map(({ name, left, right, isNumber }) => [name, left, right, isNumber]), [
    ["identity of p1", "PID 1000, epoch 0", "PID 1000, epoch 1", true],
    ["batch at offset 0 of t-0", "PID 1000, epoch 0, seq 1", "PID 1000, epoch 1, seq 0", true],
  ]);
  const state = { about: "t-0", name: "t-0", left: "1", right: "2" };
  const order = nearestFirst([...all, state], (about) => (about === "t-0" ? 60 : null), () => null, (about) => (about === "p1" ? 30 : 20));
  assert.deepEqual(order.map(({ name }) => name), ["t-0", "batch at offset 0 of t-0", "identity of p1"]);
});

test("offsets that a group committed are compared, as its coordinator has them", () => {
  const run = (offset: number): Frame => frame({
    partitions: { "__consumer_offsets-3": { leader: 1, isr: [1], replicas: {} } },
    brokers: { 1: { alive: true, groups: { g: { log_partition: 3, committed: { "in-0": { offset, position: 0 } } } } } },
  });
  assert.deepEqual(factsApart(run(1), run(2)).map(({ about, name, left, right }) => [about, name, left, right]), [["g", "offset that g committed for in-0", "1", "2"]]);
});

test("where each run is ahead in a part of one thing, it is not called the same", () => {
  assert.match(nothingApart(15, [22, 25], [{ about: "t-0", side: "both" }], RUNS), /in time only: t-0\. Each run is ahead in some parts/);
});

test("of the same records in other batches, only the offsets at which a batch begins in one log are marked", () => {
  const run = (...sizes: number[]): Frame => {
    const bases = sizes.map((_, index) => sizes.slice(0, index).reduce((sum, size) => sum + size, 0));
    const batches = sizes.map((size, index) => ({ base_offset: bases[index], last_offset: (bases[index] ?? 0) + size - 1, outcome: null, record_count: size, control: null, serials: Array.from({ length: size }, (__, place) => (bases[index] ?? 0) + place), producer_id: null }));
    return frame({ partitions: { "t-0": { leader: 1, isr: [1], replicas: { 1: { log_end: 4, high_watermark: 4, last_stable_offset: 4, batches: Object.fromEntries(batches.map((batch) => [batch.base_offset, batch])) } } } } });
  };
  assert.deepEqual(factsApart(run(1, 2, 1), run(1, 3)), [{ about: "t-0", name: "batches of t-0 from offset 1", left: "2 batches: 2 + 1 records", right: "1 batch: 3 records", marks: ["t-0 |3"] }]);
});
