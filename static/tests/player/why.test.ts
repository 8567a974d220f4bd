/** Why: the question on show, the questions to choose from, and the store's request and answer. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Command, Source } from "../../player/source.ts";
import { FileSource } from "../../player/file-source.ts";
import { Problem } from "../../player/source.ts";
import { PlayerStore } from "../../player/store.ts";
import type { WhyAnswer, WhyLink } from "../../player/why-answer.ts";
import { answerFirst, currentQuestion, offeredQuestions, sameThing } from "../../player/why-answer.ts";

const QUESTIONS = [
  { question: "lso", subject: "t-0", key: "why.ask.lso", params: {} },
  { question: "lag", subject: "c1/t-0", key: "why.ask.lag", params: {} },
];

function answer(question: string | null, subject: string): WhyAnswer {
  return { questions: QUESTIONS, question, subject, links: [] };
}

test("the question that is answered is the one of its word and its subject", () => {
  assert.equal(currentQuestion(answer("lag", "c1/t-0")), QUESTIONS[1]);
  assert.equal(currentQuestion(answer("lag", "c2/t-0")), null);
  assert.equal(currentQuestion(answer(null, "")), null);
});

test("the sentence that answers is first, and those of recordings of before keep their order", () => {
  const link = (key: string, answers?: boolean): WhyLink => ({ key, params: {}, rules: [], subject: null, compared: [], step: null, ...(answers === undefined ? {} : { answers }) }) as WhyLink;
  const keys = (links: WhyLink[]): string[] => answerFirst(links).map(({ key }) => key);
  assert.deepEqual(keys([link("a", false), link("b", true), link("c", false)]), ["b", "a", "c"]);
  assert.deepEqual(keys([link("a"), link("b")]), ["a", "b"]);
});

test("what was offered can be chosen, as long as the answer is one of it", () => {
  assert.deepEqual(offeredQuestions(answer("lso", "t-0")), QUESTIONS);
  assert.deepEqual(offeredQuestions(answer("lso", "t-9")), []);
});

test("one thing is the same whatever is known of its records", () => {
  const batch = { kind: "batch", id: "t-0/1", partition: "t-0", serials: [1, 2] } as const;
  assert.ok(sameThing({ ...batch, serials: [1, 2] }, { kind: "batch", id: "t-0/1" }));
  assert.ok(!sameThing({ kind: "partition", id: "t-0" }, { kind: "transaction", id: "t-0" }));
  assert.ok(sameThing(null, null) && !sameThing(null, { kind: "partition", id: "t-0" }));
});

test("the store asks about kind and id alone, at the step on show, and hands the answer on", async () => {
  const heard: Command[] = [];
  const given = answer("lso", "t-0");
  const source: Source = {
    live: true,
    start: () => undefined,
    stop: () => undefined,
    ask: (command) => {
      heard.push(command);
      return Promise.resolve({ why: given });
    },
  };
  const store = new PlayerStore(source, { schedule: () => undefined });
  store.branch = "7";
  const selection = { kind: "batch", id: "t-0/1", partition: "t-0", serials: [1] } as const;
  assert.equal(await store.why({ selection: { ...selection, serials: [1] }, question: null, subject: "" }), given);
  assert.deepEqual(heard, [
    { type: "why", branch: "7", number: 0, selection: { kind: "batch", id: "t-0/1" }, question: null, subject: "" },
  ]);
});

test("a recording has no engine to ask, and says so", async () => {
  const store = new PlayerStore(new FileSource("/nowhere.json"), { schedule: () => undefined });
  await assert.rejects(store.why({ selection: null, question: null, subject: "" }), (error: unknown) => {
    assert.ok(error instanceof Problem);
    assert.deepEqual([error.key, error.remedyKey], ["player.why.recording", "player.why.recording.remedy"]);
    return true;
  });
});
