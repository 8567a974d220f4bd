import assert from "node:assert/strict";
import test from "node:test";

import { defaults, fit, sentencesOf } from "../../player/sentence-fit.ts";
import { textLength } from "../../player/reading-time.ts";

const FOUND = "broker-1 finds seq 0 of PID 0 among the batches it remembers for t-0. It appends nothing, changes nothing, and answers p1 with the first offset again: 40.";

test("a text is cut behind full stops, not behind every dot", () => {
  assert.deepEqual(sentencesOf("acks.all of t-0.5 holds. It is so!"), ["acks.all of t-0.5 holds.", "It is so!"]);
  assert.deepEqual(sentencesOf("broker-1 找到批次。它不追加。"), ["broker-1 找到批次。", "它不追加。"]);
  assert.deepEqual(sentencesOf("no stop"), ["no stop"]);
});

test("up to its first full stop a sentence is large, and the rest is under it", () => {
  const fitted = fit(FOUND, 1400, 92);
  assert.deepEqual([fitted.leadType, fitted.restType, fitted.hidden], [[26, 31], defaults.rests[0], 0]);
  assert.equal(fitted.lead, "broker-1 finds seq 0 of PID 0 among the batches it remembers for t-0.");
  assert.equal(`${fitted.lead} ${fitted.rest}`, FOUND);
});

test("first sentences have one of two sizes, in a narrow place smaller ones", () => {
  const long = FOUND.replaceAll(/[.:] /g, ", ");
  const sizes = ([width, height]: [number, number]): number[] => ["p1 begins.", long].map((text) => fit(text, width, height).leadType[0]);
  assert.deepEqual(([[358, 90], [940, 92], [1880, 92]] as [number, number][]).map(sizes), [[18, 16], [22, 22], [26, 26]]);
  assert.deepEqual(sizes([608, 70]), [16, 16], "beside another run all have one size");
});

test("in a wide place what follows keeps the size for reading, and what does not fit is counted", () => {
  const long = `${FOUND} ${FOUND} ${FOUND}`;
  const fitted = fit(long, 940, 92);
  assert.deepEqual([fitted.restType[0], fit(long, 940, 92, Number.POSITIVE_INFINITY, true).restType[0], fit(long, 358, 132).restType[0]], [15, 13, 13]);
  const shown = sentencesOf(`${fitted.lead} ${fitted.rest}`).length;
  assert.equal(shown + fitted.hidden, 6);
  assert.ok(fit(long, 358, 90).hidden > fitted.hidden, "a telephone shows less of it");
  assert.equal(fit("", 940, 92).hidden, 0);
});

test("a first sentence of a few words is not left alone where the next fits small", () => {
  const whole = "Preview; no cluster was changed. An ABORT marker for PID 4000, epoch 0, would be written at offset 4 of t-0, and the last stable offset would go from 2 to 5.";
  const fitted = fit(whole, 358, 80);
  assert.deepEqual([fitted.restType[0], fitted.hidden], [13, 0]);
  assert.equal(fit(`${whole} ${FOUND}`, 358, 80).hidden, 2);
});

test("where both do not fit large, the rest gives way before the first sentence", () => {
  const marker = "The LSO of t-1 advances from 0 to 2, because the marker is replicated: read_committed consumers may continue. " +
    "Each partition advances on its own. broker-2 raises the high watermark of t-1 to 2: with this fetch of broker-1, all in-sync replicas have every record below it.";
  const fitted = fit(marker, 1000, 92);
  assert.deepEqual([fitted.leadType[0], fitted.restType[0], fitted.hidden], [19, 15, 0]);
});

test("letters count as a reader meets them", () => {
  assert.deepEqual([textLength("abc"), textLength("中文"), textLength("ABC")], [3, 4, 4]);
});
