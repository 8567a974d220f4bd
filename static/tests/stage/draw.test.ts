import assert from "node:assert/strict";
import { test } from "node:test";
import { fitted } from "../../stage/draw.ts";

test("of two lines the first ends with a clause, in either language", () => {
  for (const clauses of [["100 visible,", "10 reserved"], ["可见 100，", "预留 10"]]) {
    const said = clauses.join(clauses[0]?.endsWith(",") ? " " : "");
    assert.deepEqual(fitted(said, 80, 12, { most: 2 }).lines, clauses);
  }
});
