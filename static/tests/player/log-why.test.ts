/** Why in a log case: the answer for the range of steps in which a step is. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { LogAnswers } from "../../player/log-why.ts";
import { whyInLog } from "../../player/log-why.ts";
import { afterLeap, whenText } from "../../player/when.ts";
import { words } from "../../player/text.ts";
import type { Header } from "../../player/frame.ts";

const link = (key: string) => ({ key, params: {}, rules: [], subject: null, compared: [], step: null });
const ANSWERS = {
  why: [
    { partition: "t-0", first: 2, last: 4, offset: 1, links: [link("first")] },
    { partition: "t-1", first: 3, last: null, offset: 7, links: [link("other")] },
  ],
  written: { id: "1", parent: null, newest: 6 },
  steps: { "1": [] },
} as unknown as LogAnswers;
const asked = { branch: "1", number: 3, selection: null, question: null, subject: "" };

test("each partition whose readers stop can be asked about, at the steps where they do", () => {
  const answer = whyInLog(ANSWERS, asked);
  assert.deepEqual(answer.questions.map(({ subject, params }) => [subject, params["offset"]]), [["t-0", 1], ["t-1", 7]]);
  assert.equal(answer.links[0]?.key, "first");
  assert.equal(whyInLog(ANSWERS, { ...asked, subject: "t-1" }).links[0]?.key, "other");
  assert.equal(whyInLog(ANSWERS, { ...asked, number: 6 }).subject, "t-1");
});

test("what the step is about comes first where no consumer stops; elsewhere, why it stops", () => {
  const step = { number: 3, key: "log.batch_plain", params: {}, rules: ["LOG-1"], notes: [] };
  const answers = { ...ANSWERS, steps: { "1": [step, step, step] } } as unknown as LogAnswers;
  assert.deepEqual(whyInLog(answers, { ...asked, number: 1 }).links.map(({ key }) => key), ["log.batch_plain", "log.why.free"]);
  assert.deepEqual(whyInLog(answers, asked).links.map(({ key }) => key), ["first"]);
});

test("where nothing is open, or no log has the step, that is the answer", () => {
  assert.equal(whyInLog(ANSWERS, { ...asked, number: 1 }).links[0]?.key, "log.why.free");
  assert.equal(whyInLog(ANSWERS, { ...asked, branch: "2", number: 7 }).links[0]?.key, "log.why.preview");
  assert.equal(whyInLog(ANSWERS, { ...asked, branch: "2", number: 7 }).links[0]?.step, ANSWERS.written?.newest, "a step of the log to ask about");
  assert.equal(whyInLog(ANSWERS, { ...asked, branch: "2", number: 5 }).subject, "t-1");
});

test("a log has a clock, a run virtual time", () => {
  const texts = { "player.virtual_time": "{at} ms", "player.clock": "{at} UTC", "player.clock_after": "{at} UTC, {gap} later", "duration.seconds": "{count} s" };
  words.learn("en", { texts, sources: {} });
  const log = { time_origin: 1_795_166_225_000 } as Header;
  assert.equal(whenText(log, 1000), "2026-11-20 09:17:06 UTC");
  assert.equal(whenText(log, 21_000, 1000), "2026-11-20 09:17:26 UTC, 20 s later");
  assert.equal(whenText({} as Header, 1000, 0), "1000 ms");
});

test("a sentence says how long nothing was shown", () => {
  words.learn("en", { texts: { "player.after_gap": "{gap} later: {text}", "duration.minutes": "{count} min", "duration.seconds": "{count} s" }, sources: {} });
  const said = (at: number, before: number | null) => afterLeap({} as Header, "txn-1 times out.", at, before);
  assert.equal(said(70_495, 205), "1 min 10 s later: txn-1 times out.");
  assert.equal(said(5_515, 205), "5.3 s later: txn-1 times out.");
  assert.equal(said(1_204, 205), "txn-1 times out.");
  assert.equal(said(70_205, null), "txn-1 times out.");
  assert.equal(afterLeap({} as Header, "The time limit of 5 s has passed, txn-1 times out.", 5000, 0), "The time limit of 5 s has passed, txn-1 times out.", "the sentence has the time itself");
  assert.equal(afterLeap({} as Header, "After request.timeout.ms (30 s) without a response, p1 gives up.", 29_985, 0), "After request.timeout.ms (30 s) without a response, p1 gives up.");
  assert.equal(afterLeap({} as Header, "The time limit of 15 s has passed.", 5000, 0), "5 s later: The time limit of 15 s has passed.");
  assert.equal(afterLeap({ time_origin: 1 } as Header, "A batch.", 70_205, 205), "A batch.", "the clock of a log case says it");
});
