import assert from "node:assert/strict";
import { test } from "node:test";
import { overlap } from "../../diagrams/geometry.ts";
import type { Box } from "../../stage/contract.ts";
import type { Around } from "../../stage/label-place.ts";
import { COVERS, labelPlace } from "../../stage/label-place.ts";

const WITHIN: Box = { x: 0, y: 0, width: 600, height: 400 };
const LABEL = { width: 100, height: 24 };
const BODY: Box = { x: 200, y: 100, width: 300, height: 120 };

const around = (over: Partial<Around> = {}): Around => ({ taken: [], own: [], others: [], within: WITHIN, ...over });

test("Of the places that suit a label the first free one is taken", () => {
  const cell: Box = { x: 240, y: 140, width: 120, height: 40 };
  const { x, y, covers } = labelPlace(LABEL, [[250, 150], [380, 150], [20, 20]], around({ taken: [cell], own: [BODY] }));
  assert.deepEqual([x, y, covers], [380, 150, 0]);
});

test("A label stands wholly in a body that it tells of, or out of it, and never on its edge", () => {
  for (const spot of [[150, 150], [470, 150], [300, 90], [300, 208]] as const) {
    const { x, y } = labelPlace(LABEL, [spot], around({ own: [BODY] }));
    const label = { x, y, ...LABEL };
    const isInside = x >= BODY.x && y >= BODY.y && x + LABEL.width <= BODY.x + BODY.width && y + LABEL.height <= BODY.y + BODY.height;
    assert.ok(isInside || !overlap(label, BODY), JSON.stringify(label));
  }
});

test("A label stands in no body of which it tells nothing", () => {
  const { x, y, covers } = labelPlace(LABEL, [[300, 140]], around({ others: [BODY] }));
  assert.ok(covers === 0 && !overlap({ x, y, ...LABEL }, BODY));
});

test("where nothing is free, the place says how much the label covers", () => {
  const { covers } = labelPlace(LABEL, [[300, 140]], around({ taken: [WITHIN] }));
  assert.ok(covers > COVERS);
});

test("A label is never beyond the picture", () => {
  const { x, y } = labelPlace(LABEL, [[590, -40]], around());
  assert.ok(x + LABEL.width <= WITHIN.width && y >= 0);
});

test("A place that suits is taken although its numbers do not add up to the last digit", () => {
  const { x } = labelPlace({ width: 161.4, height: 26 }, [[104, 304], [187.3, 245]], around({ own: [{ x: 10, y: 244, width: 370, height: 121 }] }));
  assert.equal(x, 104);
});
