import assert from "node:assert/strict";
import test from "node:test";

import type { Beat } from "../../player/beats.ts";
import { cameAfter, withScenarios } from "../../player/lesson.ts";

test("a lesson leads to each scenario that it names, where the page can link to others", () => {
  const [before, link, after] = withScenarios(["Compare SC-159 with this run."], "/sessions/new?scenario={scenario}");
  assert.deepEqual([before, after], ["Compare ", " with this run."]);
  assert.deepEqual((link as { values: unknown[] }).values, ["/sessions/new?scenario=SC-159", "SC-159"]);
  assert.deepEqual(withScenarios(["Compare SC-159 with this run."], undefined), ["Compare SC-159 with this run."]);
});

test("of a changed run the end names what was added and what broke, and every beat where nothing is added", () => {
  const beat = (first: number, last: number, kind: string, more: Partial<Beat> = {}): Beat => ({ number: 1, first, last, lands: last, key: `beat.${kind}`, params: {}, lines: [], ...more });
  const [dropped, decided] = [beat(5, 7, "message_lost", { added: true }), beat(8, 9, "commit_decided")];
  const beats = [beat(1, 4, "identity"), beat(5, 9, "commit_decided", { beats: [dropped, decided] }), beat(10, 12, "markers"), beat(13, 14, "broken_lost")];
  assert.deepEqual(cameAfter(beats, 4).map(({ key }) => key), ["beat.message_lost", "beat.broken_lost"]);
  assert.deepEqual(cameAfter([beats[0] as Beat, beats[2] as Beat], 4).map(({ key }) => key), ["beat.markers"]);
});
