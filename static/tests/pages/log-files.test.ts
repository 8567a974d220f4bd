import assert from "node:assert/strict";
import { test } from "node:test";
import { commandFor, countText, partitionsText, readOf, textAgain, tooMuch } from "../../pages/log-files.ts";

const LOG = "00000000000000000000.log";
const INDEX = "00000000000000000000.index";
const NOT_READ = [".index", ".timeindex"];
const file = (path: string, size = 1) => ({ path, size });

test("of a folder with segments the indexes stay, which Kafka makes 10 MB long", () => {
  const chosen = [file(`t-0/${LOG}`), file(`t-0/${INDEX}`), file("t-0/00000000000000000009.snapshot"), file("t-0/leader-epoch-checkpoint")];
  assert.deepEqual(readOf(chosen, NOT_READ).map((one) => one.path), [chosen[0], chosen[2], chosen[3]].map((one) => one?.path));
});

test("an index that was chosen without its segment is sent: it is what is asked about", () => {
  assert.equal(readOf([file(INDEX), file(`t-1/${LOG}`)], NOT_READ).length, 2);
});

test("each bound is looked at before anything is sent", () => {
  const bounds = { files: 2, fileBytes: 10, allBytes: 15 };
  assert.equal(tooMuch([file("a"), file("b")], bounds), null);
  assert.equal(tooMuch([file("a"), file("b"), file("c")], bounds), "files");
  assert.equal(tooMuch([file("a", 11)], bounds), "each");
  assert.equal(tooMuch([file("a", 8), file("b", 8)], bounds), "all");
});

test("the command names what was chosen, as a shell reads it", () => {
  const chosen = [file(`t-0/${LOG}`), file(`t-0/${INDEX}`), file(`my logs/t-1/${LOG}`), file("it's.txt")];
  assert.equal(commandFor(chosen, "python manage.py logs"), "python manage.py logs 'it'\\''s.txt' 'my logs' t-0");
});

test("number and size are said", () => {
  assert.equal(countText([file("a", 3 * 2 ** 20), file("b", 2 ** 19)]), "2 · 3.5 MiB");
  assert.equal(countText([file("a", 562)]), "1 · 0.5 KiB");
});

test("partitions are named by the folders of their segments", () => {
  assert.equal(partitionsText([file(`logs/t-1/${LOG}`), file(`t-0/${LOG}`), file(`t-0/${INDEX}`), file("notes/a.txt"), file(LOG)]), "t-0 t-1");
  assert.equal(partitionsText([1, 2, 3, 4, 5, 6, 7].map((number) => file(`t-${number}/${LOG}`))), "t-1 t-2 t-3 t-4 t-5 (+2)");
});

test("pasted text comes back only where the form is opened again for what was refused", () => {
  const kept = () => "baseOffset: 0";
  assert.equal(textAgain("?again=1", kept), "baseOffset: 0");
  assert.equal(textAgain("", kept), "");
  assert.equal(textAgain("?again=1", () => null), "");
});
