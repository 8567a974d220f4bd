import assert from "node:assert/strict";
import { before, test } from "node:test";
import { layoutNumbering } from "../../diagrams/client-machine.ts";
import { disagreement, disagreementsOf } from "../../diagrams/disagreements.ts";
import { layoutProducerTable } from "../../diagrams/producer-table.ts";
import type { Disagreement } from "../../generated/messages.ts";
import { FIVE, derived, frameOf, partition, replica, speakEnglish, view } from "./fixture.ts";

before(speakEnglish);

/** A frame in which a client knows something else than its leader. */
function frameWith(found: Partial<Disagreement>) {
  const disagreement: Disagreement = { what: "sequence", producer_id: 0, leader: 1, own: 9, known: 12, ...found };
  return frameOf(null, view({ partitions: { "t-0": partition(replica(FIVE)) }, derived: derived({ disagreements: { p1: { "t-0": disagreement } } }) }));
}

const textOf = (found: Partial<Disagreement>) => disagreement(frameWith(found), "p1", "t-0") ?? "";

test("another last sequence, another epoch and a producer that was forgotten are shown with both numbers", () => {
  assert.match(textOf({}), /seq is 9, .*broker-1 has 12/);
  assert.match(textOf({ what: "epoch", own: 1, known: 0 }), /p1 is at epoch 1, but broker-1 has epoch 0/);
  assert.match(textOf({ what: "unknown", own: 12, known: null }), /broker-1 has no state for this PID, although p1 has acknowledgements up to seq 12/);
});

test("both panels say it", () => {
  const frame = frameWith({});
  const text = disagreement(frame, "p1", "t-0");
  assert.ok(text !== null);
  assert.deepEqual(disagreementsOf(frame, "p1"), [text]);
  assert.equal(layoutNumbering(frame, "p1").rows[0]?.disagrees, text);
  assert.deepEqual(layoutProducerTable(frame, "t-0")?.differs, [text]);
});

test("a view without them says none", () => {
  const frame = frameOf(null, view({ partitions: { "t-0": partition(replica(FIVE)) } }));
  assert.equal(layoutNumbering(frame, "p1").rows[0]?.disagrees, null);
  assert.deepEqual(layoutProducerTable(frame, "t-0")?.differs, []);
});
