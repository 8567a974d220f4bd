import assert from "node:assert/strict";
import { test } from "node:test";
import { textWidth, wrap } from "../../diagrams/geometry.ts";

const SENTENCE = "b3 的 1 条记录位于 t-0 的偏移量 0。p1 报告成功（见《协议》）并归还内存。";

test("a line of Chinese neither begins with a closing mark nor ends with an opening one, at any width", () => {
  for (let width = 60; width < textWidth(SENTENCE, 12); width += 1) {
    for (const line of wrap(SENTENCE, width, 12)) {
      assert.ok(!/^[，。：；、）》]|[（《]$/.test(line), `${width} px: ${line}`);
      assert.ok(textWidth(line, 12) <= width, `${width} px: ${line}`);
    }
  }
});

test("breaking loses no letter", () => {
  const letters = (text: string): string => text.replace(/\s/g, "");
  for (const width of [60, 100, 200]) assert.equal(letters(wrap(SENTENCE, width, 12).join("")), letters(SENTENCE));
});

test("a name that is wider than a line is broken behind a hyphen or an underscore", () => {
  assert.deepEqual(wrap("payments-settlement-eu-west-1-000042", 200, 14, true), ["payments-settlement-eu-", "west-1-000042"]);
  assert.deepEqual(wrap("__transaction_state", 110, 14), ["__transaction_", "state"]);
});
