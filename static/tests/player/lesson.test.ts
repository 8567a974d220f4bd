import assert from "node:assert/strict";
import test from "node:test";

import type { Beat } from "../../player/beats.ts";
import { cameAfter, storyOf, withScenarios } from "../../player/lesson.ts";

test("a lesson leads to each scenario that it names, where the page can link to others", () => {
  const [before, link, after] = withScenarios(["Compare SC-159 with this run."], "/sessions/new?scenario={scenario}");
  assert.deepEqual([before, after], ["Compare ", " with this run."]);
  assert.deepEqual((link as { values: unknown[] }).values, ["/sessions/new?scenario=SC-159", "SC-159"]);
  assert.deepEqual(withScenarios(["Compare SC-159 with this run."], undefined), ["Compare SC-159 with this run."]);
});

test("of a changed run the end names what came of the change and how it ends, and every beat where nothing came of it", () => {
  const beat = (first: number, last: number, kind: string, more: Partial<Beat> = {}): Beat => ({ number: 1, first, last, lands: last, key: `beat.${kind}`, params: {}, lines: [], ...more });
  const [dropped, decided] = [beat(5, 7, "message_lost", { added: true }), beat(8, 9, "commit_decided")];
  const beats = [beat(1, 4, "identity"), beat(5, 9, "commit_decided", { beats: [dropped, decided] }), beat(10, 12, "markers"), beat(13, 14, "broken_lost", { added: true }), beat(15, 15, "ends")];
  assert.deepEqual(cameAfter(beats, 4).map(({ key }) => key), ["beat.message_lost", "beat.broken_lost", "beat.ends"]);
  assert.deepEqual(cameAfter([beats[0] as Beat, beats[2] as Beat], 4).map(({ key }) => key), ["beat.markers"]);
});

test("every change has its place in what came of the changes, also one at whose step no beat lands", () => {
  const beat = (first: number, last: number, kind: string): Beat => ({ number: 1, first, last, lands: first, key: `beat.${kind}`, params: {}, lines: [], added: true });
  const rows = storyOf([beat(5, 7, "crashes"), beat(8, 20, "waits"), beat(21, 22, "ends")], [4, 14]);
  assert.deepEqual(rows.map(({ step, beat: of, change }) => [step, of?.key ?? null, change]), [[5, "beat.crashes", 0], [8, "beat.waits", null], [15, null, 1], [21, "beat.ends", null]]);
  assert.deepEqual(storyOf([beat(5, 7, "crashes")], []), []);
});
