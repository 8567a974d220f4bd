/** The messages that end differently in one of two runs. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { decisiveIds, decisiveIn, waitsFor } from "../../player/compare-decisive.ts";
import type { Arrow } from "../../player/frame.ts";
import { message } from "../diagrams/fixture.ts";
import { speakStage } from "../stage/words.ts";

speakStage();

const MARKERS = { api: "WriteTxnMarkers", from: "broker-2", to: "broker-1", partitions: ["t-0"], fields: {} };

function arrow(id: number, sentStep: number, over: Partial<Arrow> = {}): Arrow {
  return { id, message: message({ ...MARKERS, id }), sentStep, sentAt: sentStep, settledStep: sentStep + 1, settledAt: sentStep + 1, fate: "delivered", delayed: false, duplicated: false, stored: {}, equals: {}, ...over };
}

const AS_IT_WAS = [arrow(7, 3), arrow(9, 8, { message: message({ ...MARKERS, partitions: ["t-1"] }) })];
const WITH_A_LOSS = [arrow(7, 3, { fate: "dropped" }), arrow(8, 40)];

test("a message that only one run loses shows in both how they part, with the request that is sent again", () => {
  assert.deepEqual(decisiveIds(WITH_A_LOSS, AS_IT_WAS, 3), [7, 8]);
  assert.deepEqual(decisiveIds(AS_IT_WAS, WITH_A_LOSS, 3), [7]);
  assert.deepEqual(decisiveIds(WITH_A_LOSS, WITH_A_LOSS, 40), []);
});

test("the run that is behind says what waits, and what for", () => {
  const lost = decisiveIn(WITH_A_LOSS, AS_IT_WAS, 3);
  const waits = (side: "left" | "right"): string | null => waitsFor(lost, [{ about: "t-0", side: "left" }], side, { run: "Changed run", most: 3 });
  assert.equal(waits("right"), "Changed run: behind in t-0. The WriteTxnMarkers request from broker-2 to broker-1 was lost at t = 4 ms; the request is sent again at t = 40 ms.");
  assert.equal(waits("left"), null);
});
