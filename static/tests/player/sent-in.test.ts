/** The message to which a reader is led back while none is in transit. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Step } from "../../player/frame.ts";
import type { Lines } from "../../player/lines.ts";
import { lastSent, sentAt } from "../../player/sent-in.ts";

/** The messages that the engine names because their loss has a visible effect. */
const LOSSES = [{ api: "Produce", is_response: false }];

/** A run that sends one message in each step, of these APIs; "" sends none. */
function sending(...apis: string[]): Pick<Lines, "step"> {
  const steps = apis.map((api, id) => ({
    messages: api === "" ? [] : [{ event: "sent", id }],
    changes: [{ path: ["network", "messages", String(id)], before: null, after: { api } }],
  }));
  return { step: (_branch, number) => steps[number - 1] as unknown as Step };
}

test("a message whose loss shows something leads, before a later lookup", () => {
  assert.deepEqual(lastSent(sending("Produce", "Metadata", ""), "a", 3, LOSSES), { step: 1, id: 0, message: { api: "Produce" } });
});

test("before the first of them, the last message of any kind leads", () => {
  assert.deepEqual(lastSent(sending("FindCoordinator", "InitProducerId", ""), "a", 3, LOSSES), { step: 2, id: 1, message: { api: "InitProducerId" } });
  assert.equal(lastSent(sending("", ""), "a", 2, LOSSES), null);
});

test("a message that left long before the last one does not lead", () => {
  const lookups = Array.from({ length: 14 }, () => "Metadata");
  assert.deepEqual(lastSent(sending("Produce", ...lookups), "a", 15, LOSSES), { step: 15, id: 14, message: { api: "Metadata" } });
});

test("where a message left is found only in the steps that were passed", () => {
  const run = sending("Produce", "Metadata", "");
  assert.deepEqual([sentAt(run, "a", 1, 1, 3), sentAt(run, "a", 0, 1, 3), sentAt(run, "a", 0, 0, 3)], [2, null, 1]);
});

test("a message that the picture has no place for leads only where there is no other", () => {
  const run = sending("Produce", "Fetch", "Fetch");
  const noReaders = ({ api }: { api: string }): boolean => api !== "Fetch";
  assert.deepEqual(lastSent(run, "a", 3, LOSSES, noReaders), { step: 1, id: 0, message: { api: "Produce" } });
  assert.equal(lastSent(sending("Fetch"), "a", 1, LOSSES, noReaders), null);
});
