import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { DIAGRAM_WORDS, readTexts } from "./fixture.ts";

const FOLDER = "static/diagrams";
const sources = readdirSync(FOLDER).filter((name) => name.endsWith(".ts")).map((name) => readFileSync(`${FOLDER}/${name}`, "utf8"));
const texts = readTexts(DIAGRAM_WORDS);

test("every key that a diagram says is in the catalogue", () => {
  const used = new Set<string>();
  for (const source of sources) for (const found of source.matchAll(/"(diagram\.[a-z_.]+[a-z])"/g)) used.add(found[1] as string);
  assert.ok(used.size > 150, `only ${used.size} keys found: the search is broken`);
  assert.deepEqual([...used].filter((key) => texts.en[key] === undefined), []);
});

test("every family of keys that is put together has a member", () => {
  const families = new Set<string>();
  for (const source of sources) for (const found of source.matchAll(/`(diagram\.[a-z_.]+\.)\$\{/g)) families.add(found[1] as string);
  assert.ok(families.size >= 8);
  assert.deepEqual([...families].filter((start) => !Object.keys(texts.en).some((key) => key.startsWith(start))), []);
});

test("both languages have the same keys and the same parameters", () => {
  const parameters = (text: string): string[] => [...text.matchAll(/\{([a-z_0-9]+)/g)].map((found) => found[1] as string).sort();
  assert.deepEqual(Object.keys(texts.en).sort(), Object.keys(texts["zh-Hans"]).sort());
  for (const [key, text] of Object.entries(texts.en)) {
    assert.deepEqual(parameters(texts["zh-Hans"][key] as string), parameters(text), key);
  }
});

test("no text of the catalogue is left that no diagram says", () => {
  const all = sources.join("\n");
  const families = [...all.matchAll(/`(diagram\.[a-z_.]+\.)\$\{/g)].map((found) => found[1] as string);
  const unused = Object.keys(texts.en).filter(
    (key) => !all.includes(`"${key}"`) && !families.some((start) => key.startsWith(start)),
  );
  assert.deepEqual(unused, []);
});

test("every reason for which a Sender waits has its short words", () => {
  const engine = readTexts("engine/explain/catalogue/client.toml");
  // A repeated sentence about a wait that goes on gives no reason of its own.
  const keys = Object.keys(engine.en).filter((key) => key.startsWith("client.waits_") && !key.endsWith("_again"));
  const reasons = keys.map((key) => key.slice("client.waits_".length));
  assert.ok(reasons.length >= 10, `${reasons.length} reasons`);
  assert.deepEqual(reasons.filter((reason) => texts.en[`diagram.sender.reason.${reason}`] === undefined), []);
});
