import assert from "node:assert/strict";
import test from "node:test";

import { breaksIn } from "../../player/leading.ts";
import { words } from "../../player/text.ts";
import { step } from "./fixture.ts";

test("a broken guarantee names the marker that is at odds with the transaction, and its producer", () => {
  words.learn("en", { texts: { "breaks.atomic": "{records} contradict", "breaks.atomic.COMMIT.decided": "COMMIT for {records} of {producer}", "breaks.visible_early.COMMIT": "{records} under COMMIT" }, sources: {} });
  const broken = [
    { guarantee: "atomic", partition: "t-0", serials: [3], transaction: "p1 #1", producer: "p1", marker: "COMMIT", reported: false },
    { guarantee: "visible_early", partition: "t-0", serials: [3], marker: "COMMIT" },
    { guarantee: "atomic", partition: "offsets of g", serials: [3] },
  ];
  assert.deepEqual(breaksIn(step(5, 0, [], { broken })), ["COMMIT for r3 of p1", "r3 under COMMIT", "r3 contradict"]);
});
