import assert from "node:assert/strict";
import { before, test } from "node:test";
import { duration, words } from "../../player/text.ts";
import { layoutAccumulator } from "../../diagrams/accumulator-layout.ts";
import { bytes, hueOf, serialsText } from "../../diagrams/batch.ts";
import { drawnStates, layoutNumbering } from "../../diagrams/client-machine.ts";
import { layoutConfiguration } from "../../diagrams/configuration.ts";
import { layoutConsumers } from "../../diagrams/consumers.ts";
import { consequence, foldRules, layoutDecision } from "../../diagrams/decision.ts";
import { layoutInFlight } from "../../diagrams/in-flight.ts";
import { layoutLedger } from "../../diagrams/ledger.ts";
import { differenceText, layoutNumbers } from "../../diagrams/numbers.ts";
import { layoutPending } from "../../diagrams/pending.ts";
import { layoutProducerTable } from "../../diagrams/producer-table.ts";
import { arcPath, layoutTimers, shortLeft } from "../../diagrams/timers.ts";
import { factOf, layoutQuorum } from "../../diagrams/quorum.ts";
import { layoutTool } from "../../diagrams/tool.ts";
import { layoutZooKeeper } from "../../diagrams/zookeeper.ts";
import type { Change, View } from "../../player/frame.ts";
import { wholeView } from "../../player/whole.ts";
import {
  DUPLICATE, FIVE, client, clientBatch, derived, frameOf, logBatch, message, partition, refusedStep, replica, speakEnglish, stepOf, view,
} from "./fixture.ts";

before(speakEnglish);

test("small words: serials, sizes, durations, hues", () => {
  assert.equal(serialsText([1, 2, 3, 7]), "r1–r3, r7");
  assert.equal(serialsText([1, 3, 5, 7, 9]), "r1, r3 and 3 more");
  assert.deepEqual([bytes(170), bytes(16384), bytes(33554432), bytes(1500)], ["170 B", "16 KiB", "32 MiB", "1.5 KiB"]);
  assert.deepEqual([duration(70), duration(1_500), duration(60_000)], ["70 ms", "1500 ms", "1 min"]);
  assert.deepEqual([hueOf(0), hueOf(7), hueOf(-1), hueOf(null), hueOf("9223372036854775807")], ["b0", "b1", "plain", "plain", "b1"]);
  assert.deepEqual([hueOf(1000, { hues: { 1000: 0 } }), hueOf(7, { hues: { 1000: 0 } }), hueOf(-1, { hues: {} })], ["b0", "b1", "plain"], "in the order of the plan, as on the stage");
});

test("accumulator: what each queue holds, muted and pointed at, and what the pool has", () => {
  const shape = layoutAccumulator(frameOf(null), "p1");
  assert.deepEqual(
    shape.queues.map((queue) => [queue.partition, queue.muted, queue.pointer, queue.boxes.length]),
    [["t-0", false, false, 1], ["t-1", true, true, 0]],
  );
  const box = shape.queues[0]?.boxes[0];
  assert.deepEqual([box?.label, box?.open, box?.fill, box?.facts, box?.countdown], ["r20–r21, no seq yet", true, 0.5, ["2 records"], "linger.ms: 3 ms left"]);
  assert.equal(shape.pool.fact, "48 KiB of 32 MiB, 0 waiting");
  assert.equal(shape.records.fact, "10 of 13 succeeded");
  assert.equal(shape.records.sentence, "No result yet for r1–r3. app-1: 1 call left, next at t = 160 ms.");
});

test("accumulator: an application that goes round says its place, not how many rounds it might still go", () => {
  const loopText = (loop: object, blocked_by: string | null = null): string => {
    const application = { client: "p1", next_call: 1, calls: 100, next_at: 160, blocked_by, finished: false, last_result: null };
    const place = { consumer: "c1", state: "POLLING", round: 2, hand: [], sent: 0, in_transaction: true, ...loop };
    const now = view({ applications: { "app-1": { ...application, loop: place } } });
    return layoutAccumulator(frameOf(null, now), "p1").records.sentence.replace("No result yet for r1–r3. ", "");
  };
  assert.equal(loopText({}), "app-1 is in round 2 of its loop, POLLING. It holds no records from c1.");
  assert.equal(
    loopText({ state: "REGISTERED", hand: [["in-0", 0], ["in-0", 1]], sent: 2 }, "commit_transaction"),
    "app-1 is in round 2 of its loop, REGISTERED. It holds 2 records from c1; sent on: 2. app-1 is blocked: commitTransaction().",
  );
});

test("accumulator: a retried batch keeps its numbers; batches behind are counted; idle queues share a line", () => {
  const batches = Object.fromEntries(["b1", "b2", "b3", "b4"].map((id, index) => [id, clientBatch({ state: "REQUEUED", first_sequence: index, last_sequence: index })]));
  const now = view({ clients: { p1: client({ batches, queues: { "t-0": { batches: ["b1", "b2", "b3", "b4"], muted: false }, "t-1": { batches: [], muted: false } } }) } });
  const shape = layoutAccumulator(frameOf(null, now), "p1");
  assert.deepEqual(shape.queues[0]?.boxes.map((box) => [box.label, box.open, box.facts[1]]), [["0·0 | 0", false, "attempt 2"], ["0·0 | 1", false, "attempt 2"]]);
  assert.equal(shape.queues[0]?.more, "and 2 more batches (6 records)");
  assert.deepEqual(shape.empty?.partitions, ["t-1"]);
});

test("accumulator: batches behind that the view does not list are counted with their records", () => {
  const now = view();
  const listed = Object.fromEntries(["b1", "b2", "b5"].map((name) => [name, clientBatch({ serials: [1, 2], record_count: 2 })]));
  const queues = { "t-0": { batches: ["b1", "b2", "b3", "b4", "b5"], muted: false } };
  const cut: View = {
    ...now, clients: { p1: client({ queues, batches: listed }) },
    folded: { at: 900, reaches: 250, batches: { p1: { "t-0": ["b3", "b4", 2, 31] } } },
  };
  assert.match(layoutAccumulator(frameOf(null, cut), "p1").queues[0]?.more ?? "", /3 .*33/);
});

test("accumulator: records of a crashed producer are of unknown outcome, and a waiter is named", () => {
  const records = { 1: { partition: "t-0", producer: "p1", size: 1, sent_at: 1, status: "unknown", offset: null, error: null, finished_at: 2 } };
  const pool = { total: 2000, free: 0, waiters: [{ serial: 3, size: 1036, since: 5, until: 60005 }] };
  const shape = layoutAccumulator(frameOf(null, view({ records, clients: { p1: client({ pool, alive: false }) } })), "p1");
  assert.ok(shape.records.sentence.startsWith("1 with an unknown outcome"));
  assert.equal(shape.pool.waiters, "Waiting for memory: r3 needs 1 KiB, waiting since t = 5 ms, times out at t = 1:00.005.");
  assert.equal(shape.state, "Down.");
});

test("in flight: slots, cards with attempt and time left", () => {
  const shape = layoutInFlight(frameOf(null), "p1");
  assert.equal(shape.fact, "1 of 5 to broker-1");
  assert.deepEqual(
    shape.cards.map((card) => [card.title, card.attempt, card.batches, card.sent, card.timeout]),
    [["Produce to broker-1", "attempt 2", [{ partition: "t-0", label: "0·0 | 0–2" }], "sent at t = 138 ms", "65 ms to timeout"]],
  );
  assert.deepEqual(shape.cards[0]?.selection, { kind: "batch", id: "p1/b1", partition: "t-0", serials: [1, 2, 3] });
});

test("in flight: a batch that is drained and in no request yet is named, as the stage draws it", () => {
  const shape = layoutInFlight(frameOf(null, view({ clients: { p1: client({ requests: {} }) } })), "p1");
  assert.deepEqual([shape.cards, shape.drained], [[], "Drained, but in no request now: t-0 0·0 | 0–2."]);
  assert.equal(layoutInFlight(frameOf(null), "p1").drained, null);
});

test("in flight: nine requests become five cards and a count", () => {
  const requests = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [String(index + 1), { api: "Metadata", to: "broker-1", batches: [], sent_at: 1, deadline: 2 }]));
  const shape = layoutInFlight(frameOf(null, view({ clients: { p1: client({ requests }) } })), "p1");
  assert.deepEqual([shape.cards.length, shape.folded, shape.dense], [5, "4 more requests, folded", true]);
});

test("client: numbering per partition with what it was; error states join the machine only when entered", () => {
  const path = ["clients", "p1", "transaction_manager", "partitions", "t-0", "next_sequence"];
  const changes: Change[] = [{ path, before: 10, after: 13 }];
  const earlier = structuredClone(view());
  const manager = earlier.clients?.["p1"]?.transaction_manager;
  assert.ok(manager?.partitions["t-0"] !== undefined);
  manager.partitions["t-0"].next_sequence = 10;
  const frame = frameOf(stepOf({ changes }), view(), { previousView: earlier });
  assert.deepEqual(layoutNumbering(frame, "p1").rows, [
    { partition: "t-0", next: "13", nextWas: "was 10", acked: "12", ackedWas: null, inFlight: "0–2", unresolved: null, disagrees: null, changed: true },
  ]);
  assert.deepEqual(drawnStates(manager), ["UNINITIALIZED", "INITIALIZING", "READY"]);
  assert.deepEqual(drawnStates({ ...manager, state: "FATAL_ERROR" }), ["UNINITIALIZED", "INITIALIZING", "READY", "FATAL_ERROR"]);
  assert.equal(drawnStates({ ...manager, transactional_id: "t" }), null);
});

test("timers: sorted by what ends first, an arc of what is left", () => {
  const shape = layoutTimers(frameOf(null));
  assert.deepEqual(shape.arcs.map((arc) => [arc.key, arc.left]), [["p1/linger b7", "3"], ["p1/request 7", "65"]]);
  assert.equal(arcPath(0, 14), null);
  assert.equal(arcPath(0.25, 14), "M17 3A14 14 0 0 0 3 17");
  assert.equal(arcPath(0.75, 14), "M17 3A14 14 0 1 0 31 17");
  assert.deepEqual([shortLeft(9999), shortLeft(59_853), shortLeft(604_800_000)], ["9999", "60s", "7d"]);
});

test("a timer that ended in the step is shown", () => {
  const changes: Change[] = [{ path: ["clients", "p1", "timers", "linger b7"], before: {} }];
  const { "request 7": request } = client().timers;
  assert.ok(request !== undefined);
  const now = view({ time: 146, clients: { p1: client({ timers: { "request 7": request } }) } });
  assert.equal(layoutTimers(frameOf(stepOf({ changes }), now)).ended, "linger.ms of r20–r21 ended at t = 146 ms.");
});

test("decision: numbers, rules in order, the deciding one among its neighbours", () => {
  const shape = layoutDecision(DUPLICATE.decision as NonNullable<typeof DUPLICATE.decision>, null);
  assert.deepEqual(shape.fields.map((field) => [field.name, field.arrived, field.stored]), [
    ["PID", "0", "0"], ["epoch", "0", "0"], ["first seq", "0", "0"], ["last seq", "2", "2"],
  ]);
  assert.deepEqual(shape.rules.map((rule) => [rule.number, rule.rule, rule.outcome]), [[1, "SEQ-11", "decided"], [2, "SEQ-12", "not_reached"]]);
  const rules = Array.from({ length: 9 }, (_, index) => ({
    number: index + 1, rule: "", sentence: "", answer: null, outcome: index < 4 ? ("passed" as const) : index === 4 ? ("decided" as const) : ("not_reached" as const),
  }));
  const folded = foldRules(rules);
  assert.deepEqual([folded.before.length, folded.drawn.map((rule) => rule.number), folded.after.length], [2, [3, 4, 5, 6], 3]);
  assert.equal(folded.before.length + folded.drawn.length + folded.after.length, 9);
});

test("rules are questions: those that were asked are answered, the deciding one with what came of it", () => {
  words.learn("en", { texts: { "decision.duplicate_lookup": "Is seq {first} known?", "decision.epoch": "Is it older?" }, sources: {} });
  const shape = layoutDecision(DUPLICATE.decision as NonNullable<typeof DUPLICATE.decision>, null);
  assert.deepEqual(shape.rules.map((rule) => rule.answer), ["Yes.", null]);
  assert.equal(consequence(frameOf(DUPLICATE)), "Respond with NONE, base offset 40. Append nothing.");
  const refused = refusedStep();
  assert.equal(consequence(frameOf(refused)), null);
});

test("a refusal has rule, error, the compared numbers and what comes next", () => {
  const step = refusedStep();
  const shape = layoutDecision(step.decision as NonNullable<typeof step.decision>, step.refusal);
  assert.deepEqual(shape.refusal, {
    rule: "SEQ-15", error: "OUT_OF_ORDER_SEQUENCE_NUMBER", compared: "expected first seq 13, first seq in the request 15",
    next: "[refusal.client_retries_in_order]",
  });
});

test("producer table: five cached batches, the match lit, how near it is to being forgotten", () => {
  const shape = layoutProducerTable(frameOf(DUPLICATE), "t-0");
  assert.deepEqual(shape?.cache.map((row) => [row.sequences, row.offsets, row.hit, row.note]), [
    ["0–2", "40–42", true, "same batch"], ["3–4", "43–44", false, ""], ["5–7", "45–47", false, ""], ["8–9", "48–49", false, ""],
    ["10–12", "50–52", false, "newest"],
  ]);
  assert.equal(shape.remark, "The oldest of 5 cached batches: it is the next to be evicted.");
  assert.equal(layoutProducerTable(frameOf(refusedStep()), "t-0")?.cache.some((row) => row.hit), false);
  assert.equal(layoutProducerTable(frameOf(null), "nowhere"), null);
});

test("ledger: copies are counted, the verdict words are the judges'", () => {
  const copy = logBatch(53, 3, { serials: [1, 2, 3] });
  const now = view({
    partitions: { "t-0": partition(replica([...FIVE, copy])) },
    guarantees: { duplicated: { judged: true, serials: [1, 2, 3] } },
    verdicts: { "t-0": { stored: 16, duplicates: 3, lost: 0, failed: 0, reordered: 0 } },
  });
  const step = stepOf({ broken: [{ guarantee: "duplicated", partition: "t-0", serials: [1, 2, 3] }] });
  const shape = layoutLedger(frameOf(step, now));
  assert.deepEqual(shape.chips.slice(0, 4).map((chip) => [chip.serial, chip.stored, chip.verdict]), [
    [1, 2, "duplicated"], [2, 2, "duplicated"], [3, 2, "duplicated"], [4, 1, "once"],
  ]);
  assert.deepEqual([shape.fact, shape.broken], ["16 stored, 3 duplicates", true]);
  assert.deepEqual(shape.rows.map((row) => [row.serial, row.word, row.delivered]), [
    [1, "duplicate: 2 copies", "c1 1"], [2, "duplicate: 2 copies", "c1 1"], [3, "duplicate: 2 copies", "c1 1"],
  ]);
  assert.deepEqual(layoutLedger(frameOf(null)).chips.slice(0, 4).map((chip) => chip.verdict), ["uncertain", "uncertain", "uncertain", "once"]);
});

test("ledger: records of a later loss are marked like those of the first", () => {
  const record = { partition: "t-0", producer: "p1", size: 100, sent_at: 3, status: "ok" as const, offset: null, error: null, finished_at: 20 };
  const records = Object.fromEntries([1, 900, 901].map((serial) => [String(serial), record]));
  const guarantees = { lost: { judged: true, count: 2, broken_at: 12, partition: "t-0", serials: [900] } };
  const marked = (over: Partial<View>) =>
    layoutLedger(frameOf(null, view({ records, guarantees, ...over }))).chips.map((chip) => [chip.serial, chip.verdict]);
  assert.deepEqual(marked({ derived: derived({ broken: { lost: { 900: true, 901: true } } }) }), [[1, "once"], [900, "lost"], [901, "lost"]]);
  assert.deepEqual(marked({}), [[1, "once"], [900, "lost"], [901, "absent"]], "a recording of before names the first");
});

test("ledger: of 20,000 records a page is drawn and the rest is counted", () => {
  const record = view().records?.["4"];
  const records = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [String(index + 1), record])) as NonNullable<View["records"]>;
  const shape = layoutLedger(frameOf(null, view({ records }), { selection: { kind: "record", id: "10000" } }));
  assert.equal(shape.older + shape.chips.length + shape.newer, 20_000);
  assert.ok(shape.chips.some((chip) => chip.serial === 10_000 && chip.picked));
});

test("ledger: records that lie far back are counted, and a page holds no hole", () => {
  const record = { partition: "t-0", producer: "p1", size: 100, sent_at: 3, status: "ok" as const, offset: 0, error: null, finished_at: 20 };
  const serials = [7, ...Array.from({ length: 100 }, (_, index) => 901 + index)];
  const records = Object.fromEntries(serials.map((serial) => [String(serial), record]));
  const folded = { at: 500, reaches: 500, records: { stretches: [[1, 6, 6], [8, 900, 893]] as [number, number, number][], counts: { p1: { ok: 899 } } } };
  const now = view({ records, folded });
  const shape = layoutLedger(frameOf(null, now));
  assert.deepEqual([shape.total, shape.older, shape.chips.length, shape.newer], [1000, 956, 44, 0]);
  const first = layoutLedger(frameOf(null, now), undefined, 910);
  assert.deepEqual([first.older, first.chips[0]?.serial, first.newer], [910, 911, 46]);
  // The records before are not listed: the page begins where the list does, until they are fetched.
  assert.deepEqual(layoutLedger(frameOf(null, now), undefined, 870).older, 900);
  const old = layoutLedger(frameOf(null, now, { selection: { kind: "record", id: "7" } }));
  assert.deepEqual([old.older, old.chips.map((chip) => chip.serial), old.newer], [6, [7], 993]);
  const acknowledged = layoutAccumulator(frameOf(null, now), "p1").records.fact;
  assert.equal(acknowledged, "1000 of 1000 succeeded");
});

test("ZooKeeper: the node, its version, each broker's block and session", () => {
  const now = view();
  if (now.brokers?.["2"] !== undefined) now.brokers["2"].alive = false;
  if (now.zookeeper !== undefined) now.zookeeper.sessions["2"] = { alive: true, expires_at: 443 };
  const shape = layoutZooKeeper(frameOf(null, now));
  assert.deepEqual(shape.nodes.map((node) => [node.path, node.version]), [["/latest_producer_id_block", "0"]]);
  assert.deepEqual(shape.blocks.map((block) => [block.broker, block.block, block.next, block.state]), [
    ["broker-1", "0–999", "1", null], ["broker-2", "none", "–", "down, session expires at t = 443 ms"],
  ]);
});

test("the controller without ZooKeeper: registrations, how far each broker has read, the newest records", () => {
  const now = view();
  delete now.zookeeper;
  now.quorum = {
    controller: { epoch: 2, active: true, next_producer_id: 3000 },
    brokers: {
      1: { epoch: 0, state: "UNFENCED", expires_at: null, metadata_offset: 12 },
      2: { epoch: 1, state: "FENCED", expires_at: null, metadata_offset: 9 },
    },
    log: {
      9: { epoch: 1, kind: "TopicRecord", about: "t" },
      10: { epoch: 2, kind: "PartitionChangeRecord", about: "t-0", fields: { leader: 1, isr: [1] } },
    },
  };
  if (now.brokers?.["1"] !== undefined) now.brokers["1"].metadata_offset = 12;
  const shape = layoutQuorum(frameOf(null, now), 1);
  assert.deepEqual(shape.brokers.map((row) => [row.broker, row.state, row.epoch, row.read, row.block]), [
    ["broker-1", "unfenced", "0", "12", "0–999"], ["broker-2", "fenced", "1", "–", "none"],
  ]);
  assert.deepEqual(shape.records.map((record) => [record.offset, record.kind, record.about, record.fields]), [
    ["10", "PartitionChangeRecord", "t-0", "leader 1, isr 1"],
  ]);
  assert.equal(shape.folded, 1);
  assert.equal(factOf({ epoch: 2, active: true, next_producer_id: 3000 }), "epoch 2, next PID 3000");
  assert.match(factOf({ epoch: 2, active: true, next_producer_id: 3000, transaction_version: 0 }), /next PID 3000, transaction.version 0/);
});

test("consumers, configuration and the event queue", () => {
  assert.deepEqual(layoutConsumers(frameOf(null)).rows.map((row) => [row.name, row.positions, row.delivered, row.applied]), [
    ["c1", "t-0\u00a053, t-1\u00a012", "13", "13"],
  ]);
  const settings = layoutConfiguration(frameOf(null), "p1");
  assert.deepEqual(settings.notable.map((row) => [row.name, row.value, row.altered, row.reason]), [
    ["acks", "all", "1", "required by enable.idempotence (CFG-2)"], ["linger_ms", "5", "0", "set by the scenario (CFG-1)"],
  ]);
  assert.deepEqual(settings.rest.map((row) => row.name), ["batch_size"]);
  const pending = {
    5: { at: 148, class: "timer", actor: "p1", what: "linger" }, 9: { at: 148, class: "delivery", actor: "p1", what: "message 18" },
    2: { at: 150, class: "fault", actor: "p1", what: "crash" },
  };
  words.learn("en", { texts: { "player.selection.request": "{api} request{carried}, {from} to {to}", "done.carries": " ({partition}, seq {first}–{last})" }, sources: {} });
  const waiting = { pending, network: { messages: { 18: message({ id: 18 }) } } };
  const queue = layoutPending(frameOf(null, view({ ...waiting, derived: derived({ pending: ["9", "5", "2"] }) })));
  assert.deepEqual(queue.rows.map((row) => [row.at, row.kind, row.what]), [
    ["148 ms", "delivery", "Produce request (t-0, seq 0–2), p1 to broker-1"], ["148 ms", "timer", "linger"], ["150 ms", "fault", "crash"],
  ]);
  const unordered = layoutPending(frameOf(null, view(waiting)));
  assert.deepEqual([unordered.rows, unordered.folded, unordered.next, unordered.isOrdered], [[], 3, null, false]);
});

test("a view without its empty tables is as good as one with them", () => {
  const bare = view();
  const p1 = bare.clients?.["p1"] as unknown as Record<string, unknown>;
  for (const name of ["queues", "batches", "requests", "connections", "timers", "transaction_manager"]) delete p1[name];
  delete bare.network;
  const frame = frameOf(null, wholeView(bare));
  assert.deepEqual(layoutAccumulator(frame, "p1").queues, []);
  assert.deepEqual(layoutInFlight(frame, "p1").cards, []);
  assert.deepEqual(layoutTimers(frame).arcs, []);
  assert.deepEqual(layoutNumbering(frame, "p1").rows, []);
});

test("an operator's numbers: only those above 0, with what they were and the difference", () => {
  const lagging = replica(FIVE, { high_watermark: 53, last_stable_offset: 45 });
  const now = view({ partitions: { "t-0": { ...partition(lagging), isr: [1], min_isr: 2 } }, consumers: {}, counters: { retries: 3 } });
  const before = view({ partitions: { "t-0": { ...partition(replica(FIVE)), min_isr: 2 } }, consumers: {}, counters: { retries: 1 } });
  const { rows, quiet } = layoutNumbers({ ...frameOf(null, now), previousView: before });
  assert.deepEqual(rows.map((row) => [row.key, row.was, row.now, differenceText(row), row.alarming]), [
    ["lso_lag", 0, 8, "+8", false], ["out_of_sync", 0, 1, "+1", false], ["under_min_isr", 0, 1, "+1", true], ["retries", 1, 3, "+2", false],
  ]);
  assert.equal(rows.length + quiet, 15);
  const calm = layoutNumbers({ ...frameOf(null, before), previousView: now });
  assert.deepEqual([calm.rows.length, calm.above], [4, 1]);
  assert.equal(differenceText({ key: "", name: "", was: 4, now: 1, alarming: false }), "−3");
  assert.equal(differenceText({ key: "", name: "", was: null, now: 1, alarming: false }), "–");
});

test("kafka-transactions.sh: the command as it is typed, its table as it is printed, and what it waits for", () => {
  assert.equal(layoutTool(frameOf(null)), null);
  const rows = Array.from({ length: 14 }, (_, number) => [`txn-${number}`, 1, 1000 + number, null]);
  const call = { name: "listTransactions", until: 60_000, unmapped: [], mapped: { "broker-1": "broker-1" }, retry_at: null, answered: [], requests: ["ListTransactions broker-1"] };
  const tool = { command: "list", state: "running", columns: ["TransactionalId", "Coordinator", "ProducerId", "TransactionState"], rows, call };
  const shape = layoutTool(frameOf(null, view({ tool })));
  assert.deepEqual([shape?.command, shape?.state, shape?.folded, shape?.rows.length], ["list", "running", 2, 12]);
  assert.deepEqual(shape?.rows[0], ["txn-0", "1", "1000", "None"]);
  assert.deepEqual(shape?.waits, { call: "listTransactions", requests: ["ListTransactions broker-1"] });
});
