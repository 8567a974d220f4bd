import assert from "node:assert/strict";
import test from "node:test";

import { fill, readCatalogue, Words } from "../../player/text.ts";

test("parameters are put in, lists are joined", () => {
  assert.equal(fill("{broker} stores {serials}.", { broker: "broker-1", serials: [1, 2, 3] }), "broker-1 stores 1, 2, 3.");
  assert.equal(fill("{broker} 写入 {serials}。", { broker: "broker-1", serials: [1, 2] }), "broker-1 写入 1、2。");
  const leaders = ["t-0: broker-1", "t-1: broker-2"];
  assert.equal(fill("leaders: {leaders}", { leaders }), "leaders: t-0: broker-1, t-1: broker-2");
  assert.equal(fill("各分区的 leader：{leaders}", { leaders }), "各分区的 leader：t-0：broker-1、t-1：broker-2");
});

test("a count picks its word", () => {
  assert.equal(fill("{count:record|records} stored", { count: 1 }), "1 record stored");
  assert.equal(fill("{count:record|records} stored", { count: 0 }), "0 records stored");
});

test("a name of the engine's own has a word", () => {
  const word = (key: string) => ({ "kind.request": "请求" })[key];
  assert.equal(fill("{kind@kind} of {api}", { kind: "request", api: "Fetch" }, word), "请求 of Fetch");
  assert.equal(fill("{kinds@kind}", { kinds: ["request", "other"] }, word), "请求, other");
  assert.equal(fill("{kind@kind}", {}, word), "[kind]");
});

test("a message between two roles of a broker names the roles", () => {
  const words: Record<string, string> = { "end.A.request.from": "the coordinator on {broker}", "end.A.request.to": "the leader on {broker}", "end.connection.to": "itself" };
  const word = (key: string) => words[key];
  const own = { api: "A", kind: "request", from: "b", to: "b" };
  assert.equal(fill("{from@end} to {to@end}", own, word), "the coordinator on b to the leader on b");
  assert.equal(fill("{from@end.request} and {to@end.connection}", own, word), "the coordinator on b and itself");
  assert.equal(fill("{from@end} to {to@end}", { ...own, to: "c" }, word), "b to c");
  assert.equal(fill("{from@end.response}", own, word), "b");
});

test("a parameter may be a sentence itself, in the language on show", () => {
  const word = (key: string) => ({ "refused.actor_down": "{actor} 已停止" })[key];
  const reason = { key: "refused.actor_down", params: { actor: "broker-1" } };
  assert.equal(fill("{rule}：{reason}。", { rule: "GEN-6", reason }, word), "GEN-6：broker-1 已停止。");
  assert.equal(fill("{reason}", { reason: { key: "refused.nobody_wrote_this", params: {} } }, word), "[refused.nobody_wrote_this]");
});

test("a range whose ends are equal is one number", () => {
  assert.equal(fill("seq {first}–{last} of {n}", { first: 0, last: 0, n: 0 }), "seq 0 of 0");
  assert.equal(fill("seq {first}–{last}", { first: 0, last: 2 }), "seq 0–2");
  assert.equal(fill("seq {first}–{last}", { first: 0 }), "seq 0–[last]");
});

test("behind a Chinese word or mark Chinese goes on without a space, behind any other with one", () => {
  const owned = (who: string) => fill("{who} 的事务", { who });
  assert.deepEqual(["p1", "生产者", "p1（PID 0）"].map(owned), ["p1 的事务", "生产者的事务", "p1（PID 0）的事务"]);
});

test("times of ten seconds and more are written in larger units, exactly, and so are whole seconds", () => {
  const words: Record<string, string> = {
    "duration.days": "{count} d", "duration.hours": "{count} h", "duration.minutes": "{count} min", "duration.seconds": "{count} s",
  };
  const word = (key: string) => words[key];
  assert.equal(fill("until {at} ms ({left} ms left)", { at: 605_400_000, left: 59_999 }, word), "until 7 d 0:10:00.000 (60.00 s left)");
  assert.equal(fill("到 {at} 毫秒", { at: 61_005 }, word), "到 1:01.005");
  assert.equal(fill("第 {at} ms，到第 {until} ms 为止", { at: 60_005, until: 60_000 }, word), "t = 1:00.005，到 t = 1:00.000 为止");
  assert.equal(fill("到第 {until} ms，第 {turn} 轮", { until: 9_999, turn: 70_000 }, word), "到第 9999 ms，第 70000 轮");
  assert.equal(fill("due at t = {due} ms", { due: 1710 }, word), "due at t = 1710 ms");
  const ages = "at {at} ms, after {age} ms of {limit} ms";
  assert.equal(fill(ages, { at: 20_010, age: 19_694, limit: 30_000 }, word), "at 20.010 s, after 19.69 s of 30 s");
  assert.equal(fill(ages, { at: 9000, age: 1500, limit: 5000 }, word), "at 9000 ms, after 1500 ms of 5 s");
  assert.equal(fill("{left} ms", { left: 70_700 }, word), "1 min 10.70 s");
  assert.equal(fill("{left} ms 后 {name} 中", { left: 2000, name: "没有" }, (key) => ({ "duration.seconds": "{count} 秒" })[key]), "2 秒后 没有中");
  assert.equal(fill("{at} ms", { at: 3_600_001 }), "3600001 ms");
  assert.equal(fill("since {at} UTC", { at: 1_795_166_225_999 }), "since 2026-11-20 09:17:05 UTC");
  assert.equal(fill("{at} UTC, {gone} UTC", { at: "noon", gone: null }), "noon UTC, –");
  assert.equal(fill("{at} msgs, {gone} ms", { at: 70_000 }, word), "70000 msgs, [gone] ms");
});

test("what is not there may have a word", () => {
  const word = (key: string) => ({ "nothing.leader.–": "nobody" })[key];
  assert.equal(fill("before: {old@nothing.leader}", { old: null }, word), "before: nobody");
  assert.equal(fill("before: {old@nothing.leader}", { old: "broker-1" }, word), "before: broker-1");
});

test("what is missing stays visible, what is absent is a dash", () => {
  assert.equal(fill("{a} and {b}", { a: null }), "– and [b]");
  const words = new Words();
  assert.equal(words.say("nobody.wrote_this"), "[nobody.wrote_this]");
});

test("markup in a value stays text", () => {
  assert.equal(fill("{name}", { name: "<b>{other}</b>", other: "x" }), "<b>{other}</b>");
});

test("switching the language tells those who listen", () => {
  const words = new Words();
  words.learn("en", { texts: { "a.b": "one" }, sources: { "a.b": "Sender.run" } });
  words.learn("zh-Hans", readCatalogue({ "a.b": "一" }));
  let changes = 0;
  words.addEventListener("change", () => (changes += 1));
  words.use("zh-Hans");
  assert.equal(words.say("a.b"), "一");
  assert.equal(words.source("a.b"), null);
  words.use("en");
  assert.equal(words.say("a.b"), "one");
  assert.equal(words.source("a.b"), "Sender.run");
  assert.equal(changes, 2);
});
