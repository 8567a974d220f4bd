import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Change, Frame, Json, Plan, Step } from "../../player/frame.ts";
import { focusOf } from "../../stage/focus.ts";
import { readTag } from "../../stage/focus-tag.ts";
import { DUPLICATE, FIVE, appendedStep, client, frameOf, logBatch, message, partition, refusedStep, replica, speakEnglish, stepOf, view } from "../diagrams/fixture.ts";

before(speakEnglish);

const change = (path: string[], before: Json | undefined, after: Json | undefined): Change => ({
  path, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }),
});

test("before the first step nothing is in focus", () => {
  assert.equal(focusOf(frameOf(null)).kind, "none");
});

test("a duplicate: the batch that is stored already, and at which offset", () => {
  const focus = focusOf(frameOf(DUPLICATE));
  assert.deepEqual([focus.kind, focus.actor, focus.partition, focus.offset], ["duplicate", "broker-1", "t-0", 40]);
  assert.deepEqual(focus.tag, { key: "stage.tag.already_stored", params: { offset: 40 } });
});

test("a refusal: red, with the error and what was compared", () => {
  const focus = focusOf(frameOf(refusedStep()));
  assert.deepEqual([focus.kind, focus.partition, focus.bad], ["refused", "t-0", true]);
  assert.deepEqual(focus.tag?.params, { error: "OUT_OF_ORDER_SEQUENCE_NUMBER" });
  assert.deepEqual(focus.compared[0], ["expected first sequence", 13]);
});

test("a delivery behind an aborted transaction says what was handed over and what was skipped", () => {
  const note = { key: "consumer.skips_aborted", params: { consumer: "c1", partition: "t-0", count: 2 }, rules: [] };
  const reader = (delivered_count: number) => ({ consumers: { c1: { delivered_count, positions: { "t-0": 6 } } } });
  const frame = { step: { ...DUPLICATE, key: "consumer.delivers", params: {}, notes: [note] }, view: reader(3), previousView: reader(1) } as unknown as Frame;
  assert.deepEqual(readTag(frame, "c1", "t-0"), { key: "stage.tag.reads_skips", params: { count: 2, skipped: 2 } });
  assert.deepEqual(readTag(frame, "c1", "t-1"), { key: "stage.tag.reads", params: { count: 2 } });
});

test("an append: the batch that is new at the leader", () => {
  const batch = logBatch(53, 2);
  const now = view({ partitions: { "t-0": partition(replica([...FIVE, batch])) } });
  const focus = focusOf(frameOf(appendedStep(batch), now));
  assert.deepEqual([focus.kind, focus.partition, focus.offset, focus.tag?.key], ["append", "t-0", 53, "stage.tag.stored_between"]);
});

test("markers without a response: the coordinator, with whom it waited for", () => {
  const params = { coordinator: "broker-2", broker: "broker-1", transactional_id: "txn-1", partitions: ["t-0"], result: "COMMIT" };
  const step = { ...stepOf(), actor: "broker-2", key: "markers.timed_out", params: {}, notes: [{ key: "markers.disconnected", params, rules: [] }] };
  const focus = focusOf(frameOf(step));
  assert.deepEqual([focus.kind, focus.actor, focus.transactional_id], ["coordinator", "broker-2", "txn-1"]);
  assert.deepEqual(focus.tag, { key: "stage.tag.marker_unanswered", params: { broker: "broker-1", partitions: ["t-0"] } });
});

test("a broken guarantee is what the tag says, in red", () => {
  const batch = logBatch(53, 2);
  const now = view({ partitions: { "t-0": partition(replica([...FIVE, batch])) } });
  const broken: Step["broken"] = [{ guarantee: "duplicated", partition: "t-0", serials: [1, 2] }];
  const focus = focusOf(frameOf({ ...appendedStep(batch), broken }, now));
  assert.deepEqual([focus.bad, focus.tag], [true, { key: "stage.tag.broken.duplicated.records", params: { records: "r1, r2" } }]);
});

test("a transaction that hangs after a step of its coordinator: its record in the log", () => {
  const batch = logBatch(53, 1);
  const now = view({ partitions: { "t-0": partition(replica([...FIVE, batch])) } });
  const broken: Step["broken"] = [{ guarantee: "hanging", partition: "t-0", serials: batch.serials, producer_id: 1000, first_offset: 53 }];
  const focus = focusOf(frameOf({ ...stepOf(), actor: "broker-2", broken }, now));
  assert.deepEqual([focus.actor, focus.partition, focus.offset, focus.bad], ["broker-1", "t-0", 53, true]);
  assert.equal(focus.tag?.key, "stage.tag.broken.hanging");
});

test("the end of a run that stored a record twice: the second of them, in red", () => {
  const batches = [logBatch(53, 1), { ...logBatch(54, 1), serials: logBatch(53, 1).serials }];
  const guarantees = { duplicated: { judged: true, count: 1, broken_at: 3, partition: "t-0", serials: logBatch(53, 1).serials } };
  const now = view({ partitions: { "t-0": partition(replica(batches)) }, guarantees });
  const step = stepOf({ messages: [{ id: 18, event: "delivered" }] });
  const plan = { steps: step.number, complete: true, beats: [] } as unknown as Plan;
  const focus = focusOf(frameOf(step, now, { plan }));
  assert.deepEqual([focus.partition, focus.offset, focus.bad, focus.tag?.key], ["t-0", 54, true, "stage.tag.broken.duplicated.records"]);
  assert.deepEqual(focus.messages.delivered, []);
  assert.equal(focusOf(frameOf(step, now, { plan: { ...plan, steps: step.number + 1 } })).bad, false);
});

test("a lost message, a delayed and a doubled one: the message itself", () => {
  const sent = message({ id: 18 });
  const around = { previousView: view({ network: { messages: { 18: sent } } }) };
  const lost = focusOf(frameOf(stepOf({ kind: "fault", key: "fault.message_dropped", messages: [{ id: 18, event: "dropped" }] }), view(), around));
  assert.deepEqual([lost.kind, lost.messages.dropped, lost.tag?.key], ["lost", [18], "stage.tag.lost"]);
  const both = focusOf(frameOf(stepOf({ at: 42, kind: "fault", key: "fault.message_dropped", messages: [{ id: 18, event: "dropped" }, { id: 19, event: "lost" }] }), view(), around));
  assert.deepEqual(both.tag, { key: "stage.tag.lost_several", params: { at: 42, count: 2 } }, "one tag for all that is lost");
  const late = view({ network: { messages: { 18: { ...sent, arrives_at: 243 } } } });
  const delayed = focusOf(frameOf(stepOf({ kind: "fault", key: "fault.message_delayed", messages: [{ id: 18, event: "delayed" }] }), late, around));
  assert.deepEqual([delayed.kind, delayed.tag?.params], ["sent", { at: 243 }]);
  const twice = focusOf(frameOf(
    stepOf({ kind: "fault", key: "fault.message_duplicated", messages: [{ id: 18, event: "duplicated" }, { id: 19, event: "sent" }] }), late, around,
  ));
  assert.equal(twice.tag?.key, "stage.tag.duplicated");
});

test("a consumer that crashes stands at the lane that it reads", () => {
  const crash = stepOf({ kind: "fault", key: "fault.client_crashed", actor: "c1", params: { actor: "c1" } });
  const focus = focusOf(frameOf(crash, view({ consumers: { c1: { positions: { "t-0": 0 } } } as never })));
  assert.deepEqual([focus.kind, focus.actor, focus.partition, focus.tag?.key], ["read", "c1", "t-0", "stage.tag.crashed"]);
});

test("gates that move: which, and from where to where", () => {
  const before = partition(replica(FIVE, { high_watermark: 50, last_stable_offset: 45 }));
  const after = partition(replica(FIVE, { high_watermark: 53, last_stable_offset: 45 }));
  const step = stepOf({ kind: "replication", changes: [change(["partitions", "t-0", "replicas", "1", "high_watermark"], 50, 53)] });
  const focus = focusOf(frameOf(step, view({ partitions: { "t-0": after } }), { previousView: view({ partitions: { "t-0": before } }) }));
  assert.deepEqual([focus.kind, focus.gates, focus.tag?.key], ["gate", ["high_watermark"], "stage.tag.hw_lso_stays"]);
  assert.deepEqual([focus.tag?.params["hw_from"], focus.tag?.params["hw"], focus.tag?.params["lso"]], [50, 53, 45]);
});

test("a follower that learns the high watermark is marked itself", () => {
  const step = stepOf({ kind: "replication", actor: "broker-2", changes: [change(["partitions", "t-0", "replicas", "2", "high_watermark"], 50, 53)] });
  const focus = focusOf(frameOf(step, view({ partitions: { "t-0": partition(replica(FIVE)) } }), { previousView: view({}) }));
  assert.deepEqual([focus.kind, focus.actor, focus.tag?.params], ["actor", "broker-2", { partition: "t-0", high_watermark: 53 }]);
});

test("the coordinator's entry: being written while it is pending, then it counts", () => {
  const entry = {
    state: "Ongoing", pending_state: "PrepareCommit" as string | null, producer_id: 1000, last_producer_id: null, producer_epoch: 0,
    last_producer_epoch: null, timeout_ms: 60000, partitions: ["t-0"], started_at: 1, times_out_at: null, last_update: 2,
    failed_epoch_fence: false, coordinator_epoch: 0, log_partition: 10,
  };
  const broker = { alive: true, paused: false, starting: false, producer_id_block: null, denied: [] };
  const withEntry = (over: Partial<typeof entry>) => view({ brokers: { 2: { ...broker, transactions: { "txn-1": { ...entry, ...over } } } } });
  const path = ["brokers", "2", "transactions", "txn-1"];
  const written = focusOf(frameOf(
    stepOf({ changes: [change([...path, "pending_state"], null, "PrepareCommit")] }), withEntry({}), { previousView: withEntry({ pending_state: null }) },
  ));
  assert.deepEqual([written.kind, written.actor, written.state, written.tag?.key], ["coordinator", "broker-2", "PrepareCommit", "stage.tag.being_written"]);
  const counts = focusOf(frameOf(
    stepOf({ changes: [change([...path, "state"], "Ongoing", "PrepareCommit")] }), withEntry({ state: "PrepareCommit", pending_state: "CompleteCommit" }),
    { previousView: withEntry({}) },
  ));
  assert.deepEqual([counts.state, counts.tag?.key], ["PrepareCommit", "stage.tag.counts"]);
  const read = frameOf(stepOf({ changes: [change([...path, "state"], "Ongoing", "PrepareCommit")] }), withEntry({ state: "PrepareCommit" }), { previousView: withEntry({}) });
  const inFiles = focusOf({ ...read, header: { ...read.header, profile: "log" } });
  assert.deepEqual(inFiles.tag, { key: "stage.tag.now", params: { to: "PrepareCommit" } }, "files do not tell what was replicated");
});

test("a request that changes nothing at the coordinator: the tag says so, and no state is marked", () => {
  const transition = { machine: "transaction_states", of: "txn-1", from: "CompleteCommit", to: "CompleteCommit", on: "end_commit", row: 46 };
  const repeated = focusOf(frameOf(stepOf({ actor: "broker-2", kind: "delivery", key: "coordinator.done_already", transition }), view({})));
  assert.deepEqual([repeated.kind, repeated.state, repeated.transactional_id], ["coordinator", null, "txn-1"]);
  assert.deepEqual(repeated.tag, { key: "stage.tag.done_already", params: { state: "CompleteCommit" } });
});

test("a new coordinator that loads a decision: its completion is not being written while markers are missing", () => {
  const entry = {
    state: "PrepareCommit", pending_state: "CompleteCommit", producer_id: 1000, last_producer_id: null, producer_epoch: 0,
    last_producer_epoch: null, timeout_ms: 60000, partitions: ["t-0"], started_at: 1, times_out_at: null, last_update: 2,
    failed_epoch_fence: false, coordinator_epoch: 1, log_partition: 10,
  };
  const markers = { waiting: { "txn-1": { result: "COMMIT", remaining: ["t-0"], retries: 0, passed_over: [] } } };
  const broker = { alive: true, paused: false, starting: false, producer_id_block: null, denied: [], markers, transactions: { "txn-1": entry } };
  const loaded = focusOf(frameOf(
    stepOf({ changes: [change(["brokers", "3", "transactions", "txn-1"], undefined, entry)] }), view({ brokers: { 3: broker } }), { previousView: view({}) },
  ));
  assert.deepEqual([loaded.actor, loaded.state, loaded.tag?.key], ["broker-3", "PrepareCommit", "stage.tag.markers_next"]);
});

test("another leader: the broker that leads now", () => {
  const after = { ...partition(replica(FIVE)), leader: 2, leader_epoch: 1 };
  const step = stepOf({ actor: "controller", kind: "timer", changes: [change(["partitions", "t-0", "leader"], 1, 2)] });
  const focus = focusOf(frameOf(step, view({ partitions: { "t-0": after } })));
  assert.deepEqual([focus.kind, focus.actor, focus.tag?.params], ["leader", "broker-2", { partition: "t-0", leader_epoch: 1 }]);
});

test("a client: its error in red, the records that were reported to it", () => {
  const manager = client().transaction_manager;
  assert.ok(manager !== null);
  const failed = view({ clients: { p1: client({ transaction_manager: { ...manager, last_error: "PRODUCER_FENCED" } }) } });
  const focus = focusOf(frameOf(stepOf({ actor: "p1", kind: "delivery" }), failed));
  assert.deepEqual([focus.kind, focus.bad, focus.tag?.params], ["client", true, { error: "PRODUCER_FENCED" }]);
  const step = stepOf({ actor: "p1", kind: "delivery", changes: [change(["records", "1", "status"], "pending", "ok"), change(["records", "2", "status"], "pending", "ok")] });
  assert.deepEqual(focusOf(frameOf(step)).tag, { key: "stage.tag.acknowledged", params: { count: 2 } });
});

test("who only sends is not in focus: what leaves is", () => {
  const now = view({ network: { messages: { 18: message({ id: 18, sent_at: 143, arrives_at: 148 }) } } });
  const focus = focusOf(frameOf(stepOf({ actor: "p1", kind: "sender_phase", messages: [{ id: 18, event: "sent" }] }), now));
  assert.deepEqual([focus.kind, focus.messages.sent], ["sent", [18]]);
});
