/** Messages that move at once go round each other, or one after the other. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { svg } from "lit";
import type { StageObject } from "../../stage/contract.ts";
import { isSeen, waysOf } from "../../stage/ways.ts";

type Moving = StageObject & { via?: readonly [number, number][] };

const message = (key: string, x: number, y: number, over: Partial<Moving> = {}): Moving => ({
  key, x, y, width: 60, height: 20, phase: "cause", depth: 4, draw: svg``, label: "", ...over,
});

const stands = (...objects: Moving[]): Map<string, StageObject> => new Map(objects.map((one) => [one.key, one]));

/** Whether the two messages overlap in any interval of the motion. */
function meet(ways: ReturnType<typeof waysOf>, one: string, other: string): boolean {
  const [mine, its] = [ways.get(one), ways.get(other)];
  assert.ok(mine !== undefined && its !== undefined);
  return mine.points.some(([x, y], part) => {
    const [left = 0, top = 0] = its.points[part] ?? [];
    return isSeen(mine, part) && isSeen(its, part) && Math.abs(x - left) < 59 && Math.abs(y - top) < 19;
  });
}

test("A message alone goes straight", () => {
  const way = waysOf(stands(message("m:1", 0, 0)), [message("m:1", 120, 0, { via: [[0, 0], [120, 0]] })]).get("m:1");
  assert.ok(way?.points.every(([, y]) => y === 0));
  assert.deepEqual([way?.points[0], way?.points.at(-1)], [[0, 0], [120, 0]]);
});

test("Two that meet on one way go round each other, and arrive where they are drawn", () => {
  const before = stands(message("m:1", 0, 0), message("m:2", 200, 0));
  const ways = waysOf(before, [message("m:1", 200, 0, { via: [[0, 0], [200, 0]] }), message("m:2", 0, 0, { via: [[200, 0], [0, 0]] })]);
  assert.ok(!meet(ways, "m:1", "m:2"));
  assert.deepEqual(ways.get("m:2")?.points.at(-1), [0, 0]);
});

test("One that leaves the place of another waits until there is room", () => {
  const before = stands(message("m:1", 0, 0));
  const after = [message("m:1", 200, 0, { via: [[0, 0], [200, 0]] }), message("m:2", 60, 0, { via: [[0, 0], [60, 0]] })];
  assert.ok(!meet(waysOf(before, after), "m:1", "m:2"));
});

test("Where walls leave no way round, it is not seen while it passes", () => {
  const walls = [message("client:p1", -50, -200, { width: 400, height: 198 }), message("broker:broker-1", -50, 22, { width: 400, height: 300 })];
  const before = stands(message("m:1", 0, 0), message("m:2", 200, 0), ...walls);
  const ways = waysOf(before, [message("m:1", 200, 0, { via: [[0, 0], [200, 0]] }), message("m:2", 0, 0, { via: [[200, 0], [0, 0]] })]);
  assert.ok(!meet(ways, "m:1", "m:2"));
  assert.ok([...ways.values()].every(({ points }) => points.every(([, y]) => Math.abs(y) < 3)));
});
