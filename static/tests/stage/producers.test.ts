import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { Change, ClientView, Step } from "../../player/frame.ts";
import { NO_FOCUS } from "../../stage/contract.ts";
import { networkOf } from "../../stage/network.ts";
import { places } from "../../stage/places.ts";
import { producers } from "../../stage/producers.ts";
import { HEADER, client, clientBatch, frameOf, logBatch, markup, message, partition, replica, stepOf, view } from "../diagrams/fixture.ts";
import { PHONE, planOf } from "./plans.ts";
import { speakStage } from "./words.ts";

before(speakStage);

const here = places(null, HEADER, view(), { width: 1280, height: 412, form: "desk" });
const plain = clientBatch({ serials: [4, 5], record_count: 2, producer_id: null, producer_epoch: null, first_sequence: null, last_sequence: null });

function drawn(over: Partial<ClientView>): Map<string, { x: number; said: string }> {
  const frame = frameOf(stepOf(), view({ clients: { p1: client(over) } }));
  return new Map(producers(frame, here, NO_FOCUS).map(({ key, x, draw }) => [key, { x, said: markup(draw) }]));
}

test("a batch that is drained and in no request yet stands with those in flight", () => {
  const { sent } = here.clients["p1"]?.queues["t-0"] ?? assert.fail();
  const batch = drawn({ requests: {} }).get("q:p1:b1");
  assert.ok(batch !== undefined && batch.x >= sent.x && batch.x < sent.x + sent.width);
});

test("a producer without transactions sends while any batch is unanswered, whatever its state is called", () => {
  const said = (over: Partial<ClientView>): string => [...drawn(over).values()].map((one) => one.said).join("");
  assert.match(said({ requests: {} }), />sending</);
  assert.match(said({ batches: {}, requests: {}, queues: {} }), />ready</);
});

test("all batches in flight are seen while they are readable, and then counted", () => {
  const seen = (count: number): { cells: number; said: string } => {
    const ids = Array.from({ length: count }, (_, index) => `b${index + 1}`);
    const batches = Object.fromEntries(ids.map((id, index) => [id, clientBatch({ serials: [10 * index + 14, 10 * index + 15, 10 * index + 16], record_count: 3, first_sequence: 3 * index, last_sequence: 3 * index + 2 })]));
    const objects = drawn({ batches, requests: {}, queues: {} });
    return { cells: ids.filter((id) => objects.has(`q:p1:${id}`)).length, said: objects.get("q:p1:t-0:more")?.said ?? "" };
  };
  assert.deepEqual([seen(2), seen(1).cells], [{ cells: 2, said: "" }, 1]);
  assert.match(seen(6).said, /more.*in flight|\+\d/);
});

test("a record that failed early is seen among those that succeeded later", () => {
  const record = (serial: number) => ({ producer: "p1", partition: "t-0", status: serial === 4 ? "failed" : "ok" });
  const crosses = (count: number): number => {
    const records = Object.fromEntries(Array.from({ length: count }, (_, index) => [index + 1, record(index + 1)]));
    const objects = producers(frameOf(stepOf(), view({ clients: { p1: client({}) }, records } as never)), here, NO_FOCUS);
    return markup(objects.find(({ key }) => key === "client:p1")?.draw ?? assert.fail()).split('class="failed"').length - 1;
  };
  assert.deepEqual([crosses(10), crosses(30)], [1, 1]);
});

test("a record has the colour of the PID with which it is stored, also when its producer has another one", () => {
  const plan = places({ ...planOf(1, 1, 1), hues: { 1000: 0, 1001: 1 } }, HEADER, view(), { width: 1280, height: 700, form: "desk" });
  const own = client({});
  const frame = frameOf(stepOf(), view({
    clients: { p1: { ...own, transaction_manager: { ...own.transaction_manager, producer_id: 1001 } as never } },
    records: { 1: { producer: "p1", partition: "t-0", status: "ok", offset: 0 }, 2: { producer: "p1", partition: "t-0", status: "ok", offset: 1 } },
    partitions: { "t-0": partition(replica([logBatch(0, 1, { producer_id: 1000 }), logBatch(1, 1, { producer_id: 1001 })])) },
  } as never));
  const said = markup(producers(frame, plan, NO_FOCUS).find(({ key }) => key === "client:p1")?.draw ?? assert.fail());
  assert.deepEqual([...said.matchAll(/class="flag (b\d)"/g)].map(([, hue]) => hue), ["b0", "b1"]);
});

test("a box without room for squares says in one line what the application knows", () => {
  const records = { 1: { producer: "p1", partition: "t-0", status: "ok" }, 2: { producer: "p1", partition: "t-0", status: "sent" } };
  const low = places(planOf(1, 1, 2), HEADER, view(), { width: 1280, height: 412, form: "desk" });
  const objects = producers(frameOf(stepOf(), view({ clients: { p1: client({}) }, records } as never)), low, NO_FOCUS);
  assert.match(markup(objects.find(({ key }) => key === "client:p1")?.draw), />1 of 2 succeeded</);
});

test("a batch without sequence numbers names its records, in the queue and on its way", () => {
  assert.match(drawn({ batches: { b1: plain } }).get("q:p1:b1")?.said ?? "", />r4–r5</);
  const fields = { batches: { "t-0": { record_count: 2, producer_id: -1, producer_epoch: -1, base_sequence: -1, last_sequence: -1 } } };
  const label = (correlation_id: number) => {
    const frame = frameOf(stepOf(), view({ clients: { p1: client({ batches: { b1: plain } }) }, network: { messages: { 1: message({ id: 1, correlation_id, fields }) } } }));
    return networkOf(frame, here, NO_FOCUS).flights[0]?.sheet.cells[0]?.label;
  };
  assert.deepEqual([label(7), label(99)], ["r4–r5", "2 records"], "of a request that its sender has given up, how many");
});

test("a batch with sequence numbers names its records too, as sentences do", () => {
  const numbered = clientBatch({ serials: [2, 3], record_count: 2, first_sequence: 1, last_sequence: 2 });
  const batches = { b1: numbered };
  assert.match(drawn({ batches }).get("q:p1:b1")?.said ?? "", />r2–r3<.*>1–2</);
  const fields = { batches: { "t-0": { record_count: 2, producer_id: 0, producer_epoch: 0, base_sequence: 1, last_sequence: 2 } } };
  const frame = frameOf(stepOf(), view({ clients: { p1: client({ batches }) }, network: { messages: { 1: message({ id: 1, correlation_id: 7, fields }) } } }));
  const [cell] = networkOf(frame, here, NO_FOCUS).flights[0]?.sheet.cells ?? [];
  assert.deepEqual([cell?.label, cell?.records], ["seq 1–2", "r2–r3"]);
});

test("a state that a leader knows better is called outdated, with both epochs in the name", () => {
  const epoch = { what: "epoch" as const, producer_id: 7, leader: 1, own: 0, known: 1 };
  const shown = (known: number, over: Partial<ClientView> = {}) => {
    const derived = { pending: [], timers: {}, broken: {}, disagreements: { p1: { "t-0": { ...epoch, known } } } };
    const objects = producers(frameOf(stepOf(), view({ clients: { p1: client(over) }, derived })), here, NO_FOCUS);
    const own = objects.find(({ key }) => key === "client:p1") ?? assert.fail();
    return [markup(own.draw).includes("(outdated)"), own.label.includes("broker-1 has epoch 1")];
  };
  assert.deepEqual([shown(1), shown(-1), shown(1, { paused: true })], [[true, true], [false, false], [false, false]]);
});

test("a call that did not return is not among those made", () => {
  const fact = (over: object) => {
    const application = { client: "p1", next_call: 5, calls: 5, next_at: null, blocked_by: null, finished: true, last_result: "done", ...over };
    const objects = producers(frameOf(stepOf(), view({ clients: { p1: client({}) }, applications: { "app-1": application } })), here, NO_FOCUS);
    return /(waits|\d of \d[^<]*|call \d[^<]*)</.exec(markup(objects.find(({ key }) => key === "client:p1")?.draw ?? assert.fail()))?.[1];
  };
  assert.deepEqual([fact({}), fact({ last_result: "refused" }), fact({ blocked_by: "commit_transaction" })], ["5 of 5 calls made", "call 5 of 5 failed", "waits"]);
});

test("a quiet step marks the batch that it changes, else the queue that it names, else the whole client", () => {
  const frame = (over: Partial<Step>) => frameOf(stepOf(over), view({ clients: { p1: client({ requests: {} }) } }));
  const quiet = { ...NO_FOCUS, kind: "client" as const, actor: "p1" };
  const rings = (over: Partial<Step>, focus = quiet) => producers(frame(over), here, focus).filter(({ key }) => key.startsWith("ring:"));
  const grows: Change = { path: ["clients", "p1", "batches", "b1", "record_count"], before: 1, after: 2 };
  const batch = producers(frame({}), here, NO_FOCUS).find(({ key }) => key === "q:p1:b1") ?? assert.fail();
  assert.deepEqual(rings({ changes: [grows] }).map(({ x, y }) => [x, y]), [[batch.x, batch.y]]);
  const again = { ...quiet, tag: { key: "stage.tag.same_numbers", params: {} } };
  assert.deepEqual(rings({ changes: [grows] }, again).map(({ key }) => key), ["ring:queue"], "a resend is about its batch");
  assert.deepEqual(rings({ changes: [], params: { partition: "t-0" } }).map(({ key }) => key), ["ring:queue"]);
  const whole = [rings({ changes: [], params: {} }), rings({ changes: [grows] }, { ...quiet, tag: { key: "stage.tag.now", params: { to: "" } } })];
  assert.deepEqual(whole.map(([only]) => only?.key), ["ring:actor", "ring:actor"], "what has a tag of its own is about the client");
});

test("a long transactional id is whole beside another producer on a phone", () => {
  const id = "payments-settlement-eu-west-1-000042";
  const phone = places(planOf(3, 1, 2), HEADER, view(), PHONE);
  const own = client({ transaction_manager: { ...(client().transaction_manager ?? assert.fail()), transactional_id: id, state: "COMMITTING_TRANSACTION" } });
  const frame = frameOf(stepOf(), view({ clients: { p1: own, p2: client() } }));
  const said = producers(frame, phone, { ...NO_FOCUS, kind: "client", actor: "p1" }).map(({ draw }) => markup(draw)).join("");
  assert.ok(said.replace(/<[^>]*>/g, "").includes(id));
  assert.ok(!said.includes("…"));
});
