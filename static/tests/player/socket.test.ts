import assert from "node:assert/strict";
import test from "node:test";

import type { Place } from "../../player/following.ts";
import type { JsonObject } from "../../player/frame.ts";
import { defaults, sessionAddress, SessionSocket } from "../../player/socket.ts";
import type { Surroundings } from "../../player/socket.ts";
import type { Listener, Status } from "../../player/source.ts";
import type { Problem } from "../../player/source.ts";
import { branch, HEADER } from "./fixture.ts";

/** A network for tests: the test moves the time and plays the server. */
class Network implements Surroundings {
  time = 0;
  sockets: FakeSocket[] = [];
  #timers: { at: number; id: number; action: () => void }[] = [];
  #ids = 0;

  connect(_address: string): WebSocket {
    const socket = new FakeSocket();
    this.sockets.push(socket);
    return socket as unknown as WebSocket;
  }
  now(): number {
    return this.time;
  }
  after(milliseconds: number, action: () => void): number {
    this.#ids += 1;
    this.#timers.push({ at: this.time + milliseconds, id: this.#ids, action });
    return this.#ids;
  }
  cancel(timer: number): void {
    this.#timers = this.#timers.filter((one) => one.id !== timer);
  }
  chance(): number {
    return 1;
  }
  newId(): string {
    this.#ids += 1;
    return `id-${this.#ids}`;
  }
  get last(): FakeSocket {
    return this.sockets[this.sockets.length - 1] as FakeSocket;
  }
  pass(milliseconds: number): void {
    const end = this.time + milliseconds;
    for (;;) {
      const next = this.#timers.filter((one) => one.at <= end).sort((a, b) => a.at - b.at || a.id - b.id)[0];
      if (next === undefined) break;
      this.cancel(next.id);
      this.time = Math.max(this.time, next.at);
      next.action();
    }
    this.time = end;
  }
}

class FakeSocket {
  sent: JsonObject[] = [];
  isClosed = false;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;

  send(text: string): void {
    this.sent.push(JSON.parse(text) as JsonObject);
  }
  close(): void {
    this.isClosed = true;
  }
  says(message: JsonObject): void {
    this.onmessage?.({ data: JSON.stringify({ v: 1, ...message }) });
  }
  breaks(code = 1006): void {
    this.onclose?.({ code });
  }
  of(type: string): JsonObject[] {
    return this.sent.filter((message) => message["type"] === type);
  }
}

const WELCOME = {
  type: "welcome",
  session: { id: "s", title: null, scenario: "SC-03", variant: null },
  header: HEADER,
  branches: [branch("main", 3)],
} as unknown as JsonObject;

function start(held: Record<string, number> = {}) {
  const network = new Network();
  const socket = new SessionSocket("ws://test/", network);
  const statuses: Status[] = [];
  const problems: Problem[] = [];
  const delays: (string | null)[] = [];
  const steps: number[] = [];
  const ahead: number[] = [];
  const listener: Listener = {
    have: () => held,
    welcomed: () => {},
    branchesChanged: () => {},
    stepsCame: (_branch, came) => void steps.push(...came.map((step) => step.number)),
    aheadCame: (_branch, _after, step) => void ahead.push(step.number),
    viewCame: () => {},
    planCame: () => {},
    statusChanged: (status) => void statuses.push(status),
    failed: (problem) => void problems.push(problem),
    delayed: (problem) => void delays.push(problem?.key ?? null),
  };
  socket.start(listener);
  const open = (): void => {
    network.last.onopen?.();
    network.last.says(WELCOME);
  };
  return { network, socket, statuses, problems, delays, steps, ahead, open };
}

const ADVANCE = { type: "advance", branch: "main", after: 3, count: 1 } as const;

test("a step that is sent ahead is passed on, and so is the message that there is none", async () => {
  const { network, socket, ahead, open } = start();
  open();
  const answer = socket.ask({ type: "ahead", branch: "main", after: 3 });
  const [asked] = network.last.of("ahead");
  network.last.says({ type: "ahead", re: asked?.["id"] as string, branch: "main", after: 3, step: null });
  await answer;
  network.last.says({ type: "ahead", re: null, branch: "main", after: 3, step: { number: 4 } as unknown as JsonObject });
  assert.deepEqual(ahead, [4]);
});

test("says what it holds first, then is live", () => {
  const { network, statuses, open } = start({ main: 41 });
  open();
  assert.deepEqual(network.last.sent[0], { v: 1, id: network.last.sent[0]?.["id"], type: "hello", have: { main: 41 } });
  assert.deepEqual(statuses, ["connecting", "live"]);
});

test("a command asked before the welcome is sent after it, once", () => {
  const { network, socket, open } = start();
  void socket.ask(ADVANCE);
  open();
  assert.equal(network.last.of("advance").length, 1);
});

test("an unanswered command is sent again under its id, an answered one is not", async () => {
  const { network, socket, open } = start();
  open();
  const answer = socket.ask(ADVANCE);
  const times: number[] = [];
  while (network.time < 16000) {
    const before = network.last.of("advance").length;
    network.pass(defaults.lookEvery);
    if (network.last.of("advance").length > before) times.push(network.time);
  }
  assert.deepEqual(times, [1000, 3000, 7000, 11000, 15000]);
  const sent = network.last.of("advance");
  assert.equal(new Set(sent.map((message) => message["id"])).size, 1);
  network.last.says({ type: "done", re: sent[0]?.["id"] as string, branch: "main", newest: 4, reached: 4, stopped: "count", created: null, hits: [] });
  assert.deepEqual(await answer, { branch: "main", newest: 4, reached: 4, stopped: "count", hits: [] });
  network.pass(10000);
  assert.equal(network.last.of("advance").length, sent.length);
});

test("after a lost connection it comes back by itself, says what it holds and repeats the command under its id", () => {
  const { network, socket, statuses, open } = start({ main: 3 });
  open();
  void socket.ask(ADVANCE);
  const id = network.last.of("advance")[0]?.["id"];
  network.last.breaks();
  assert.equal(statuses[statuses.length - 1], "reconnecting");
  network.pass(defaults.backOffFirst);
  assert.equal(network.sockets.length, 2);
  open();
  assert.deepEqual(network.last.of("hello")[0]?.["have"], { main: 3 });
  assert.deepEqual(network.last.of("advance").map((message) => message["id"]), [id]);
  assert.equal(statuses[statuses.length - 1], "live");
});

test("pages come back spread over half of the wait", () => {
  const { network, open } = start();
  open();
  network.chance = () => 0;
  network.last.breaks();
  network.pass(defaults.backOffFirst / 2);
  assert.equal(network.sockets.length, 2);
});

test("a hello that is refused for now is said again when its answer allows it, on the same connection", () => {
  const { network, statuses } = start();
  const socket = network.last;
  socket.onopen?.();
  const refuse = (wait: number): void => {
    const hello = socket.of("hello").at(-1);
    socket.says({ type: "error", re: hello?.["id"] as string, code: "too_frequent", key: "problem.too_often.work.link", params: { wait } });
  };
  refuse(1);
  network.pass(1499);
  assert.equal(socket.of("hello").length, 1);
  network.pass(1);
  assert.equal(socket.of("hello").length, 2);
  refuse(3600);
  network.pass(1.5 * defaults.helloLongest);
  assert.equal(socket.of("hello").length, 3);
  socket.says(WELCOME);
  assert.equal(statuses.at(-1), "live");
  network.pass(defaults.pingEvery - 1000);
  assert.deepEqual([socket.of("hello").length, network.sockets.length], [3, 1]);
});

test("a hello that was put off dies with its connection", () => {
  const { network } = start();
  const socket = network.last;
  socket.onopen?.();
  socket.says({ type: "error", re: socket.of("hello")[0]?.["id"] as string, code: "unavailable", key: "problem.not_stored", params: {} });
  socket.breaks();
  network.pass(10_000);
  assert.equal(socket.of("hello").length, 1);
});

test("waits longer after each failure, never longer than the bound", () => {
  const { network } = start();
  for (let failure = 0; failure < 8; failure += 1) {
    network.last.breaks();
    const before = network.sockets.length;
    network.pass(defaults.backOffLongest);
    assert.equal(network.sockets.length, before + 1, `failure ${failure}`);
  }
});

test("a session that is not there is not asked for again", () => {
  const { network, statuses, problems } = start();
  network.last.breaks(4404);
  network.pass(60000);
  assert.equal(network.sockets.length, 1);
  assert.equal(statuses[statuses.length - 1], "failed");
  assert.equal(problems[0]?.code, "not_found");
});

test("a socket that is closed for good is not opened again, and what waits is refused", async () => {
  for (const [code, key] of [[4403, "player.not_allowed"], [4429, "player.link_full"]] as const) {
    const { network, socket, statuses, problems, open } = start();
    open();
    const answer = socket.ask(ADVANCE);
    network.last.breaks(code);
    network.pass(60000);
    assert.equal(network.sockets.length, 1);
    assert.equal(statuses[statuses.length - 1], "failed");
    assert.equal(problems[0]?.key, key);
    await assert.rejects(answer, (problem: Problem) => problem.key === key);
  }
});

test("signed out: one more socket is tried, with the cookie of now, and then no other", () => {
  const { network, problems, open } = start();
  open();
  network.last.breaks(4401);
  network.pass(defaults.backOffFirst);
  assert.equal(network.sockets.length, 2);
  network.last.breaks(4404);
  network.pass(60000);
  assert.equal(network.sockets.length, 2);
  assert.equal(problems[0]?.key, "player.signed_out", "not that the session is missing");
});

test("signed in as the same person again: the page goes on", () => {
  const { network, problems, statuses, open } = start();
  open();
  network.last.breaks(4401);
  network.pass(defaults.backOffFirst);
  open();
  assert.equal(statuses[statuses.length - 1], "live");
  assert.deepEqual(problems, []);
});

test("a presenter's command for one step says how the step is looked at", () => {
  const { network, socket, open } = start();
  open();
  const place: Place = { branch: "main", step: 3, view: "text", zoom: "", selection: { kind: "actor", id: "p1" }, why: null };
  let at: Place = place;
  socket.presenter = () => at;
  const steps = { ...ADVANCE, ahead: true };
  void socket.ask(steps);
  at = { ...place, zoom: "transaction" };
  void socket.ask(steps);
  at = { ...place, branch: "b" };
  void socket.ask(steps);
  at = place;
  void socket.ask({ ...ADVANCE, count: 20 });
  const [looked, ...others] = network.last.of("advance");
  assert.deepEqual(looked?.["present"], { view: "text", selection: { kind: "actor", id: "p1" } });
  assert.deepEqual(others.map((sent) => "present" in sent), [false, false, false]);
});

test("the presenter's place can come with the step", () => {
  const { network, socket, steps, open } = start();
  open();
  const places: [number, number][] = [];
  socket.onPresented = (at) => void places.push([at.step, steps.length]);
  const at = { type: "presented", v: 1, number: 2, branch: "main", step: 4, view: "text", zoom: "", selection: null, why: null, ended: false };
  const sent = { type: "steps", branch: "main", from: 4, finished: null, newest: 4, re: null };
  network.last.says({ ...sent, steps: [{ number: 4 } as unknown as JsonObject], presented: at });
  assert.deepEqual(places, [[4, 1]]);
  network.last.says({ ...sent, steps: [], presented: null });
  assert.equal(places.length, 1);
});

test("after the end of a presentation the closing of the socket is no message", () => {
  const { network, problems, open } = start();
  open();
  network.last.says({ type: "presented", number: 2, branch: "main", step: 3, view: "lanes", zoom: "", selection: null, why: null, ended: true });
  network.last.breaks(4404);
  network.pass(60000);
  assert.equal(network.sockets.length, 1);
  assert.deepEqual(problems, []);
});

test("a refusal ends the command with the server's words", async () => {
  const { network, socket, open } = start();
  open();
  const answer = socket.ask(ADVANCE);
  const id = network.last.of("advance")[0]?.["id"] as string;
  network.last.says({ type: "error", re: id, code: "refused", key: "errors.refused", params: { rule: "GEN-6" }, remedy_key: "errors.try" });
  await assert.rejects(answer, (problem: Problem) => problem.code === "refused" && problem.params["rule"] === "GEN-6" && problem.remedyKey === "errors.try");
});

test("too frequent and unavailable are not answers: the command stays and is sent again", async () => {
  const { network, socket, open } = start();
  open();
  const answer = socket.ask(ADVANCE);
  const id = network.last.of("advance")[0]?.["id"] as string;
  network.last.says({ type: "error", re: id, code: "too_frequent", key: "errors.too_frequent", params: {}, remedy_key: null });
  network.pass(defaults.tryAgainFirst);
  assert.equal(network.last.of("advance").length, 2);
  network.last.says({ type: "error", re: id, code: "unavailable", key: "problem.no_worker", params: {}, remedy_key: null });
  network.pass(defaults.tryAgainFirst);
  assert.equal(network.last.of("advance").length, 2, "the second pause is longer");
  network.pass(defaults.tryAgainFirst);
  assert.equal(network.last.of("advance").length, 3);
  network.last.says({ type: "done", re: id, branch: "main", newest: 4, reached: 4, stopped: "count", created: null, hits: [] });
  assert.deepEqual(await answer, { branch: "main", newest: 4, reached: 4, stopped: "count", hits: [] });
});

test("a person reads once why a command waits, until it is carried out", async () => {
  const { network, socket, delays, open } = start();
  open();
  const answer = socket.ask(ADVANCE);
  const id = network.last.of("advance")[0]?.["id"] as string;
  for (let times = 0; times < 3; times += 1) {
    network.last.says({ type: "error", re: id, code: "unavailable", key: "problem.no_room", params: {}, remedy_key: "problem.no_room.remedy" });
    assert.equal(delays.length, Math.min(1, times), "not at the first time");
    network.pass(defaults.tryAgainLongest);
  }
  assert.deepEqual(delays, ["problem.no_room"]);
  assert.equal(network.last.of("advance").length, 4);
  network.last.says({ type: "done", re: id, branch: "main", newest: 4, created: null });
  await answer;
  assert.deepEqual(delays, ["problem.no_room", null]);
});

test("the response to another page's command is not mine, its steps are", () => {
  const { network, steps, problems, open } = start();
  open();
  network.last.says({ type: "done", re: "another-page", branch: "main", newest: 9, created: null });
  network.last.says({ type: "steps", branch: "main", from: 4, steps: [{ number: 4 }], finished: null });
  assert.deepEqual(steps, [4]);
  assert.deepEqual(problems, []);
});

test("a silent connection is asked for a sign of life, then given up", () => {
  const { network, open } = start();
  open();
  const first = network.last;
  network.pass(defaults.pingEvery + 1000);
  assert.ok(first.of("ping").length >= 1);
  network.pass(defaults.pongWithin + defaults.backOffFirst + 1000);
  assert.ok(first.isClosed);
  assert.equal(network.sockets.length, 2);
});

test("the address follows the page's own scheme", () => {
  assert.equal(sessionAddress("a b", { protocol: "https:", host: "x:1" }), "wss://x:1/ws/sessions/a%20b/");
  assert.equal(sessionAddress("s", { protocol: "http:", host: "x" }), "ws://x/ws/sessions/s/");
});
