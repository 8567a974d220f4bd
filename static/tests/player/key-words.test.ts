import assert from "node:assert/strict";
import test from "node:test";

import { meaningOf, stepTitle } from "../../player/key-words.ts";
import { words } from "../../player/text.ts";

test("a key is explained by what it does for this reader, and a button by the key that does the same", () => {
  const texts = { forward: "Next beat; without beats, one step forward", step: "One step forward", step_back: "One step back", next: "Next notable step (Shift + →)", with: "{meaning} ({key})" };
  words.learn("en", { texts: Object.fromEntries(Object.entries(texts).map(([key, text]) => [`player.key.${key}`, text])), sources: {} });
  words.use("en");
  assert.equal(meaningOf("forward", "beats"), texts.forward);
  assert.equal(meaningOf("forward", "steps"), texts.step);
  assert.equal(meaningOf("step", "steps"), texts.forward);
  assert.equal(stepTitle("step", "beats"), "One step forward (↓)");
  assert.equal(stepTitle("step_back", "steps"), "One step back (←)");
});
