import assert from "node:assert/strict";
import test from "node:test";

import { withScenarios } from "../../player/lesson.ts";

test("a lesson leads to each scenario that it names, where the page can link to others", () => {
  const [before, link, after] = withScenarios(["Compare SC-159 with this run."], "/sessions/new?scenario={scenario}");
  assert.deepEqual([before, after], ["Compare ", " with this run."]);
  assert.deepEqual((link as { values: unknown[] }).values, ["/sessions/new?scenario=SC-159", "SC-159"]);
  assert.deepEqual(withScenarios(["Compare SC-159 with this run."], undefined), ["Compare SC-159 with this run."]);
});
