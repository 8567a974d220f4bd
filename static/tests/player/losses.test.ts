/** Which message a reader is led to, in words. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenText } from "../../player/losses.ts";

test("of a response its loss leaves the other side without knowledge, of a request without the request", () => {
  const loss = { step: 9, message: 3, api: "Produce", is_response: false, from: "p1", to: "broker-1" };
  assert.deepEqual(chosenText(loss), { key: "player.chosen.request", params: { api: "Produce", from: "p1", to: "broker-1", step: 9 } });
  assert.equal(chosenText({ ...loss, is_response: true }).key, "player.chosen.response");
});
