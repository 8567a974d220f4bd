import assert from "node:assert/strict";
import { before, test } from "node:test";
import { layoutAborted } from "../../diagrams/aborted-index.ts";
import { layoutCompensation } from "../../diagrams/compensation-log.ts";
import { layoutDatabase } from "../../diagrams/database.ts";
import { layoutCoordinator } from "../../diagrams/coordinator.ts";
import { layoutGroups } from "../../diagrams/groups.ts";
import { layoutTapes } from "../../diagrams/internal-log.ts";
import { TRANSACTION_PLACES, layoutMachine, tableInForce } from "../../diagrams/machine-layout.ts";
import { layoutMarkerBoards } from "../../diagrams/marker-board.ts";
import { layoutRoles, windowText } from "../../diagrams/middleware-roles.ts";
import { layoutVotes } from "../../diagrams/middleware-votes.ts";
import { isShown, panelsOf } from "../../player/panels.ts";
import type { MiddlewareView, TransactionView } from "../../generated/messages.ts";
import type { CoordinationView } from "../../player/whole-view.ts";
import type { Change, View } from "../../player/frame.ts";
import { words } from "../../player/text.ts";
import { frameOf, logBatch, partition, replica, speakEnglish, stepOf, view } from "./fixture.ts";

before(speakEnglish);

function transaction(over: Partial<TransactionView> = {}): TransactionView {
  return {
    state: "PrepareCommit", pending_state: "CompleteCommit", producer_id: 1000, last_producer_id: null, producer_epoch: 0,
    last_producer_epoch: null, timeout_ms: 60000, partitions: ["t-0", "t-1"], started_at: 155, times_out_at: null,
    last_update: 225, failed_epoch_fence: false, coordinator_epoch: 0, log_partition: 10, ...over,
  };
}

function withBroker(id: string, parts: CoordinationView, more: Partial<View> = {}): View {
  const now = view(more);
  const broker = { alive: true, paused: false, starting: false, producer_id_block: null, denied: [] };
  return { ...now, brokers: { ...now.brokers, [id]: { ...broker, ...parts } } };
}

const MARKER = { transactional_id: "txn-1", producer_id: 1000, producer_epoch: 0, coordinator_epoch: 0, result: "COMMIT" };

test("coordinator: state and what is being written, the card, how it was found", () => {
  const now = withBroker("2", {
    transactions: { "txn-1": transaction() },
    lookups: { "TRANSACTION txn-1": { key: "txn-1", topic: "__transaction_state", hash: 110810510, partition: 10, leader: 2 } },
  });
  const transition = { machine: "transaction_states", of: "txn-1", from: "Ongoing", to: "PrepareCommit", on: "end_commit", row: 35 };
  const shape = layoutCoordinator(frameOf(stepOf({ actor: "broker-2", transition }), now));
  assert.deepEqual(shape?.lastEdge, ["Ongoing", "PrepareCommit", "end_commit"]);
  assert.deepEqual(shape?.rows.map((row) => [row.name, row.value]), [
    ["PID·epoch", "1000·0"], ["previous", "none"], ["timeout", "1 min"], ["coordinator epoch", "0"],
  ]);
  assert.equal(shape?.found, "hash 110810510 → __transaction_state-10 → broker-2");
  assert.equal(layoutCoordinator(frameOf(null)), null);
});

test("coordinator: the step chooses among ids and brokers; a deposed coordinator's copy stays in sight", () => {
  const ids = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`txn-${index}`, transaction({ pending_state: null })]));
  const now = withBroker("2", { transactions: ids });
  const both = { ...now, brokers: { ...now.brokers, 3: { ...now.brokers?.["2"], transactions: { "txn-1": transaction({ coordinator_epoch: 1 }) } } } } as View;
  const changes: Change[] = [{ path: ["brokers", "2", "transactions", "txn-4", "state"], before: "Ongoing", after: "PrepareCommit" }];
  const shape = layoutCoordinator(frameOf(stepOf({ changes }), both, { previousView: both }));
  assert.deepEqual([shape?.kept.id, shape?.others.length, shape?.folded], ["txn-4", 3, 3]);
  const kept = layoutCoordinator(frameOf(null, both), "2/txn-1");
  assert.deepEqual([kept?.kept.id, kept?.kept.broker, kept?.others[1]?.text], ["txn-1", "2", "txn-1 at broker-3: PrepareCommit, next CompleteCommit"]);
});

test("coordinator: the machine draws the pending state apart from the current one", () => {
  const row = { on: "all_markers_acknowledged", when: "", reply: "", why: "", spec: "" };
  const table = {
    name: "transaction_states", initial: "Empty", states: Object.keys(TRANSACTION_PLACES), terminal: ["Dead"], events: [row.on],
    rows: [{ ...row, source: "PrepareCommit", target: "CompleteCommit" }],
  };
  const shape = layoutMachine(table, "PrepareCommit", null, { width: 296, places: TRANSACTION_PLACES, only: null, pending: "CompleteCommit" });
  assert.deepEqual(shape.states.filter((state) => state.current).map((state) => state.state), ["PrepareCommit"]);
  assert.deepEqual(shape.states.filter((state) => state.pending).map((state) => state.state), ["CompleteCommit"]);
  shape.states.forEach((one, index) => shape.states.slice(index + 1).forEach((other) => {
    const apart = one.x + one.width <= other.x || other.x + other.width <= one.x || one.y + one.height <= other.y || other.y + other.height <= one.y;
    assert.ok(apart, `${one.state} on ${other.state}`);
    assert.ok(one.x >= 0 && one.x + one.width <= 296);
  }));
});

test("internal logs: the newest images, not replicated ones distinguished, tombstones, markers, older ones counted", () => {
  const image = (state: string) => ({ state, producer_id: 1000, producer_epoch: 0, timeout_ms: 60000, partitions: ["t-0"], last_update_ms: 1, start_ms: 1 });
  const plain = { producer_id: -1, serials: [] };
  const log = replica([
    logBatch(0, 1, { ...plain, content: { keys: ["txn-1"], values: [image("Empty")], offset_deltas: null } }),
    logBatch(1, 1, { ...plain, content: { keys: ["txn-1"], values: [image("Ongoing")], offset_deltas: null } }),
    logBatch(2, 1, { ...plain, content: { keys: ["txn-2"], values: [null], offset_deltas: null } }),
    logBatch(3, 1, { ...plain, content: { keys: ["txn-1"], values: [image("PrepareCommit")], offset_deltas: null } }),
  ], { high_watermark: 3 });
  const offsets = replica([
    logBatch(0, 2, { producer_id: 1000, transactional: true, content: { keys: [["g", "t-0"], ["g", "t-1"]], values: [{ offset: 7 }, { offset: 9 }], offset_deltas: [0, 3] } }),
    logBatch(4, 1, { producer_id: 1000, control: "COMMIT" }),
  ]);
  const { tapes } = layoutTapes(frameOf(null, view({ partitions: { "t-0": partition(log), "__consumer_offsets-3": partition(offsets), "__transaction_state-10": partition(log) } })));
  assert.deepEqual(tapes.map((tape) => [tape.partition, tape.folded, tape.open]), [["__consumer_offsets-3", 0, true], ["__transaction_state-10", 1, false]]);
  assert.deepEqual(tapes[1]?.images.map((one) => [one.offset, one.lines[1], one.pending, one.tombstone]), [
    [1, "Ongoing", false, false], [2, "tombstone", false, true], [3, "PrepareCommit", true, false],
  ]);
  assert.deepEqual(tapes[0]?.images.map((one) => [one.offset, one.lines]), [
    [0, ["g t-0", "committed offset 7", "1000·0"]], [3, ["g t-1", "committed offset 9", "1000·0"]], [4, ["COMMIT", "1000·0"]],
  ]);
});

test("marker board: queues, the unknown broker, what is under way, who has not acknowledged; an empty one is none", () => {
  const markers = {
    queues: { 1: [{ ...MARKER, partitions: ["t-0"] }] }, in_flight: { 3: [{ ...MARKER, partitions: ["t-1"] }] },
    unknown_broker: [{ ...MARKER, partitions: ["u-0"] }], waiting: { "txn-1": { result: "COMMIT", remaining: ["t-0", "t-1"], retries: 2 } },
  };
  const [board] = layoutMarkerBoards(frameOf(null, withBroker("2", { markers })));
  assert.deepEqual(board?.rows.map((row) => [row.to, row.queued, row.inFlight]), [
    ["broker-1", "COMMIT txn-1: t-0", "none"], ["broker-3", "none", "COMMIT txn-1: t-1"], ["unknown broker", "COMMIT txn-1: u-0", "none"],
  ]);
  assert.deepEqual(board?.checklists.map((list) => list.text), ["txn-1 COMMIT: no acknowledgement yet for t-0, t-1; 2 retries so far"]);
  assert.deepEqual(layoutMarkerBoards(frameOf(null, withBroker("2", { markers: { queues: { 1: [] }, stopped: false } }))), []);
  words.use("zh-Hans");
  assert.equal(layoutMarkerBoards(frameOf(null, withBroker("2", { markers })))[0]?.rows[2]?.to, "未知 broker");
  words.use("en");
});

test("groups: what consumers receive, and what open transactions and plain commits would change", () => {
  const g = { log_partition: 3, committed: { "t-0": { offset: 2, position: 0 } }, committing: { "t-1": 5 }, pending: { 1000: { "t-0": { offset: 7, position: 4 } } } };
  const [shape] = layoutGroups(frameOf(null, withBroker("1", { groups: { g } })));
  assert.deepEqual(shape?.rows.map((row) => [row.partition, row.committed, row.pending]), [
    ["t-0", "2", "7 (PID 1000)"], ["t-1", "none", "5 (being written)"],
  ]);
  assert.deepEqual(layoutGroups(frameOf(null, withBroker("1", { groups: { g: { log_partition: 3 } } }))), []);
});

test("aborted index: newest first, the rest counted with what the view itself left out", () => {
  const entries = Array.from({ length: 7 }, (_, index): [number, number, number, number] => [1000, index * 10, index * 10 + 5, index * 10]);
  const shape = layoutAborted(frameOf(null, view({ partitions: { "t-0": partition(replica([logBatch(0, 1)], { aborted_index: entries, aborted_folded: 4 })) } })));
  assert.deepEqual([shape.rows[0]?.offsets, shape.rows.length, shape.folded], ["60–65", 5, 6]);
});

const SET = { alive: true, paused: false, can_roll_back: true, keeps_log: true };
const MIDDLEWARE: MiddlewareView = {
  business: { transactions: { 1: { state: "WAIT_CONFIRM_ACK", message_id: "m1", stored: "SUCCESS", undone: false, result: null, due: null } }, alive: true, paused: false },
  middleware: { alive: true, paused: false, strategy: "log_rollback", direction: "backward", back_check: true, durable: true },
  transactions: {
    1: {
      state: "COMMITTING", message_id: "m1", message: "delivered", decision: "Commit", votes: { "participant-1": "COMMITTED", "participant-2": "UNKNOWN" },
      answers: {
        "participant-1": { asked: "Commit", asked_at: 55, answer: "CommitOk", at: 65, tries: 1 },
        "participant-2": { asked: "Commit", asked_at: null, answer: null, at: null, tries: 0 },
      },
      checks: 0, tries: 0, named: [], timer: { kind: "answer_timeout", since: 55, until: 5055 }, window: { since: 65, until: null },
    },
  },
  participants: {
    "participant-1": { ...SET, value: 110, reserved: 0, transactions: { 1: { state: "COMMITTED", operation: 10, applied: 1 } }, log: [{ tid: 1, participant: "participant-1", operation: 10, before: 100, after: 110, undone: false }] },
    "participant-2": { ...SET, alive: false, log: [], value: 100, reserved: 10, transactions: { 1: { state: "PREPARED", operation: 10, applied: 0 } } },
  },
};

test("middleware: states of the roles, belief beside fact, votes and answers, the compensation log", () => {
  const frame = frameOf(null, view({ middleware: MIDDLEWARE }));
  assert.deepEqual(layoutRoles(frame).rows.map((row) => [row.node, row.state, row.believed, row.holds, row.alive]), [
    ["business", "WAIT_CONFIRM_ACK", null, "stored: SUCCESS", true],
    ["middleware", "COMMITTING", null, "message to the participants: sent", true],
    ["participant-1", "COMMITTED", null, "110", true],
    ["participant-2", "PREPARED", "UNKNOWN", "100, 10 reserved", false],
  ]);
  assert.equal(windowText(frame, "1"), "As far as the middleware knows, participants may have differed since t = 65 ms, when the first CommitOk arrived.");
  const votes = layoutVotes(frame);
  assert.deepEqual(votes?.rows.map((row) => [row.node, row.vote, row.asked, row.answer]), [
    ["participant-1", "COMMITTED", "Commit ×1", "CommitOk"], ["participant-2", "UNKNOWN", "Commit, not sent yet", "none"],
  ]);
  assert.equal(votes?.timer, "Response timeout: t = 5055 ms");
  assert.deepEqual(layoutCompensation(frame).rows.map((row) => [row.node, row.change, row.undone]), [["participant-1", "100 → 110", false]]);
});

test("what a run does not have gets no panel, and a step unfolds the panels that it is about", () => {
  const shown = (frame: ReturnType<typeof frameOf>) =>
    ["eos-accumulator", "eos-zookeeper", "eos-coordinator", "eos-marker-board", "eos-groups", "eos-middleware-roles", "eos-middleware-votes"].filter((tag) => isShown(tag, frame));
  const begun = stepOf();
  assert.deepEqual(shown(frameOf(begun, view({ middleware: {} }))), ["eos-accumulator", "eos-zookeeper"]);
  assert.deepEqual(shown(frameOf(begun, withBroker("2", { transactions: { "txn-1": transaction() } }))), ["eos-accumulator", "eos-zookeeper", "eos-coordinator"]);
  assert.deepEqual(shown(frameOf(begun, view({ middleware: MIDDLEWARE, brokers: {} }))), ["eos-middleware-roles", "eos-middleware-votes"]);
  assert.deepEqual(shown(frameOf(begun, view({ middleware: MIDDLEWARE }))).length, 4, "a comparison has both sides");
  assert.deepEqual(shown(frameOf(null, view({ middleware: {} }))), ["eos-accumulator"], "at the beginning nothing stands empty");
  const changes: Change[] = [
    { path: ["brokers", "2", "markers", "queues", "1"], after: [] },
    { path: ["partitions", "__transaction_state-10", "replicas", "1", "high_watermark"], after: 3 },
    { path: ["brokers", "2", "lookups", "GROUP g"], after: {} },
  ];
  const now = view({ partitions: { "__transaction_state-10": partition(replica([])) } });
  assert.deepEqual([...panelsOf(frameOf(stepOf({ changes }), now))].sort(), ["eos-internal-log", "eos-lanes", "eos-marker-board"]);
  const copied: Change[] = [{ path: ["partitions", "__transaction_state-10", "replicas", "2", "batches", "0"], after: {} }];
  assert.deepEqual([...panelsOf(frameOf(stepOf({ changes: copied }), now))], ["eos-lanes"]);
});

test("machines: rows, events and states that a version does not have are not drawn", () => {
  const row = (source: string, on: string, target: string | null, needs = {}) => ({ source, on, when: "", target, reply: "", why: "", spec: "", ...needs });
  const table = {
    name: "transaction_states", initial: "Empty", states: ["Empty", "Ongoing", "PrepareCommit", "Lost"], terminal: ["Lost"],
    events: ["add", "end_commit", "end_commit_raising_epoch", "lose"],
    rows: [
      row("Empty", "add", "Ongoing"), row("Ongoing", "end_commit", "PrepareCommit"), row("Ongoing", "lose", "Lost", { versions: ["2.0"] }),
      row("Ongoing", "end_commit_raising_epoch", "PrepareCommit", { versions: ["4.1"], level: 2 }),
    ],
  };
  const drawn = (version: string, level: number) => {
    const there = tableInForce(table, { version, level }, null);
    const shape = layoutMachine(there, "Empty", null, { width: 296, places: TRANSACTION_PLACES, only: null });
    return [there.states, shape.edges.find((edge) => edge.to === "PrepareCommit")?.on];
  };
  assert.deepEqual(drawn("2.0", 0), [["Empty", "Ongoing", "PrepareCommit", "Lost"], ["end_commit"]]);
  assert.deepEqual(drawn("4.1", 0), [["Empty", "Ongoing", "PrepareCommit"], ["end_commit"]]);
  assert.deepEqual(drawn("4.1", 2), [["Empty", "Ongoing", "PrepareCommit"], ["end_commit", "end_commit_raising_epoch"]]);
  assert.deepEqual(tableInForce(table, { version: "4.1", level: 0 }, ["Ongoing", "PrepareCommit", "end_commit_raising_epoch"]).events, ["add", "end_commit", "end_commit_raising_epoch"]);
  assert.equal(tableInForce(table, { version: "", level: 0 }, null), table);
});

test("a database: what is committed, what is held back and for whom, what a service has in memory only", () => {
  const local = { state: "OPEN", rows: [1, 3], repeated: [1], outbox: [3], removed: [], offsets: {} };
  const database = {
    alive: true, paused: false, unique_key: true, outbox: [2], offsets: { "in-0": 2 }, open: { shop: local },
    rows: { 1: { copies: 1, stored_at: 5 }, 2: { copies: 2, stored_at: 9 } },
  };
  const shop = {
    alive: true, paused: false, approach: "outbox", acts: ["write", "commit"], act: 0, state: "WRITING", round: 3, rounds: 3, hand: [1, 3],
    producer: null, consumer: null, asked_at: 20, timeout_at: 1020,
  };
  const shape = layoutDatabase(frameOf(null, view({ database, services: { shop } })), 2);
  assert.deepEqual(shape?.rows.map(({ serial, row, entry }) => [serial, row, entry]), [
    [3, "uncommitted (shop)", "uncommitted (shop)"],
    [2, "committed 2 times", "committed"],
  ]);
  assert.deepEqual([shape?.count, shape?.folded, shape?.offsets], [3, 1, ["in-0 → 2"]]);
  assert.deepEqual(shape?.services.map(({ name, state, hand }) => [name, state, hand]), [["shop", "writes rows", "r1, r3"]]);
  assert.equal(layoutDatabase(frameOf(null, view({}))), null);
});
