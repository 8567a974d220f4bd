import assert from "node:assert/strict";
import test from "node:test";

import { parseExactly, parseToBigint, stringifyWithBigint } from "../../player/exact-json.ts";

test("the last producer id is not rounded", () => {
  assert.deepEqual(parseExactly('{"producer_id":9223372036854775807,"list":[-9223372036854775808, 7]}'), {
    producer_id: "9223372036854775807", list: ["-9223372036854775808", 7],
  });
});

test("numbers that are exact stay numbers, and strings stay what they are", () => {
  assert.deepEqual(parseExactly('{"a":9007199254740991,"b":"id 9223372036854775807","c":"\\"1234567890123456789","d":1.5}'), {
    a: 9007199254740991, b: "id 9223372036854775807", c: '"1234567890123456789', d: 1.5,
  });
  // biome-ignore lint/correctness/noPrecisionLoss: the line tests what happens to such a number
  assert.deepEqual(parseExactly('{"a":0.12345678901234567,"b":1e20}'), { a: 0.12345678901234567, b: 1e20 });
});

test("who writes numbers back gets them as they were, and texts stay texts", () => {
  const text = '{"a":9223372036854775807,"b":[-9223372036854775808,7],"c":"9223372036854775807","d":"\\u0000x"}';
  const read = parseToBigint(text);
  assert.deepEqual(read, { a: 9223372036854775807n, b: [-9223372036854775808n, 7], c: "9223372036854775807", d: "\0x" });
  assert.equal(stringifyWithBigint(read), text);
});
