import assert from "node:assert/strict";
import test from "node:test";

import { Paints } from "../../player/paints.ts";

function surroundings() {
  const [soon, before]: [(() => void)[], (() => void)[]] = [[], []];
  const run = (queue: (() => void)[]): void => queue.splice(0).forEach((action) => action());
  const paints = new Paints((action) => void before.push(action), (action) => void soon.push(action));
  return { paints, endTask: () => run(soon), paint: () => run(before), asked: () => before.length };
}

test("the first drawing since a paint is made when the task ends, without waiting for the paint", () => {
  const { paints, endTask } = surroundings();
  let drawn = 0;
  paints.schedule(() => (drawn += 1));
  assert.equal(drawn, 0);
  endTask();
  assert.equal(drawn, 1);
});

test("what comes after it waits for the paint, and the next paint is not asked for without need", () => {
  const { paints, endTask, paint, asked } = surroundings();
  const drawn: string[] = [];
  paints.schedule(() => drawn.push("first"));
  endTask();
  paints.schedule(() => drawn.push("second"));
  endTask();
  assert.deepEqual(drawn, ["first"]);
  paint();
  assert.deepEqual(drawn, ["first", "second"]);
  paints.schedule(() => drawn.push("third"));
  endTask();
  assert.deepEqual(drawn, ["first", "second"]);
  paint();
  assert.deepEqual(drawn, ["first", "second", "third"]);
  paint();
  assert.equal(asked(), 0);
  paints.schedule(() => drawn.push("fourth"));
  endTask();
  assert.deepEqual(drawn, ["first", "second", "third", "fourth"]);
});

test("what may wait is drawn once with everything else before the paint", () => {
  const { paints, endTask, paint, asked } = surroundings();
  const drawn: string[] = [];
  paints.schedule(() => drawn.push("stored"), false);
  paints.schedule(() => drawn.push("more"), false);
  endTask();
  assert.deepEqual([drawn, asked()], [[], 1]);
  paints.schedule(() => drawn.push("moved"));
  endTask();
  assert.deepEqual(drawn, ["moved"]);
  paint();
  assert.deepEqual(drawn, ["moved", "stored", "more"]);
});

test("what shall have a paint to itself gets the next one, and what waits is drawn for the one after", () => {
  const { paints, endTask, paint, asked } = surroundings();
  const drawn: string[] = [];
  paints.schedule(() => {
    drawn.push("middle");
    paints.alone(() => drawn.push("sides"));
  }, false);
  paint();
  paints.schedule(() => drawn.push("next middle"), false);
  paints.schedule(() => drawn.push("at once"));
  endTask();
  assert.deepEqual(drawn, ["middle"]);
  paint();
  assert.deepEqual(drawn, ["middle", "sides"]);
  paint();
  assert.deepEqual(drawn, ["middle", "sides", "next middle", "at once"]);
  paint();
  assert.equal(asked(), 0);
});

test("what shall have a paint to itself does not share the one of what was drawn at once", () => {
  const { paints, endTask, paint, asked } = surroundings();
  const drawn: string[] = [];
  paints.schedule(() => {
    drawn.push("middle");
    paints.alone(() => drawn.push("sides"));
  });
  endTask();
  paint();
  paints.schedule(() => drawn.push("next middle"));
  endTask();
  assert.deepEqual(drawn, ["middle"]);
  paint();
  assert.deepEqual(drawn, ["middle", "sides"]);
  paint();
  assert.deepEqual(drawn, ["middle", "sides", "next middle"]);
  paint();
  assert.equal(asked(), 0);
});

test("a paint that is passed by has nothing drawn for it, and everything is drawn for the next", () => {
  const { paints, endTask, paint, asked } = surroundings();
  const drawn: string[] = [];
  paints.schedule(() => drawn.push("stored"), false);
  paints.pass();
  paints.schedule(() => drawn.push("moved"));
  endTask();
  paint();
  assert.deepEqual(drawn, []);
  paint();
  assert.deepEqual(drawn, ["stored", "moved"]);
  paint();
  assert.equal(asked(), 0);
});
