import assert from "node:assert/strict";
import { test } from "node:test";
import { decoded, linesOf } from "../../player/addressed.ts";

async function gathered(pieces: string[]): Promise<string[]> {
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      for (const piece of pieces) stream.enqueue(new TextEncoder().encode(piece));
      stream.close();
    },
  });
  const lines: string[] = [];
  for await (const line of linesOf(new Response(body))) lines.push(line);
  return lines;
}

test("lines come whole, wherever the pieces are cut", async () => {
  assert.deepEqual(await gathered(['{"a"', ":1}\n{", '"b":2}\n']), ['{"a":1}', '{"b":2}']);
  assert.deepEqual(await gathered(["one\ntwo"]), ["one", "two"]);
  assert.deepEqual(await gathered([]), []);
});

test("a letter of several bytes may lie across two pieces", async () => {
  const bytes = new TextEncoder().encode("确\n");
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      stream.enqueue(bytes.slice(0, 2));
      stream.enqueue(bytes.slice(2));
      stream.close();
    },
  });
  const lines: string[] = [];
  for await (const line of linesOf(new Response(body))) lines.push(line);
  assert.deepEqual(lines, ["确"]);
});

test("base64 is decoded as a whole, however long", () => {
  const bytes = Uint8Array.from({ length: 2_000_003 }, (_, index) => (index * 31) % 256);
  const joined = new Uint8Array(decoded(Buffer.from(bytes).toString("base64")).flatMap((piece) => [...piece]));
  assert.equal(Buffer.compare(joined, bytes), 0);
});
