/** The records of two runs, as far as they differ. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame, VerdictView } from "../../player/frame.ts";
import { apartRows, brokenNames, shownCounts } from "../../player/compare-verdict.ts";

const verdict = (over: Partial<VerdictView> = {}): VerdictView => ({ stored: 2, duplicates: 0, lost: 0, failed: 0, reordered: 0, ...over }) as VerdictView;

test("counts are shown where both differ, and where both have something broken", () => {
  assert.deepEqual(shownCounts({ "t-0": verdict() }, { "t-0": verdict() }), [], "a row of zeros says nothing");
  assert.deepEqual(shownCounts({ "t-0": verdict() }, { "t-0": verdict({ stored: 3 }) }), ["stored"]);
  assert.deepEqual(shownCounts({ "t-0": verdict({ failed: 1 }) }, { "t-0": verdict({ failed: 1 }) }), [], "a record that failed in both breaks nothing");
  assert.deepEqual(shownCounts({ "t-0": verdict({ lost: 1 }) }, { "t-0": verdict({ lost: 1 }) }), ["lost"]);
  assert.deepEqual(shownCounts({ "t-0": verdict() }, {}), ["stored"], "the other has no such partition yet");
});

test("a guarantee that breaks later in one of the runs is named already", () => {
  const with_ = (guarantees: object): Frame => ({ view: { guarantees } }) as unknown as Frame;
  const held = { judged: true, count: 0, broken_at: null };
  assert.deepEqual(brokenNames([with_({ lost: held, atomic: held }), with_({ lost: { ...held, broken_at: 9 }, atomic: held })]), ["lost"]);
  assert.deepEqual(brokenNames([with_({ lost: held }), undefined]), []);
});

test("one table has what differs on both sides: counts before facts, and nothing that is alike", () => {
  const apart = [{ about: "t-0", name: "t-0", left: "LEO 2", right: "LEO 3" }];
  const rows = apartRows(apart, { "t-0": verdict(), "t-1": verdict() }, { "t-0": verdict({ stored: 3, duplicates: 1 }), "t-1": verdict() });
  assert.deepEqual(rows.map(({ left, right }) => [left, right]), [["2", "3"], ["0", "1"], ["LEO 2", "LEO 3"]]);
  assert.deepEqual(apartRows([], { "t-0": verdict() }, { "t-0": verdict() }), []);
});
