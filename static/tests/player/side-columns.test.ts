import assert from "node:assert/strict";
import test from "node:test";

import type { Frame } from "../../player/frame.ts";
import { PANELS, panelsOf, placesOf } from "../../player/panels.ts";
import { cutAbove, defaults, linesBelow } from "../../player/side-columns.ts";

test("a place says how many lines of its panel stand below its foot", () => {
  const room = 100;
  assert.deepEqual([60, 100, 101].map((height) => linesBelow(height, room)), [0, 0, 0]);
  assert.equal(linesBelow(room + 10 * defaults.line, room), 10 + Math.ceil(defaults.foot / defaults.line));
  assert.ok(linesBelow(102, room) >= 1);
});

test("a foot covers the whole of a line that its edge would cut through", () => {
  assert.equal(cutAbove([[60, 78], [78, 96]], 96), 0);
  assert.equal(cutAbove([[60, 78], [78, 96]], 88), 10);
  assert.equal(cutAbove([[0, 200], [84, 120]], 88), 0, "a picture has no line");
});

test("only what closes to one line has no height of its own", () => {
  const auto = PANELS.filter((panel) => panel.place !== "middle" && panel.room === undefined).map(({ tag }) => tag.replace("eos-", ""));
  assert.deepEqual(auto, ["configuration", "zookeeper", "quorum", "pending", "changes"]);
});

test("a step is about the panels that show what it decided and changed", () => {
  const step = { decision: {}, refusal: null, changes: [{ path: ["clients", "p1", "timers", "linger b1"] }, { path: ["time"] }] };
  const found = panelsOf({ step } as unknown as Frame);
  assert.deepEqual([...found].sort(), ["eos-decision", "eos-producer-table", "eos-timers"]);
  assert.deepEqual([...panelsOf(undefined)], []);
});

test("who looks at one column learns in which others the step is to be seen", () => {
  const placesAfter = (...paths: string[][]): string[] => {
    const step = { decision: null, refusal: null, changes: paths.map((path) => ({ path })) };
    return [...placesOf({ step } as unknown as Frame)].sort();
  };
  assert.deepEqual(placesAfter(["clients", "p1", "pool", "free"]), ["left"]);
  assert.deepEqual(placesAfter(["partitions", "t-0", "replicas", "1", "log_end"], ["records", "1", "status"]), ["middle", "right"]);
  assert.deepEqual(placesAfter(["time"]), []);
  assert.deepEqual([...placesOf(undefined)], []);
});
