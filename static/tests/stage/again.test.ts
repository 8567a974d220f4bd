/** The records that a consumer received twice. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogBatchView } from "../../player/frame.ts";
import { readAgain } from "../../stage/again.ts";

const batch = (base_offset: number, ...serials: number[]): LogBatchView => ({ base_offset, last_offset: base_offset + serials.length - 1, serials, control: null }) as unknown as LogBatchView;

test("a duplicate counts once the reader got it again", () => {
  const log = [batch(40, 1), batch(41, 2, 3), batch(43, 1)];
  const upTo = (last: number) => readAgain({ stretches: [[40, last, "delivered"]] }, log, new Set([1]));
  assert.deepEqual([upTo(42), upTo(43)], [[], [1]]);
});

test("what is skipped was not given", () => {
  assert.deepEqual(readAgain({ stretches: [[40, 40, "delivered"], [41, 41, "aborted"]] }, [batch(40, 1), batch(41, 1)], new Set([1])), []);
});
