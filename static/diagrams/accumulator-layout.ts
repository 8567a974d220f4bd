/** The shapes of a producer's accumulator panel: its records, one queue per partition, the buffer pool. Pure. */

import type { WaiterView } from "../generated/messages.ts";
import type {
  ClientBatchView, ClientView, Frame, LoopView, RecordView, Selection,
} from "../player/frame.ts";
import { defaults as drawing, foldedRecords, recordsWaiting } from "../player/folded.ts";
import { aside, listed } from "../player/joins.ts";
import { duration, say, words } from "../player/text.ts";
import { batchLabel, batchWords, bytes, serialsText } from "./batch.ts";
import { hasChanged, isNew, was } from "./changes.ts";
import { round } from "./geometry.ts";
import { batchHue } from "./instance.ts";
import { isPicked } from "./picked.ts";
import { isOfPicked } from "./transaction-picked.ts";
import { timerWord } from "./timer-word.ts";

export interface BatchBox {
  key: string;
  hue: string;
  label: string;
  /** Whether records can still be appended to the batch. An open batch is dashed, like everything that may change. */
  open: boolean;
  /** How full the batch is, 0 to 1. */
  fill: number;
  facts: string[];
  state: string;
  /** The countdown that runs for this batch, in words; null if none runs. */
  countdown: string | null;
  fresh: boolean;
  picked: boolean;
  name: string;
  selection: Selection;
}

export interface QueueShape {
  partition: string;
  muted: boolean;
  leader: string;
  /** Whether the next drain of a node starts here. */
  pointer: boolean;
  ready: string | null;
  boxes: BatchBox[];
  /** The number of further batches, in words; null if all are drawn. */
  more: string | null;
  changed: boolean;
}

export interface AccumulatorShape {
  client: string;
  state: string | null;
  settings: string;
  records: { fact: string; sentence: string };
  queues: QueueShape[];
  /** The queues that are empty and not muted, which one line names; null if there are none. */
  empty: { partitions: string[]; changed: boolean } | null;
  folded: string | null;
  pool: { fact: string; share: number; changed: boolean; waiters: string | null };
  notes: string[];
  others: { client: string; fact: string }[];
}

export const defaults = { queues: 4, boxes: drawing.drawn };

export function layoutAccumulator(frame: Frame, name: string, options = defaults): AccumulatorShape {
  const client = frame.view.clients?.[name] as ClientView;
  const names = Object.keys(client.queues);
  const ordered = [...frame.header.partitions.filter((partition) => names.includes(partition))];
  for (const partition of names.sort()) if (!ordered.includes(partition)) ordered.push(partition);
  const idle = ordered.filter((partition) => isIdle(client, partition));
  const { shown, rest } = choose(frame, name, client, ordered.filter((partition) => !idle.includes(partition)), options.queues);
  const queues = shown.map((partition) => queueShape(frame, name, client, partition, options.boxes));
  return {
    client: name,
    state: clientState(client),
    settings: say("diagram.accumulator.settings", {
      batch_size: bytes(setting(client, "batch_size")), linger: setting(client, "linger_ms"),
    }),
    records: recordFacts(frame, name),
    queues,
    empty: idle.length === 0
      ? null
      : { partitions: idle, changed: idle.some((partition) => hasChanged(frame, "clients", name, "queues", partition)) },
    folded: rest.length === 0 ? null : foldedFact(client, rest),
    pool: poolShape(frame, name, client),
    notes: noteTexts(client, queues.some((queue) => queue.boxes.some((box) => box.countdown !== null))),
    others: Object.keys(frame.view.clients ?? {}).filter((other) => other !== name).sort()
      .map((other) => ({ client: other, fact: recordFacts(frame, other).fact })),
  };
}

function isIdle(client: ClientView, partition: string): boolean {
  const queue = client.queues[partition];
  return queue === undefined || (queue.batches.length === 0 && !queue.muted);
}

function setting(client: ClientView, key: string): number {
  const value = client.configuration[key]?.value;
  return typeof value === "number" ? value : 0;
}

function clientState(client: ClientView): string | null {
  if (!client.alive) return say("diagram.client.down");
  if (client.paused) return say("diagram.client.paused");
  if (client.closed) return say("diagram.client.closed");
  return client.flush_in_progress ? say("diagram.client.flushing") : null;
}

/**
 * The queues to draw (`shown`, at most `most`) and the others (`rest`), both in the order of `ordered`. If not all fit,
 * the queues that this step changed are drawn first, then those with batches.
 */
function choose(frame: Frame, name: string, client: ClientView, ordered: string[], most: number) {
  if (ordered.length <= most) return { shown: ordered, rest: [] as string[] };
  const weight = (partition: string): number =>
    (hasChanged(frame, "clients", name, "queues", partition) ? 2 : 0) +
    ((client.queues[partition]?.batches.length ?? 0) > 0 ? 1 : 0);
  const kept = new Set([...ordered].sort((one, other) => weight(other) - weight(one)).slice(0, most));
  return { shown: ordered.filter((item) => kept.has(item)), rest: ordered.filter((item) => !kept.has(item)) };
}

function foldedFact(client: ClientView, rest: string[]): string {
  const batches = rest.reduce((sum, partition) => sum + (client.queues[partition]?.batches.length ?? 0), 0);
  return say("diagram.accumulator.folded", { count: rest.length, batches });
}

function queueShape(frame: Frame, name: string, client: ClientView, partition: string, most: number): QueueShape {
  const queue = client.queues[partition] ?? { batches: [], muted: false };
  const leader = client.metadata.leaders[partition];
  const rest = queue.batches.slice(most);
  const restRecords = rest.reduce((sum, id) => sum + (client.batches[id]?.record_count ?? 0), recordsWaiting(frame.view, name, partition));
  const visited = Object.keys(client.queues);
  return {
    partition,
    muted: queue.muted,
    leader: leader === null || leader === undefined ? say("diagram.accumulator.no_leader") : `broker-${leader}`,
    pointer: visited.length > 1 && visited[client.sender.drain_index % visited.length] === partition,
    ready: readyReason(client, partition),
    boxes: queue.batches.slice(0, most).map((id) => boxShape(frame, name, client, id)),
    more: rest.length === 0 ? null : say("diagram.accumulator.more", { count: rest.length, records: restRecords }),
    changed: hasChanged(frame, "clients", name, "queues", partition),
  };
}

/**
 * The engine's reason why the Sender's last pass found this partition ready to be drained (ACC-10); null: it did not.
 */
function readyReason(client: ClientView, partition: string): string | null {
  for (const entries of Object.values(client.ready.nodes)) {
    for (const [ready, reason] of entries) if (ready === partition) return reason;
  }
  return null;
}

function boxShape(frame: Frame, name: string, client: ClientView, id: string): BatchBox {
  const batch = client.batches[id] as ClientBatchView;
  const selection: Selection = {
    kind: "batch", id: `${name}/${id}`, partition: batch.partition, serials: [...batch.serials],
  };
  const state = stateWord(batch.state);
  const facts = [say("diagram.batch.records", { count: batch.record_count })];
  if (batch.attempts > 0) facts.push(say("diagram.batch.try", { number: batch.attempts + 1 }));
  const countdown = countdownText(frame, client, id, batch.partition);
  return {
    key: id,
    hue: batchHue(frame, batch.producer_id ?? client.transaction_manager?.producer_id, batch.producer_epoch ?? client.transaction_manager?.producer_epoch),
    label: queueLabel(batch, client),
    open: batch.state === "FILLING",
    fill: round(Math.min(1, batch.bytes / Math.max(1, batch.capacity)) * 100) / 100,
    facts,
    state,
    countdown,
    fresh: isNew(frame, "clients", name, "batches", id),
    picked: isPicked(frame.selection, selection) || isOfPicked(frame, { transaction: client.transaction_manager?.transactional_id ?? null }),
    name: say("diagram.accumulator.batch_name", {
      partition: batch.partition, batch: batchWords(batch), records: serialsText(batch.serials), state,
      bytes: bytes(batch.bytes), capacity: bytes(batch.capacity),
    }),
    selection,
  };
}

/** The text of a batch in its queue. A batch gets its identity when it is drained; until then the text says so. */
function queueLabel(batch: ClientBatchView, client: ClientView): string {
  if (batch.producer_id !== null && batch.producer_id !== -1) return batchLabel(batch);
  if (client.transaction_manager == null) return serialsText(batch.serials);
  return say("diagram.accumulator.no_identity", { records: serialsText(batch.serials) });
}

export function stateWord(state: string): string {
  return say(`diagram.batch.state.${state.toLowerCase()}`);
}

function countdownText(frame: Frame, client: ClientView, id: string, partition: string): string | null {
  for (const timer of Object.values(client.timers)) {
    if (timer.subject !== id && timer.subject !== partition) continue;
    const left = Math.max(0, timer.until - frame.view.time);
    return say("diagram.timer.left_to", { left: duration(left), kind: timerWord(timer.kind) });
  }
  return null;
}

function poolShape(frame: Frame, name: string, client: ClientView): AccumulatorShape["pool"] {
  const used = client.pool.total - client.pool.free;
  const waiting = client.pool.waiters.length;
  const previous = was(frame, "clients", name, "pool", "free");
  const before = frame.previousView?.clients?.[name]?.pool;
  const beforeText = previous === null || before === undefined ? null : say("diagram.was", { value: bytes(before.total - before.free) });
  return {
    fact: aside(say("diagram.pool.fact", { used: bytes(used), total: bytes(client.pool.total), waiting }), beforeText),
    share: client.pool.total === 0 ? 0 : round((used / client.pool.total) * 1000) / 1000,
    changed: hasChanged(frame, "clients", name, "pool"),
    waiters: waiting === 0 ? null : say("diagram.pool.waiters", { waiters: client.pool.waiters.map(waiterText) }),
  };
}

/** A record that waits for buffer memory, in words. */
function waiterText({ serial, size, since, until }: WaiterView): string {
  return say("diagram.pool.waiter", { serial: serial ?? "?", size: bytes(size), since, until });
}

/** Why a partition's batch may be sent: the engine's reason in words. */
export function reasonText(reason: string): string {
  return say(`diagram.accumulator.reason.${reason}`);
}

/**
 * Sentences about the Sender's last pass. `isCountdownShown`: a batch already has a countdown to the Sender's next
 * check, so no sentence says when that is.
 */
function noteTexts(client: ClientView, isCountdownShown: boolean): string[] {
  const notes: string[] = [];
  const { unknown_leader_topics: unknown, nodes, next_check_delay: delay } = client.ready;
  if (unknown.length > 0) notes.push(say("diagram.accumulator.unknown_leaders", { topics: unknown }));
  const ready = Object.entries(nodes).map(
    ([node, entries]) => aside(`broker-${node}`, listed(entries.map(([partition, reason]) => say("diagram.accumulator.ready_entry", { partition, reason: reasonText(reason) })))),
  );
  if (ready.length > 0) notes.push(say("diagram.accumulator.ready_nodes", { nodes: ready }));
  else if (delay !== null && delay < Number.MAX_SAFE_INTEGER && !isCountdownShown) {
    notes.push(say("diagram.accumulator.next_check", { delay: duration(delay) }));
  }
  return notes;
}

interface Counts {
  total: number;
  byStatus: Record<string, number>;
  firstPending: number[];
}

const counted = new WeakMap<Record<string, RecordView>, Map<string, Counts>>();

/** Records by producer and status. Views are never mutated, so the counts of an object are computed once. */
export function countRecords(records: Record<string, RecordView>): Map<string, Counts> {
  let counts = counted.get(records);
  if (counts !== undefined) return counts;
  counts = new Map();
  for (const [serial, record] of Object.entries(records)) {
    let mine = counts.get(record.producer);
    if (mine === undefined) {
      mine = { total: 0, byStatus: {}, firstPending: [] };
      counts.set(record.producer, mine);
    }
    mine.total += 1;
    mine.byStatus[record.status] = (mine.byStatus[record.status] ?? 0) + 1;
    if (record.status === "pending" && mine.firstPending.length < 50) mine.firstPending.push(Number(serial));
  }
  counted.set(records, counts);
  return counts;
}

/** The counts of the records that the view lists plus those that it only counts (`folded`: status → number). */
function allOf(listed: Counts | undefined, folded: Readonly<Record<string, number>> | undefined): Counts | undefined {
  if (folded === undefined) return listed;
  const all: Counts = { total: listed?.total ?? 0, byStatus: { ...listed?.byStatus }, firstPending: listed?.firstPending ?? [] };
  for (const [status, count] of Object.entries(folded)) {
    all.total += count;
    all.byStatus[status] = (all.byStatus[status] ?? 0) + count;
  }
  return all;
}

function recordFacts(frame: Frame, name: string): { fact: string; sentence: string } {
  const counts = allOf(countRecords(frame.view.records ?? {}).get(name), foldedRecords(frame.view).counts[name]);
  if (counts === undefined) {
    return { fact: say("diagram.records.none"), sentence: applicationSentence(frame, name) };
  }
  const fact = say("diagram.records.fact", { ok: counts.byStatus["ok"] ?? 0, total: counts.total });
  const parts: string[] = [];
  const pending = counts.byStatus["pending"] ?? 0;
  if (pending > 0) {
    const serials = counts.firstPending.sort((one, other) => one - other);
    parts.push(
      pending > serials.length
        ? say("diagram.records.pending_many", { count: pending })
        : say("diagram.records.pending", { records: serialsText(serials), count: pending }),
    );
  }
  for (const status of ["failed", "refused", "aborted", "unknown"]) {
    const count = counts.byStatus[status] ?? 0;
    if (count > 0) parts.push(say(`diagram.records.${status}`, { count }));
  }
  const application = applicationSentence(frame, name);
  if (application !== "") parts.push(application);
  return { fact, sentence: parts.join(" ") };
}

/** The call that blocks, such as `send()`, or why the script cannot go on. */
function blockedBy(what: string): string {
  const key = `diagram.application.waits_for.${what}`;
  return words.knows(key) ? say(key) : `${METHODS[what] ?? what.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())}()`;
}

/** Calls whose method in Kafka has another name. */
const METHODS: Record<string, string> = { send_offsets: "sendOffsetsToTransaction", force_close: "close" };

/**
 * The sentence about an application that runs a loop: its place in the round, the records that it holds, and what it
 * waits for. A loop has no script, so the sentence counts no remaining calls.
 */
function loopSentence(application: string, loop: LoopView, blocker: string | null): string {
  const { consumer, state, round, sent } = loop;
  const held = loop.hand.length;
  const key = held > 0 ? "diagram.application.loop_holds" : "diagram.application.loop";
  const place = say(key, { application, consumer, state, round, sent, held });
  if (blocker === null) return place;
  return `${place} ${say("diagram.application.blocked", { application, by: blockedBy(blocker) })}`;
}

function applicationSentence(frame: Frame, client: string): string {
  for (const [name, application] of Object.entries(frame.view.applications ?? {})) {
    if (application.client !== client) continue;
    if (application.loop !== undefined) return loopSentence(name, application.loop, application.blocked_by);
    if (application.blocked_by !== null) {
      return say("diagram.application.blocked", { application: name, by: blockedBy(application.blocked_by) });
    }
    const left = application.calls - application.next_call;
    if (application.finished || left <= 0) return say("diagram.application.finished", { application: name });
    return application.next_at === null
      ? say("diagram.application.left", { application: name, left })
      : say("diagram.application.next", { application: name, left, at: application.next_at });
  }
  return "";
}
