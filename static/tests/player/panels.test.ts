import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import test from "node:test";

import { html } from "lit";
import type { Frame } from "../../player/frame.ts";
import { MIDDLES, PANELS, panelsOf, tagOf } from "../../player/panels.ts";
import type { PanelRow } from "../../player/panels.ts";

const LIST = "static/player/panels.ts";
/** Files that may name a panel, too: of the handout, which draws pictures itself; the tokens; the folder of the stage. */
const BESIDE = new Set(["static/player/handout.ts", "static/styles/print.css", "static/styles/tokens.css"]);
const ROOM = /^static\/stage\//;

/** Every file that a page is built from, with its text. */
const sources = new Map(
  readdirSync("static", { recursive: true, encoding: "utf8" }).filter((path) => /\.(ts|css)$/.test(path) && !/^(dist|tests)/.test(path))
    .map((path) => [`static/${path}`, readFileSync(`static/${path}`, "utf8")]),
);

test("a panel is named in its own file and in one list, so that a new one touches four files at most", () => {
  for (const { tag } of PANELS) {
    const named = new RegExp(`${tag}(?![a-z-])`);
    const found = [...sources].filter(([path, text]) => named.test(text) && !BESIDE.has(path)).map(([path]) => path);
    const own = found.filter((path) => sources.get(path)?.includes(`define("${tag}"`));
    assert.equal(own.length, 1, `${tag} is defined once`);
    // The other two files are its name in the catalogue and its test.
    assert.deepEqual(found.filter((path) => path !== own[0] && !ROOM.test(path)), [LIST], `${tag} has other files that know it`);
  }
});

test("no panel has another one's tag, key or view, and each view leads to its panel", () => {
  for (const of of ["tag", "key", "view"] as const) {
    const given = PANELS.map((panel) => panel[of] ?? "").filter((word) => word !== "");
    assert.deepEqual(given, [...new Set(given)], of);
  }
  for (const middle of MIDDLES) assert.equal(PANELS.find((panel) => panel.tag === tagOf(middle))?.place, "middle");
  assert.ok(PANELS.every((panel) => (panel.view === undefined) === (panel.place !== "middle")));
});

test("a row says by itself which steps its panel is about", () => {
  const row = (tag: string, more: Partial<PanelRow>): PanelRow => ({ tag, key: "", place: "right", name: "", draw: () => html``, ...more });
  const rows = [row("by-change", { shows: [["brokers", "*", "alive"]] }), row("by-refusal", { about: (frame) => frame.step?.refusal != null }), row("by-nothing", {})];
  const after = (path: string[], refusal: object | null): string[] =>
    [...panelsOf({ step: { decision: null, refusal, changes: [{ path }] } } as unknown as Frame, rows)];
  assert.deepEqual(after(["brokers", "2", "alive"], null), ["by-change"]);
  assert.deepEqual(after(["brokers", "2", "paused"], {}), ["by-refusal"]);
  assert.deepEqual(after(["time"], null), []);
});
