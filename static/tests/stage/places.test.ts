import assert from "node:assert/strict";
import { test } from "node:test";
import { overlap } from "../../diagrams/geometry.ts";
import type { Box, Places, Size, StagePlan } from "../../stage/contract.ts";
import { NO_FOCUS, TOOL, windowOf } from "../../stage/contract.ts";
import { ARRIVAL } from "../../stage/places-desk.ts";
import { basisOf, grown, hasSamePlaces, places, standing } from "../../stage/places.ts";
import { HEADER, frameOf, logBatch, partition, replica, view } from "../diagrams/fixture.ts";
import { DESK, LARGE, PHONE, planOf } from "./plans.ts";

const VIEW = { time: 0 };
const ENTRY = {
  state: "Ongoing", pending_state: null, producer_id: 1000, last_producer_id: null, producer_epoch: 0, last_producer_epoch: null, timeout_ms: 60000,
  partitions: ["t-1"], started_at: 1, times_out_at: null, last_update: 2, failed_epoch_fence: false, coordinator_epoch: 0, log_partition: 10,
};
const made = (plan: StagePlan, size: Size): Places => places(plan, HEADER, VIEW, size);

function boxesOf(run: Places): [string, Box][] {
  return [
    ...Object.entries(run.clients).map(([name, { box }]): [string, Box] => [name, box]),
    ...Object.entries(run.brokers).map(([name, { box }]): [string, Box] => [name, box]),
    ...Object.entries(run.readers).flatMap(([lane, rows]) => Object.entries(rows).map(([name, { box }]): [string, Box] => [`${lane}/${name}`, box])),
  ];
}

test("Everything of a run has a place inside the picture, and nothing lies on anything else", () => {
  for (const size of [DESK, LARGE]) {
    for (const plan of [planOf(3, 1, 1), planOf(3, 2, 1), planOf(3, 2, 2), planOf(1, 3, 3), planOf(2, 2, 6)]) {
      const run = made(plan, size);
      const boxes = boxesOf(run);
      for (const [name, box] of boxes) {
        assert.ok(box.x >= 0 && box.x + box.width <= run.width + 0.1, `${name} is inside ${run.width} wide`);
        assert.ok(box.y >= 0 && box.y + box.height <= run.height + 0.1, `${name} is inside ${run.height} high`);
        for (const [other, another] of boxes) assert.ok(name === other || !overlap(box, another), `${name} lies on ${other}`);
      }
    }
  }
});

test("A stage of twice the size has the same places, twice as large", () => {
  const small = made(planOf(3, 2, 1), DESK);
  const large = made(planOf(3, 2, 1), { ...DESK, width: 2560, height: 824 });
  assert.deepEqual(large.brokers, small.brokers);
  assert.equal(large.width, small.width);
});

test("Six brokers with twenty partitions have a strip each, and one lens", () => {
  const run = made(planOf(6, 20, 5), DESK);
  const strips = Object.values(run.brokers).flatMap((broker) => Object.values(broker.lanes));
  assert.equal(strips.length, 20);
  assert.ok(strips.every((lane) => lane.strip));
  assert.equal(run.lens?.strip, false);
  assert.ok(Object.values(run.brokers).every(({ box }) => box.y + box.height <= DESK.height), "all are seen without scrolling");
  assert.ok(Object.values(run.clients).every((client) => client.folded));
});

test("Partitions that stay empty take no room and are named", () => {
  const plan = planOf(3, 2, 1);
  plan.lanes["t-1"] = { first: 0, end: 0, internal: false, leaders: [2] };
  const run = made(plan, DESK);
  assert.deepEqual(run.away.lanes, ["t-1"]);
  assert.deepEqual(Object.keys(run.brokers["broker-2"]?.lanes ?? {}), []);
});

test("On a phone a lane for which a batch is refused keeps room for it behind its log", () => {
  const room = (refuses: boolean) => {
    const plan = planOf(1, 1, 1);
    const { cells } = made({ ...plan, lanes: { "t-0": { ...(plan.lanes["t-0"] as StagePlan["lanes"][string]), refuses } } }, PHONE).brokers["broker-1"]?.lanes["t-0"] ?? assert.fail();
    return cells.width - 6 * cells.unit;
  };
  assert.ok(room(true) >= ARRIVAL && room(false) < ARRIVAL);
});

test("What a branch adds gets a place, and nothing that stands moves", () => {
  const plan = planOf(3, 1, 1);
  const run = made(plan, DESK);
  const later: StagePlan = {
    ...plan, clients: [...plan.clients, { name: "p9", applications: [], transactional_id: null, partitions: ["t-0"] }],
    brokers: plan.brokers.map((broker) => (broker.name === "broker-3" ? { ...broker, lanes: ["t-0"] } : broker)),
  };
  const more = grown(run, later);
  assert.ok(more.clients["p9"] !== undefined);
  assert.equal(more.brokers["broker-3"]?.lanes["t-0"]?.strip, true);
  for (const [name, box] of boxesOf(run)) assert.deepEqual(new Map(boxesOf(more)).get(name), box, name);
});

test("A broker without a box of its own that takes over has the dead one's box, and nothing else moves", () => {
  const written = planOf(3, 2, 1);
  const plan = { ...written, brokers: written.brokers.map((broker) => (broker.name === "broker-3" ? { ...broker, lanes: ["t-1"] } : broker)), stands: written };
  assert.equal(basisOf(plan, DESK), written);
  const run = grown(made(basisOf(plan, DESK), DESK), plan);
  const broker = { alive: true, paused: false, starting: false, producer_id_block: null, denied: [] };
  const taken = standing(run, frameOf(null, view({
    partitions: { "t-1": { ...partition(replica([])), leader: 3 } },
    brokers: { 1: broker, 2: { ...broker, alive: false }, 3: { ...broker, transactions: { "txn-1": ENTRY } } },
  })), NO_FOCUS);
  assert.deepEqual(taken.brokers["broker-3"], run.brokers["broker-2"]);
  assert.deepEqual(taken.brokers["broker-2"]?.box, run.brokers["broker-3"]?.box);
  assert.deepEqual([taken.brokers["broker-1"], taken.clients, taken.readers], [run.brokers["broker-1"], run.clients, run.readers]);
});

test("a broker that has a box leads the lane that it takes over where that lane stands", () => {
  const written = planOf(3, 2, 1);
  const plan = { ...written, brokers: written.brokers.map((broker) => (broker.name === "broker-1" ? { ...broker, lanes: [...broker.lanes, "t-1"] } : broker)), stands: written };
  assert.equal(basisOf(plan, DESK), written);
  const run = grown(made(basisOf(plan, DESK), DESK), plan);
  const broker = { alive: true, paused: false, starting: false, producer_id_block: null, denied: [] };
  for (const alive of [false, true]) {
    const taken = standing(run, frameOf(null, view({ partitions: { "t-1": { ...partition(replica([])), leader: 1 } }, brokers: { 1: broker, 2: { ...broker, alive } } })), NO_FOCUS);
    assert.deepEqual(taken.brokers["broker-1"]?.lanes["t-1"], { ...run.brokers["broker-2"]?.lanes["t-1"], heir: "broker-1" });
    assert.deepEqual(["broker-1", "broker-2", "broker-3"].map((name) => taken.brokers[name]?.box), ["broker-1", "broker-2", "broker-3"].map((name) => run.brokers[name]?.box));
  }
  const unknown = { ...plan, brokers: plan.brokers.map((one) => ({ ...one, lanes: [...one.lanes, "u-0"] })), lanes: { ...plan.lanes, "u-0": { first: 0, end: 2, internal: false, leaders: [1] } } };
  assert.equal(basisOf(unknown, DESK), unknown, "a lane without a place there");
});

test("a broker whose whole box others use keeps its first line", () => {
  const written = planOf(3, 2, 1);
  const brokers = written.brokers.map((one) => ({ ...one, transactional_ids: [], lanes: one.name === "broker-1" ? [...one.lanes, "t-1"] : one.lanes }));
  const plan = { ...written, brokers, stands: { ...written, brokers: written.brokers.map((one) => ({ ...one, transactional_ids: [] })) } };
  const run = grown(made(basisOf(plan, DESK), DESK), plan);
  const taken = standing(run, frameOf(null, view({ partitions: { "t-1": { ...partition(replica([])), leader: 1 } } })), NO_FOCUS);
  const [whole, left, lane] = [run.brokers["broker-2"]?.box, taken.brokers["broker-2"]?.box, taken.brokers["broker-1"]?.lanes["t-1"]?.box];
  assert.ok(whole !== undefined && left !== undefined && lane !== undefined);
  assert.deepEqual(left, { ...whole, height: left.height });
  assert.ok(left.y + left.height < lane.y && lane.y + lane.height <= whole.y + whole.height);
});

test("A branch in which another broker leads or coordinates has places of its own; a longer log has not", () => {
  const plan = planOf(3, 1, 1);
  const brokers = plan.brokers.map((broker) => (broker.name === "broker-3" ? { ...broker, transactional_ids: ["txn-1"] } : broker));
  assert.ok(!hasSamePlaces({ ...plan, brokers }, plan));
  assert.ok(hasSamePlaces({ ...plan, lanes: { ...plan.lanes, "t-0": { first: 0, end: 99, internal: false, leaders: [1] } } }, plan));
  assert.ok(!hasSamePlaces({ ...plan, consumers: [] }, plan), "a preview of a remedy brings its readers");
});

test("On a phone every client and every broker has a box of its own, and one of each is unfolded", () => {
  const plan = planOf(3, 2, 2);
  const run = made(plan, PHONE);
  assert.ok(run.upright);
  for (const room of [run.clients, run.brokers]) assert.equal(new Set(Object.values(room).map(({ box }) => JSON.stringify(box))).size, Object.keys(room).length);
  const logs = view({ partitions: { "t-0": { ...partition(replica([])), leader: 1 }, "t-1": { ...partition(replica([])), leader: 2 } } });
  for (const [actor, lane] of [["broker-1", "t-0"], ["broker-2", "t-1"]] as const) {
    const here = standing(run, frameOf(null, logs), { ...NO_FOCUS, kind: "append", actor, partition: lane });
    for (const room of ["clients", "brokers"] as const) for (const name of Object.keys(run[room])) assert.deepEqual(here[room][name]?.box, run[room][name]?.box);
    assert.deepEqual(Object.keys(here.brokers).filter((name) => here.brokers[name]?.panel !== undefined), [actor]);
    assert.equal(here.brokers[actor]?.lanes[lane]?.strip, false);
  }
  assert.equal(made(planOf(1, 2, 1), PHONE).brokers["broker-1"]?.panel, undefined);
});

test("On a phone two clients, three brokers, a coordinator of a group and its one reader have room without scrolling", () => {
  const plan = planOf(3, 2, 2, 1);
  const grouped = { ...plan, brokers: plan.brokers.map((broker) => ({ ...broker, groups: ["g"] })) };
  // The room of the picture on a phone of 390 × 844 px, with 28 px under it for its text.
  assert.ok(made(grouped, { ...PHONE, height: 465 }).height <= 465 - 28);
});

test("On a phone the log in question stays while a tool asks another broker", () => {
  const run = made({ ...planOf(3, 1, 1), tool: true }, PHONE);
  const logs = view({ partitions: { "t-0": { ...partition(replica([])), leader: 1 } } });
  const asked = { ...logs, network: { ...logs.network, messages: { 7: { id: 7, from: TOOL, to: "broker-2" } } } } as unknown as typeof logs;
  const here = standing(run, frameOf(null, asked), { ...NO_FOCUS, actor: TOOL, messages: { ...NO_FOCUS.messages, sent: [7] } });
  assert.notEqual(here.brokers["broker-1"]?.panel, undefined);
  assert.equal(here.brokers["broker-1"]?.lanes["t-0"]?.strip, false);
});

test("On a phone a step about a missing marker shows the log that waits for it", () => {
  const run = made(planOf(3, 2, 1), PHONE);
  const logs = view({ partitions: { "t-0": { ...partition(replica([])), leader: 1 }, "t-1": { ...partition(replica([logBatch(0, 1)])), leader: 2 } } });
  const shown = (partitions: string[]) => Object.keys(standing(run, frameOf(null, logs), { ...NO_FOCUS, actor: "broker-2", kind: "coordinator", tag: { key: "", params: { partitions } } }).readers);
  assert.deepEqual([shown(["t-0"]), shown(["t-1"])], [["t-0"], ["t-1"]]);
});

test("On a phone the coordinator's place is that of the broker that took over", () => {
  const run = made(planOf(3, 2, 1), PHONE);
  const broker = { alive: true, paused: false, starting: false, producer_id_block: null, denied: [] };
  const hostOf = (brokers: object): string[] => {
    const here = standing(run, frameOf(null, view({ brokers } as Parameters<typeof view>[0])), NO_FOCUS);
    return Object.keys(here.brokers).filter((name) => here.brokers[name]?.coordinator !== null);
  };
  const dead = { ...broker, alive: false };
  assert.deepEqual(hostOf({ 1: broker, 2: dead, 3: broker }), ["broker-2"]);
  assert.deepEqual(hostOf({ 1: broker, 2: dead, 3: { ...broker, transactions: { "txn-1": ENTRY } } }), ["broker-3"]);
});

test("A lane shows all offsets while they fit, else the newest, each batch once", () => {
  const plan = planOf(3, 1, 1);
  const lane = made(plan, DESK).brokers["broker-1"]?.lanes["t-0"];
  assert.ok(lane !== undefined);
  const batch = (base: number, last: number) => ({ base_offset: base, last_offset: last });
  const all = windowOf(lane, 0, 3, { 0: batch(0, 0), 1: batch(1, 2) });
  assert.equal(all.first, 0);
  assert.equal(all.x(1) - all.x(0), lane.cells.unit);
  // A changed run has more offsets than the lane was planned for.
  const offsets = Math.floor((lane.cells.width - lane.cells.after) / lane.cells.unit) + 1;
  const more = windowOf(lane, 0, offsets, Object.fromEntries(Array.from({ length: offsets }, (_, index) => [String(index), batch(index, index)])));
  assert.equal(more.first, 0);
  assert.ok(more.x(offsets) <= lane.cells.x + lane.cells.width - lane.cells.after + 0.1);
  const long = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [String(index), batch(index, index)]));
  const newest = windowOf(lane, 0, 60, long);
  assert.ok(newest.first > 40 && newest.x(60) <= lane.cells.x + lane.cells.width - lane.cells.after);
  assert.ok(lane.cells.after > 58); // A refused batch stands there, clear of the newest offset.
});

test("The tool of an operator stands in the corner of the network, above the controller, and in the place of a client on a phone", () => {
  const plan: StagePlan = { ...planOf(3, 1, 1), controller: true, tool: true };
  const desk = made(plan, DESK);
  const [controller, tool] = ["controller", TOOL].map((name) => desk.others[name]?.box as Box) as [Box, Box];
  assert.ok(!overlap(controller, tool) && tool.y < controller.y && overlap(tool, desk.network));
  assert.deepEqual(made({ ...plan, controller: false }, DESK).others[TOOL]?.box, controller);
  const phone = made(plan, PHONE);
  const others = (actor: string): string[] => Object.keys(standing(phone, frameOf(null, view()), { ...NO_FOCUS, actor }).others);
  assert.deepEqual([others(TOOL), others("zookeeper"), others("p1")], [[TOOL], ["controller"], []]);
});

test("A short log is seen from near, at widths into which what comes next still fits", () => {
  const lane = made({ ...planOf(3, 1, 1), lanes: { "t-0": { first: 0, end: 13, internal: false, leaders: [1] } } }, DESK).brokers["broker-1"]?.lanes["t-0"] ?? assert.fail();
  const { unit, width, after } = lane.cells;
  const units = Array.from({ length: 14 }, (_, end) => windowOf(lane, 0, end).unit);
  assert.deepEqual([...new Set(units)].map((one) => one / unit), [4, 2, 1]);
  units.forEach((own, end) => assert.ok(own === unit || (end + 2) * own <= width - after, `${end} records`));
});
