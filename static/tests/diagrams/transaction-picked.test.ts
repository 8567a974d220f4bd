import assert from "node:assert/strict";
import { before, test } from "node:test";
import { layoutAborted } from "../../diagrams/aborted-index.ts";
import { layoutGroups } from "../../diagrams/groups.ts";
import { layoutTapes } from "../../diagrams/internal-log.ts";
import { layoutLanes } from "../../diagrams/lanes-layout.ts";
import { layoutMarkerBoards } from "../../diagrams/marker-board.ts";
import { isMessageOfPicked, transactionOf, transactionSelection } from "../../diagrams/transaction-picked.ts";
import type { JsonObject } from "../../player/frame.ts";
import { frameOf, logBatch, message, partition, replica, speakEnglish, view } from "./fixture.ts";

before(speakEnglish);

const entry = {
  state: "PrepareCommit", pending_state: null, producer_id: 1001, last_producer_id: 1000, producer_epoch: 0, last_producer_epoch: null,
  timeout_ms: 60000, partitions: ["t-0"], started_at: 1, times_out_at: null, last_update: 1, failed_epoch_fence: false,
  coordinator_epoch: 0, log_partition: 10,
};
const marker = { transactional_id: "txn-1", producer_id: 1001, producer_epoch: 0, coordinator_epoch: 0, result: "COMMIT", partitions: ["t-0"] };
const broker = {
  alive: true, paused: false, starting: false, producer_id_block: null, denied: [],
  transactions: { "txn-1": entry, "txn-2": { ...entry, producer_id: 2000, last_producer_id: null } },
  markers: { queues: { 1: [marker], 3: [{ ...marker, transactional_id: "txn-2" }] }, waiting: { "txn-1": { result: "COMMIT", remaining: ["t-0"], retries: 0 } } },
  groups: { g: { log_partition: 3, pending: { 1001: { "in-0": { offset: 2, position: 0 } }, 2000: { "in-1": { offset: 5, position: 1 } } } } },
};
const log = replica([
  logBatch(0, 1, { producer_id: 1000, transactional: true }),
  logBatch(1, 1, { producer_id: 2000, transactional: true }),
  logBatch(2, 1, { producer_id: 1001 }),
]);
const images = replica([
  logBatch(0, 1, { producer_id: -1, serials: [], content: { keys: ["txn-1"], values: [{ state: "Ongoing" }], offset_deltas: null } }),
  logBatch(1, 1, { producer_id: -1, serials: [], content: { keys: ["txn-2"], values: [{ state: "Empty" }], offset_deltas: null } }),
]);
const picked = frameOf(null, view({
  brokers: { 2: broker },
  partitions: { "t-0": partition({ ...log, aborted_index: [[1000, 0, 3, 3], [2000, 1, 4, 4]] }), "__transaction_state-10": partition(images) },
}), { selection: transactionSelection("txn-1") });

test("a producer id leads to its transactional id, also the one that it had before", () => {
  assert.deepEqual([1000, 1001, "2000", 3000, -1, null].map((id) => transactionOf(picked.view, id)), ["txn-1", "txn-1", "txn-2", null, null, null]);
});

test("a transaction that is selected is selected in every picture of it, and nothing else is", () => {
  const lane = (name: string) => layoutLanes(picked, { width: 648, height: 464, focus: null, scrolled: {} }).lanes.find((one) => one.partition === name);
  assert.deepEqual(lane("t-0")?.cells.map((cell) => cell.picked), [true, false, false]); // the third is outside transactions
  assert.deepEqual(lane("__transaction_state-10")?.cells.map((cell) => cell.picked), [true, false]);
  assert.deepEqual(layoutTapes(picked).tapes[0]?.images.map((image) => image.picked), [true, false]);
  assert.deepEqual(layoutAborted(picked).rows.map((row) => [row.transaction, row.picked]), [["txn-2", false], ["txn-1", true]]);
  assert.deepEqual(layoutGroups(picked)[0]?.rows.map((row) => [row.partition, row.picked]), [["in-0", true], ["in-1", false]]);
  assert.deepEqual(layoutMarkerBoards(picked)[0]?.rows.map((row) => [row.to, row.picked]), [["broker-1", true], ["broker-3", false]]);
  assert.deepEqual(layoutMarkerBoards(picked)[0]?.checklists.map((list) => [list.id, list.picked]), [["txn-1", true]]);
});

test("so are the messages that name it or carry its producer id", () => {
  const of = (fields: JsonObject): boolean => isMessageOfPicked(picked, message({ fields }));
  assert.ok(of({ transactional_id: "txn-1", producer_id: 1001 }));
  assert.ok(of({ batches: { "t-0": { producer_id: 1000 } } }));
  assert.ok(of({ entries: [{ producer_id: 1001, partitions: ["t-0"] }] }));
  assert.ok(of({ key: "txn-1", key_type: "TRANSACTION" }));
  assert.ok(!of({ transactional_id: "txn-2" }) && !of({ error: "NONE" }) && !of({ key: "txn-1", key_type: "GROUP" }));
});
