import assert from "node:assert/strict";
import { test } from "node:test";
import { offerKey } from "../../stage/offer.ts";

test("the offer selects a message, then goes to the next; where the selected one is the only one, there is none", () => {
  const message = { kind: "message", id: "18" } as const;
  assert.equal(offerKey(null, 1), "stage.act.offer");
  assert.equal(offerKey(message, 2), "stage.act.offer_next");
  assert.equal(offerKey(message, 1), null);
  assert.equal(offerKey({ kind: "actor", id: "p1" }, 1), "stage.act.offer");
});
