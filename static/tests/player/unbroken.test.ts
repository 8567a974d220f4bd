import assert from "node:assert/strict";
import test from "node:test";

import { defaults, namesIn, unbroken, pieces } from "../../player/unbroken.ts";

const names = (text: string): string[] => namesIn(text).filter((_, index) => index % 2 === 1);

test("what has a hyphen in it stays on one line", () => {
  assert.deepEqual(names("broker-2 写入 __transaction_state-10，c-committed 读到 t-0."), ["broker-2", "__transaction_state-10", "c-committed", "t-0"]);
});

test("an option of a command keeps its hyphens", () => {
  assert.deepEqual(names("kafka-transactions.sh find-hanging --broker-id 1 --topic t。"), ["kafka-transactions.sh", "find-hanging", "--broker-id", "--topic"]);
});

test("a number stays with its unit", () => {
  assert.deepEqual(names("Back at t = 25.325 s, 5310 ms later, 3 steps; 2 毫秒后"), ["25.325 s", "5310 ms"]);
  assert.deepEqual(names("第 25.325 秒"), ["25.325 秒"]);
});

test("a minus and a dash are no part of a name", () => {
  assert.deepEqual(names("epoch -1, offsets 3–7 - nothing else"), []);
});

test("nothing of a sentence is lost, and one without names stays a text", () => {
  const text = "broker-1: at-most-once, -1.";
  assert.equal(namesIn(text).join(""), text);
  assert.equal(unbroken("The Sender has not run yet."), "The Sender has not run yet.");
});

test("what is longer than most of a telephone's line may be broken", () => {
  const long = `topic-${"a".repeat(defaults.longest)}`;
  assert.deepEqual(unbroken(long), ["", long, ""]);
});

test("a line ends behind an underscore or a dot of a name, nowhere else in it", () => {
  const ends = (said: string): string[] => pieces(said).filter((one) => typeof one === "string");
  assert.deepEqual(ends("WAIT_CONFIRM_ACK"), ["WAIT_", "CONFIRM_", "ACK"]);
  assert.deepEqual(ends("log.append(batch)"), ["log.", "append(batch)"]);
  assert.deepEqual(ends("→ DONE"), ["→ DONE"]);
  assert.deepEqual(ends("2.8"), ["2.8"]);
});
