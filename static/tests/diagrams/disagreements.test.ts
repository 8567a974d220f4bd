import assert from "node:assert/strict";
import { before, test } from "node:test";
import { disagreement, disagreements } from "../../diagrams/disagreements.ts";
import { layoutNumbering } from "../../diagrams/client-machine.ts";
import { layoutProducerTable } from "../../diagrams/producer-table.ts";
import type { ReplicaView } from "../../player/frame.ts";
import { FIVE, client, frameOf, partition, replica, speakEnglish, view } from "./fixture.ts";

before(speakEnglish);

/** A client and its leader, with what each knows. */
function frameWith(own: { acked: number | null; epoch?: number; inFlight?: string[]; unresolved?: number | null; alive?: boolean }, known: Partial<ReplicaView> = {}) {
  const numbering = { next_sequence: 13, last_acked_sequence: own.acked, last_acked_offset: 52, in_flight: own.inFlight ?? [], unresolved: own.unresolved ?? null };
  const manager = client().transaction_manager;
  assert.ok(manager !== null);
  const p1 = client({ alive: own.alive ?? true, transaction_manager: { ...manager, producer_epoch: own.epoch ?? 0, partitions: { "t-0": numbering } } });
  return frameOf(null, view({ clients: { p1 }, partitions: { "t-0": partition(replica(FIVE, known)) } }));
}

const textOf = (...given: Parameters<typeof frameWith>) => disagreement(frameWith(...given), "p1", "t-0")?.text ?? null;

test("equal numbers are no disagreement, nor is what a batch in flight or an open question explains", () => {
  assert.equal(textOf({ acked: 12 }), null);
  assert.equal(textOf({ acked: 9, inFlight: ["b1"] }), null);
  assert.equal(textOf({ acked: 9, unresolved: 13 }), null);
  assert.equal(textOf({ acked: 9, alive: false }), null);
  assert.equal(textOf({ acked: null }, { producers: {} }), null);
});

test("another last sequence, another epoch and a producer that was forgotten are told with both numbers", () => {
  assert.match(textOf({ acked: 9 }) ?? "", /seq 9 .*broker-1 has 12/);
  assert.match(textOf({ acked: null, epoch: 1 }) ?? "", /p1 is at epoch 1, broker-1 knows epoch 0/);
  assert.match(textOf({ acked: 12 }, { producers: {} }) ?? "", /broker-1 knows nothing of this PID, of which p1 had seq 12/);
});

test("both panels say it", () => {
  const frame = frameWith({ acked: 9 });
  const [one] = disagreements(frame);
  assert.equal(one?.producerId, "0");
  assert.equal(layoutNumbering(frame, "p1").rows[0]?.disagrees, one?.text);
  assert.deepEqual(layoutProducerTable(frame, "t-0")?.differs, [one?.text]);
  assert.deepEqual(layoutProducerTable(frameWith({ acked: 12 }), "t-0")?.differs, []);
});
