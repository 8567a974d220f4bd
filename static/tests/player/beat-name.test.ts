import assert from "node:assert/strict";
import { test } from "node:test";
import { nameSetting } from "../../player/beat-name.ts";

const ROOM = 358;

test("a short name leaves step and time on one line", () => {
  assert.deepEqual(nameSetting("5. p1 crashes", "step 45/84", "205 ms", ROOM), { apart: false, isLong: false });
});

test("a name that a long time would press into three lines gets the room of the time", () => {
  const [step, when] = ["第 59 → 66/84 步", "1 分钟 10.025 秒"];
  assert.deepEqual(nameSetting("8. 已中止并放行：t-0、t-1；随后 CompleteAbort", step, when, ROOM), { apart: true, isLong: false });
  assert.equal(nameSetting("9. read_committed 消费者跳过已中止的记录", step, when, ROOM).apart, true);
});

test("a name that is still too long is set smaller", () => {
  const name = "12. orders-0: billing-3's transaction has no marker, and read_committed consumers stop at 2";
  assert.deepEqual(nameSetting(name, "step 59 → 66/84", "1 min 10.025 s", ROOM), { apart: true, isLong: true });
});
