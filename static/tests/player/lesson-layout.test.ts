/** Lessons in short paragraphs; `tests/scenarios/test_lesson_layout.py` asks the same of the pages. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { codeIn, paragraphs } from "../../player/lesson-layout.ts";

const LESSON = "The call fails. The error is fatal. It comes early. There are two remedies: raise max.a.ms=5, or call close(). "
  + "To check, run kafka-topics.sh --bootstrap-server … --describe --topic __state (3.0). It shows no lag.";

test("what to do stands apart from what it means, and no word is lost", () => {
  const laid = paragraphs(LESSON);
  assert.deepEqual(laid.map(({ kind }) => kind), ["lead", "more", "do", "more"]);
  assert.equal(laid.map(({ text }) => text).join(" "), LESSON);
  assert.deepEqual(paragraphs("调用失败。应调大上限。它很早出现。").map(({ kind }) => kind), ["lead", "do", "more"]);
});

test("commands, settings and functions are code", () => {
  assert.deepEqual(codeIn(LESSON).filter((_, place) => place % 2 === 1), ["max.a.ms=5", "close()", "kafka-topics.sh --bootstrap-server … --describe --topic __state"]);
});
