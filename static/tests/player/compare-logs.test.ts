/** The logs of two compared runs on a phone. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { windowOf } from "../../player/compare-logs.ts";

const log = (...ends: [first: number, last: number][]): never => ({ batches: Object.fromEntries(ends.map(([first, last]) => [first, { base_offset: first, last_offset: last }])) }) as never;

test("a short log is drawn whole, with that of the other run", () => {
  assert.deepEqual(windowOf([log([40, 40], [41, 42]), log([40, 40])], []), [40, 42]);
  assert.deepEqual(windowOf([log(), undefined], []), [0, -1]);
  assert.deepEqual(windowOf([{ batches: {}, log_end: 7 } as never, undefined], []), [7, 6]);
});

test("of a long log the newest offsets are drawn, or those from the first difference on", () => {
  const long = log([0, 9], [10, 19]);
  assert.deepEqual(windowOf([long, long], []), [12, 19]);
  assert.deepEqual(windowOf([long, long], [3, 15]), [2, 9]);
});
