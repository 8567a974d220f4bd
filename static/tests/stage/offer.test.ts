import assert from "node:assert/strict";
import { test } from "node:test";
import { awayNames, nextAway } from "../../stage/offer.ts";

test("messages without a place are named, and each press selects the next", () => {
  const away = [{ id: 31, api: "Fetch", to: "c1" }, { id: 32, api: "Fetch", to: "c2" }, { id: 33, api: "Metadata", to: "p1" }];
  assert.deepEqual(awayNames(away, null), ["Fetch ×2", "Metadata"]);
  assert.deepEqual(awayNames(away, { kind: "message", id: "32" }), ["Fetch → c2"]);
  assert.equal(nextAway(away, null)?.id, 31);
  assert.equal(nextAway(away, { kind: "message", id: "31" })?.id, 32);
  assert.equal(nextAway(away, { kind: "message", id: "33" })?.id, 31);
  assert.equal(nextAway([], null), undefined);
});
