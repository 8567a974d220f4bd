/**
 * Adds to a plan the components and partitions of a run that the engine's plan lacks, from header and view. Pure.
 *
 * A plan only grows: additions by a session, a branch or an intervention come last.
 */

import { INTERNAL } from "../diagrams/internal-partitions.ts";
import type { Frame, Header, PartitionView, View } from "../player/frame.ts";
import { HUES, isAbsent } from "../diagrams/batch.ts";
import type { Id } from "../diagrams/batch.ts";
import type { StagePlan } from "./contract.ts";

/** The number of offsets for which a lane has room if no plan says how many the log gets. */
const OFFSETS_UNKNOWN = 8;

export function planOf(frame: Frame): StagePlan | null {
  return (frame as Frame & { plan?: StagePlan | null }).plan ?? null;
}

const EMPTY: StagePlan = { hues: {}, clients: [], brokers: [], lanes: {}, consumers: [], controller: false, middleware: null };

export function outlineOf(header: Header, view: View): StagePlan {
  const partitions = [...header.partitions, ...Object.keys(view.partitions ?? {}).filter((name) => !header.partitions.includes(name) && !INTERNAL.test(name))];
  const grown = extended(EMPTY, view);
  return { ...grown, clients: grown.clients.map((client) => ({ ...client, partitions: client.partitions.length > 0 ? client.partitions : partitions })) };
}

/**
 * The plan with the components and partitions of the view, and `actor`, that it lacks; the same object if it lacks
 * none.
 */
export function extended(plan: StagePlan, view: View, actor: string | null = null): StagePlan {
  const next: StagePlan = { ...plan };
  let grew = false;
  const grow = <K extends keyof StagePlan>(name: K, value: StagePlan[K]): void => {
    next[name] = value;
    grew = true;
  };
  const seen = identities(view).filter((id) => !(id in plan.hues));
  if (seen.length > 0) {
    const hues = { ...plan.hues };
    for (const id of seen) hues[id] ??= Object.keys(hues).length;
    grow("hues", hues);
  }
  const clients = mergedClients(plan, view);
  if (clients !== null) grow("clients", clients);
  const lanes = mergedLanes(plan, view);
  if (lanes !== null) grow("lanes", lanes);
  const brokers = mergedBrokers(plan, view);
  if (brokers !== null) grow("brokers", brokers);
  const consumers = mergedConsumers(plan, view);
  if (consumers !== null) grow("consumers", consumers);
  if (plan.tool !== true && view.tool !== undefined) grow("tool", true);
  if (!plan.controller && (actor === "controller" || actor === "zookeeper")) grow("controller", true);
  const participants = Object.keys(view.middleware?.participants ?? {});
  const known = plan.middleware?.participants ?? [];
  const added = participants.filter((name) => !known.includes(name));
  if (added.length > 0) grow("middleware", { roles: plan.middleware?.roles ?? rolesOf(view), participants: [...known, ...added] });
  if (plan.services === undefined && view.services !== undefined) {
    grow("services", Object.entries(view.services).map(([name, { acts, producer, consumer }]) => ({ name, acts, producer, consumer })));
  }
  return grew ? next : plan;
}

function rolesOf(view: View): string[] {
  const { middleware } = view;
  return ["initiator", "business", "middleware", "manager"].filter((role) => middleware !== undefined && role in middleware);
}

/** Producer ids in the order in which a view shows them: clients first, then logs by their offsets. */
function identities(view: View): string[] {
  const ids = new Set<string>();
  const add = (id: Id): void => void (isAbsent(id) || ids.add(String(id)));
  for (const client of Object.values(view.clients ?? {})) add(client.transaction_manager?.producer_id);
  for (const partition of Object.values(view.partitions ?? {})) for (const id of idsIn(partition)) ids.add(id);
  return [...ids];
}

/**
 * Partition of a view → its producer ids, kept because a partition that does not change is the same object in each
 * view.
 */
const known = new WeakMap<PartitionView, readonly string[]>();

function idsIn(partition: PartitionView): readonly string[] {
  let ids = known.get(partition);
  if (ids === undefined) {
    const found = new Set<string>();
    for (const replica of Object.values(partition.replicas)) {
      for (const batch of Object.values(replica.batches)) if (!isAbsent(batch.producer_id)) found.add(String(batch.producer_id));
    }
    ids = [...found];
    known.set(partition, ids);
  }
  return ids;
}

function union(known: readonly string[], more: readonly string[]): string[] | null {
  const added = more.filter((name) => !known.includes(name));
  return added.length === 0 ? null : [...known, ...added];
}

function mergedClients(plan: StagePlan, view: View): StagePlan["clients"] | null {
  let grew = false;
  const clients = [...plan.clients];
  for (const [name, client] of Object.entries(view.clients ?? {})) {
    const at = clients.findIndex((one) => one.name === name);
    const used = Object.entries(client.queues).filter(([, queue]) => queue.batches.length > 0).map(([partition]) => partition);
    const applications = Object.entries(view.applications ?? {}).filter(([, application]) => application.client === name).map(([one]) => one);
    const known = clients[at];
    if (known === undefined) {
      clients.push({ name, applications, transactional_id: client.transaction_manager?.transactional_id ?? null, partitions: Object.keys(client.queues) });
      grew = true;
      continue;
    }
    const partitions = union(known.partitions, used);
    if (partitions === null) continue;
    clients[at] = { ...known, partitions };
    grew = true;
  }
  return grew ? clients : null;
}

function mergedLanes(plan: StagePlan, view: View): StagePlan["lanes"] | null {
  let lanes: StagePlan["lanes"] | null = null;
  for (const [name, partition] of Object.entries(view.partitions ?? {})) {
    const known = plan.lanes[name];
    const leader = partition.leader;
    if (known !== undefined && (leader === null || known.leaders.includes(leader))) continue;
    const replicas = Object.values(partition.replicas);
    const first = Math.min(...replicas.map((replica) => replica.log_start));
    const end = Math.max(...replicas.map((replica) => replica.log_end));
    lanes ??= { ...plan.lanes };
    lanes[name] = known === undefined
      ? { first: Number.isFinite(first) ? first : 0, end: Math.max(Number.isFinite(end) ? end : 0, (Number.isFinite(first) ? first : 0) + OFFSETS_UNKNOWN), internal: INTERNAL.test(name), leaders: leader === null ? [] : [leader] }
      : { ...known, leaders: [...known.leaders, leader as number] };
  }
  return lanes;
}

function mergedBrokers(plan: StagePlan, view: View): StagePlan["brokers"] | null {
  let grew = false;
  const brokers = [...plan.brokers];
  for (const [id, broker] of Object.entries(view.brokers ?? {})) {
    const name = `broker-${id}`;
    const led = Object.entries(view.partitions ?? {}).filter(([partition, { leader }]) => String(leader) === id && !INTERNAL.test(partition)).map(([partition]) => partition);
    const ids = Object.keys(broker.transactions ?? {});
    const groups = Object.keys(broker.groups ?? {});
    const at = brokers.findIndex((one) => one.name === name);
    const known = brokers[at];
    if (known === undefined) {
      brokers.push({ name, lanes: led, transactional_ids: ids, groups });
      grew = true;
      continue;
    }
    const [lanes, transactional_ids, named] = [union(known.lanes, led), union(known.transactional_ids, ids), union(known.groups, groups)];
    if (lanes === null && transactional_ids === null && named === null) continue;
    brokers[at] = { name, lanes: lanes ?? known.lanes, transactional_ids: transactional_ids ?? known.transactional_ids, groups: named ?? known.groups };
    grew = true;
  }
  return grew ? brokers : null;
}

function mergedConsumers(plan: StagePlan, view: View): StagePlan["consumers"] | null {
  let grew = false;
  const consumers = [...plan.consumers];
  for (const [name, consumer] of Object.entries(view.consumers ?? {})) {
    const read = Object.entries(consumer.lanes ?? {}).filter(([, lane]) => lane.position !== null).map(([partition]) => partition);
    const at = consumers.findIndex((one) => one.name === name);
    const known = consumers[at];
    const lanes = union(known?.lanes ?? [], read);
    if (known !== undefined && lanes === null) continue;
    const whole = { name, isolation: consumer.isolation, lanes: lanes ?? known?.lanes ?? [] };
    if (at < 0) consumers.push(whole);
    else consumers[at] = whole;
    grew = true;
  }
  return grew ? consumers : null;
}

/**
 * A function from a producer id to the CSS class of its colour, by the order in which ids first appear. A zombie has
 * the same producer id as its successor, and so the same colour.
 */
export function huesOf(plan: StagePlan): (id: Id) => string {
  return (id) => (isAbsent(id) ? "plain" : `b${(plan.hues[String(id)] ?? 0) % HUES}`);
}
