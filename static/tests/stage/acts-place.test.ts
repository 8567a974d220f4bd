import assert from "node:assert/strict";
import { test } from "node:test";
import { placeBeside, placeNear } from "../../stage/acts-place.ts";

const OWN = { width: 200, height: 34 };
const ROOM = { width: 1280, height: 400 };

test("the acts on a component stand beside it, off the messages, within the picture", () => {
  const participant = { x: 1016, y: 284, width: 240, height: 112 };
  assert.deepEqual(placeBeside(OWN, participant, ROOM, []), { x: 808, y: 284 });
  const message = { x: 796, y: 280, width: 92, height: 46 };
  const place = placeBeside(OWN, participant, ROOM, [message]);
  assert.ok(place !== null && place.x === 808 && place.y >= 326 && place.y + OWN.height <= ROOM.height - 4);
});

test("a component at the left edge has its acts at its right; one as wide as the picture has none beside it", () => {
  assert.deepEqual(placeBeside(OWN, { x: 24, y: 30, width: 232, height: 300 }, ROOM, []), { x: 264, y: 30 });
  assert.equal(placeBeside(OWN, { x: 8, y: 30, width: 1264, height: 80 }, ROOM, []), null);
});

const MESSAGE = { x: 318, y: 157, width: 202, height: 50 };

test("the acts on a message stand under it, over it where the picture ends", () => {
  assert.deepEqual(placeNear(OWN, MESSAGE, ROOM, []), { x: 319, y: 213 });
  assert.deepEqual(placeNear(OWN, MESSAGE, { width: 1280, height: 240 }, []), { x: 319, y: 114 });
});

test("where a decision stands under a message and another message over it, its acts stand over both", () => {
  const decision = { x: 266, y: 210, width: 244, height: 120 };
  const request = { x: 374, y: 106, width: 142, height: 48 };
  assert.deepEqual(placeNear(OWN, MESSAGE, ROOM, [MESSAGE, decision, request]), { x: 319, y: 63 });
});

test("at a producer, the acts on a message leave what the producer holds", () => {
  const producer = { x: 22, y: 26, width: 234, height: 278 };
  const words = { x: 331, y: 123, width: 74, height: 14 };
  const message = { x: 257, y: 74, width: 107, height: 50 };
  assert.deepEqual(placeNear(OWN, message, ROOM, [producer, words, message]), { x: 257, y: 31 });
});

test("under a message, beside a name that is read, the acts stay at their message", () => {
  const name = { x: 526, y: 273, width: 66, height: 43 };
  const other = { x: 323, y: 172, width: 105, height: 48 };
  assert.deepEqual(placeNear({ width: 265, height: 34 }, { x: 345, y: 232, width: 153, height: 50 }, ROOM, [name, other]), { x: 257, y: 288 });
});

test("acts that fit nowhere stand at the head of the picture", () => {
  assert.equal(placeNear(OWN, MESSAGE, { width: 1280, height: 36 }, []).y, 4);
});
