/** Each break of a guarantee is marked at its place: the record in its batch, and the row in the database. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Frame, LogBatchView } from "../../player/frame.ts";
import { brokenIn } from "../../diagrams/broken-records.ts";
import type { Places } from "../../stage/contract.ts";
import { NO_FOCUS } from "../../stage/contract.ts";
import { beside, rowsOf } from "../../stage/beside.ts";
import { brokenParts, underBroken } from "../../stage/lanes.ts";
import { speakStage } from "./words.ts";

speakStage();

const batch = (base: number, serials: number[]): LogBatchView => ({ base_offset: base, last_offset: base + serials.length - 1, serials }) as unknown as LogBatchView;

test("Of a batch, only the records that broke a guarantee are marked", () => {
  assert.deepEqual(brokenParts(batch(0, [1, 2, 3]), [{ serials: [2] }]), [[1, 1]]);
  assert.deepEqual(brokenParts(batch(10, [1, 2, 3, 4, 5]), [{ serials: [1, 2] }, { serials: [5] }]), [[10, 11], [14, 14]]);
  assert.equal(brokenParts(batch(0, [1, 2]), [{ serials: [1, 2] }]), null);
  assert.equal(brokenParts({ ...batch(0, [1, 2]), last_offset: 4 }, [{ serials: [2] }]), null);
});

test("The rows of a database name the record that has none, and the one that has several", () => {
  const view = { database: { rows: { 1: { copies: 2, stored_at: 5 }, 3: { copies: 1, stored_at: 9 } } }, derived: { broken: { row_missing: { 2: true }, row_repeated: { 1: true } } } };
  const rows = rowsOf({ view, header: {}, step: null } as unknown as Frame);
  assert.deepEqual(rows.map(({ bad }) => bad), [true, true, false]);
  assert.match(rows[0]?.said ?? "", /r1 ×2/);
});

test("A transaction of a middleware that breaks a guarantee is no record of its number", () => {
  const guarantees = { mixed: { judged: true, broken_at: 86, partition: "transaction 1", serials: [1] } };
  assert.deepEqual(brokenIn({ view: { guarantees, derived: { broken: { mixed: {} } } } } as unknown as Frame, batch(0, [1]), {}), []);
});

test("Where a row is missing is held in the picture with the step that shows it", () => {
  const database = { alive: true, paused: false, unique_key: false, outbox: [], offsets: {}, rows: {} };
  const here = { kind: "cluster", others: { database: { box: { x: 0, y: 0, width: 300, height: 104 }, port: [0, 0] } } } as unknown as Places;
  const isHot = (broken: object[]): boolean | undefined => {
    const frame = { view: { database, services: {}, derived: { broken: {} } }, header: {}, step: { actor: "sink", broken }, selection: null } as unknown as Frame;
    return beside(frame, here, NO_FOCUS)[0]?.hot;
  };
  assert.deepEqual([isHot([]), isHot([{ guarantee: "lost" }]), isHot([{ guarantee: "row_missing" }])], [false, false, true]);
});

test("under a batch that hangs stands its offset, which the tool that aborts it needs; under copies, their records", () => {
  assert.ok(underBroken("hanging", "2", "r2", false).every((words) => words.startsWith("2")));
  assert.deepEqual(underBroken("duplicated", "2", "r1", false).slice(-1), ["r1"]);
});
