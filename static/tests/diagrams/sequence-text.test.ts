import assert from "node:assert/strict";
import { test } from "node:test";
import { cell } from "../../diagrams/ledger-table.ts";
import { plain } from "../../diagrams/sequence-text.ts";

test("what means something to Mermaid is written as its number", () => {
  assert.equal(plain("a;b #c\n<d> {e} \"f\" 50 %"), "a#59;b #35;c #60;d#62; #123;e#125; #34;f#34; 50 #37;");
});

test("no cell is a formula to a spreadsheet", () => {
  for (const sign of ["=", "+", "-", "@", "\t", "\r"]) assert.match(cell(`${sign}1`), /^"?'/);
  assert.equal(cell(-1), "-1");
});

test("cells that hold separators are quoted", () => {
  assert.equal(cell('c1 2, "c2" 1'), '"c1 2, ""c2"" 1"');
  assert.equal(cell("t-0"), "t-0");
});
