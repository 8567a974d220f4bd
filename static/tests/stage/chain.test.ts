/** The answer to why on the picture, and the closer look for the back of a room. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { nothing, svg } from "lit";
import type { Selection } from "../../player/frame.ts";
import "../../stage/phone-placed.ts";
import { cameraOf } from "../../stage/camera.ts";
import { chainMarks, uncovered } from "../../stage/chain-marks.ts";
import { objectOf } from "../../stage/chain.ts";
import type { Places, StageObject } from "../../stage/contract.ts";
import { speakStage } from "./words.ts";

speakStage();

const HERE = { width: 1280, height: 412, upright: false } as unknown as Places;

function thing(key: string, x: number, select?: Selection, hot = false): StageObject {
  return { key, x, y: 100, width: 120, height: 60, phase: "static", depth: 1, draw: svg`${nothing}`, label: key, hot, ...(select === undefined ? {} : { select }) };
}

const SCENE = [
  thing("client:p1", 24, { kind: "actor", id: "p1" }),
  thing("m:7", 300, { kind: "message", id: "7", serials: [2] }),
  thing("cell:40", 600, { kind: "batch", id: "t-0/40", partition: "t-0", serials: [1] }),
  thing("lane:t-0", 560, { kind: "partition", id: "t-0" }),
];

test("each sentence has its number on what it is about, in the order of the sentences", () => {
  const marks = chainMarks(SCENE, [{ kind: "batch", id: "t-0/40", partition: "t-0" }, { kind: "actor", id: "p1" }, null, { kind: "batch", id: "t-0/40" }], HERE);
  assert.deepEqual(marks.map(({ key, link }) => [key, link]), [["chain:cell:40", 1], ["chain:cell:40:1", 4], ["chain:client:p1", 2]]);
});

test("an application has its number on the box of its producer, beside the producer's own and apart from it", () => {
  const scene = [{ ...thing("client:p1", 24, { kind: "actor", id: "p1" }), holds: [{ kind: "actor", id: "app-1" }] } as StageObject];
  const marks = chainMarks(scene, [{ kind: "actor", id: "p1" }, { kind: "actor", id: "app-1" }], HERE);
  assert.deepEqual(marks.map(({ key, link }) => [key, link]), [["chain:client:p1", 1], ["chain:client:p1:1", 2]]);
  const [one, other] = marks;
  assert.ok((one?.x ?? 0) + (one?.width ?? 0) < (other?.x ?? 0));
});

test("a mark stands on no edge between two components", () => {
  const [broker1, broker2] = [1, 2].map((id) => ({ ...thing(`broker:${id}`, 10 + (id - 1) * 126, { kind: "actor", id: `broker-${id}` }), width: 119, height: 40 }) as StageObject);
  const [mark] = chainMarks([broker1, broker2] as StageObject[], [{ kind: "actor", id: "broker-2" }], { width: 390, height: 440, upright: true } as unknown as Places);
  assert.ok((mark?.x ?? 0) >= 10 + 119, "not over broker-1");
});

test("nothing of the picture is cut off where it need be only a little smaller", () => {
  const low = { ...thing("coordinator:2", 600, { kind: "actor", id: "broker-2" }), y: 300, height: 90 } as StageObject;
  const seen = uncovered([...SCENE, low], [{ kind: "actor", id: "broker-2" }], HERE, 0.8);
  assert.ok(seen.y === 0 && seen.height > HERE.height);
});

test("the picture moves up, and gets smaller, until all that the sentences are about is clear of their words", () => {
  const whole = { x: 0, y: 0, width: HERE.width, height: HERE.height };
  const low = [{ ...thing("coordinator:2", 600, { kind: "actor", id: "broker-2" }), y: 300, height: 90 } as StageObject];
  const chain: Selection[] = [{ kind: "actor", id: "p1" }, { kind: "actor", id: "broker-2" }];
  assert.deepEqual(uncovered([...SCENE, ...low], [chain[0] as Selection], HERE, 0.6), whole);
  assert.deepEqual(uncovered([...SCENE, ...low], chain, HERE, 1), whole);
  assert.deepEqual(uncovered([...SCENE, ...low], chain, { ...HERE, upright: true }, 0.6), whole);
  for (const share of [0.8, 0.6, 0.5]) {
    const seen = uncovered([...SCENE, ...low], chain, HERE, share);
    assert.ok(seen.y <= 100 && seen.y + seen.height * share >= 390, `${share}: ${JSON.stringify(seen)}`);
    assert.ok(Math.abs(seen.width / seen.height - HERE.width / HERE.height) < 0.01);
    for (const { y, height } of chainMarks([...SCENE, ...low], chain, { ...HERE, height: seen.y + seen.height * share }, [], seen.y)) assert.ok(y >= seen.y && y + height <= seen.y + seen.height * share);
  }
});

test("a record is found where it is: in a message on its way, or in the batch that holds it", () => {
  assert.equal(objectOf(SCENE, { kind: "record", id: "2" })?.key, "m:7");
  assert.equal(objectOf(SCENE, { kind: "record", id: "1" })?.key, "cell:40");
  assert.equal(objectOf(SCENE, { kind: "batch", id: "t-0/99", partition: "t-0" })?.key, "lane:t-0");
  assert.equal(objectOf(SCENE, { kind: "transaction", id: "txn-1" }), undefined);
});

test("on a telephone a number stands on the small box that brings its component into the picture", () => {
  const chip = { ...thing("broker:broker-2", 130), brings: { kind: "actor", id: "broker-2" } } as StageObject;
  assert.equal(objectOf([...SCENE, chip], { kind: "actor", id: "broker-2" })?.key, "broker:broker-2");
});

test("on a telephone a number stands inside a wide box, between its words, and an application's on the small box of its producer", () => {
  const chip = { ...thing("client:p1", 10), y: 66, width: 180, height: 22, brings: { kind: "actor", id: "p1" }, holds: [{ kind: "actor", id: "app-1" }] } as StageObject;
  const phone = { width: 390, height: 460, upright: true } as unknown as Places;
  const words = [{ x: 20, y: 68, width: 20, height: 16 }, { x: 130, y: 68, width: 50, height: 16 }];
  const marks = chainMarks([chip], [{ kind: "actor", id: "p1" }, { kind: "actor", id: "app-1" }], phone, words);
  assert.equal(marks.length, 2);
  for (const { x, y, width, height } of marks) assert.ok(x >= 40 && x + width <= 130 && y >= 66 && y + height <= 88, `${x}, ${y}`);
});

test("a mark stays inside the picture, and a chain that names nothing in it draws nothing", () => {
  const [mark] = chainMarks([thing("edge", 0, { kind: "actor", id: "p1" })], [{ kind: "actor", id: "p1" }], HERE);
  assert.ok((mark?.x ?? -1) >= 2 && (mark?.y ?? -1) >= 2);
  assert.deepEqual(chainMarks(SCENE, [{ kind: "timer", id: "p1/linger" }, null], HERE), []);
});

test("no number covers the dots of a message", () => {
  const [here, message] = [thing("client:p1", 420, { kind: "actor", id: "p1" }), { ...thing("m:8", 300), y: 86, grip: 114 }];
  const [mark] = chainMarks([here, message], [{ kind: "actor", id: "p1" }], HERE);
  const [left, right] = [mark?.x ?? 0, (mark?.x ?? 0) + (mark?.width ?? 22)];
  assert.ok(right <= 411 || left >= 417, `${left} to ${right}`);
});

test("the camera holds all of cause and effect, in the picture's own shape", () => {
  const { x, y, width, height } = cameraOf([thing("one", 500, undefined, true), thing("two", 900, undefined, true)], HERE);
  assert.ok(x <= 500 && x + width >= 1020 && y <= 100 && y + height >= 160);
  assert.ok(width < HERE.width && Math.abs(width / height - HERE.width / HERE.height) < 0.01);
});

test("the camera keeps the names of the brokers that a step is about", () => {
  const name = { x: 520, y: 8, width: 120, height: 26 };
  const { x, y, width } = cameraOf([{ ...thing("one", 500, undefined, true), y: 330 }], HERE, [name]);
  assert.ok(x <= name.x && x + width >= 640 && y <= name.y);
});

test("where nothing happens, or all of it does, the whole picture is shown", () => {
  const whole = { x: 0, y: 0, width: 1280, height: 412 };
  assert.deepEqual(cameraOf(SCENE, HERE), whole);
  assert.deepEqual(cameraOf([thing("one", 0, undefined, true), thing("two", 1200, undefined, true)], HERE), whole);
  assert.deepEqual(cameraOf([thing("one", 500, undefined, true)], { ...HERE, upright: true }), whole);
});
