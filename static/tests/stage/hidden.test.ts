import assert from "node:assert/strict";
import { test } from "node:test";
import type { ReaderLaneView } from "../../generated/messages.ts";
import { railOf } from "../../stage/coordinator.ts";
import { reasonAt } from "../../stage/hidden.ts";
import { logBatch } from "../diagrams/fixture.ts";

const held: ReaderLaneView = {
  position: 1, stretches: [[0, 0, "delivered"]], folded: 0, ahead: [[1, 4, "undecided"], [5, 5, "not_replicated"]], bound: 1, held_by: { producer_id: 1000, first_offset: 1 },
};

test("A record is hidden by its own transaction, behind another's, or as it is not replicated", () => {
  assert.equal(reasonAt(held, logBatch(0, 1), 0), null);
  assert.equal(reasonAt(held, logBatch(1, 2, { producer_id: 1000, transactional: true, outcome: "open" }), 1), "undecided");
  assert.equal(reasonAt(held, logBatch(3, 1), 3), "behind");
  assert.equal(reasonAt(held, logBatch(4, 1, { transactional: true, outcome: "committed" }), 4), "behind");
  assert.equal(reasonAt(held, logBatch(5, 1), 5), "not_replicated");
  const decided = logBatch(1, 1, { producer_id: 1000, transactional: true, outcome: "committed" });
  assert.equal(reasonAt({ ...held, held_by: null }, decided, 1), "marker");
  assert.equal(reasonAt(held, logBatch(4, 1, { control: "COMMIT" }), 4), null);
});

test("A coordinator's states stand on the way that an id takes; none is left out", () => {
  assert.deepEqual(railOf("Empty", null, null), ["Empty", "Ongoing", "PrepareCommit", "CompleteCommit"]);
  assert.deepEqual(railOf("Ongoing", "PrepareAbort", null), ["Empty", "Ongoing", "PrepareAbort", "CompleteAbort"]);
  assert.ok(railOf("Ongoing", "PrepareEpochFence", null).includes("PrepareEpochFence"));
  assert.ok(railOf("Empty", "Unheard", "Ongoing").includes("Unheard"));
});
