import { readFileSync } from "node:fs";
import assert from "node:assert/strict";
import { test } from "node:test";
import { svg } from "lit";
import type { Phase, StageObject } from "../../stage/contract.ts";
import { StageMover, causeFirst, defaults, hasTravel, leaving, timetable } from "../../stage/motion.ts";

const thing = (key: string, phase: Phase, over: Partial<StageObject> & { via?: readonly [number, number][] } = {}): StageObject => ({
  key, x: 0, y: 0, width: 10, height: 10, phase, depth: 1, draw: svg``, label: "", ...over,
});

const BEFORE = [thing("prod:p1", "static"), thing("lso:t-0", "gate"), thing("m:1", "cause"), thing("tag", "tag", { x: 5 }), thing("ring:batch", "effect")];
const AFTER = [
  thing("prod:p1", "static", { label: "new" }), thing("lso:t-0", "gate", { x: 40 }), thing("b:t-0:40", "effect"),
  thing("m:1", "cause", { x: 99, via: [[0, 0], [99, 0]] }), thing("tag", "tag"), thing("ghost", "compare"),
];

test("while a message travels everything else stands as it stood, and nothing says what came of it", () => {
  const first = causeFirst(BEFORE, AFTER);
  assert.deepEqual(first.map(({ key }) => key).sort(), ["lso:t-0", "m:1", "prod:p1"]);
  assert.equal(first.find(({ key }) => key === "lso:t-0")?.x, 0);
  assert.equal(first.find(({ key }) => key === "m:1")?.x, 99);
  assert.equal(first.find(({ key }) => key === "prod:p1")?.label, "");
  assert.ok(hasTravel(AFTER));
  assert.ok(!hasTravel(BEFORE));
});

test("then it is compared, it lands, and gates slide last; the tag appears while it lands", () => {
  const starts = timetable(BEFORE, AFTER);
  assert.deepEqual([starts.compare, starts.effect, starts.gate], [0, defaults.compare, defaults.compare + defaults.land]);
  assert.ok(starts.tag > starts.effect && starts.tag < starts.gate);
  const onlyGates = timetable(BEFORE, AFTER.filter(({ phase }) => phase === "gate"));
  assert.equal(onlyGates.gate, 0);
});

test("a message that was delivered fades with its wire, and nothing else does", () => {
  const selected = thing("m:1", "cause", { select: { kind: "message", id: "1" }, picked: true, label: "Produce" });
  const gone = leaving([...BEFORE.filter(({ key }) => key !== "m:1"), selected, thing("w:1", "static")], AFTER.filter(({ key }) => key !== "m:1"));
  assert.deepEqual(gone.map(({ key }) => key), ["m:1", "w:1"]);
  assert.deepEqual([gone[0]?.select, gone[0]?.picked, gone[0]?.label], [undefined, false, ""]);
  assert.deepEqual(leaving(BEFORE, AFTER), []);
});

test("what a lane holds does not fly into the small picture of the lane: it is drawn there", async () => {
  const played: string[][] = [];
  const node = (key: string): SVGGElement => ({ querySelectorAll: () => [], animate: (frames: Keyframe[]) => {
    played.push([key, ...frames.map((frame) => String(frame["transform"] ?? "fades"))]);
    return { finished: Promise.resolve(), cancel: () => undefined };
  } }) as unknown as SVGGElement;
  const large = [thing("lso:t-0", "gate", { x: 300, y: 400, height: 50 }), thing("hw:t-1", "gate", { x: 20, height: 50 })];
  const small = [thing("lso:t-0", "gate", { x: 40, y: 100, height: 10 }), thing("hw:t-1", "gate", { x: 60, height: 50 })];
  await new StageMover().play(node, large, small);
  assert.deepEqual(played, [["lso:t-0", "fades", "fades"], ["hw:t-1", "translate(20px, 0px)", "translate(60px, 0px)"]]);
});

test("While messages travel the picture itself stands still: no animation of other panels is its own", () => {
  const stage = readFileSync("static/stage/stage.ts", "utf8");
  const panels = readFileSync("static/diagrams/look.ts", "utf8");
  const own = /class=\$\{travels \? "scene ([\w-]+)"/.exec(stage)?.[1];
  assert.ok(own !== undefined && !panels.includes(`.${own}`), "the class of a scene on its way");
});
