import assert from "node:assert/strict";
import test from "node:test";

import { treeOf } from "../../player/branch-tree.ts";
import { doneOnLine, inWords, lastDone, placeBefore } from "../../player/done.ts";
import { carriedBy } from "../../player/message-name.ts";
import type { BranchInfo } from "../../player/source.ts";
import { PlayerStore } from "../../player/store.ts";
import { words } from "../../player/text.ts";
import { Undo } from "../../player/undo.ts";
import type { Intervention } from "../../generated/messages.ts";
import { branch, Frames, makeRun, step, StoredSource } from "./fixture.ts";

const drop = (message: number): Intervention => ({ action: "drop_message", message });
const crash: Intervention = { action: "crash", actor: "broker-1" };

/** a: crash after 5; b leaves a at 10 with a drop; c leaves b at 12, nothing done; d leaves a at 3 with a drop. */
const BRANCHES: BranchInfo[] = [
  branch("1", 20, { name: "a", interventions: [{ after: 5, intervention: crash }] }),
  branch("2", 18, { name: "b", parent: "1", leaves_at: 10, interventions: [{ after: 10, intervention: drop(7) }, { after: 15, intervention: drop(8) }] }),
  branch("10", 14, { name: "c", parent: "2", leaves_at: 12 }),
  branch("9", 9, { name: "d", parent: "1", leaves_at: 3, interventions: [{ after: 3, intervention: drop(2) }] }),
];
const BY_ID = new Map(BRANCHES.map((one) => [one.id, one]));

test("what was done on a line is that of its branches, each as far as it belongs to the line", () => {
  assert.deepEqual(doneOnLine(BY_ID, "10").map(({ branch: of, after }) => [of, after]), [["1", 5], ["2", 10]]);
  assert.deepEqual(doneOnLine(BY_ID, "9").map(({ branch: of, after }) => [of, after]), [["9", 3]]);
});

test("a step comes after what was done before it, and the last of that is undone", () => {
  assert.equal(lastDone(BY_ID, "2", 5), null);
  assert.equal(lastDone(BY_ID, "2", 6)?.after, 5);
  assert.equal(lastDone(BY_ID, "2", 10)?.after, 5);
  assert.equal(lastDone(BY_ID, "2", 11)?.after, 10);
  assert.equal(lastDone(BY_ID, "2", 18)?.after, 15);
});

test("a run without an intervention is a branch with the same steps and nothing done later, else there is none", () => {
  const last = (id: string, step: number) => lastDone(BY_ID, id, step) as NonNullable<ReturnType<typeof lastDone>>;
  assert.deepEqual(placeBefore(BY_ID, last("2", 11)), { branch: "1", step: 10, repeats: false });
  assert.deepEqual(placeBefore(BY_ID, last("2", 18)), { branch: "2", step: 15, repeats: true });
  assert.deepEqual(placeBefore(BY_ID, last("1", 9)), { branch: "1", step: 5, repeats: true });
  const without = branch("3", 15, { parent: "2", leaves_at: 15 });
  assert.deepEqual(placeBefore(new Map([...BY_ID, ["3", without]]), last("2", 18)), { branch: "3", step: 15, repeats: false });
  const again = new Map([...BY_ID, ["3", { ...without, interventions: [{ after: 15, intervention: drop(9) }] }]]);
  assert.equal(placeBefore(again, { branch: "3", after: 15, intervention: drop(9) }).repeats, true, "the parent drops another message there");
});

test("the tree names every branch below its parent, in the order they leave it", () => {
  assert.deepEqual(treeOf(BRANCHES).map(({ branch: one, depth }) => [one.name, depth]), [["a", 0], ["d", 1], ["b", 1], ["c", 2]]);
  const orphan = branch("7", 4, { name: "o", parent: "gone" });
  assert.deepEqual(treeOf([orphan]).map(({ branch: one, depth }) => [one.name, depth]), [["o", 0]]);
});

test("a message is named by what it is and carries, once the step that did it is here", () => {
  const texts = {
    "done.drop_message": "dropped {message}", "done.a_message": "a message", "done.message_request": "{api}{carried} from {source} to {destination}",
    "done.message_answer": "answer to {api}{carried} from {source}", "done.carries": " ({partition}, seq {first}–{last})",
    "done.carries_offset": " ({partition}, offset {offset})", "done.carries_partition": " ({partition})",
  };
  words.learn("en", { texts, sources: {} });
  const done = { branch: "1", after: 1, intervention: drop(7) };
  assert.equal(inWords(done), "dropped a message");
  const params = { api: "Produce", kind: "request", source: "p1", destination: "broker-1", message: 7 };
  const batches = { "t-0": { base_sequence: 3, last_sequence: 5 } };
  const dropped = step(2, 10, [{ path: ["network", "messages", "7"], before: { is_response: false, fields: { batches } } }], { params });
  assert.equal(inWords(done, { step: () => dropped }), "dropped Produce (t-0, seq 3–5) from p1 to broker-1");
  const answer = step(2, 10, [], { params: { ...params, kind: "response", source: "broker-1" } });
  assert.equal(inWords(done, { step: () => answer }), "dropped answer to Produce from broker-1");
  const partitions = ["t-0", "t-1"];
  assert.equal(carriedBy({ is_response: true, partitions, fields: { partitions: { "t-0": { base_offset: 40 } } } }), " (t-0, offset 40)");
  assert.equal(carriedBy({ is_response: false, partitions, fields: {} }), " (t-0 +1)");
});

test("an intervention that leaves its broker or offset to the engine names neither", () => {
  const texts = {
    "done.shrink_isr": "broker-{broker} stopped fetching {partition}", "done.shrink_isr_any": "a follower stopped fetching {partition}",
    "done.delete_head": "{partition}: below {to}", "done.delete_head_any": "{partition}: below the high watermark",
  };
  words.learn("en", { texts, sources: {} });
  const said = (intervention: Intervention) => inWords({ branch: "1", after: 1, intervention });
  assert.equal(said({ action: "shrink_isr", partition: "t-0", broker: 2 }), "broker-2 stopped fetching t-0");
  assert.equal(said({ action: "shrink_isr", partition: "t-0", broker: null }), "a follower stopped fetching t-0");
  assert.equal(said({ action: "shrink_isr", partition: "t-0" }), "a follower stopped fetching t-0");
  assert.equal(said({ action: "delete_head", partition: "t-0", to: 0 }), "t-0: below 0");
  assert.equal(said({ action: "delete_head", partition: "t-0", to: null }), "t-0: below the high watermark");
});

async function open() {
  const run = makeRun(20);
  const source = new StoredSource({ "1": run, "2": run, "10": run, "9": run }, [...BRANCHES]);
  const frames = new Frames();
  const store = new PlayerStore(source, { schedule: frames.schedule, later: () => {}, startAt: { branch: "2", step: 11 } });
  store.start();
  await frames.settle();
  return { store, frames, undo: new Undo(store) };
}

test("undo goes back to before, again to before that, and redo returns", async () => {
  const { store, frames, undo } = await open();
  assert.equal(undo.here?.after, 10);
  assert.equal(undo.undo(), true);
  assert.deepEqual([store.branch, store.target, undo.taken?.after], ["1", 10, 10]);
  assert.equal(undo.redo(), true);
  assert.deepEqual([store.branch, store.target, undo.taken], ["2", 11, null]);
  undo.undo();
  undo.undo();
  await frames.settle();
  assert.deepEqual([store.branch, store.target, undo.taken?.after], ["made-4", 5, 5]);
  assert.equal(undo.undo(), false);
});

test("at the newest step, undo leads to a new branch, whose next step does not repeat the intervention", async () => {
  const { store, frames, undo } = await open();
  store.moveTo(18);
  await frames.settle();
  undo.undo();
  await frames.settle();
  assert.deepEqual([store.branch, store.target, store.newest, undo.taken?.after], ["made-4", 15, 15, 15]);
  undo.redo();
  undo.undo();
  await frames.settle();
  assert.equal(store.branch, "made-4", "a second undo makes no second branch");
});

test("redo leads to the step that was made to happen, wherever it was taken back", async () => {
  const { store, frames, undo } = await open();
  store.moveTo(18);
  await frames.settle();
  undo.undo();
  await frames.settle();
  undo.redo();
  assert.deepEqual([store.branch, store.target], ["2", 16]);
});

test("after going elsewhere nothing is redone", async () => {
  const { store, undo } = await open();
  undo.undo();
  store.moveTo(2);
  assert.equal(undo.taken, null);
  assert.equal(undo.redo(), false);
  assert.equal(store.target, 2);
});
