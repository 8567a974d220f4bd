/**
 * Finds the subject of a step: the one yellow place, and its tag. Pure.
 *
 * It reads only what the engine reports of the run: the step's key, decision, refusal, transition, fates of messages,
 * changes and broken guarantees, the views before and after it, and the plan. The functions in FINDERS are called in
 * order; the first one that returns a subject decides. A step that breaks a guarantee gets the guarantee's tag instead,
 * unless it refuses something; the last step of a run may show the run's result (`verdictOf`). Nothing else in the
 * picture is marked.
 */

import { brokenRecords } from "../diagrams/broken-records.ts";
import { leaderBatches, leaderLog } from "../diagrams/leader-log.ts";
import { INTERNAL } from "../diagrams/internal-partitions.ts";
import { arrivedNow, landedOffsets } from "../diagrams/lane-arrived.ts";
import { landsAt } from "../player/beats.ts";
import type { Frame, Step } from "../player/frame.ts";
import type { Focus, FocusKind } from "./contract.ts";
import { NO_FOCUS } from "./contract.ts";
import { besideTag, brokenTag, doubtOf, changedBelow, clientTag, coordinatorTag, faultTag, gateTag, guaranteeTag, middlewareTag, readTag, refusalTag, untimelyTag } from "./focus-tag.ts";
import { stateWord } from "./state-word.ts";

type Found = Partial<Focus> | null;
type Finder = (frame: Frame, step: Step, focus: Focus) => Found;

const EVENTS = ["sent", "delivered", "dropped", "lost", "delayed", "duplicated"] as const;

/** The name of the broker with an id: `broker-1` for `1`. */
const brokerName = (id: string | number): string => `broker-${id}`;

export function focusOf(frame: Frame): Focus {
  const { step } = frame;
  if (step === null) return NO_FOCUS;
  const verdict = verdictOf(frame, step);
  if (verdict !== null) return verdict;
  const focus: Focus = { ...NO_FOCUS, actor: step.actor, messages: fatesOf(step) };
  const found = firstFound(frame, step, focus);
  const whole = found === null ? focus : { ...focus, ...found, doubt: doubtOf(frame, step) };
  const tag = brokenTag(step);
  if (tag === null || whole.kind === "refused") return whole;
  // A step that is not about a log may break a guarantee for a record in one: for example, a coordinator's step after
  // which no marker will come.
  const at = whole.partition === null ? brokenPlace(frame, step) : null;
  return at === null ? { ...whole, tag, bad: true, compared: [] } : { ...focus, ...at, tag, bad: true };
}

function firstFound(frame: Frame, step: Step, focus: Focus): Found {
  for (const find of FINDERS) {
    const found = find(frame, step, focus);
    if (found !== null) return found;
  }
  return null;
}

/** The place, in the leader's log, of the first record that the broken guarantee names; null if it names none. */
function brokenPlace({ view }: Frame, { broken: [broken] }: Step): Found {
  const { partition = null, first_offset: offset } = broken ?? {};
  const log = view.partitions?.[partition ?? ""];
  if (offset === undefined || log?.leader == null) return null;
  return { kind: "append", actor: brokerName(log.leader), partition, offset };
}

/** Guarantees whose broken records are in a log. */
const IN_LOG = ["duplicated", "reordered"] as const;

/**
 * The focus of a run's last step, if its sentence is the result of the run because no beat lands there: the place of
 * the record that broke a guarantee of `IN_LOG`. Null for any other step, and if no such guarantee is broken.
 */
function verdictOf(frame: Frame, step: Step): Focus | null {
  const { plan, view } = frame;
  if (plan === null || !plan.complete || step.number !== plan.steps || step.broken.length > 0 || landsAt(plan, step.number)) return null;
  for (const guarantee of IN_LOG) {
    const { broken_at: at, partition } = view.guarantees?.[guarantee] ?? {};
    const log = view.partitions?.[partition ?? ""];
    if (at == null || partition == null || log?.leader == null) continue;
    const records = brokenRecords(frame, guarantee);
    const batch = leaderBatches(log).findLast(({ serials }) => serials.some((serial) => records.has(serial)));
    if (batch === undefined) continue;
    const tag = guaranteeTag(guarantee, batch.serials.filter((serial) => records.has(serial)));
    return { ...NO_FOCUS, kind: "append", actor: brokerName(log.leader), partition, offset: batch.base_offset, tag, bad: true };
  }
  return null;
}

function fatesOf(step: Step): Focus["messages"] {
  const fates: Focus["messages"] = { sent: [], delivered: [], dropped: [], lost: [], delayed: [], duplicated: [] };
  for (const { id, event } of step.messages) if (EVENTS.includes(event)) fates[event].push(id);
  return fates;
}

const text = (value: unknown): string | null => (typeof value === "string" ? value : null);

const refused: Finder = (frame, step) => {
  if (step.refusal === null) return null;
  const { error, compared } = step.refusal;
  const actor = step.decision?.by ?? step.actor;
  const subject = step.decision?.subject ?? text(step.params["partition"]);
  const partition = subject !== null && frame.view.partitions?.[subject] !== undefined ? subject : null;
  return {
    kind: "refused", actor, partition, bad: true, compared, tag: refusalTag(frame, step, error),
    transactional_id: partition === null ? text(step.params["transactional_id"]) : null,
    // The base offset of the batch with which the arrived numbers were compared; files of earlier versions lack it.
    offset: step.derived?.arrivals?.find((one) => one.partition === partition && `broker-${one.broker}` === actor)?.compared ?? null,
  };
};

const duplicate: Finder = (frame, step) => {
  const decision = step.decision;
  const id = /^broker-(\d+)$/.exec(decision?.by ?? "")?.[1];
  if (decision == null || id === undefined) return null;
  const arrived = arrivedNow(frame, decision.subject, id);
  if (arrived?.fate !== "duplicate" || arrived.at === null) return null;
  return {
    kind: "duplicate", actor: decision.by, partition: decision.subject, offset: arrived.at,
    tag: { key: "stage.tag.already_stored", params: { offset: arrived.at } },
  };
};

const lost: Finder = (_, step, { messages }) => {
  if (messages.dropped.length === 0 && (messages.lost.length === 0 || isOfActor(step))) return null;
  const count = messages.dropped.length + messages.lost.length;
  return { kind: "lost", tag: { key: count > 1 ? "stage.tag.lost_several" : "stage.tag.lost", params: { at: step.at, count } } };
};

const isOfActor = (step: Step): boolean => step.kind === "fault" && faultTag(step) !== null;

/** The step delayed or duplicated a message, so it is about that message. */
const tampered: Finder = (frame, step, { messages }): Found => {
  const [copied] = messages.duplicated;
  if (copied !== undefined) return { kind: "sent", tag: { key: "stage.tag.duplicated", params: {} } };
  const [held] = messages.delayed;
  if (held === undefined || step.kind !== "fault" || isOfActor(step)) return null;
  const at = frame.view.network?.messages[String(held)]?.arrives_at ?? null;
  return { kind: "sent", tag: at === null ? null : { key: "stage.tag.delayed", params: { at } } };
};

const fault: Finder = (frame, step) => {
  const tag = step.kind === "fault" ? faultTag(step) : null;
  if (tag === null) return null;
  const actor = text(step.params["actor"]) ?? step.actor;
  // A consumer's row is at the end of the lanes that it reads.
  const [partition] = Object.keys(frame.view.consumers?.[actor]?.positions ?? {});
  if (partition !== undefined) return { kind: "read", actor, partition, tag };
  // A producer loses the batches that wait in its queues.
  const [lost] = changedBelow(step, "clients", actor, "queues");
  return { kind: actorKind(frame, actor), actor, partition: lost?.rest[0] ?? null, tag };
};

function actorKind(frame: Frame, actor: string): FocusKind {
  if (frame.view.clients?.[actor] !== undefined) return "client";
  return frame.view.middleware?.participants !== undefined && !/^broker-/.test(actor) ? "node" : "actor";
}

const leader: Finder = (frame, step) => {
  const moved = changedBelow(step, "partitions").find(({ rest: [partition, name], change }) =>
    name === "leader" && change.before !== undefined && !INTERNAL.test(partition ?? ""));
  const partition = moved?.rest[0];
  if (partition === undefined) return null;
  const log = frame.view.partitions?.[partition];
  if (log?.leader == null) return { kind: "leader", actor: "controller", partition, tag: { key: "stage.tag.no_leader", params: { partition } } };
  const params = { partition, leader_epoch: log.leader_epoch };
  return { kind: "leader", actor: brokerName(log.leader), partition, tag: { key: "stage.tag.leads", params } };
};

/** The step is about a batch that a leader appended to a data partition. */
const append: Finder = (frame, step) => {
  if (step.kind === "replication") return null;
  const names = new Set(changedBelow(step, "partitions").map(({ rest }) => rest[0] as string));
  for (const partition of names) {
    if (INTERNAL.test(partition)) continue;
    const log = frame.view.partitions?.[partition];
    if (log?.leader == null || frame.previousView?.partitions?.[partition]?.leader !== log.leader) continue;
    const id = String(log.leader);
    const offset = landedOffsets(frame, partition, id).at(-1);
    const batch = log.replicas[id]?.batches[String(offset)];
    if (offset === undefined || batch === undefined) continue;
    const params = { first: batch.base_offset, last: batch.last_offset };
    const key = batch.control !== null ? "stage.tag.marker_at" : params.first === params.last ? "stage.tag.stored_at" : "stage.tag.stored_between";
    return { kind: "append", actor: brokerName(id), partition, offset, tag: untimelyTag(step, offset) ?? { key, params } };
  }
  return null;
};

/** The step changed a coordinator's entry of a transactional id, or its markers. */
const coordinator: Finder = (frame, step) => {
  const tagged = coordinatorTag(frame, step);
  return tagged === null ? null : { kind: "coordinator", ...tagged };
};

const GATES = ["last_stable_offset", "high_watermark", "log_start"] as const;

const gate: Finder = (frame, step) => {
  for (const [partition, log] of Object.entries(frame.view.partitions ?? {})) {
    if (INTERNAL.test(partition) || log.leader === null) continue;
    const changed = changedBelow(step, "partitions", partition, "replicas", String(log.leader)).map(({ rest }) => rest[0]);
    const gates = GATES.filter((name) => changed.includes(name));
    const replica = leaderLog(log);
    const before = frame.previousView?.partitions?.[partition]?.replicas[String(log.leader)];
    if (gates.length === 0 || replica === undefined || before === undefined) continue;
    return { kind: "gate", actor: brokerName(log.leader), partition, gates, tag: gateTag(before, replica) };
  }
  return null;
};

/** The last step of a log case, which changes nothing and says at which offset consumers stop. */
const stops: Finder = (frame, step) => {
  const partition = text(step.params["partition"]);
  if (!/^log\.now_held/.test(step.key) || partition === null || frame.view.partitions?.[partition] === undefined) return null;
  const params = { offset: step.params["offset"] ?? null };
  const id = text(step.params["transactional_id"]);
  return { kind: "gate", actor: brokerName(0), partition, gates: ["last_stable_offset"], transactional_id: id, tag: { key: "stage.tag.readers_stop", params } };
};

const read: Finder = (frame, step) => {
  for (const { rest: [consumer = "", room, partition] } of changedBelow(step, "consumers")) {
    if (room !== "positions" || partition === undefined || consumer !== step.actor) continue;
    return { kind: "read", actor: consumer, partition, tag: readTag(frame, consumer, partition) };
  }
  return null;
};

const sent: Finder = (_, __, { messages }) => (messages.sent.length === 0 ? null : { kind: "sent" });

const copied: Finder = (frame, step) => {
  if (step.kind !== "replication") return null;
  for (const { rest: [partition = "", , replica = "", what] } of changedBelow(step, "partitions")) {
    const log = frame.view.partitions?.[partition];
    if (what !== "log_end" || log === undefined || String(log.leader) === replica) continue;
    return { kind: "copy", actor: brokerName(replica), partition };
  }
  return null;
};

/** A follower had nothing to copy, but learnt the high watermark. */
const learnt: Finder = (frame, step) => {
  if (step.kind !== "replication") return null;
  for (const { rest: [partition = "", , replica = "", what], change } of changedBelow(step, "partitions")) {
    const log = frame.view.partitions?.[partition];
    if (what !== "high_watermark" || log === undefined || String(log.leader) === replica) continue;
    return { kind: "actor", actor: brokerName(replica), tag: { key: "stage.tag.learns_high_watermark", params: { partition, high_watermark: change.after ?? null } } };
  }
  return null;
};

/** The step changed a client: its state, its identity, or what it knows about its records. */
const client: Finder = (frame, step, { messages }) => {
  const own = frame.view.applications?.[step.actor]?.client ?? step.actor;
  if (frame.view.clients?.[own] === undefined) return null;
  const tagged = clientTag(frame, step, own);
  // If the client only sent messages, these show it, so the client is not marked.
  if (tagged === null && messages.sent.length > 0) return null;
  return { kind: "client", actor: own, tag: tagged?.tag ?? null, bad: tagged?.bad ?? false };
};

const node: Finder = (frame, step) => {
  const isBeside = step.actor === "database" || frame.view.services?.[step.actor] !== undefined;
  if (frame.view.middleware?.participants === undefined && !(isBeside && frame.view.database !== undefined)) return null;
  const { transition } = step;
  const now = transition === null ? null : { key: "stage.tag.now", params: { to: stateWord(transition.to) } };
  const tag = isBeside ? besideTag(step) : middlewareTag(step) ?? now;
  return { kind: "node", actor: isBeside ? step.actor : nodeOf(frame, step), tag };
};

/**
 * The node of the middleware at which a step is shown: the actor if it is a node; else (an operator or application
 * acts) the node whose state it changes.
 */
function nodeOf(frame: Frame, { actor, transition }: Step): string {
  const { middleware } = frame.view;
  const isNode = middleware?.participants?.[actor] !== undefined || ["initiator", "business", "middleware", "manager"].includes(actor);
  return isNode ? actor : transition?.of.split(" ")[0] ?? actor;
}

/** The functions in the order in which they are called. The first one that returns a subject decides. */
const FINDERS: readonly Finder[] = [
  refused, duplicate, lost, tampered, fault, leader, append, coordinator, gate, stops, read, node,
  (frame, step, focus) => (focus.messages.sent.length > 0 && clientTag(frame, step, step.actor) === null ? sent(frame, step, focus) : null),
  copied, learnt, client, sent,
];
