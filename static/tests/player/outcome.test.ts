import assert from "node:assert/strict";
import test from "node:test";

import type { Frame } from "../../player/frame.ts";
import { leadOf, notesOf, sentencesIn } from "../../player/leading.ts";
import type { PlayerStore } from "../../player/store.ts";
import { brokenWords, costText, isAboutWhole, overText, planCost, resultsOf } from "../../player/outcome.ts";
import { words } from "../../player/text.ts";
import { branch, step } from "./fixture.ts";

test("what is broken is named with its number, and nothing broken is said", () => {
  words.learn("en", { texts: { "outcome.count.lost": "{count:record is|records are} lost", "outcome.count.atomic": "{count} partly committed", "outcome.none": "nothing" }, sources: {} });
  assert.deepEqual(brokenWords({ lost: 2, atomic: 1 }), ["2 records are lost", "1 partly committed"]);
  assert.deepEqual(brokenWords({}), ["nothing"]);
});

test("what was reported to applications is counted beside what the logs hold", () => {
  const record = (status: string) => ({ producer: "p1", partition: "t-0", status });
  const records = { 1: record("ok"), 2: record("ok"), 3: record("failed"), 4: record("pending") };
  const frame = { view: { time: 0, records, verdicts: { "t-0": { stored: 1, duplicates: 0, lost: 1, failed: 1, reordered: 0 } } } } as unknown as Frame;
  assert.deepEqual(resultsOf(frame), { total: 4, stored: 2, failed: 1, open: 1, kept: 1, twice: 0, aborted: 0, undone: 0 });
  const verdicts = { "t-0": { stored: 2, aborted: 1, duplicates: 0 }, "t-1": { stored: 1, duplicates: 0 } };
  const aborting = { view: { ...frame.view, verdicts } } as unknown as Frame;
  assert.deepEqual([resultsOf(aborting)?.kept, resultsOf(aborting)?.aborted], [3, 1]);
  const plan = { complete: true, steps: 7, outcome: { undone: 1 } };
  const [before, end] = [6, 7].map((number) => ({ view: aborting.view, plan, step: { number } }) as unknown as Frame);
  assert.deepEqual([before, end].map((one) => resultsOf(one as Frame)?.undone), [0, 1], "the plan counts at the end of the run");
  assert.equal(resultsOf({ view: { time: 0 } } as unknown as Frame), null, "no records are written over middleware");
});

test("a note that the engine names leads, and stands among the others no more", () => {
  const note = (key: string) => ({ key, params: {}, rules: [] });
  const led = step(1, 0, [], { key: "a", notes: [note("b"), note("c")], derived: { leads: 1 } });
  assert.equal(leadOf(led).key, "c");
  assert.deepEqual(sentencesIn(led).map(({ key }) => key), ["c", "a"]);
  assert.deepEqual(notesOf(led).map(({ key }) => key), ["b"]);
  const followed = { ...led, derived: { follows: 0 } };
  assert.deepEqual([sentencesIn(followed), notesOf(followed)].map((said) => said.map(({ key }) => key)), [["a", "b"], ["c"]]);
  const plain = step(2, 0, [], { key: "a", notes: [note("b")] });
  assert.deepEqual([sentencesIn(plain).length, notesOf(plain).length], [1, 1]);
});

test("what a change cost is one sentence, once the run is over", () => {
  words.learn("en", { texts: { "outcome.after": "After {what}, {kept}.", "outcome.cost": "It cost {costs}.", "cost.drop_message": "your drop", "cost.time": "{by} ms", "cost.retries": "{by:retry|retries}", "cost.log_same": "the same", "join.comma": ", ", "join.sentences": "{first} {then}" }, sources: {} });
  const clause = (key: string, by = 0) => ({ key, params: { by } });
  const cost = { what: clause("cost.drop_message"), dearer: true, costs: [clause("cost.time", 2100), clause("cost.retries", 1)], kept: [clause("cost.log_same")] };
  const branches = new Map([["b", branch("b", 9, { interventions: [{ after: 3, intervention: { action: "drop_message", message: 1 } }] })]]);
  const at = (newest: number) => ({ newest, shown: newest, branch: "b", lines: { branches }, frame: { plan: { steps: 9, cost } } }) as unknown as PlayerStore;
  assert.equal(costText(at(9)), "After your drop, the same. It cost 2100 ms, 1 retry.");
  assert.equal(costText(at(8)), "", "the plan is of another length: it is not this branch's");
});

test("what a fault did not change is said before the numbers", () => {
  words.learn("en", { texts: { "outcome.although_kept": "{outcome} although {fault}; {kept}.", "outcome.cost_mixed": "In numbers: {costs}.", "outcome.cost_short": "Something is open.", "commits": "It commits", "down": "{actor} is down", "same": "the same", "fewer": "2 fewer messages", "join.sentences": "{first} {then}" }, sources: {} });
  const clause = (key: string, params = {}) => ({ key, params });
  const cost = { what: clause("crash"), dearer: false, costs: [clause("fewer")], kept: [clause("same")], although: { outcome: clause("commits"), fault: clause("down", { actor: "p1" }) } };
  assert.equal(planCost(cost), "It commits although p1 is down; the same. In numbers: 2 fewer messages.");
  assert.match(planCost({ ...cost, costs: [], short: true }), /Something is open\.$/, "what is left open is no saving");
});

test("beside another run a changed one says how it ended, because its cost stands above both", () => {
  words.learn("en", { texts: { "outcome.over": "Over: {broken}.", "outcome.none": "nothing broken", "outcome.over_cost": "{cost} Over.", "outcome.after": "After {what}, {kept}.", "outcome.cost": "It cost {costs}.", "cost.drop_message": "your drop", "cost.time": "{by} ms", "cost.log_same": "the same", "join.sentences": "{first} {then}" }, sources: {} });
  const clause = (key: string, by = 0) => ({ key, params: { by } });
  const cost = { what: clause("cost.drop_message"), dearer: true, costs: [clause("cost.time", 5)], kept: [clause("cost.log_same")] };
  const info = branch("b", 9, { finished: "complete", interventions: [{ after: 3, intervention: { action: "drop_message", message: 1 } }] });
  const view = { time: 0, records: {}, verdicts: {}, guarantees: { lost: { judged: true, count: 0, broken_at: null } } };
  const store = { newest: 9, shown: 9, branch: "b", info, lines: { branches: new Map([["b", info]]) }, frame: { view, plan: { steps: 9, cost } } } as unknown as PlayerStore;
  assert.equal(overText(store, undefined), "After your drop, the same. It cost 5 ms. Over.");
  assert.equal(overText(store, undefined, true), "Over: nothing broken.");
  const part = { ...store, frame: { view: { ...view, guarantees: { ...view.guarantees, fenced: { judged: false } } } } } as unknown as PlayerStore;
  words.learn("en", { texts: { "outcome.none_judged": "{count} judged hold" }, sources: {} });
  assert.equal(overText(part, undefined, true), "Over: 1 judged hold.", "where some are not judged, only the others hold");
});

test("a transaction that hung and was ended since is not left to be taken for one that hangs", () => {
  words.learn("en", { texts: { "outcome.over": "Over: {broken}.", "outcome.count.hanging": "{count:hanging transaction|hanging transactions}", "outcome.mended.hanging": "{count:hung for|hung for at most} {ms} ms", "outcome.still_hangs": "LSO of {partition}: {lso}.", "outcome.failed_hangs": "{records} reported as failed.", "lesson.results": "1 failed.", "lesson.results_stored": "", "lesson.results_failed": "",  "outcome.mended.by_hand": "{count:hung for|hung for at most} {ms} ms, until aborted", "join.sentences": "{first} {then}" }, sources: {} });
  const info = branch("a", 9, { finished: "complete" });
  const view = { time: 0, guarantees: { hanging: { judged: true, count: 1, broken_at: 4, partition: "t-0", serials: [2] } }, records: { 2: { status: "failed" } } };
  const hangs = { partition: "t-0", last_stable_offset: 2, failed: [2] };
  const over = (hanging: number, by_hand = 0) => overText({ newest: 9, shown: 9, branch: "a", info, lines: { branches: new Map([["a", info]]) }, frame: { view, plan: { steps: 9, outcome: { hanging, by_hand, ...(hanging === 0 ? { hung: 70 } : { hangs }) } } } } as unknown as PlayerStore, undefined);
  assert.deepEqual([over(0), over(0, 1), over(1)], [
    "Over: 1 hung for 70 ms. 1 failed.", "Over: 1 hung for 70 ms, until aborted. 1 failed.", "Over: 1 hanging transaction. LSO of t-0: 2. r2 reported as failed. 1 failed."]);
});

test("at the end of a run nothing is marked, unless a beat lands there or a guarantee breaks", () => {
  words.learn("en", { texts: { "outcome.over": "Over: {broken}.", "outcome.none": "nothing broken" }, sources: {} });
  const info = branch("a", 9, { finished: "complete" });
  const view = { time: 0, guarantees: { lost: { judged: true, count: 0, broken_at: null, broken_in: null, serials: [] } } };
  const whole = (lands: number, canGrow = false) => {
    const beats = [{ number: 1, first: 1, last: 9, lands, key: "", params: {}, lines: [] }];
    const frame = { step: step(9, 0, []), view, plan: { steps: 9, beats } };
    return isAboutWhole({ newest: 9, shown: 9, target: 9, canGrow, branch: "a", info, lines: { branches: new Map([["a", info]]) }, frame } as unknown as PlayerStore);
  };
  assert.deepEqual([whole(4), whole(9), whole(4, true)], [true, false, false]);
});

test("where a run commits offsets and nothing is broken, it says that skipped inputs are not judged", () => {
  words.learn("en", { texts: { "outcome.over": "Over: {broken}.", "outcome.none": "nothing broken", "outcome.count.lost": "{count} lost", "outcome.inputs_not_judged": "Inputs are not judged.", "join.sentences": "{first} {then}" }, sources: {} });
  const info = branch("a", 9, { finished: "complete" });
  const over = (count: number, outcome: object): string => {
    const view = { time: 0, guarantees: { lost: { judged: true, count, broken_at: count === 0 ? null : 4, broken_in: null, serials: [] } } };
    return overText({ newest: 9, shown: 9, branch: "a", info, lines: { branches: new Map([["a", info]]) }, frame: { view, plan: { steps: 9, outcome } } } as unknown as PlayerStore, undefined);
  };
  assert.deepEqual([over(0, { consumes: true }), over(0, {}), over(1, { consumes: true })], ["Over: nothing broken. Inputs are not judged.", "Over: nothing broken.", "Over: 1 lost."]);
});
