import assert from "node:assert/strict";
import { test } from "node:test";
import { CHANGES_MAX, CHARACTERS_MAX, PAUSE_MS, Past, firstDifference } from "../../builder/past.ts";

test("what the form changed is undone one by one and done again; a new change leaves nothing to do again", () => {
  const past = new Past();
  assert.equal(past.back("a"), undefined);
  past.changed("a");
  past.changed("b");
  assert.equal(past.back("c"), "b");
  assert.equal(past.back("b"), "a");
  assert.deepEqual([past.canGoBack, past.canGoForth], [false, true]);
  assert.equal(past.forth("a"), "b");
  past.changed("b");
  assert.deepEqual([past.canGoForth, past.back("d")], [false, "b"]);
});

test("what is typed without a pause is one change", () => {
  const past = new Past();
  past.typed("", 0);
  past.typed("a", PAUSE_MS - 1);
  past.typed("ab", 2 * PAUSE_MS - 2);
  past.typed("abc", 3 * PAUSE_MS);
  assert.deepEqual([past.back("abcd"), past.back("abc"), past.canGoBack], ["abc", "", false]);
  // After undoing, the author types something new.
  past.typed("", 3 * PAUSE_MS + 1);
  assert.equal(past.back("x"), "");
});

test("the past is bounded in changes and in characters, and always holds the last change", () => {
  const past = new Past();
  for (let number = 0; number <= CHANGES_MAX; number += 1) past.changed(String(number));
  for (let number = CHANGES_MAX; number > 0; number -= 1) assert.equal(past.back("?"), String(number));
  assert.equal(past.back("?"), undefined);
  const long = new Past();
  long.changed("x".repeat(CHARACTERS_MAX));
  long.changed("y".repeat(CHARACTERS_MAX + 1));
  assert.equal(long.back("")?.[0], "y");
  assert.equal(long.canGoBack, false);
});

test("the caret goes where two texts begin to differ", () => {
  assert.deepEqual([firstDifference("abc", "abd"), firstDifference("a", "a"), firstDifference("", "a")], [2, 1, 0]);
});
