import assert from "node:assert/strict";
import { before, test } from "node:test";
import { windowText } from "../../diagrams/middleware-roles.ts";
import type { MiddlewareTransactionView, MiddlewareView } from "../../generated/messages.ts";
import type { Frame, Step } from "../../player/frame.ts";
import { NO_FOCUS } from "../../stage/contract.ts";
import type { Box, Places } from "../../stage/contract.ts";
import { focusOf } from "../../stage/focus.ts";
import type { Rung } from "../../stage/ladder.ts";
import { ladder, rungBox, rungsOf } from "../../stage/ladder.ts";
import "../../stage/nodes-drawn.ts";
import { middlewarePlaces } from "../../stage/middleware-places.ts";
import { networkOf } from "../../stage/network.ts";
import { nodeTag } from "../../stage/middleware-tag.ts";
import { besideCluster, isAt, runPlaces } from "../../stage/places.ts";
import { heardOf, middleware, windowBars, windowWords } from "../../stage/middleware.ts";
import type { Windows } from "../../stage/middleware.ts";
import { wingObjects } from "../../stage/wing.ts";
import { HEADER, frameOf, markup, message, stepOf, view } from "../diagrams/fixture.ts";
import { DESK, PHONE, planOf } from "./plans.ts";
import { words } from "../../player/text.ts";
import { speakStage } from "./words.ts";

before(speakStage);

const said = (since: number | null, until: number | null) => windowWords({ window: { since, until } });

function toldBeside(since: number, until: number | null): string | null {
  const middleware = { transactions: { 1: { window: { since, until } } }, differ: { 1: { since, until } } } as unknown as MiddlewareView;
  return windowText(frameOf(null, view({ middleware })), "1");
}

test("participants that may differ are said to end alike, whether all commit or everything is undone", () => {
  assert.deepEqual(said(null, null), []);
  assert.deepEqual(said(65, null), ["CommitOk: not from all yet", "window open from t = 65 ms: nodes may differ"]);
  assert.deepEqual(said(65, 5095), ["Participants report the same outcome", "middleware's window: t = 65 ms–5095 ms"]);
  const reported = { window: { since: 65, until: 5095 } };
  assert.deepEqual(windowWords(reported, { since: 50, until: 5060 }).slice(1), ["middleware's window: 65–5095 ms (5030 ms)", "nodes differed: 50–5060 ms (5010 ms)"]);
  assert.equal(windowWords(reported, { since: 50, until: null })[1], "middleware's window: t = 65 ms–5095 ms");
  const barsAt = (one: { window: { since: number; until: number | null } }, until: number | null, now: number): string[] => [...markup(windowBars([{ ...one, really: { since: 50, until }, now }], 0, 5045, [0, 17]) ?? undefined).matchAll(/<rect[^>]*\bx="?([\d.]+)"?[^>]*width="?([\d.]+)/g)].map(([, x, width]) => `${x}+${width}`);
  assert.deepEqual([barsAt(reported, 5060, 6000), barsAt(reported, null, 6000)], [["15+5030", "0+5010"], []], "both on one axis, once both are over");
  const open = { window: { since: 65, until: null } };
  assert.deepEqual([barsAt(open, null, 80), barsAt(open, null, 65)], [["1891.9+1891.9"], ["3783.8+3"]], "while it is open, up to now, and the axis goes on");
  const ends = [...markup(windowBars([{ ...reported, really: { since: 50, until: 5060 }, now: 6000 }], 0, 5045, [20, 35], 7) ?? undefined).matchAll(/M([\d.]+),12V43/g)].map(([, x]) => Number(x));
  assert.deepEqual(ends, [15, 5045, 0, 5010], "lines at the ends of high bars cross both");
  const near = [...markup(windowBars([{ window: { since: 65, until: 5065 }, really: { since: 50, until: 5060 }, now: 6000 }], 0, 200, [20, 35], 7) ?? undefined).matchAll(/M([\d.]+),12V43/g)].map(([, x]) => Number(x));
  assert.deepEqual(near, [44, 200, 0, 185.3], "windows that look the same are drawn without their middle");
  assert.match(toldBeside(65, 5095) ?? "", /nodes differed from t = 65 ms to t = 5095 ms.*participants may have differed/);
});

test("beside another run, a millisecond is as long in both", () => {
  const of = (since: number, until: number | null, now: number): Windows => ({ window: { since, until }, really: { since: since - 15, until: until === null ? null : until - 35 }, now });
  const widths = (...windows: [Windows, Windows]): number[] => [...markup(windowBars(windows, 0, 5045, [0, 17]) ?? undefined).matchAll(/<rect[^>]*width="?([\d.]+)/g)].map(([, width]) => Number(width));
  const [short, long, open] = [of(65, 135, 9000), of(65, 5095, 9000), of(65, null, 5095)];
  assert.deepEqual([widths(short, long), widths(long, short)], [[70, 50], [5030, 5010]]);
  assert.deepEqual([widths(short, open), widths(open, short)], [[52.5, 37.5], [3772.5]], "while one is open, both have its axis, whose end is not known");
});

test("those that never differed are not said to have differed for 0 ms", () => {
  assert.deepEqual(said(65, 65), ["Participants report the same outcome"]);
  assert.equal(toldBeside(65, 65), null);
});

test("on a phone the message that a role sends has the network, and not the one that made it do so", () => {
  const sent = (id: number, from: string, to: string, api: string) => message({ id, api, from, to, correlation_id: id, sent_at: 20, arrives_at: 30, fields: {} });
  const [begin, prepare] = [sent(1, "initiator", "business", "Begin"), sent(2, "business", "middleware", "Prepare")];
  const frame = frameOf(stepOf(), view({ time: 20, network: { messages: { 2: prepare } } } as never), { previousView: view({ time: 20, network: { messages: { 1: begin } } } as never) });
  const focus = { ...NO_FOCUS, kind: "node", actor: "business", messages: { ...NO_FOCUS.messages, delivered: [1], sent: [2] } } as typeof NO_FOCUS;
  const { flights } = networkOf(frame, middlewarePlaces({ ...planOf(0, 0, 0, 0), middleware: { ...NODES, roles: [...NODES.roles, "manager"] } } as never, { ...PHONE, height: 440 }), focus);
  assert.deepEqual(flights.map((flight) => flight.message.api), ["Prepare"]);
});

const NODES = { roles: ["initiator", "business", "middleware"], participants: ["participant-1", "participant-2", "participant-3"] };
const PASSED = { middleware: { 1: [{ state: "STARTED", since: 0 }, { state: "PREPARING", since: 5 }, { state: "ROLLING_BACK", since: 9 }, { state: "ROLLED_BACK", since: 13 }] } };
const plan = { ...planOf(0, 0, 0, 0), middleware: NODES, passed: PASSED } as unknown as Frame["plan"];

/** A step of transaction 1, with participant-3 down. */
function at(over: Partial<Step>, state = "PREPARING"): Frame {
  const node = { alive: true, paused: false };
  const participant = { ...node, value: 100, reserved: 0, can_roll_back: true, keeps_log: true, log: [] };
  const now = {
    initiator: { ...node, opened: [1] }, business: { ...node, transactions: { 1: { state: "WAIT_ACK", message_id: null, stored: null, undone: false, result: null, due: null } } },
    middleware: { ...node, strategy: "manual", direction: "", back_check: true, durable: true },
    transactions: { 1: { state, message_id: "m1", message: "prepared", decision: null, votes: { "participant-1": "PREPARED", "participant-2": "IDLE", "participant-3": "IDLE" }, checks: 0, tries: 0, named: [], timer: null, window: { since: null, until: null } } },
    participants: { "participant-1": participant, "participant-2": participant, "participant-3": { ...participant, alive: false } },
  } as unknown as MiddlewareView;
  return frameOf(stepOf({ params: {}, ...over }), view({ middleware: now }), { plan });
}

const inside = (one: Box, body: Box): boolean => one.x >= body.x && one.y >= body.y && one.x + one.width <= body.x + body.width && one.y + one.height <= body.y + body.height;

function tagIn(frame: Frame, here: Places): { said: string; isInside: boolean } | null {
  const focus = focusOf(frame);
  const tag = nodeTag(frame, here, focus);
  return tag === null ? null : { said: tag.said, isInside: inside(tag.box, here.others[focus.actor ?? ""]?.box as Box) };
}

test("one state more ahead moves no state of a ladder", () => {
  const place = { x: 0, y: 0, width: 128, height: 160 };
  const way = (count: number): Rung[] => Array.from({ length: count }, (_, index) => ({ state: `S${index}`, look: "ahead" }));
  assert.deepEqual(rungBox(way(5), 2, place), rungBox(way(6), 2, place));
});

test("a ladder has the states that the transaction has in this run, and no others", () => {
  const looks = (number: number, state: string | undefined) => rungsOf(at({ number }), "middleware", "1", state).map(({ state: one, look }) => `${one} ${look}`);
  assert.deepEqual(looks(9, "ROLLING_BACK"), ["STARTED past", "PREPARING past", "ROLLING_BACK on", "ROLLED_BACK ahead"]);
  assert.deepEqual(looks(1, undefined), ["STARTED ahead", "PREPARING ahead", "ROLLING_BACK ahead", "ROLLED_BACK ahead"]);
  assert.deepEqual(looks(6, "CHECKING"), ["STARTED past", "PREPARING past", "CHECKING on", "ROLLING_BACK ahead", "ROLLED_BACK ahead"]);
});

test("a state that is not reached yet keeps its place and is not drawn", () => {
  const drawn = (number: number, state: string): string => markup(ladder(rungsOf(at({ number }), "middleware", "1", state), { x: 0, y: 0, width: 128, height: 200 }));
  assert.equal(drawn(4, "STARTED").match(/class="pill/g)?.length, 1);
});

test("a tag stands in the box of the node that it is about", () => {
  const votes = at({ number: 6, actor: "participant-1", transition: { machine: "participant", of: "participant-1 1", from: "IDLE", to: "PREPARED", on: "prepare" } } as Partial<Step>);
  const hears = at({ number: 8, actor: "middleware", params: { sender: "participant-1" }, changes: [{ path: ["middleware", "transactions", "1", "votes", "participant-1"], before: "IDLE", after: "PREPARED" }] });
  const moves = at({ number: 9, actor: "middleware", transition: { machine: "middleware_transaction", of: "middleware 1", from: "PREPARING", to: "ROLLING_BACK", on: "vote" } } as Partial<Step>, "ROLLING_BACK");
  const crashes = at({ number: 12, actor: "participant-3", kind: "fault", key: "fault.crashed", params: { actor: "participant-3" } });
  const desk = middlewarePlaces(plan as never, DESK);
  const phone = middlewarePlaces(plan as never, PHONE);
  assert.deepEqual([votes, hears, moves, crashes].map((frame) => tagIn(frame, desk)?.said), ["Votes yes", "Votes yes", "Now: rolling back", "Crashed"]);
  for (const here of [desk, phone]) for (const frame of [votes, hears, moves, crashes]) assert.ok(tagIn(frame, here)?.isInside);
});

test("beside another run, half a page shows all nodes of a middleware", () => {
  for (const size of [{ width: 640, height: 372, form: "phone" }, { width: 640, height: 420, form: "phone" }] as const) {
    const here = middlewarePlaces({ ...planOf(0, 0, 0, 0), middleware: { roles: ["initiator", "business", "middleware", "manager"], participants: ["participant-1", "participant-2", "participant-3"] } }, size);
    assert.ok(here.height * (size.width / here.width) + 30 <= size.height + 1, `${here.width} × ${here.height}`);
    assert.ok(here.width <= size.width / 0.78, "its texts are readable");
  }
});

test("a node that is down says so for as long as it is down", () => {
  const frame = at({ number: 13, actor: "business" });
  for (const size of [DESK, PHONE]) {
    const here = middlewarePlaces(plan as never, size);
    const drawn = (name: string) => markup(middleware(frame, here, focusOf(frame)).find(({ key }) => key === `node:${name}`)?.draw);
    assert.match(drawn("participant-3"), />down</);
    assert.doesNotMatch(drawn("participant-1"), />down</);
  }
});

test("the words about the middleware's window lead to what it is; a manager that is not asked says what it is for", () => {
  words.learn("en", { texts: { "stage.mw.gloss.manager": "cancels transactions", "stage.mw.not_asked": "not asked to cancel" }, sources: {} });
  const frame = at({ number: 9, actor: "middleware" });
  const seen = frame.view.middleware as MiddlewareView;
  const entry = { ...seen.transactions?.["1"], window: { since: 65, until: null } } as MiddlewareTransactionView;
  const open = frameOf(frame.step, view({ middleware: { ...seen, transactions: { 1: entry }, manager: { alive: true, transactions: {} } } as unknown as MiddlewareView }), { plan });
  for (const size of [DESK, PHONE]) {
    const here = middlewarePlaces({ ...planOf(0, 0, 0, 0), middleware: { ...NODES, roles: [...NODES.roles, "manager"] } } as never, size);
    const terms = (of: Frame) => middleware(of, here, focusOf(of)).filter(({ term }) => term === "term.window");
    assert.equal(terms(frame).length, 0);
    const [term] = terms(open);
    assert.ok(term !== undefined && inside(term, here.others["middleware"]?.box as Box));
    assert.match(markup(middleware(open, here, focusOf(open)).find(({ key }) => key === "node:manager")?.draw), />cancels\b.*transactions</);
  }
});

test("beside brokers the nodes of a middleware stand in a wing of their own, in every step in the same places", () => {
  const both = { ...planOf(3, 2, 1, 1), middleware: NODES };
  const { run, beside } = runPlaces(both, both, HEADER, { time: 0 }, DESK);
  const wing = run.wing ?? assert.fail();
  assert.equal(beside, null);
  assert.ok(wing.x >= run.width && wing.x + wing.here.width <= wing.width + 0.1 && wing.y + wing.here.height <= run.height + 0.1);
  const objects = wingObjects(at({}), wing, NO_FOCUS, [middleware]);
  const nodes = objects.filter(({ key }) => key.startsWith("node:"));
  assert.deepEqual(nodes.map(({ key }) => key.replace("node:", "")).sort(), Object.keys(wing.here.others).sort());
  for (const { x, width } of nodes) assert.ok(x >= wing.x && x + width <= wing.width);
});

test("a picture without room for a wing shows the nodes of the middleware in their own steps", () => {
  const both = { ...planOf(1, 1, 1, 1), middleware: NODES };
  const beside = besideCluster(both, DESK);
  assert.ok(beside !== null);
  const at = (actor: string) => isAt(beside, frameOf(stepOf({ actor })), { ...NO_FOCUS, actor });
  assert.deepEqual(["participant-2", "middleware", "broker-1", "p1"].map(at), [true, true, false, false]);
  assert.equal(besideCluster({ ...both, middleware: null }, DESK), null);
});

test("what the middleware asked before its present wait began has no response, and what it asked then is waited for", () => {
  words.learn("en", { texts: { "stage.mw.asked": "{asked}: waiting", "stage.mw.unanswered": "{asked}: no response" }, sources: {} });
  const entry = (since: number | null): MiddlewareTransactionView => ({ votes: { a: "UNKNOWN" }, answers: { a: { asked: "Commit", asked_at: 125, answer: null, at: null } }, timer: since === null ? null : { since } }) as unknown as MiddlewareTransactionView;
  assert.deepEqual([125, 5125, null].map((since) => heardOf(entry(since))[0]?.said), ["Commit: waiting", "Commit: no response", "Commit: no response"]);
});

test("what the middleware repeats is waited for with its number, until it waits no more", () => {
  words.learn("en", { texts: { "stage.mw.resend": "resend {resend}", "stage.mw.asked": "{asked}: waiting", "stage.mw.unanswered": "{asked}: no response" }, sources: {} });
  const entry = (since: number | null): MiddlewareTransactionView => ({ votes: {}, answers: { a: { asked: "Commit", asked_at: 125, answer: null, at: null, tries: 2 } }, timer: since === null ? null : { since } }) as unknown as MiddlewareTransactionView;
  assert.deepEqual([6125, null].map((since) => heardOf(entry(since))[0]?.said), ["resend 1: waiting", "resend 1: no response"]);
});
