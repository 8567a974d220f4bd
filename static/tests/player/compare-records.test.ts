/** One name for one record in both compared runs. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { namesOf, renamed } from "../../player/compare-records.ts";

const SWAPPED = namesOf([[2, 3], [3, 2]]);

test("a view, a change and a sentence name a record as the left run does", () => {
  assert.deepEqual(renamed({ records: { 1: { offset: 0 }, 2: { offset: 1 } }, partitions: { "t-0": { batches: { 2: { serials: [2], record_count: 2 } } } } }, SWAPPED),
    { records: { 1: { offset: 0 }, 3: { offset: 1 } }, partitions: { "t-0": { batches: { 2: { serials: [3], record_count: 2 } } } } });
  assert.deepEqual(renamed({ path: ["records", "3", "status"], after: "ok" }, SWAPPED), { path: ["records", "2", "status"], after: "ok" });
  assert.deepEqual(renamed({ path: ["consumers", "c1", "delivered", "t-0"], after: [1, 2] }, SWAPPED), { path: ["consumers", "c1", "delivered", "t-0"], after: [1, 3] });
  assert.deepEqual(renamed({ key: "r2", params: { record: "r2", batch: "r2–r3", size: 2 } }, SWAPPED), { key: "r2", params: { record: "r3", batch: "r2–r3", size: 2 } });
});

test("a record that only the right run has gives its serial to the record that has it in the left run", () => {
  assert.deepEqual([...namesOf([[3, 4]])], [[4, 3], [3, 4]]);
});
