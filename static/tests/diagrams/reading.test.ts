import assert from "node:assert/strict";
import test from "node:test";

import { hasChanged } from "../../diagrams/changes.ts";
import { found, piece, Reading } from "../../diagrams/reading.ts";
import type { Frame, Step, View } from "../../player/frame.ts";
import { changedPaths } from "../../player/fold.ts";
import { step as makeStep } from "../player/fixture.ts";

const HEADER = { scenario: "SC-03" } as Frame["header"];
const clients = { p1: {} } as unknown as View["clients"];
const records = { 1: {} } as unknown as View["records"];

function frameOf(view: Partial<View>, step: Step | null = null, more: Partial<Frame> = {}): Frame {
  return {
    header: HEADER, view: { time: 0, clients, records, ...view } as View, step, previousView: null, plan: null, selection: null, language: "en",
    changed: changedPaths(step), animate: false, ...more,
  };
}

/** Draws with `read`, and returns whether another frame would have to be drawn. */
function mustDraw(read: (frame: Frame) => unknown, one: Frame, other: Frame): boolean {
  const reading = new Reading(one);
  read(reading.frame);
  return !reading.holdsFor(other);
}

test("a panel that read one part of the view is not drawn for another", () => {
  const read = (frame: Frame): unknown => Object.keys(frame.view.clients ?? {});
  assert.equal(mustDraw(read, frameOf({}), frameOf({ time: 9, records: {} })), false);
  assert.equal(mustDraw(read, frameOf({}), frameOf({ clients: {} })), true);
});

test("the clock is a part like any other", () => {
  const read = (frame: Frame): unknown => frame.view.time;
  assert.equal(mustDraw(read, frameOf({ time: 1 }), frameOf({ time: 1, clients: {} })), false);
  assert.equal(mustDraw(read, frameOf({ time: 1 }), frameOf({ time: 2 })), true);
});

test("what was highlighted is drawn again when the highlight goes, comes, and not otherwise", () => {
  const read = (frame: Frame): unknown => hasChanged(frame, "records", "1");
  const about = makeStep(1, 1, [{ path: ["records", "1", "status"], before: "sent", after: "stored" }]);
  const other = makeStep(2, 2, [{ path: ["clients", "p1", "alive"], before: true, after: false }]);
  assert.equal(mustDraw(read, frameOf({}, about), frameOf({}, other)), true);
  assert.equal(mustDraw(read, frameOf({}, other), frameOf({}, about)), true);
  assert.equal(mustDraw(read, frameOf({}, other), frameOf({}, makeStep(3, 3, []))), false);
});

test("of a step only what was asked for counts, and of its parameters too", () => {
  const one = makeStep(1, 1, [], { actor: "p1", params: { partition: "t-0", count: 1 } });
  const other = makeStep(2, 2, [], { actor: "p1", params: { partition: "t-0", count: 2 } });
  const third = makeStep(3, 3, [], { actor: "p2", params: { partition: "t-1", count: 2 } });
  for (const read of [(frame: Frame) => frame.step?.actor, (frame: Frame) => frame.step?.params["partition"], (frame: Frame) => frame.step?.broken]) {
    assert.equal(mustDraw(read, frameOf({}, one), frameOf({}, other)), false);
  }
  assert.equal(mustDraw((frame) => frame.step?.actor, frameOf({}, one), frameOf({}, third)), true);
  assert.equal(mustDraw((frame) => frame.step?.params["partition"], frameOf({}, one), frameOf({}, third)), true);
  assert.equal(mustDraw((frame) => Object.keys(frame.step ?? {}), frameOf({}, one), frameOf({}, other)), true);
});

test("whether there is a step at all counts once it was asked", () => {
  const one = makeStep(1, 1, []);
  assert.equal(mustDraw((frame) => frame.step === null, frameOf({}), frameOf({}, one)), true);
  assert.equal(mustDraw((frame) => frame.view.clients, frameOf({}), frameOf({}, one)), false);
});

test("selection and animation count where they were read, language and run always", () => {
  const selection = { kind: "record", id: "1" } as const;
  assert.equal(mustDraw((frame) => frame.selection, frameOf({}), frameOf({}, null, { selection })), true);
  assert.equal(mustDraw((frame) => frame.view.time, frameOf({}), frameOf({}, null, { selection, animate: true })), false);
  assert.equal(mustDraw((frame) => frame.view.time, frameOf({}), frameOf({}, null, { language: "zh-Hans" })), true);
  assert.equal(mustDraw((frame) => frame.view.time, frameOf({}), frameOf({}, null, { header: { ...HEADER } })), true);
});

test("what was found counts, and not where it was looked for", () => {
  const messages = (...ids: number[]): Partial<View> => ({ network: { messages: Object.fromEntries(ids.map((id) => [id, { id }])) } }) as unknown as Partial<View>;
  const even = ({ view }: Frame): number[] => Object.keys(view.network?.messages ?? {}).map(Number).filter((id) => id % 2 === 0);
  const read = (frame: Frame): unknown => found(frame, "even", even);
  assert.equal(mustDraw(read, frameOf(messages(1, 2)), frameOf(messages(2, 3))), false);
  assert.equal(mustDraw(read, frameOf(messages(1, 2)), frameOf(messages(2, 4))), true);
  assert.equal(mustDraw(read, frameOf(messages(1, 2)), frameOf(messages(1))), true);
});

test("who stays with what was found last is not drawn while nothing else is named", () => {
  const actor = ({ step }: Frame, last: string | undefined): string => step?.actor ?? last ?? "p1";
  const read = (frame: Frame): unknown => found(frame, "actor", actor, "p2");
  const named = frameOf({}, makeStep(1, 1, [], { actor: "p3" }));
  assert.equal(mustDraw(read, named, frameOf({})), false);
  assert.equal(mustDraw(read, frameOf({}), frameOf({})), false);
  assert.equal(mustDraw(read, named, frameOf({}, makeStep(2, 2, [], { actor: "p2" }))), true);
});

test("outside of a panel's drawing it is looked for as it is", () => {
  assert.equal(found(frameOf({ time: 7 }), "time", ({ view }) => view.time), 7);
});

test("a piece is made anew when what it read or was given differs, and is the same otherwise", () => {
  const draw = (frame: Frame, before: Reading | null, width: number) => {
    const reading = new Reading(frame, before);
    const made = piece(reading.frame, "clock", [width], (part) => ({ at: part.view.time, width }));
    return { reading, made };
  };
  const first = draw(frameOf({ time: 1 }), null, 100);
  const same = draw(frameOf({ time: 1, clients: {} }), first.reading, 100);
  assert.equal(same.made, first.made);
  assert.notEqual(draw(frameOf({ time: 1 }), same.reading, 200).made, first.made);
  assert.deepEqual(draw(frameOf({ time: 2 }), same.reading, 100).made, { at: 2, width: 100 });
});

test("a panel is drawn when one of its pieces would be another", () => {
  const read = (frame: Frame): unknown => piece(frame, "clock", [], (part) => part.view.time);
  assert.equal(mustDraw(read, frameOf({ time: 1 }), frameOf({ time: 1, clients: {} })), false);
  assert.equal(mustDraw(read, frameOf({ time: 1 }), frameOf({ time: 2 })), true);
});
