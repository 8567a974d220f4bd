import assert from "node:assert/strict";
import { before, test } from "node:test";
import { NO_FOCUS } from "../../stage/contract.ts";
import { leapLayer } from "../../stage/leap.ts";
import { places } from "../../stage/places.ts";
import { frameOf, HEADER, stepOf, view } from "../diagrams/fixture.ts";
import { speakStage } from "./words.ts";

before(speakStage);

test("where much time passes before a step, the network says how much and which timer ends", () => {
  const here = places(null, HEADER, view(), { width: 1280, height: 412, form: "desk" });
  const said = (derived: object) => leapLayer({ ...frameOf(stepOf({ actor: "broker-2", derived })), view: view() }, here, NO_FOCUS).map(({ label }) => label);
  assert.deepEqual(said({}), []);
  assert.deepEqual(said({ leap: { ms: 29_995, ends: "request_timeout" } }), ["30 s pass broker-2: request timeout ends"]);
  assert.deepEqual(said({ leap: { ms: 1_040 } }), ["1 s pass "]);
  assert.deepEqual(said({ leap: { ms: 5_310 } }), ["5.3 s pass "]);
});
