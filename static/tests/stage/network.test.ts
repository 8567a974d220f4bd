import assert from "node:assert/strict";
import { before, test } from "node:test";
import { overlap } from "../../diagrams/geometry.ts";
import type { MessageView, Plan, Step } from "../../player/frame.ts";
import type { Box, Focus, Places } from "../../stage/contract.ts";
import { NO_FOCUS } from "../../stage/contract.ts";
import type { Flight } from "../../stage/network.ts";
import { middlewarePlaces } from "../../stage/middleware-places.ts";
import { sheetOf } from "../../stage/messages.ts";
import { TORN } from "../../stage/envelope.ts";
import { nameOf, networkLayer, networkOf, progress } from "../../stage/network.ts";
import { places } from "../../stage/places.ts";
import { between01, pointOn } from "../../stage/wires.ts";
import { HEADER, answer, frameOf, markup, message, stepOf, view } from "../diagrams/fixture.ts";
import { PHONE, planOf } from "./plans.ts";
import { speakStage } from "./words.ts";

before(speakStage);

const SIZE = { width: 1280, height: 412, form: "desk" as const };
const HERE: Places = places(null, HEADER, view(), SIZE);

function under(messages: MessageView[], step: Step | null = stepOf(), focus: Focus = NO_FOCUS, previous: MessageView[] = []) {
  const table = (list: MessageView[]) => ({ messages: Object.fromEntries(list.map((one) => [String(one.id), one])) });
  const frame = frameOf(step, view({ network: table(messages) }), { previousView: view({ time: 140, network: table(previous) }) });
  return { frame, network: networkOf(frame, HERE, focus), focus };
}

const fates = (over: Partial<Focus["messages"]>): Focus => ({ ...NO_FOCUS, messages: { ...NO_FOCUS.messages, ...over } });

function onItsWire({ wire, u, box }: Flight): number {
  const [x, y] = pointOn(wire, between01(wire, u, box.width, box.height));
  return Math.hypot(x - box.x - box.width / 2, y - box.y - box.height / 2);
}

test("a message stands where virtual time has it, between client and broker", () => {
  assert.equal(progress(message({ sent_at: 138, arrives_at: 148 }), 143), 0.5);
  assert.equal(progress(message({ sent_at: 138, arrives_at: 138 }), 143), 1);
  assert.equal(progress(message({ arrives_at: 148, held: true }), 143), 1);
  const [early, late] = [140, 142].map((sent_at) => under([message({ sent_at, arrives_at: sent_at + 8 })]).network.flights[0]);
  assert.ok((early?.box.x ?? 0) > (late?.box.x ?? 0), "what left first has come further");
  for (const flight of [early, late]) {
    assert.ok(flight !== undefined && flight.box.x >= HERE.network.x && flight.box.x + flight.box.width <= HERE.network.x + HERE.network.width);
  }
});

test("what leaves one port in the same millisecond fans out, and each stays on its own wire", () => {
  const all = Array.from({ length: 5 }, (_, index) => message({ sent_at: 143, arrives_at: 148, correlation_id: 20 + index, fields: { batches: { "t-0": {
    record_count: 1, producer_id: 0, producer_epoch: 0, base_sequence: index, last_sequence: index } } } }));
  const { flights } = under(all).network;
  assert.equal(flights.length, 5);
  flights.forEach((one, index) => flights.slice(index + 1).forEach((other) => assert.ok(!overlap(one.box, other.box), `${one.message.id} on ${other.message.id}`)));
  for (const flight of flights) assert.ok(onItsWire(flight) < flight.box.height / 6, `${flight.message.id} left its wire`);
});

test("of two requests that leave a coordinator together, the one for the higher broker stands higher, and keeps there", () => {
  const both = (at: number) => under([1, 2].map((to) => message({ id: 910 + to, api: "WriteTxnMarkers", from: "broker-2", to: `broker-${to}`, sent_at: 143 - at, arrives_at: 148 - at,
    partitions: [`t-${to - 1}`], fields: {} })).concat([answer({ id: 905, from: "broker-2", to: "p1", sent_at: 143 - at, arrives_at: 148 - at })])).network.flights;
  for (const at of [0, 3]) {
    const [first, second] = [911, 912].map((id) => both(at).find((flight) => flight.message.id === id));
    if (first === undefined || second === undefined) assert.fail("both are drawn");
    assert.ok(first.box.y < second.box.y, `${first.box.y} ${second.box.y} after ${at} ms`);
  }
});

test("a delivered message stands at the door, a lost one where it died", () => {
  const sent = message({ id: 900, sent_at: 138, arrives_at: 143 });
  const docked = under([], stepOf(), fates({ delivered: [900] }), [sent]).network.flights[0];
  assert.deepEqual([docked?.fate.docked, docked?.u], [true, 1]);
  const half = { ...sent, arrives_at: 148 };
  const lost = under([], stepOf(), { ...fates({ dropped: [900] }), kind: "lost" }, [half]).network.flights[0];
  assert.deepEqual([lost?.fate.lost, lost?.fate.now, lost?.u], [true, true, 0.5]);
});

test("what is torn off a lost message is on the wire, wherever it died", () => {
  const sent = message({ id: 900, sent_at: 138, arrives_at: 143 });
  for (const one of [sent, { ...sent, from: sent.to, to: sent.from, is_response: true }]) {
    const lost = under([], stepOf(), { ...fates({ dropped: [900] }), kind: "lost" }, [one]).network.flights[0] ?? assert.fail();
    const left = lost.box.x - (one.is_response ? TORN : 0);
    assert.ok(left >= HERE.network.x && left + lost.box.width + TORN <= HERE.network.x + HERE.network.width);
  }
});

test("where one of several messages is dropped, the others stand where they stood, and it makes room for its piece alone", () => {
  const marker = (id: number, to: string) => message({ id, correlation_id: id, api: "WriteTxnMarkers", from: "broker-2", to, partitions: ["t-0"], sent_at: 143, arrives_at: 148,
    fields: { entries: [{ producer_id: 1, producer_epoch: 1, result: "COMMIT", partitions: ["t-0"] }] } });
  const all = [marker(901, "broker-1"), marker(902, "broker-2"), marker(903, "broker-1")];
  const stood = under(all, stepOf(), { ...fates({ sent: [901, 902, 903] }), kind: "sent" }).network.flights;
  for (const { id } of all) {
    const { flights } = under(all.filter((one) => one.id !== id), stepOf(), { ...fates({ dropped: [id] }), kind: "lost" }, all).network;
    flights.forEach(({ message: { id: one }, box }, index) => {
      const before = stood[index]?.box ?? assert.fail();
      if (one !== id) assert.deepEqual(box, before, `${one} moves where ${id} is dropped`);
      else assert.ok(box.y === before.y && Math.abs(box.x - before.x) <= TORN, `${id} leaves its place`);
    });
  }
});

test("a fetch that is lost stays at the end of its lane, and its piece is within its own width", () => {
  const here = places(planOf(2, 1, 1), HEADER, view(), SIZE);
  const fetch = message({ id: 900, api: "Fetch", from: "c1", to: "broker-1", partitions: ["t-0"], fields: { partition: "t-0", fetch_offset: 40 }, sent_at: 138, arrives_at: 148 });
  const table = { network: { messages: { 900: fetch } } };
  const stood = networkOf(frameOf(stepOf(), view(table)), here, NO_FOCUS).flights[0] ?? assert.fail();
  const frame = frameOf(stepOf(), view(), { previousView: view({ time: 140, ...table }) });
  const focus: Focus = { ...fates({ dropped: [900] }), kind: "lost" };
  const lost = networkOf(frame, here, focus).flights[0] ?? assert.fail();
  assert.deepEqual(lost.box, stood.box);
  assert.match(markup(lost.envelope.draw(-1, lost.fate)), new RegExp(`translate\\(${TORN - 4},0\\)`));
});

test("on a phone messages keep their order where one of them is dropped, and none lies on another", () => {
  const phone = places(planOf(3, 2, 2), HEADER, view(), { width: 390, height: 440, form: "phone" });
  const marker = (id: number, to: string, partition: string) => message({ id, correlation_id: id, api: "WriteTxnMarkers", from: "broker-2", to, partitions: [partition], sent_at: 143, arrives_at: 148,
    fields: { entries: [{ producer_id: 1, producer_epoch: 1, result: "COMMIT", partitions: [partition] }] } });
  const all = [marker(901, "broker-1", "t-0"), marker(902, "broker-2", "t-1")];
  const table = (list: MessageView[]) => ({ messages: Object.fromEntries(list.map((one) => [String(one.id), one])) });
  const order = (frame: ReturnType<typeof frameOf>, focus: Focus) => [...networkOf(frame, phone, focus).flights].sort((one, other) => one.box.x - other.box.x);
  const stood = order(frameOf(stepOf(), view({ network: table(all) })), { ...fates({ sent: [901, 902] }), kind: "sent" });
  for (const { id } of all) {
    const frame = frameOf(stepOf(), view({ network: table(all.filter((one) => one.id !== id)) }), { previousView: view({ network: table(all) }) });
    const now = order(frame, { ...fates({ dropped: [id] }), kind: "lost" });
    assert.deepEqual(now.map(({ message: one }) => one.id), stood.map(({ message: one }) => one.id), `${id} is dropped`);
    assert.ok(!overlap((now[0] as Flight).box, (now[1] as Flight).box));
  }
});

test("an answer that leaves when its request arrives stands under it, also where there is little room below", () => {
  const request = message({ id: 900, sent_at: 138, arrives_at: 143 });
  const response = { ...request, id: 901, from: request.to, to: request.from, is_response: true, sent_at: 143, arrives_at: 148 };
  const { flights } = under([response], stepOf(), fates({ delivered: [900], sent: [901] }), [request]).network;
  const [first, then] = [900, 901].map((id) => flights.find((one) => one.message.id === id)?.box ?? assert.fail());
  assert.ok((first as Box).y < (then as Box).y);
});

test("a wide refusal of a coordinator stands under its request, too, and each on its wire", () => {
  const here = places(planOf(3, 2, 2), HEADER, view(), SIZE);
  const request = message({ id: 900, api: "EndTxn", from: "p1", to: "broker-2", partitions: [], fields: { committed: false }, sent_at: 138, arrives_at: 143 });
  const refusal = { ...request, id: 901, from: request.to, to: request.from, is_response: true, error: "PRODUCER_FENCED", fields: {}, sent_at: 143, arrives_at: 148 };
  const frame = frameOf(stepOf(), view({ network: { messages: { 901: refusal } } }), { previousView: view({ time: 140, network: { messages: { 900: request } } }) });
  const flights = networkOf(frame, here, fates({ delivered: [900], sent: [901] })).flights;
  const [first, then] = [900, 901].map((id) => flights.find((one) => one.message.id === id) ?? assert.fail()) as [Flight, Flight];
  assert.ok(first.box.y < then.box.y && !overlap(first.box, then.box));
  for (const flight of [first, then]) assert.ok(onItsWire(flight) < flight.box.height / 6);
});

test("a request that is resent says so, and how often", () => {
  const one = message({ id: 902, sent_at: 138, arrives_at: 148 });
  const said = (again: Record<string, number>): string => {
    const plan = { steps: 1, complete: true, beats: [], again } as unknown as Plan;
    return networkOf(frameOf(stepOf(), view({ network: { messages: { 902: one } } }), { plan }), HERE, NO_FOCUS).flights[0]?.sheet.name ?? "";
  };
  assert.deepEqual([said({}), said({ 902: 1 })], ["Produce", "Produce, resend 1"]);
});

test("two copies of one message are two sheets of one", () => {
  const first = message({ id: 901, sent_at: 138, arrives_at: 148 });
  const { flights } = under([first, { ...first, id: 902 }]).network;
  assert.deepEqual(flights.map(({ message: { id }, fate }) => [id, fate.copies]), [[901, 1]]);
});

test("a delayed message says so until it arrives, and not before it was delayed", () => {
  const note = (arrives_at: number): string => {
    const one = message({ sent_at: 138, arrives_at });
    const frame = frameOf(stepOf(), view({ time: 143, network: { messages: { [one.id]: one } } }), { delayed: new Map([[one.id, 148]]) });
    return networkOf(frame, HERE, NO_FOCUS).flights[0]?.fate.note ?? "";
  };
  assert.deepEqual([note(148), note(168)], ["", "delayed to t = 168 ms"]);
});

test("what is due in 50 ms or more says when", () => {
  const note = (arrives_at: number) => under([message({ sent_at: 143, arrives_at })]).network.flights[0]?.fate.note;
  assert.equal(note(192), "");
  assert.equal(note(193), "due at t = 193 ms");
});

test("above six messages they say type and partition, above twelve each bundle says how many; none is left out", () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => message({ sent_at: 130 + index, arrives_at: 160 + index, correlation_id: 100 + index, fields: { batches: { "t-0": {
    record_count: 1, producer_id: 0, producer_epoch: 0, base_sequence: index, last_sequence: index } } } }));
  assert.equal(under(many(6)).network.flights[0]?.envelope.height, 44);
  const seven = under(many(7)).network.flights;
  assert.equal(seven.length, 7);
  assert.equal(seven[0]?.envelope.height, 26);
  const { flights, bundles } = under(many(13)).network;
  assert.equal(flights.length + bundles.reduce((sum, { messages }) => sum + messages.length, 0), 13);
  assert.match(markup(networkLayer(under(many(13)).frame, HERE, NO_FOCUS).find(({ key }) => key.startsWith("m:"))?.draw), /13 × Produce/);
});

const inLine = (count: number) => Array.from({ length: count }, (_, index) => message({ id: 60 + index, correlation_id: 60 + index, sent_at: 120 + index, arrives_at: 130 + index, waits_behind: 59, fields: { batches: { "t-0": {
  record_count: 1, producer_id: 0, producer_epoch: 0, base_sequence: index + 1, last_sequence: index + 1 } } } }));

test("requests that wait in one connection stand under each other at the door, in the order in which they are taken, and it is said once", () => {
  const { flights } = under([...inLine(4)].reverse()).network;
  assert.deepEqual(flights.map(({ message: { id } }) => id), [60, 61, 62, 63]);
  flights.slice(1).forEach(({ box }, index) => assert.ok(box.y >= (flights[index]?.box.y ?? 0) + 26));
  assert.equal(new Set(flights.map(({ box }) => box.x + box.width)).size, 1, "all point at the door");
  assert.deepEqual(flights.map(({ fate }) => fate.note !== ""), [false, false, false, true]);
  const [alone] = under(inLine(1)).network.flights;
  assert.equal(alone?.queue, null);
  assert.equal(alone?.envelope.height, 44, "there is room for all that it says");
});

test("on a phone requests that wait in one connection are counted at the door", () => {
  const phone = places(null, HEADER, view(), { width: 390, height: 408, form: "phone" });
  const table = { messages: Object.fromEntries(inLine(4).map((one) => [String(one.id), one])) };
  const { flights, bundles } = networkOf(frameOf(stepOf(), view({ network: table })), phone, NO_FOCUS);
  assert.deepEqual([flights.length, bundles.map(({ messages }) => messages.length)], [0, [4]]);
});

test("on a phone three counts over each other stand in two rows, none on another", () => {
  const phone = places(planOf(3, 2, 2), HEADER, view(), { width: 390, height: 440, form: "phone" });
  const asked = (id: number, from: string, to: string, api: string) => message({ id, correlation_id: id, from, to, api, partitions: [], fields: {}, sent_at: 140, arrives_at: 146 });
  const names = ["broker-1", "broker-2", "broker-3"];
  for (const to of names) {
    const all = [asked(1, "p1", to, "InitProducerId"), ...names.filter((one) => one !== to).map((one, index) => asked(index + 2, to, one, "WriteTxnMarkers"))];
    const table = { messages: Object.fromEntries(all.map((one) => [String(one.id), one])) };
    const { bundles, flights } = networkOf(frameOf(stepOf(), view({ network: table })), phone, NO_FOCUS);
    const boxes = [...flights, ...bundles].map(({ box }) => box);
    assert.equal(boxes.length, 3);
    boxes.forEach((one, index) => boxes.slice(index + 1).forEach((other) => assert.ok(!overlap(one, other), JSON.stringify([to, one, other]))));
  }
});

test("every message has a point in its direction, a response an arrow and a notch as well, and its wire ends in an arrow", () => {
  const marker = message({ id: 1, correlation_id: 1, api: "WriteTxnMarkers", from: "broker-1", to: "broker-2", partitions: ["t-1"], sent_at: 140, arrives_at: 146,
    fields: { entries: [{ producer_id: 1, producer_epoch: 1, result: "COMMIT", partitions: ["t-1"] }] } });
  const { frame } = under([marker, { ...marker, id: 2, correlation_id: 2, is_response: true, from: "broker-2", to: "broker-1", fields: {} }]);
  const drawn = (key: string): string => networkLayer(frame, HERE, NO_FOCUS).filter((one) => one.key === key).map(({ draw }) => markup(draw)).join("");
  assert.doesNotMatch(drawn("m:1"), /<rect[^>]*class="?env/);
  assert.ok(drawn("m:2").includes("← WriteTxnMarkers") && !drawn("m:1").includes("←"));
  for (const key of ["w:1", "w:2"]) assert.match(drawn(key), /C[^"M]*M[^"L]*L[^"L]*L/);
});

test("on a phone two markers say between which brokers they go, and none lies on the other", () => {
  const phone = places(planOf(3, 2, 2), HEADER, view(), { width: 390, height: 440, form: "phone" });
  const marker = (id: number, to: string, partition: string) => message({ id, correlation_id: id, api: "WriteTxnMarkers", from: "broker-1", to, partitions: [partition], sent_at: 140, arrives_at: 146,
    fields: { entries: [{ producer_id: 1, producer_epoch: 1, committed: false, partitions: [partition] }] } });
  const all = [marker(1, "broker-2", "out-0"), marker(2, "broker-1", "__consumer_offsets-3")];
  const frame = frameOf(stepOf(), view({ network: { messages: { 1: all[0] as MessageView, 2: all[1] as MessageView } } }));
  const { flights, bundles } = networkOf(frame, phone, NO_FOCUS);
  const drawn = networkLayer(frame, phone, NO_FOCUS).filter(({ key }) => key.startsWith("m:")).map(({ draw }) => markup(draw)).join("");
  for (const way of ["broker-1 → broker-2", "broker-1 → broker-1"]) assert.ok(drawn.includes(way), drawn);
  const boxes = [...flights, ...bundles].map(({ box }) => box);
  assert.ok(boxes.length === 2 && !overlap(boxes[0] as Box, boxes[1] as Box), JSON.stringify(boxes));
});

test("on a phone two markers beside an answer name their receivers alone, and no card lies on another", () => {
  const phone = places(planOf(3, 2, 2), HEADER, view(), { width: 390, height: 440, form: "phone" });
  const marker = (id: number, to: string, partition: string) => message({ id, correlation_id: id, api: "WriteTxnMarkers", from: "broker-2", to, partitions: [partition], sent_at: 140, arrives_at: 146,
    fields: { entries: [{ producer_id: 1, producer_epoch: 1, result: "COMMIT", partitions: [partition] }] } });
  const ended = message({ id: 3, correlation_id: 3, api: "EndTxn", from: "broker-2", to: "p1", is_response: true, partitions: [], fields: {}, sent_at: 140, arrives_at: 146 });
  const markers = { 1: marker(1, "broker-1", "t-0"), 2: marker(2, "broker-2", "t-1") };
  const frame = frameOf(stepOf(), view({ network: { messages: markers } }), { previousView: view({ network: { messages: { ...markers, 3: ended } } }) });
  const focus = { ...NO_FOCUS, messages: { ...NO_FOCUS.messages, delivered: [3] } };
  const boxes = networkOf(frame, phone, focus).flights.map(({ box }) => box);
  assert.equal(boxes.length, 3);
  boxes.forEach((one, index) => boxes.slice(index + 1).forEach((other) => assert.ok(!overlap(one, other), JSON.stringify([one, other]))));
  const drawn = networkLayer(frame, phone, focus).filter(({ key }) => key.startsWith("m:")).map(({ draw }) => markup(draw)).join("");
  assert.ok(drawn.includes(">→ broker-1<") && !drawn.includes("broker-2 →"), drawn);
});

test("a message between those who have no place is counted", () => {
  const stray = message({ from: "p9", to: "broker-9" });
  const { frame, network } = under([stray]);
  assert.equal(network.away.length, 1);
  assert.match(markup(networkLayer(frame, HERE, NO_FOCUS).at(-1)?.draw), /1 message not in this picture/);
});

test("who cannot see the picture hears what each message is", () => {
  const { frame } = under([answer({ id: 910, sent_at: 138, arrives_at: 148 })]);
  const label = networkLayer(frame, HERE, NO_FOCUS).find(({ key }) => key === "m:910")?.label;
  assert.equal(label, "Produce response from broker-1 to p1, response: t-0 offset 40: arrives at t = 148 ms");
});

test("on a phone five answers of one moment are counted, and what waits at a broker says so beside its message", () => {
  const phone = places(null, HEADER, view(), { width: 390, height: 408, form: "phone" });
  const here: Places = phone;
  const answers = Array.from({ length: 5 }, (_, index) => message({ id: 40 + index, is_response: true, from: "broker-1", to: "p1", correlation_id: 40 + index, sent_at: 143, arrives_at: 148 }));
  const table = { messages: Object.fromEntries(answers.map((one) => [String(one.id), one])) };
  const sent = fates({ sent: answers.map(({ id }) => id) });
  const network = networkOf(frameOf(stepOf(), view({ network: table }), { previousView: view({ time: 140 }) }), here, sent);
  const boxes = [...network.flights.map(({ box }) => box), ...network.bundles.map(({ box }) => box)];
  boxes.forEach((one, index) => boxes.slice(index + 1).forEach((other) => assert.ok(!overlap(one, other))));
  assert.equal(network.flights.length + network.bundles.reduce((sum, { messages }) => sum + messages.length, 0), 5, "none is left out");

  const held = message({ id: 50, held: true, arrives_at: 140 });
  const [flight] = networkOf(frameOf(stepOf(), view({ network: { messages: { 50: held } } })), here, NO_FOCUS).flights;
  assert.equal(flight?.fate.side, "right");
  assert.match(flight?.fate.note ?? "", /broker-1/);
});

test("a fetch of several partitions says where it reads on in the first, and its response counts the batches of all", () => {
  const asked = message({ api: "Fetch", from: "c1", to: "broker-1", partitions: ["t-0", "t-1"], fields: { offsets: { "t-0": 40, "t-1": 2 } } });
  assert.equal(sheetOf(asked).words, "t-0 offset 40, +1");
  const answers = { "t-0": { error: "NONE", batches: [{}, {}] }, "t-1": { error: "NONE", batches: [{}] } };
  assert.equal(sheetOf({ ...asked, is_response: true, error: "NONE", fields: { partitions: answers } }).words, "3 batches");
});

test("a request for metadata without topics asks for the brokers", () => {
  const asked = (topics: string[]) => sheetOf(message({ api: "Metadata", partitions: [], fields: { topics } })).words;
  assert.deepEqual([asked(["t"]), asked([])], ["leaders of t?", "brokers of the cluster?"]);
});

test("a message that carries nothing to name is said without it", () => {
  const bare = message({ api: "ListTransactions", from: "kafka-transactions", partitions: [], fields: {}, arrives_at: 143 });
  const fate = { lost: false, docked: false } as Flight["fate"];
  assert.equal(nameOf({ message: bare, sheet: sheetOf(bare), fate }), "ListTransactions request from kafka-transactions to broker-1: arrives at t = 143 ms");
});

test("a message on its way has a mark that something can be done to it, one that arrived or died has none", () => {
  const own = message({ id: 900, sent_at: 138, arrives_at: 148 });
  const gripOf = (now: MessageView[], focus: Focus) => {
    const { frame } = under(now, stepOf(), focus, [own]);
    return networkLayer(frame, HERE, focus).find(({ key }) => key === "m:900")?.grip;
  };
  const flying = gripOf([own], NO_FOCUS);
  assert.ok(flying !== undefined && flying > 0);
  assert.deepEqual([gripOf([], fates({ delivered: [900] })), gripOf([], { ...fates({ dropped: [900] }), kind: "lost" })], [undefined, undefined]);
});

test("on a phone no count stands on the middleware, over which a way from one role to another bends", () => {
  const nodes = { ...planOf(0, 0, 0, 0), middleware: { roles: ["initiator", "business", "middleware", "manager"], participants: ["participant-1", "participant-2", "participant-3"] } };
  const here = middlewarePlaces(nodes, { ...PHONE, height: 436 });
  const started = message({ id: 1, api: "Started", from: "middleware", to: "initiator", partitions: [], fields: { tid: 1 } });
  const begin = message({ id: 2, api: "Begin", from: "initiator", to: "business", partitions: [], sent_at: 140, arrives_at: 145, fields: { tid: 1 } });
  const frame = frameOf(stepOf({ actor: "initiator" }), view({ time: 140, network: { messages: { 2: begin } } }), { previousView: view({ network: { messages: { 1: started } } }) });
  const { bundles } = networkOf(frame, here, fates({ delivered: [1], sent: [2] }));
  assert.deepEqual(bundles.filter(({ box }) => overlap(box, here.others["middleware"]?.box as Box)), []);
});
