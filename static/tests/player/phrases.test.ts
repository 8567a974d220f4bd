import assert from "node:assert/strict";
import test from "node:test";

import { phrasesOf } from "../../player/phrases.ts";

test("a Chinese line may end between words, and not inside of one", () => {
  assert.deepEqual(phrasesOf("请所有参与者投票"), ["请所有", "参与者", "投票"]);
  assert.deepEqual(phrasesOf("business 提交本地事务"), ["business ", "提交", "本地", "事务"]);
  assert.deepEqual(phrasesOf("重发等待期间，3 条记录已写入 t-1"), ["重发等待", "期间，", "3 条记录已写入 ", "t-1"]);
});

test("no text is lost, marks stay with their words, and names stay whole", () => {
  for (const text of ["participant-3 重新启动，预留仍在", "拒绝：到达的是序列号 0，应为 6", "Refused: seq 0 arrived", "（共 6 部分）", ""]) {
    const phrases = phrasesOf(text);
    assert.equal(phrases.join(""), text);
    assert.ok(phrases.every((phrase) => !/^[，。：）]/.test(phrase)), phrases.join("|"));
  }
  assert.ok(phrasesOf("participant-3 重新启动")[0] === "participant-3 ");
});
