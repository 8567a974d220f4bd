import assert from "node:assert/strict";
import test from "node:test";

import { Walk } from "../../player/fold.ts";
import { isFoldedAway, isUnlisted, recordsWaiting } from "../../player/folded.ts";
import type { Json, View } from "../../player/frame.ts";

/** A view of five batches in a queue, of which the third and the fourth are not listed. */
const VIEW = {
  time: 0,
  clients: {
    p1: {
      queues: { "t-0": { batches: ["b1", "b2", "b3", "b4", "b5"], muted: false }, "t-1": { batches: ["b6"], muted: false } },
      batches: Object.fromEntries(["b1", "b2", "b5", "b6"].map((name) => [name, { partition: "t-0", record_count: 10, serials: [] }])),
    },
    p2: { queues: {}, batches: {} },
  },
  folded: { at: 900, reaches: 250, batches: { p1: { "t-0": ["b3", "b4", 2, 31] } } },
} as unknown as View;

const CASES: [path: string, value: Json | undefined, unlisted: boolean][] = [
  ["clients/p1/batches/b3/state", "IN_FLIGHT", true],
  ["clients/p1/batches/b3", undefined, true],
  ["clients/p1/batches/b5/serials", [1, 2], false],
  ["clients/p1/batches/b5", undefined, false],
  ["clients/p1/batches/b7", { serials: [] }, false],
  ["clients/p1/batches", undefined, true],
  ["clients/p1/queues/t-0/batches", ["b1", "b2", "b3", "b4", "b5", "b7"], false],
  ["clients/p1/queues/t-0/batches", ["b2", "b3", "b4", "b5"], true],
  ["clients/p1/queues/t-0/batches", ["b9", "b1", "b2", "b3", "b4", "b5"], true],
  ["clients/p1/queues/t-0/batches", undefined, true],
  ["clients/p1/queues/t-0", { batches: ["b3"], muted: false }, true],
  ["clients/p1/queues/t-0/muted", true, false],
  ["clients/p1/queues/t-1/batches", ["b7"], false],
  ["clients/p1/queues", undefined, true],
  ["clients/p1/alive", false, false],
  ["clients/p1", undefined, true],
  ["clients/p2/batches", undefined, false],
  ["clients/p2", undefined, false],
  ["clients", undefined, true],
  ["records/7", undefined, false],
];

for (const [path, value, unlisted] of CASES) {
  test(`${path} ${JSON.stringify(value) ?? "removed"} is ${unlisted ? "about what waits unlisted" : "shown by the view"}`, () => {
    assert.equal(isUnlisted(VIEW, path.split("/"), value), unlisted);
    const walk = new Walk(VIEW);
    walk.along([value === undefined ? { path: path.split("/") } : { path: path.split("/"), after: value }]);
    assert.equal(walk.isLost, unlisted);
  });
}

test("a batch that waits unlisted is fetched when it is selected; one that is listed or gone is not", () => {
  const isAway = (id: string): boolean => isFoldedAway(VIEW, { kind: "batch", id });
  assert.deepEqual(["p1/b3", "p1/b4", "p1/b5", "p1/b99", "p2/b3"].map(isAway), [true, true, false, false, false]);
});

test("the records of those that wait unlisted are counted", () => {
  assert.deepEqual([recordsWaiting(VIEW, "p1", "t-0"), recordsWaiting(VIEW, "p1", "t-1"), recordsWaiting(VIEW, "p2", "t-0")], [31, 0, 0]);
});
