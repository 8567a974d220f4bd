import assert from "node:assert/strict";
import { test } from "node:test";
import { awayNames, nextAway, offerKey, shortened } from "../../stage/offer.ts";

test("the offer selects a message, then goes to the next; where the selected one is the only one, there is none", () => {
  const message = { kind: "message", id: "18" } as const;
  assert.equal(offerKey(null, 1), "stage.act.offer");
  assert.equal(offerKey(message, 2), "stage.act.offer_next");
  assert.equal(offerKey(message, 1), null);
  assert.equal(offerKey({ kind: "actor", id: "p1" }, 1), "stage.act.offer");
});

test("an offer beside the network is short where the next column's name would be covered", () => {
  const texts = ["Drop one at step 103: Produce request, p1 to broker-1", "Drop one at step 103: Produce", "Drop one: step 103"];
  assert.deepEqual([600, 260, 177, 10].map((width) => shortened(texts, width)), [...texts, texts[2]]);
  assert.equal(shortened(["59: drop WriteTxnMarkers", "Drop one: step 59"], 184, true), "59: drop WriteTxnMarkers", "a way back names its message at 1280 px");
});

test("messages without a place are named, and each press selects the next", () => {
  const away = [{ id: 31, api: "Fetch", to: "c1" }, { id: 32, api: "Fetch", to: "c2" }, { id: 33, api: "Metadata", to: "p1" }];
  assert.deepEqual(awayNames(away, null), ["Fetch ×2", "Metadata"]);
  assert.deepEqual(awayNames(away, { kind: "message", id: "32" }), ["Fetch → c2"]);
  assert.equal(nextAway(away, null)?.id, 31);
  assert.equal(nextAway(away, { kind: "message", id: "31" })?.id, 32);
  assert.equal(nextAway(away, { kind: "message", id: "33" })?.id, 31);
  assert.equal(nextAway([], null), undefined);
});
