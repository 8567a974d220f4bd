import assert from "node:assert/strict";
import test from "node:test";

import type { Frame } from "../../player/frame.ts";
import { leadOf, notesOf, saidOf } from "../../player/leading.ts";
import { brokenWords, toldOf } from "../../player/outcome.ts";
import { words } from "../../player/text.ts";
import { step } from "./fixture.ts";

test("what is broken is named with its number, and nothing broken is said", () => {
  words.learn("en", { texts: { "outcome.count": "{name} {count}", "outcome.none": "nothing", "player.guarantee.lost": "lost", "player.guarantee.atomic": "torn apart" }, sources: {} });
  assert.deepEqual(brokenWords({ lost: 2, atomic: 1 }), ["lost 2", "torn apart 1"]);
  assert.deepEqual(brokenWords({}), ["nothing"]);
});

test("what applications were told is counted beside what the logs hold", () => {
  const record = (status: string) => ({ producer: "p1", partition: "t-0", status });
  const records = { 1: record("ok"), 2: record("ok"), 3: record("failed"), 4: record("pending") };
  const frame = { view: { time: 0, records, verdicts: { "t-0": { stored: 1, duplicates: 0, lost: 1, failed: 1, reordered: 0 } } } } as unknown as Frame;
  assert.deepEqual(toldOf(frame), { total: 4, stored: 2, failed: 1, open: 1, kept: 1, twice: 0 });
  assert.equal(toldOf({ view: { time: 0 } } as unknown as Frame), null, "no records are written over middleware");
});

test("a note that the engine names leads, and stands among the others no more", () => {
  const note = (key: string) => ({ key, params: {}, rules: [] });
  const led = step(1, 0, [], { key: "a", notes: [note("b"), note("c")], derived: { leads: 1 } });
  assert.equal(leadOf(led).key, "c");
  assert.deepEqual(saidOf(led).map(({ key }) => key), ["c", "a"]);
  assert.deepEqual(notesOf(led).map(({ key }) => key), ["b"]);
  const plain = step(2, 0, [], { key: "a", notes: [note("b")] });
  assert.deepEqual([saidOf(plain).length, notesOf(plain).length], [1, 1]);
});
