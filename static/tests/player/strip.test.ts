import assert from "node:assert/strict";
import test from "node:test";

import type { View } from "../../player/frame.ts";
import { differNow, stripRows } from "../../player/strip-rows.ts";
import { branch } from "./fixture.ts";

const HELD = { judged: true, broken_at: null, partition: null, serials: [] };

test("a row counts the records that are broken here and knows where it first broke", () => {
  const current = branch("main", 96, { first_broken: { duplicated: 42 } });
  const [lost, duplicated, atomic] = stripRows(
    { lost: HELD, duplicated: { judged: true, broken_at: 42, partition: "t-0", serials: [1, 2, 3] }, atomic: { judged: false } },
    current,
    [current],
  );
  assert.deepEqual(lost, { name: "lost", isJudged: true, count: 0, brokenAt: null, elsewhere: null });
  assert.deepEqual(duplicated, { name: "duplicated", isJudged: true, count: 3, brokenAt: 42, elsewhere: null });
  assert.equal(atomic?.isJudged, false);
});

test("what broke after the first time counts, too", () => {
  const current = branch("main", 96);
  const [old, row] = stripRows(
    { duplicated: { judged: true, count: 6, broken_at: 42, partition: "t-0", serials: [12] }, lost: { ...HELD, serials: [1] } }, current, [current],
  );
  assert.equal(row?.count, 6);
  assert.equal(old?.count, 1);
});

test("what another branch breaks shows already, and so does what lies ahead here", () => {
  const main = branch("main", 96, { first_broken: { lost: 60 } });
  const b = branch("b", 88, { parent: "main", leaves_at: 40, first_broken: { duplicated: 42 } });
  const [lost, duplicated] = stripRows({ lost: HELD, duplicated: HELD }, main, [main, b]);
  assert.equal(lost?.brokenAt, 60);
  assert.deepEqual(duplicated?.elsewhere, { branch: "b", step: 42, newest: 88 });
});

test("a file's guarantees, which stand by the alphabet, are shown in the order of every page", () => {
  const rows = stripRows({ atomic: HELD, duplicated: HELD, lost: HELD, new_one: HELD, reordered: HELD }, branch("main", 9), []);
  assert.deepEqual(rows.map(({ name }) => name), ["lost", "duplicated", "reordered", "atomic", "new_one"]);
});

test("the nodes of a middleware differ from the first of them that ends a transaction to the last", () => {
  const at = (since: number | null, until: number | null) => differNow({ time: 0, middleware: { differ: { 1: { since, until } } } } as unknown as View);
  assert.deepEqual([at(null, null), at(305, null), at(305, 410)], [false, true, false]);
});
