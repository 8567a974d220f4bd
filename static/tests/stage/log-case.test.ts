/** A log case on the stage: beside its lanes stands where consumers stop. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { svg } from "lit";
import { heads } from "../../stage/brokers.ts";
import { NO_FOCUS } from "../../stage/contract.ts";
import { places } from "../../stage/places.ts";
import { FIVE, frameOf, HEADER, markup, partition, replica, view } from "../diagrams/fixture.ts";
import { speakStage } from "./words.ts";

speakStage();

test("beside a log stands where consumers of both isolation levels stop, and the legend", () => {
  const log = { ...replica(FIVE), last_stable_offset: 43, high_watermark: 50 };
  const files = view({ partitions: { "t-0": partition(log) }, consumers: {} });
  const here = places(null, { ...HEADER, profile: "log", partitions: ["t-0"] }, files, { width: 1280, height: 412, form: "desk" });
  const said = heads(frameOf(null, files), here, NO_FOCUS).map(({ draw }) => markup(svg`${draw}`)).join("");
  for (const words of ["read_committed consumers stop at 43", "read_uncommitted consumers stop at 50", "Legend"]) assert.ok(said.includes(words), words);
});
