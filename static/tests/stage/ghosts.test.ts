import assert from "node:assert/strict";
import { before, test } from "node:test";
import { overlap } from "../../diagrams/geometry.ts";
import type { Frame } from "../../player/frame.ts";
import "../../stage/phone-placed.ts";
import type { Box, Places, StageObject } from "../../stage/contract.ts";
import { focusOf } from "../../stage/focus.ts";
import { countsText, decidedBy } from "../../stage/decided.ts";
import { ghostLayer } from "../../stage/ghosts.ts";
import { bodiesOf, networkOf } from "../../stage/network.ts";
import { outlineOf } from "../../stage/outline.ts";
import { places } from "../../stage/places.ts";
import { comparedText, tagLayer } from "../../stage/tag.ts";
import { wireOf } from "../../stage/wires.ts";
import { DUPLICATE, HEADER, frameOf, logBatch, markup, message, partition, refusedStep, replica, stepOf, view } from "../diagrams/fixture.ts";
import { speakStage } from "./words.ts";

before(speakStage);

const DESK = { width: 1280, height: 412, form: "desk" as const };
const HERE: Places = places(null, HEADER, view(), DESK);

function ghostsOf(frame: Frame, here = HERE): Map<string, StageObject> {
  return new Map(ghostLayer(frame, here, focusOf(frame)).map((object) => [object.key, object]));
}

test("a duplicate stands over its match with two bars, the match has the ring, and the rule stands beside it", () => {
  const ghosts = ghostsOf(frameOf(DUPLICATE));
  const [ghost, ring] = [ghosts.get("ghost"), ghosts.get("ring:batch")];
  assert.ok(ghost !== undefined && ring !== undefined);
  assert.ok(ghost.y < ring.y && Math.abs(ghost.x - ring.x) < 4);
  assert.match(markup(ghost.draw), /class="equal"/);
  assert.match(ghost.label, /same sequence numbers/);
  assert.match(markup(ghosts.get("compare")?.draw), /broker-1 decides/);
});

test("where messages leave the network little room, the rule stands there without its numbers and on no message", () => {
  const low = { ...HERE, network: { ...HERE.network, height: 190 } };
  const card = ghostsOf(frameOf(DUPLICATE), low).get("compare") ?? assert.fail();
  assert.doesNotMatch(markup(card.draw), />arrived</);
  const frame = frameOf(DUPLICATE);
  const { flights } = networkOf(frame, low, focusOf(frame));
  assert.deepEqual(flights.filter(({ box }) => overlap(box, card)), []);
});

test("a match that lies before what the lane shows is brought to the lane's beginning", () => {
  const many = [logBatch(40, 3), ...Array.from({ length: 60 }, (_, index) => logBatch(43 + index * 3, 3))];
  const log = replica(many, { producers: { 0: { producer_epoch: 0, coordinator_epoch: -1, last_timestamp: 1, transaction_first_offset: null, batches: [[0, 2, 40, 42, 13]] } } });
  const ghosts = ghostsOf(frameOf(DUPLICATE, view({ partitions: { "t-0": partition(log) } })));
  assert.match(markup(ghosts.get("pinned")?.draw), />40</);
  assert.ok(ghosts.has("ring:batch"));
});

test("what is refused stands crossed out behind the log, with the numbers behind the error", () => {
  const frame = frameOf(refusedStep());
  const ghost = ghostsOf(frame).get("ghost");
  assert.match(markup(ghost?.draw), /not stored/);
  const [tag] = tagLayer(frame, HERE, focusOf(frame));
  assert.match(markup(tag?.draw), /OUT_OF_ORDER_SEQUENCE_NUMBER/);
  assert.equal(comparedText([["expected first sequence", 13], ["arrived first sequence", 15]]), "first seq 15 > 13");
});

test("the card names a check that is switched off, and has the number that decided", () => {
  const step = refusedStep();
  const rows = (["passed", "off", "decided", "not_reached"] as const).map((outcome) => ({ rule: "SEQ-13", key: "decision.epoch", params: { arrived: 0, stored: 0 }, outcome }));
  const decided = decidedBy(frameOf({ ...step, decision: { ...step.decision, rows } } as typeof step), { ...focusOf(frameOf(step)), kind: "refused" });
  assert.ok(decided !== null);
  assert.equal(countsText(decided), "1 rule passed, 1 later rule skipped");
  assert.deepEqual(decided.off, ["Switched off: Is epoch 0 lower than the known epoch 0?"]);
  assert.deepEqual(decided.fields.at(-1), { name: "first seq", arrived: "15", stored: "must be 13" });
});

test("a tag that is wider than a phone or a broker stands in two lines, within it", () => {
  const compared: [string, string][] = [["state", "PrepareCommit"], ["being_written", "CompleteCommit, 12 markers"]];
  const step = refusedStep();
  const frame = frameOf({ ...step, refusal: { ...step.refusal, error: "CONCURRENT_TRANSACTIONS", compared } } as typeof step);
  const phone = places(null, HEADER, view(), { width: 390, height: 440, form: "phone" });
  const [tag] = tagLayer(frame, phone, focusOf(frame));
  assert.ok(tag !== undefined && tag.x >= 0 && tag.x + tag.width <= phone.width, JSON.stringify(tag));
  assert.ok(tag.height > 40);
  const [wide] = tagLayer(frame, HERE, focusOf(frame));
  assert.ok((wide?.width ?? 999) <= (HERE.brokers["broker-1"]?.box.width ?? 0), "on a desk it is no wider than its broker");
});

test("the tag stands on no message", () => {
  const lost = message({ id: 18, sent_at: 138, arrives_at: 148 });
  const other = message({ id: 19, sent_at: 138, arrives_at: 148, correlation_id: 8 });
  const frame = frameOf(
    stepOf({ kind: "fault", key: "fault.message_dropped", messages: [{ id: 18, event: "dropped" }] }), view({ network: { messages: { 19: other } } }),
    { previousView: view({ network: { messages: { 18: lost, 19: other } } }) },
  );
  const focus = focusOf(frame);
  const [tag] = tagLayer(frame, HERE, focus);
  assert.ok(tag !== undefined);
  const at: Box = tag;
  for (const flight of networkOf(frame, HERE, focus).flights) assert.ok(!overlap(flight.box, at), String(flight.message.id));
});

test("on a phone a loss is shown between the bodies and in none of them", () => {
  const phone = places(outlineOf(HEADER, view()), HEADER, view(), { width: 390, height: 440, form: "phone" });
  const lost = [message({ id: 18, sent_at: 138, arrives_at: 148 }), message({ id: 19, sent_at: 138, arrives_at: 148, from: "broker-1", to: "p1", is_response: true })];
  const frame = frameOf(
    stepOf({ kind: "fault", key: "fault.connection_broken", messages: lost.map(({ id }) => ({ id, event: "lost" as const })) }), view(),
    { previousView: view({ network: { messages: Object.fromEntries(lost.map((one) => [String(one.id), one])) } }) },
  );
  const focus = focusOf(frame);
  const [tag] = tagLayer(frame, phone, focus);
  assert.ok(tag !== undefined);
  for (const body of bodiesOf(phone)) assert.ok(!overlap(body, tag), JSON.stringify(tag));
  const { flights } = networkOf(frame, phone, focus);
  assert.equal(flights.length, 2);
  const [one, other] = flights.map(({ box }) => box) as [Box, Box];
  assert.ok(!overlap(one, other));
});

test("on a phone a marker flies from the box of one broker to that of the other, what readers fetch is counted; ZooKeeper has the controller's place", () => {
  const plan = { ...outlineOf(HEADER, view()), controller: true };
  const phone = places(plan, HEADER, view(), { width: 390, height: 560, form: "phone" });
  const marker = message({ api: "WriteTxnMarkers", from: "broker-2", to: "broker-1", fields: { entries: [] } });
  const wire = wireOf(marker, phone);
  const inside = (x: number | undefined, name: string): boolean => {
    const own = phone.brokers[name]?.box;
    return own !== undefined && x !== undefined && x > own.x && x < own.x + own.width;
  };
  assert.ok(inside(wire?.from.at[0], "broker-2") && inside(wire?.to.at[0], "broker-1"));
  assert.deepEqual([wire?.from.facing, wire?.to.facing], [[0, -1], [0, -1]]);
  assert.equal(wireOf(message({ api: "Fetch", from: "c1", to: "broker-1", fields: { fetch_offset: 40 } }), phone), null);
  const desk = places(plan, HEADER, view(), DESK);
  const asked = wireOf(message({ api: "ZooKeeperRead", from: "broker-1", to: "zookeeper", partitions: [], fields: {} }), desk);
  assert.deepEqual(asked?.to.facing, [0, -1]);
});
