import assert from "node:assert/strict";
import { before, test } from "node:test";
import { windowText } from "../../diagrams/middleware-roles.ts";
import type { MiddlewareView } from "../../generated/messages.ts";
import { windowWords } from "../../stage/middleware.ts";
import { frameOf, view } from "../diagrams/fixture.ts";
import { speakStage } from "./words.ts";

before(speakStage);

const said = (since: number | null, until: number | null) => windowWords({ window: { since, until } });

function toldBeside(since: number, until: number | null): string | null {
  const middleware = { transactions: { 1: { window: { since, until } } }, differ: { 1: { since, until } } } as unknown as MiddlewareView;
  return windowText(frameOf(null, view({ middleware })), "1");
}

test("participants that may differ are said to end alike, whether all commit or everything is undone", () => {
  assert.deepEqual(said(null, null), []);
  assert.deepEqual(said(65, null), ["Commit-ok: not from all yet", "the first at t = 65 ms: participants may differ"]);
  assert.deepEqual(said(65, 5095), ["Participants: same outcome", "may have differed: t = 65–5095 ms"]);
  assert.match(toldBeside(65, 5095) ?? "", /nodes differed from t = 65 ms to t = 5095 ms.*participants may have differed/);
});

test("those that never differed are not said to have differed for 0 ms", () => {
  assert.deepEqual(said(65, 65), ["Participants: same outcome"]);
  assert.equal(toldBeside(65, 65), null);
});
