import assert from "node:assert/strict";
import { test } from "node:test";
import { ArrowLog } from "../../player/arrows.ts";
import { message, stepOf } from "../diagrams/fixture.ts";

test("what is dropped together with its connection is lost with it, as the step says; what is dropped alone is dropped", () => {
  const fates = [true, false].map((breaks) => {
    const log = new ArrowLog(0);
    const state = { path: ["clients", "p1", "connections", "1", "state"], before: "connected", after: "disconnected" };
    log.add(stepOf({ number: 1, messages: [{ id: 4, event: "sent" }], changes: [{ path: ["network", "messages", "4"], after: message({ id: 4 }) as never }] }));
    log.add(stepOf({ number: 2, messages: [{ id: 4, event: "dropped" }], changes: breaks ? [state] : [] }));
    return log.arrows.map(({ fate }) => fate);
  });
  assert.deepEqual(fates, [["lost"], ["dropped"]]);
});
