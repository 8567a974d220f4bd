import assert from "node:assert/strict";
import { test } from "node:test";
import type { BrokerView, LogBatchView, ReplicaView } from "../../generated/messages.ts";
import type { Frame, Json } from "../../player/frame.ts";
import type { BrokerPlace, Places } from "../../stage/contract.ts";
import { remainsOf, survivingLog } from "../../stage/surviving-log.ts";
import { logBatch } from "../diagrams/fixture.ts";
import { speakStage } from "./words.ts";

speakStage();

const LOG = "__transaction_state-0";
const BOX = { x: 0, y: 0, width: 400, height: 80 };
const PLACE: NonNullable<BrokerPlace["coordinator"]> = { box: BOX, port: [0, 0], markers: [0, 0] };

function image(offset: number, state: string | null): LogBatchView {
  const value: Json = state === null ? null : { state };
  return { ...logBatch(offset, 1), content: { keys: ["txn-1"], values: [value] } } as LogBatchView;
}

function replica(...batches: LogBatchView[]): ReplicaView {
  return {
    log_start: 0, log_end: batches.length, high_watermark: batches.length, last_stable_offset: batches.length, segments: [0], waiting: [],
    batches: Object.fromEntries(batches.map((batch) => [String(batch.base_offset), batch])),
  };
}

/** Broker 2, which coordinated txn-1, is down; `other` is the replica of broker 1, which runs; `read`: broker 1 has read the log. */
function frameOf(other: ReplicaView, read = false): Frame {
  const up = { alive: true, transactions: read ? { "txn-1": {} } : {} } as unknown as BrokerView;
  const down = { alive: false } as unknown as BrokerView;
  return {
    view: { brokers: { 1: up, 2: down }, partitions: { [LOG]: { replicas: { 1: other, 2: replica(image(0, "Ongoing"), image(1, "PrepareCommit")) } } } },
  } as unknown as Frame;
}

const labelOf = (frame: Frame): string => survivingLog(frame, { upright: false } as Places, "broker-2", PLACE)[0]?.label ?? "";

test("The log of a coordinator that is down says what the next one begins with, and where it is", () => {
  const frame = frameOf(replica(image(0, "Ongoing"), image(1, "PrepareCommit")));
  assert.deepEqual(remainsOf(frame, "broker-2").survivors, [{ id: "txn-1", state: "PrepareCommit", log: LOG, brokers: ["broker-1"] }]);
  assert.match(labelOf(frame), /broker-2 is down; its log is kept.*txn-1 PrepareCommit/);
});

test("Ids that another coordinator has read are taken over, not lost", () => {
  const label = labelOf(frameOf(replica(image(0, "Ongoing"), image(1, "PrepareCommit")), true));
  assert.match(label, /the ids of its log have another coordinator/);
  assert.doesNotMatch(label, /No running broker/);
});

test("Only a log that no running broker holds is lost", () => {
  assert.match(labelOf(frameOf(replica())), /No running broker has the records/);
  assert.match(labelOf(frameOf(replica(image(0, null)))), /its log is kept/);
});
