/** A session opens at the place where it was left. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { keepPlace, placeLeft } from "../../player/kept-places.ts";
import { defaults } from "../../player/kept-by-session.ts";

const items = new Map<string, string>();
Object.assign(globalThis, { localStorage: { getItem: (name: string) => items.get(name) ?? null, setItem: (name: string, text: string) => void items.set(name, text) } });

test("a session opens where it was left, unless its address names a place", () => {
  assert.equal(placeLeft("s1", ""), null);
  keepPlace("s1", { branch: "4", step: 90 });
  assert.deepEqual(placeLeft("s1", "?log=2"), { branch: "4", step: 90 });
  assert.equal(placeLeft("s1", "?step=0"), null);
  assert.equal(placeLeft("", ""), null, "a page without a session of its own");
});

test("the newest places are kept", () => {
  for (let number = 0; number < defaults.sessions; number += 1) keepPlace(`n${number}`, { branch: "1", step: 1 });
  assert.equal(placeLeft("s1", ""), null);
  assert.deepEqual(placeLeft("n0", ""), { branch: "1", step: 1 });
});
