/** The results of two compared runs. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Outcome } from "../../generated/messages.ts";
import type { Beat } from "../../player/beats.ts";
import { beatNames, beatsOnlyIn, differingBreaks, differingCounts } from "../../player/compare-head.ts";
import type { Plan } from "../../generated/messages.ts";
import { endOf } from "../../player/outcome.ts";
import { words } from "../../player/text.ts";

const END: Outcome = { time: 200, messages: 80, retries: 1, duplicates: 0, lost: 0, failed: 0, reordered: 0, batches: "", records: "", nodes: "" };

test("of two ends what differs is counted, what was lost first and how long it took last", () => {
  assert.deepEqual(differingCounts(END, { ...END, time: 300, duplicates: 5, lost: 2 }), [
    { name: "lost", left: 0, right: 2 },
    { name: "duplicates", left: 0, right: 5 },
    { name: "time", left: 200, right: 300 },
  ]);
  assert.deepEqual(differingCounts(END, { ...END, markers: 0 }), [], "plans of before count no markers");
  const aborted = { ...END, messages: 70, aborted: 1 };
  assert.deepEqual(differingCounts({ ...END, committed: 1 }, aborted).map(({ name }) => name), ["committed", "aborted", "messages"]);
});

test("retries that a leader makes in one run for the producer are counted beside those of the producer", () => {
  assert.deepEqual(differingCounts({ ...END, retries: 3 }, { ...END, retries: 0, questions_repeated: 6 }).map(({ name, left, right }) => [name, left, right]), [
    ["retries", 3, 0], ["questions_repeated", 0, 6],
  ]);
});

test("a guarantee that is broken more often in one run is counted once, by its name", () => {
  const broken = { ...END, duplicates: 5, lost: 1, broken: { duplicated: 5, fenced: 1 } };
  assert.deepEqual(differingBreaks(broken, { ...END, lost: 2, broken: { fenced: 1 } }), [{ name: "duplicated", left: 5, right: 0 }]);
  assert.deepEqual(differingCounts(broken, { ...END, lost: 2, broken: { fenced: 1 } }), [{ name: "lost", left: 1, right: 2 }]);
});

test("a changed run ends as it ends, not as the run that was written", () => {
  const written = { outcome: { ...END, hanging: 1 } } as Plan;
  const freed = { ...written, end: { ...END, hanging: 0 }, cost: { what: { key: "", params: {} }, dearer: false, costs: [], kept: [] } } as Plan;
  assert.deepEqual([endOf(written)?.hanging, endOf(freed)?.hanging], [1, 0]);
  assert.deepEqual(differingCounts(written.outcome as Outcome, freed.end as Outcome), [{ name: "hanging", left: 1, right: 0 }]);
  assert.equal(endOf({ ...freed, end: undefined } as unknown as Plan), undefined, "an earlier plan does not know it");
});

test("a beat is only in one run when the other has none of its title from the first difference on", () => {
  const beat = (en: string, last: number, beats?: Beat[]): Beat => ({ title: { en, "zh-Hans": en }, last, first: last, lands: last, lines: [], key: "", params: {}, ...(beats && { beats }) }) as unknown as Beat;
  const stored = [beat("stored", 5), beat("stored", 9), beat("fenced", 12)];
  assert.deepEqual(beatsOnlyIn(stored, [beat("stored", 8)], 1).map(({ last }) => last), [9, 12], "each title counts once");
  assert.deepEqual(beatsOnlyIn(stored, [], 9).map(({ last }) => last), [9, 12], "what is before the difference is in both");
  assert.deepEqual(beatsOnlyIn([{ ...beat("held back", 95), lands: 84 }], [], 90), [], "a beat that lands before the difference is in both");
  assert.deepEqual(beatsOnlyIn([beat("outer", 9, stored)], stored, 1), [], "beats inside of beats are compared");
});

test("beats that share a title are told apart by their steps", () => {
  words.learn("en", { texts: { "player.compare.at_step": "step {step}", "join.aside": "{text} ({aside})" }, sources: {} });
  const beat = (en: string, lands: number): Beat => ({ title: { en, "zh-Hans": en }, lands }) as unknown as Beat;
  assert.deepEqual(beatNames([beat("accepted", 50), beat("fenced", 60), beat("accepted", 90)]), ["accepted (step 50)", "fenced", "accepted (step 90)"]);
});

test("a beat whose step the other run has, too, is in both, however the other run divides its steps", () => {
  const beat = { title: { en: "sent", "zh-Hans": "发送" }, first: 5, last: 5, lands: 5, lines: [] } as unknown as Beat;
  assert.deepEqual(beatsOnlyIn([beat], [], 5, (step) => step === 5), []);
  assert.deepEqual(beatsOnlyIn([beat], [], 5, (step) => step === 6), [beat]);
});
