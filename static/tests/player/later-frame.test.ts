import assert from "node:assert/strict";
import test from "node:test";

import type { Frame } from "../../player/frame.ts";
import { LaterFrame } from "../../player/later-frame.ts";

/** A clock of frames that come far apart. */
function slowly(): () => number {
  let now = 0;
  return () => (now += 1000);
}

test("while the knob is held what is drawn last is one frame behind the rest, and ends with what the rest ended with", () => {
  let isHeld = false;
  let updates = 0;
  const due: (() => void)[] = [];
  const later = new LaterFrame(() => isHeld, () => (updates += 1), (action) => void due.push(action), slowly());
  const [first, second, third, last] = [1, 2, 3, 4].map((number) => ({ step: { number } }) as unknown as Frame);
  assert.equal(later.of(undefined), undefined);
  assert.equal(later.of(first), first);
  assert.equal(later.of(second), second);
  assert.equal(due.length, 0);
  isHeld = true;
  assert.equal(later.of(second), second);
  assert.equal(later.of(third), second);
  assert.equal(later.of(third), second);
  assert.deepEqual([due.length, updates], [1, 0]);
  assert.equal(later.of(last), second);
  due.shift()?.();
  assert.deepEqual([due.length, updates], [0, 1]);
  assert.equal(later.of(last), last);
  assert.equal(later.of(third), last);
  isHeld = false;
  assert.equal(later.of(third), third);
  due.shift()?.();
  assert.equal(later.of(third), third);
});

test("of frames that come close together, as at the greatest speed, the dear part is drawn a paint later; of others at once", () => {
  let now = 0;
  const due: (() => void)[] = [];
  const later = new LaterFrame(() => false, () => undefined, (action) => void due.push(action), () => now);
  const [first, second, third] = [1, 2, 3].map((number) => ({ step: { number } }) as unknown as Frame);
  assert.equal(later.of(first), first);
  now += 62;
  assert.equal(later.of(second), first);
  now += 62;
  assert.equal(later.of(second), first);
  due.shift()?.();
  assert.equal(later.of(second), second);
  now += 125;
  assert.equal(later.of(third), third);
  assert.equal(due.length, 0);
});
