/** Chooses the tag of a step, as catalogue key and parameters, from what the engine reports of the step. Pure. */

import { isAbsent, range, serialsText } from "../diagrams/batch.ts";
import { isLogCase } from "../diagrams/log-case.ts";
import type { Change, Frame, Json, JsonObject, ReplicaView, Step } from "../player/frame.ts";
import type { Focus } from "./contract.ts";
import { stateWord } from "./state-word.ts";
import { listed } from "../player/joins.ts";
import { say, words } from "../player/text.ts";

type Tag = NonNullable<Focus["tag"]>;

/** The changes of a step at or below a path, each with the part of its path after that (`rest`). */
export function changedBelow(step: Step, ...path: string[]): { rest: string[]; change: Change }[] {
  return step.changes
    .filter((change) => path.every((name, depth) => change.path[depth] === name))
    .map((change) => ({ rest: change.path.slice(path.length), change }));
}

/** Catalogue key of a step with a fault of a component → catalogue key of its tag. */
const FAULTS: Record<string, string> = {
  "fault.crashed": "stage.tag.crashed",
  "fault.client_crashed": "stage.tag.crashed",
  "fault.stopped": "stage.tag.stopped",
  "fault.stopped_cleanly": "stage.tag.stopped",
  "fault.restarted": "stage.tag.restarted",
  "fault.paused": "stage.tag.paused",
  "fault.resumed": "stage.tag.resumed",
  "fault.connects_slowly": "stage.tag.slow",
  "fault.setting_changed": "stage.tag.setting",
  "fault.endpoint_unavailable": "stage.tag.address_unknown",
  "fault.endpoint_back": "stage.tag.address_known",
  "fault.heartbeats_lost": "stage.tag.heartbeats_lost",
  "fault.heartbeats_back": "stage.tag.heartbeats_back",
};

export function faultTag(step: Step): Tag | null {
  const key = FAULTS[step.key];
  return key === undefined ? null : { key, params: step.params };
}

/** The tag of the first guarantee that this step breaks, with its records; null if it breaks none. */
export function brokenTag(step: Step): Tag | null {
  const [broken] = step.broken;
  return broken === undefined ? null : guaranteeTag(broken.guarantee, broken.serials);
}

export function guaranteeTag(guarantee: string, serials: readonly number[]): Tag {
  const records = listed(serials.slice(0, 3).map((serial) => `r${serial}`));
  const more = serials.length > 3 ? " …" : "";
  const named = ["lost", "duplicated", "reordered", "visible_early", "row_missing", "record_missing", "row_repeated"].includes(guarantee) && records !== "";
  return { key: `stage.tag.broken.${guarantee}${named ? ".records" : ""}`, params: named ? { records: records + more } : {} };
}

/**
 * Catalogue key of a sentence about a batch that is stored too late → catalogue key of the tag that says so; for any
 * other batch, the tag says where it is stored.
 */
const UNTIMELY: Record<string, string> = {
  "log.after_marker": "stage.tag.after_marker",
  "log.after_marker_late": "stage.tag.after_marker",
  "broker.appended_after_marker": "stage.tag.after_marker",
  "broker.appended_outdated": "stage.tag.outdated",
};

/**
 * The tag of the batch at this offset, if the step says that it is after its transaction's marker or has a fenced
 * epoch; else null.
 */
export function untimelyTag(step: Step, offset: number): Tag | null {
  for (const { key, params } of [step, ...step.notes]) {
    const first = params["base_offset"] ?? params["offset"] ?? null;
    const found = first === offset ? UNTIMELY[key] : undefined;
    if (found !== undefined) return { key: found, params: { ...params, first } };
  }
  return null;
}

/**
 * Catalogue key of a sentence in which the coordinator grants a request that changes nothing → catalogue key of its
 * tag.
 */
const NOTHING_TO_DO: Record<string, string> = {
  "coordinator.done_already": "stage.tag.done_already",
  "coordinator.done_already_raised": "stage.tag.done_already",
  "coordinator.partitions_known": "stage.tag.partitions_known",
};

/**
 * If the step changed a coordinator's entry of a transactional id: the part of the focus about it, with the state that
 * is yellow and a tag that says whether this state is in force. Else null.
 */
export function coordinatorTag(frame: Frame, step: Step): Partial<Focus> | null {
  for (const { rest: [id = "", room, name = ""] } of changedBelow(step, "brokers")) {
    const tag = room === "transactions" ? entryTag(frame, step, id, name) : null;
    if (tag !== null) return { actor: `broker-${id}`, transactional_id: name, ...tag };
  }
  const { transition } = step;
  if (transition?.machine === "transaction_states") {
    const [broker, entry] = Object.entries(frame.view.brokers ?? {})
      .map(([id, { transactions }]) => [id, transactions?.[transition.of]] as const)
      .find(([, found]) => found !== undefined) ?? [];
    const actor = broker === undefined ? step.actor : `broker-${broker}`;
    const granted = [step, ...step.notes].map(({ key }) => NOTHING_TO_DO[key]).find((key) => key !== undefined);
    if (granted !== undefined) return { actor, transactional_id: transition.of, tag: { key: granted, params: { state: transition.to } } };
    const key = entry?.pending_state === transition.to ? "stage.tag.being_written" : "stage.tag.counts";
    return { actor, transactional_id: transition.of, state: transition.to, tag: { key, params: {} } };
  }
  const unanswered = [step, ...step.notes].find(({ key }) => key === "markers.disconnected")?.params;
  if (unanswered !== undefined) {
    const { broker = "", partitions = [], transactional_id: id } = unanswered;
    return { transactional_id: typeof id === "string" ? id : null, tag: { key: "stage.tag.marker_unanswered", params: { broker, partitions } } };
  }
  if (step.key !== "markers.acknowledged") return null;
  const { partitions = [], transactional_id: id } = step.params;
  return { transactional_id: typeof id === "string" ? id : null, tag: { key: "stage.tag.marker_done", params: { partitions } } };
}

const TOLD = ["state", "pending_state", "producer_epoch", "producer_id"];

function entryTag(frame: Frame, step: Step, broker: string, id: string): Pick<Focus, "state" | "tag"> | null {
  const names = changedBelow(step, "brokers", broker, "transactions", id).map(({ rest }) => rest[0] ?? "");
  const entry = frame.view.brokers?.[broker]?.transactions?.[id];
  const before = frame.previousView?.brokers?.[broker]?.transactions?.[id];
  if (entry === undefined || (before !== undefined && !names.some((name) => TOLD.includes(name)))) return null;
  const isWritten = before?.pending_state != null && entry.pending_state === null;
  // Log files do not show when a record was replicated, so in a log case the tag only names the state.
  const written: Tag = isLogCase(frame) ? { key: "stage.tag.now", params: { to: entry.state } } : { key: "stage.tag.counts", params: {} };
  if (before !== undefined && (isWritten || entry.state !== before.state)) return { state: entry.state, tag: written };
  const pending = entry.pending_state;
  // From the decision on, the state after it is pending; it is written once all markers are.
  if (pending !== null && frame.view.brokers?.[broker]?.markers?.waiting?.[id] !== undefined) return { state: entry.state, tag: { key: "stage.tag.markers_next", params: {} } };
  if (pending !== null && pending !== before?.pending_state) return { state: pending, tag: { key: "stage.tag.being_written", params: {} } };
  const params = { producer_id: entry.producer_id, producer_epoch: entry.producer_epoch };
  return { state: pending ?? entry.state, tag: { key: "stage.tag.identity", params } };
}

/**
 * The tag of moved gates, for example `LSO 0 → 2, HW 1 → 2`. If LSO and HW have the same old and the same new value,
 * they are named together. If only one of them moves, the tag also says where the other one is.
 */
export function gateTag(before: ReplicaView, after: ReplicaView): Tag {
  const high = [before.high_watermark, after.high_watermark] as const;
  const stable = [before.last_stable_offset, after.last_stable_offset] as const;
  const params: JsonObject = { hw_from: high[0], hw: high[1], lso_from: stable[0], lso: stable[1], from: before.log_start, to: after.log_start };
  const hasHigh = high[0] !== high[1];
  const hasStable = stable[0] !== stable[1];
  if (!hasHigh && !hasStable) return { key: "stage.tag.log_start", params };
  if (hasHigh && hasStable) {
    const together = high[0] === stable[0] && high[1] === stable[1];
    return { key: together ? "stage.tag.both_gates" : "stage.tag.lso_and_hw", params };
  }
  if (hasStable) return { key: "stage.tag.lso", params };
  return { key: stable[1] < high[1] ? "stage.tag.hw_lso_stays" : "stage.tag.hw", params };
}

/** How many aborted records the consumer skips in this step. */
function skippedBy({ step }: Frame, consumer: string, partition: string): number {
  const said = step === null ? [] : [step, ...step.notes];
  const skips = said.find(({ key, params }) => key === "consumer.skips_aborted" && params["consumer"] === consumer && params["partition"] === partition);
  return Number(skips?.params["count"] ?? 0);
}

export function readTag(frame: Frame, consumer: string, partition: string): Tag {
  const count = (frame.view.consumers?.[consumer]?.delivered_count ?? 0) - (frame.previousView?.consumers?.[consumer]?.delivered_count ?? 0);
  const skipped = skippedBy(frame, consumer, partition);
  if (count > 0 && skipped > 0) return { key: "stage.tag.reads_skips", params: { count, skipped } };
  if (count > 0) return { key: "stage.tag.reads", params: { count } };
  return { key: "stage.tag.moves_on", params: { position: frame.view.consumers?.[consumer]?.positions[partition] ?? 0 } };
}

/**
 * The text about batches in doubt, which a client put back into its queue in this step without knowing whether they are
 * stored. It names them by their records, else by their sequence numbers. Null if there are none.
 */
export function doubtOf(frame: Frame, step: Step): Tag | null {
  const said = [step, ...step.notes].filter(({ key }) => key === "client.requeued").map(({ params }) => params);
  const [first] = said;
  if (first === undefined) return null;
  const [client, partition] = [String(first["client"]), String(first["partition"])];
  const own = said.filter((one) => one["client"] === client && one["partition"] === partition).map(({ batch }) => String(batch));
  const views = own.map((name) => frame.view.clients?.[client]?.batches?.[name] ?? frame.previousView?.clients?.[client]?.batches?.[name]);
  const isNumbered = views.every((batch) => batch !== undefined && batch.serials.length === 0 && !isAbsent(batch.first_sequence));
  const names = views.map((batch, index) => (batch === undefined ? listed((own[index] as string).split(","))
    : isNumbered ? range(batch.first_sequence as number, batch.last_sequence as number) : serialsText(batch.serials)));
  const others = said.length - own.length;
  return {
    key: isNumbered ? "stage.tag.cannot_know" : "stage.tag.cannot_know_records",
    params: { client, partition, batches: others > 0 ? [...names, `+${others}`] : names },
  };
}

/** Catalogue key of a step of a database or service → catalogue key of the tag that says the same in short. */
const BESIDE_STEPS: Record<string, string> = {
  "local_transaction.commits": "stage.tag.rows_committed",
  "local_transaction.commits_no_row": "stage.tag.rows_committed",
  "local_transaction.inserts": "stage.tag.rows_committed",
  "local_transaction.inserts_no_row": "stage.tag.row_known",
  "local_transaction.rolls_back": "stage.tag.rows_undone",
  "service.in_doubt": "stage.tag.in_doubt",
};

export function besideTag(step: Step): Tag | null {
  const known = BESIDE_STEPS[step.key];
  if (known !== undefined) return { key: known, params: {} };
  if (step.key.startsWith("local_transaction.opens")) {
    const exists = step.notes.some(({ key }) => key === "local_transaction.row_exists");
    return { key: exists ? "stage.tag.row_known" : "stage.tag.rows_held", params: {} };
  }
  const { transition } = step;
  return transition?.machine === "service" ? { key: "stage.tag.now", params: { to: say(`diagram.service.${transition.to}`) } } : null;
}

/** The tag of a vote; null for any other state. */
function voteTag(state: Json | undefined): Tag | null {
  const key = `stage.tag.vote.${String(state)}`;
  return words.knows(key) ? { key, params: {} } : null;
}

/** The tag of a refusal; a refusal of a middleware node has words of its own. */
export function refusalTag(frame: Frame, step: Step, error: string): Tag {
  const key = `stage.tag.refusal.${error}`;
  const isNode = frame.view.middleware?.participants !== undefined;
  if (isNode && step.transition?.machine === "participant") return voteTag(step.transition.to) ?? { key: "stage.tag.refused", params: { error } };
  return { key: isNode && words.knows(key) ? key : "stage.tag.refused", params: { error } };
}

/**
 * The tag of a step in which a participant votes, or in which the middleware receives a vote or another response; else
 * null.
 */
export function middlewareTag({ transition, params, changes }: Step): Tag | null {
  if (transition !== null) return transition.machine === "participant" ? voteTag(transition.to) : null;
  for (const { path: [first, second, , room, name, field], after } of changes) {
    if (first !== "middleware" || second !== "transactions" || name === undefined || name !== params["sender"]) continue;
    const vote = room === "votes" ? voteTag(after) : null;
    if (vote !== null) return vote;
    if (room === "answers" && field === "answer" && typeof after === "string") return { key: "stage.tag.heard", params: { answer: after } };
  }
  return null;
}

/** Catalogue key of a step of a client → catalogue key of the tag that says the same in short. */
const CLIENT_STEPS: Record<string, string> = {
  "client.request_timed_out": "stage.tag.timed_out",
  "client.drained_again": "stage.tag.same_numbers",
};

export function clientTag(frame: Frame, step: Step, client: string): { tag: Tag; bad: boolean } | null {
  const now = frame.view.clients?.[client]?.transaction_manager;
  const before = frame.previousView?.clients?.[client]?.transaction_manager;
  if (now != null && before != null) {
    if (now.last_error !== null && now.last_error !== before.last_error) {
      return { tag: { key: "stage.tag.refused", params: { error: now.last_error } }, bad: true };
    }
    if (now.producer_id !== null && (now.producer_id !== before.producer_id || now.producer_epoch !== before.producer_epoch)) {
      return { tag: { key: "stage.tag.identity", params: { producer_id: now.producer_id, producer_epoch: now.producer_epoch } }, bad: false };
    }
  }
  const known = CLIENT_STEPS[step.key];
  if (known !== undefined) return { tag: { key: known, params: step.params }, bad: false };
  const { transition } = step;
  if (transition?.of === client) {
    const to = stateWord(transition.to);
    return { tag: { key: "stage.tag.now", params: { to } }, bad: transition.to.includes("ERROR") };
  }
  return recordsTag(step);
}

/** The tag that says how many records were reported to the application as failed or, if none were, as stored. */
function recordsTag(step: Step): { tag: Tag; bad: boolean } | null {
  const statuses = changedBelow(step, "records").filter(({ rest }) => rest[1] === "status").map(({ change }) => change.after);
  const failed = statuses.filter((status) => status === "failed").length;
  if (failed > 0) return { tag: { key: "stage.tag.records_failed", params: { count: failed } }, bad: true };
  const count = statuses.filter((status) => status === "ok").length;
  return count === 0 ? null : { tag: { key: "stage.tag.acknowledged", params: { count } }, bad: false };
}
