import assert from "node:assert/strict";
import { test } from "node:test";
import { placeBeside } from "../../stage/acts-place.ts";

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
