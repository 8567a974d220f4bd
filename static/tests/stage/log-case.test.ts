/** A log case on the stage: beside its lanes stands where consumers stop. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { svg } from "lit";
import { heads } from "../../stage/brokers.ts";
import { NO_FOCUS } from "../../stage/contract.ts";
import type { StagePlan } from "../../stage/contract.ts";
import { places } from "../../stage/places.ts";
import { FIVE, frameOf, HEADER, markup, partition, replica, view } from "../diagrams/fixture.ts";
import { DESK, planOf } from "./plans.ts";
import { speakStage } from "./words.ts";

speakStage();

test("beside a log stands where consumers of both isolation levels stop, and the legend", () => {
  const log = { ...replica(FIVE), last_stable_offset: 43, high_watermark: 50 };
  const files = view({ partitions: { "t-0": partition(log) }, consumers: {} });
  const here = places(null, { ...HEADER, profile: "log", partitions: ["t-0"] }, files, { width: 1280, height: 412, form: "desk" });
  const said = heads(frameOf(null, files), here, NO_FOCUS).map(({ draw }) => markup(svg`${draw}`)).join("");
  for (const words of ["read_committed consumers stop at 43", "read_uncommitted consumers stop at 50", "Legend"]) assert.ok(said.includes(words), words);
});

test("under the readers of a run stands the legend where there is room; runs without transactions have fewer signs", () => {
  const said = (partitions: number, of: Partial<StagePlan> = {}): string => heads(frameOf(null, view()), places({ ...planOf(2, partitions, 1), ...of }, HEADER, view(), DESK), NO_FOCUS)
    .map(({ draw }) => markup(svg`${draw}`)).join("");
  assert.match(said(1), /batch: PID·epoch, seq.*COMMIT or ABORT marker/s);
  const plain = said(1, { brokers: planOf(2, 1, 1).brokers.map((broker) => ({ ...broker, transactional_ids: [] })) });
  assert.ok(plain.includes("batch: PID·epoch, seq") && !plain.includes("ABORT"));
  assert.equal(said(2, { consumers: planOf(2, 2, 1, 9).consumers }).includes("PID·epoch"), false);
});
