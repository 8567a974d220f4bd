import assert from "node:assert/strict";
import test from "node:test";

import type { Frame } from "../../player/frame.ts";
import { LaterFrame } from "../../player/later-frame.ts";

test("the parts that are drawn last are one paint behind the rest, skip frames, and end with the same frame", () => {
  let updates = 0;
  const due: (() => void)[] = [];
  const later = new LaterFrame(() => (updates += 1), (action) => void due.push(action));
  const [first, second, third] = [1, 2, 3].map((number) => ({ step: { number } }) as unknown as Frame);
  assert.equal(later.of(undefined), undefined);
  assert.equal(later.of(first), first);
  assert.equal(due.length, 0);
  assert.equal(later.of(second), first);
  assert.equal(later.of(second), first);
  assert.equal(later.of(third), first);
  assert.deepEqual([due.length, updates], [1, 0]);
  due.shift()?.();
  assert.deepEqual([due.length, updates], [0, 1]);
  assert.equal(later.of(third), third);
  assert.equal(due.length, 0);
});
