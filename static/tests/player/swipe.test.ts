/** A finger across the picture of a phone. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { swipeOf } from "../../player/swipe.ts";

const swiped = (dx: number, dy: number, ms = 200, x = 200) => swipeOf({ x, y: 300, at: 0 }, { x: x + dx, y: 300 + dy, at: ms }, 390);

test("to the left goes on, to the right back", () => {
  assert.deepEqual([swiped(-80, 10), swiped(80, -10)], [1, -1]);
});

test("a tap, a scroll, a slow finger and the browser's own edge are no swipe", () => {
  assert.deepEqual([swiped(-20, 0), swiped(-80, 60), swiped(-80, 0, 900), swiped(120, 0, 200, 10)], [null, null, null, null]);
});
