import assert from "node:assert/strict";
import test from "node:test";

import { withoutVersion } from "../../player/variant-name.ts";

test("a variant has its name without the version, and none where it is only a version", () => {
  assert.deepEqual(["Kafka 2.8", "Kafka 2.8: half is visible", "Kafka 2.8：一半可见", "A stable id"].map(withoutVersion), ["", "half is visible", "一半可见", "A stable id"]);
});
