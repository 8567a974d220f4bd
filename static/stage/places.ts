/**
 * Computes the places of all components of a run. Pure.
 *
 * `places` computes them once, from the plan and the size of the stage. `grown` adds places for components that a
 * branch or an intervention adds, and moves nothing. `standing` adapts the places to a step: if coordinators share one
 * place, if a broker takes over the lanes of another, and if the lane of the step is drawn at full size above strips
 * (the lens).
 */

import { INTERNAL } from "../diagrams/internal-partitions.ts";
import { shownReplica } from "../diagrams/shown-replica.ts";
import type { Frame, Header, View } from "../player/frame.ts";
import { CORNERS, hasBoth } from "./contract.ts";
import type { Box, BrokerPlace, ClientPlace, Focus, LanePlace, Places, Size, StagePlan } from "./contract.ts";
import { textWidth } from "./draw.ts";
import { LATER, phoneParts } from "./later.ts";
import { huesOf, outlineOf } from "./outline.ts";
import { clientPlace, cornerPlaces, deskPlaces, isLine, lanePlace, rowsIn, rowsOf } from "./places-desk.ts";
import { stripPlaces } from "./places-strips.ts";

/** A stage narrower than this, in px, is upright. */
export const UPRIGHT = 860;
/** The name of the only box of a log case, which has all lanes, because a log case has no brokers. */
export const FILES = "broker-0";
/** The key of the row of a possible consumer, in a log case whose files name no consumers. */
export const POSSIBLE = "";

export function places(plan: StagePlan | null, header: Header, firstView: View, size: Size): Places {
  const known = plan ?? outlineOf(header, firstView);
  const participants = known.middleware?.participants ?? [];
  if (LATER.nodes !== undefined && participants.length > 0 && known.brokers.length === 0) return LATER.nodes.places(known, size);
  const log = header.profile === "log";
  const lanes = Object.keys(known.lanes).filter((name) => !known.lanes[name]?.internal);
  // If the files name no consumer, a possible one is drawn, until a preview of a remedy adds consumers.
  const consumers = known.consumers.length > 0 ? known.consumers : [possibleOf(lanes)];
  const whole = log ? { ...known, clients: [], consumers, brokers: [filesOf(known, lanes)] } : known;
  const made = size.form === "phone" ? phoneParts().places(whole, size) : deskPlaces(whole, size, log) ?? stripPlaces(whole, size);
  return log ? { ...made, kind: "log", readers: withPossible(known, made.readers) } : { ...made, kind: "cluster" };
}

/**
 * The rows of consumers of a log case, with a row for a possible consumer at each lane: it has the place of the
 * consumers that a preview of a remedy adds, and is shown until the preview adds them.
 */
function withPossible(plan: StagePlan, readers: Places["readers"]): Places["readers"] {
  return Object.fromEntries(Object.entries(readers).map(([lane, rows]) => {
    const boxes = Object.values(rows).map(({ box }) => box);
    const [first] = boxes;
    if (first === undefined || POSSIBLE in rows) return [lane, rows];
    const bottom = Math.max(...boxes.map(({ y, height }) => y + height));
    return [lane, { ...rows, ...rowsIn({ ...plan, consumers: [possibleOf([lane])] }, lane, { ...first, height: bottom - first.y }) }];
  }));
}

const possibleOf = (lanes: string[]): StagePlan["consumers"][number] => ({ name: POSSIBLE, isolation: "read_committed", lanes });

/**
 * The places of a run: those of `base`, and places for what `plan` adds to it. `beside`: the places of the middleware's
 * own picture, for a run with brokers and a middleware on a stage without room for a wing; else null.
 */
export function runPlaces(base: StagePlan, plan: StagePlan, header: Header, view: View, size: Size): { run: Places; beside: Places | null } {
  const made = (room: Size): Places => {
    const run = places(base, header, view, room);
    return plan === base ? run : grown(run, plan);
  };
  const room = roomOf(plan, size);
  const run = made(room);
  const wing = LATER.nodes?.wing.of(plan, run, size) ?? null;
  if (wing !== null) return { run: { ...run, wing }, beside: null };
  return { run: room === size ? run : made(size), beside: besideCluster(plan, size) };
}

/** The size of the brokers' picture: that of the stage, or less if the nodes of a middleware have a wing. */
const roomOf = (plan: StagePlan, size: Size): Size => LATER.nodes?.wing.room(plan, size) ?? size;

/** The places of the middleware's own picture, in a run with brokers and a middleware; null for other runs. */
export function besideCluster(plan: StagePlan, size: Size): Places | null {
  return hasBoth(plan) ? (LATER.nodes?.places(plan, size) ?? null) : null;
}

/** Whether a step is about a node of this picture or a message between its nodes. */
export function isAt(here: Places, frame: Frame, focus: Focus): boolean {
  return [focus.actor, frame.step?.actor, frame.step?.params["sender"], frame.step?.params["receiver"]].some((name) => typeof name === "string" && here.others[name] !== undefined);
}

/** The one broker of a log case's plan, with all lanes. It coordinates what the coordinators' logs in the files say. */
function filesOf(plan: StagePlan, lanes: string[]): StagePlan["brokers"][number] {
  const files = plan.brokers.find(({ name }) => name === FILES);
  return { name: FILES, lanes, transactional_ids: files?.transactional_ids ?? [], groups: files?.groups ?? [] };
}

/** Whether each broker leads and coordinates the same in both plans, and either both or none have consumers. */
export function hasSamePlaces(plan: StagePlan, other: StagePlan): boolean {
  const rows = (one: StagePlan): string => rowsOf(one).map((row) => JSON.stringify(row)).sort().join();
  return rows(plan) === rows(other) && plan.consumers.length > 0 === other.consumers.length > 0;
}

/**
 * The plan from which the places of a run are made. In a run with interventions, it is the plan of the run without
 * them, so that nothing moves; a broker that takes over a lane leads it in the lane's old place. The run's own plan is
 * used if a lane has no place in the other one, if lanes are strips, and on a phone if several brokers take over, or one
 * with a box of its own.
 */
export function basisOf(plan: StagePlan, whole: Size): StagePlan {
  const { stands } = plan;
  const size = roomOf(plan, whole);
  // In pictures with strips, no broker takes over a box.
  if (stands === undefined || (size.form !== "phone" && deskPlaces(stands, size) === null)) return plan;
  const before = rowsOf(stands);
  const known = new Set(before.flatMap(({ lanes }) => lanes));
  const gaining = rowsOf(plan).filter((row) => {
    const own = before.find(({ name }) => name === row.name);
    return own === undefined || row.lanes.some((lane) => !own.lanes.includes(lane)) || (row.coordinates && !own.coordinates) || (row.groups && !own.groups);
  });
  if (gaining.some(({ lanes }) => lanes.some((lane) => !known.has(lane)))) return plan;
  const [heir] = gaining;
  if (heir === undefined || size.form !== "phone") return stands;
  const line = before.find(({ name }) => name === heir.name);
  return gaining.length === 1 && line !== undefined && isLine(line) ? stands : plan;
}

/**
 * The places of a run, and places for what its plan has in addition: clients in the corner of the network, lanes as
 * strips in the first line of a broker.
 */
export function grown(run: Places, plan: StagePlan): Places {
  if (run.kind === "log") return { ...run, hue: huesOf(plan), readers: { ...run.readers, ...withPossible(plan, lateReaders(run, plan)) } };
  if (run.form === "phone" || run.kind !== "cluster") return { ...run, hue: huesOf(plan) };
  const clients: Record<string, ClientPlace> = { ...run.clients };
  const added = plan.clients.filter((client) => !(client.name in clients));
  added.forEach((client, index) => {
    const box = { x: run.network.x + 20, y: run.height - 56 * (index + 1), width: Math.min(220, run.network.width - 40), height: 46 };
    clients[client.name] = clientPlace(client.partitions, box);
  });
  const brokers: Record<string, BrokerPlace> = { ...run.brokers };
  for (const broker of plan.brokers) {
    const place = brokers[broker.name];
    if (place === undefined) continue;
    const lanes: Record<string, LanePlace> = { ...place.lanes };
    let x = place.box.x + 24 + textWidth(broker.name, 15, true);
    for (const name of broker.lanes) {
      if (name in lanes || run.away.lanes.includes(name)) continue;
      const width = Math.min(200, (place.box.width - (x - place.box.x) - 20));
      const label = textWidth(name, 12, true) + 26;
      if (width < label + 60) continue;
      lanes[name] = lanePlace(plan.lanes[name] ?? { first: 0, end: 8 }, { x, y: place.box.y + 6, width, height: 18 }, true, label);
      x += width;
    }
    brokers[broker.name] = { ...place, lanes };
  }
  const corners = run.network.width === 0 || run.lens !== null ? {} : cornerPlaces(plan, run.network.x, run.height, run.others);
  return { ...run, hue: huesOf(plan), clients, brokers, others: { ...run.others, ...corners } };
}

function lateReaders(run: Places, plan: StagePlan): Places["readers"] {
  const { fetches } = run;
  if (fetches === null) return {};
  const x = fetches.x + fetches.width;
  return Object.fromEntries(Object.entries(run.brokers[FILES]?.lanes ?? {}).filter(([name]) => Object.keys(run.readers[name] ?? {}).every((reader) => reader === POSSIBLE))
    .map(([name, { box }]) => [name, rowsIn(plan, name, { x, y: box.y, width: run.width - x - 24, height: box.height })]).filter(([, rows]) => Object.keys(rows as object).length > 0));
}

/** The name of the broker's place that stands for a partition's current leader; null while it has none. */
export function ledBy(frame: Frame, here: Places, partition: string): string | null {
  if (here.kind === "log") return FILES;
  const leader = frame.view.partitions?.[partition]?.leader;
  return leader === null || leader === undefined ? null : `broker-${leader}`;
}

/** The broker id of the replica of a partition that the broker's place `place` shows; null if it has none. */
export function replicaIn(frame: Frame, place: string, partition: string): string | null {
  const known = frame.view.partitions?.[partition];
  if (known === undefined) return null;
  const id = place.replace(/^broker-/, "");
  return id in known.replicas ? id : place === FILES ? shownReplica(known) : null;
}

/**
 * The data partition that a step is about; else the selected one; else the one that was written to last; else the first
 * that has a place.
 */
export function partitionAt(frame: Frame, run: Places, focus: Focus): string | null {
  const placed = new Set(Object.values(run.brokers).flatMap((broker) => Object.keys(broker.lanes)));
  const named = (name: unknown): name is string => typeof name === "string" && placed.has(name);
  const { selection } = frame;
  const found = namedBy(frame, focus).concat([selection?.kind === "partition" ? selection.id : selection?.partition]).find(named);
  return found ?? newest(frame.view, placed) ?? [...placed][0] ?? null;
}

/** The partitions that a step names or changes, the most relevant first; some may have no place. */
function namedBy(frame: Frame, { partition, messages, tag }: Focus): unknown[] {
  const { step, view, previousView } = frame;
  const ids = [...messages.delivered, ...messages.dropped, ...messages.lost, ...messages.delayed, ...messages.duplicated, ...messages.sent];
  const carried = ids.flatMap((id) => (view.network?.messages[String(id)] ?? previousView?.network?.messages[String(id)])?.partitions ?? []);
  const changed = step?.changes ?? [];
  const listed = step?.params["partitions"];
  return [
    partition, step?.params["partition"], ...[tag?.params["partitions"]].flat(), step?.decision?.subject, ...carried, ...(Array.isArray(listed) ? listed : []),
    ...changed.filter(({ path }) => path[0] === "partitions").map(({ path }) => path[1]),
    ...changed.flatMap(({ path }) => ofClient(frame, path)),
  ];
}

/**
 * The partitions to which a changed path leads: of a record, of a client's batch or queue, or of a client's request.
 */
function ofClient({ view, previousView }: Frame, [room, id = "", part, name = ""]: readonly string[]): (string | undefined)[] {
  if (room === "records") return [view.records?.[id]?.partition];
  const client = previousView?.clients?.[id] ?? view.clients?.[id];
  if (room !== "clients" || client === undefined) return [];
  const partitionOf = (batch: string): string | undefined => (client.batches?.[batch] ?? view.clients?.[id]?.batches?.[batch])?.partition;
  if (part === "queues") return [name];
  if (part === "batches") return [partitionOf(name)];
  return part === "requests" ? (client.requests?.[name]?.batches ?? []).map(partitionOf) : [];
}

function newest(view: View, placed: ReadonlySet<string>): string | null {
  let found: string | null = null;
  let at = -1;
  for (const [name, partition] of Object.entries(view.partitions ?? {})) {
    if (INTERNAL.test(name) || !placed.has(name)) continue;
    const id = shownReplica(partition);
    const batches = id === null ? [] : Object.values(partition.replicas[id]?.batches ?? {});
    const last = batches[batches.length - 1]?.appended_at ?? -1;
    if (last > at) [found, at] = [name, last];
  }
  return found;
}

export function standing(run: Places, frame: Frame, focus: Focus): Places {
  if (run.kind === "middleware") return run;
  if (run.upright) return castOf(run, frame, focus);
  return takenOver(throughLens(withOneCoordinator(run, frame, focus), frame, focus), frame);
}

/** The places, in which only the coordinator that the step is about has a place, if coordinators share one. */
function withOneCoordinator(run: Places, frame: Frame, focus: Focus): Places {
  if (!Object.values(run.brokers).some((broker) => broker.coordinator?.shared === true)) return run;
  const coordinator = coordinatorAt(frame, run, focus);
  const brokers = Object.fromEntries(Object.entries(run.brokers).map(([name, one]): [string, BrokerPlace] =>
    [name, one.coordinator === null || name === coordinator ? one : { ...one, coordinator: null }]));
  return { ...run, brokers };
}

const coordinates = (frame: Frame, name: string): boolean => Object.keys(frame.view.brokers?.[name.replace(/^broker-/, "")]?.transactions ?? {}).length > 0;

/**
 * The names of the brokers that coordinate, but have no coordinator's place, if broker `name` has such a place and
 * coordinates nothing now; else empty.
 */
function heirsOf(run: Places, frame: Frame, name: string): string[] {
  if (run.brokers[name]?.coordinator == null || coordinates(frame, name)) return [];
  return Object.keys(run.brokers).filter((other) => other !== name && run.brokers[other]?.coordinator === null && coordinates(frame, other));
}

/**
 * The brokers' places. If a broker that has only a line now leads all lanes in another broker's box, these two brokers
 * exchange their places.
 */
function exchanged(run: Places, frame: Frame): Places["brokers"] {
  let brokers = run.brokers;
  for (const [name, place] of Object.entries(run.brokers)) {
    const whole = Object.entries(place.lanes).filter(([, { strip }]) => !strip).map(([partition]) => partition);
    const leaders = new Set(whole.length > 0 ? whole.map((partition) => ledBy(frame, run, partition)) : heirsOf(run, frame, name));
    const [heir] = leaders;
    if (leaders.size !== 1 || heir === null || heir === undefined || heir === name || run.brokers[heir]?.folded !== true) continue;
    const line = brokers[heir] as BrokerPlace;
    brokers = { ...brokers, [heir]: place, [name]: { ...line, lanes: {} } };
  }
  return brokers;
}

/**
 * The places at a step at which another broker leads a lane, or coordinates, than the one in whose box this is drawn.
 * The lane or the coordinator then belongs to that broker, but stays where it is; the broker of the box keeps its first
 * line.
 */
function takenOver(run: Places, frame: Frame): Places {
  if (run.kind !== "cluster" || run.lens !== null) return run;
  let brokers = exchanged(run, frame);
  for (const [dead, place] of Object.entries(brokers)) {
    for (const [partition, lane] of Object.entries(place.lanes)) {
      const name = ledBy(frame, run, partition);
      const heir = name === null || name === dead ? undefined : brokers[name];
      if (name === null || heir === undefined || lane.strip || heir.lanes[partition]?.strip === false) continue;
      const { [partition]: _, ...left } = brokers[dead]?.lanes ?? {};
      brokers = { ...brokers, [dead]: { ...(brokers[dead] as BrokerPlace), lanes: left }, [name]: { ...heir, lanes: { ...heir.lanes, [partition]: { ...lane, heir: name } } } };
    }
    if (frame.view.brokers?.[dead.replace(/^broker-/, "")]?.alive !== false) continue;
    const { coordinator } = place;
    const heir = coordinator === null || coordinator.shared === true ? undefined
      : Object.keys(brokers).find((name) => name !== dead && brokers[name]?.coordinator === null && coordinates(frame, name));
    if (heir === undefined || coordinator === null) continue;
    brokers = { ...brokers, [dead]: { ...(brokers[dead] as BrokerPlace), coordinator: null }, [heir]: { ...(brokers[heir] as BrokerPlace), coordinator: { ...coordinator, shared: true, of: (brokers[heir] as BrokerPlace).box } } };
  }
  return brokers === run.brokers ? run : { ...run, brokers: withFirstLines(run, brokers) };
}

/** Units between the first line of a broker's box and a lane in it that another broker now leads. */
const LENT = 3;

/**
 * The brokers' places, in which a broker has only the first line of its box if other brokers now use the rest of it.
 */
function withFirstLines(run: Places, brokers: Places["brokers"]): Places["brokers"] {
  const heirs = Object.values(brokers).flatMap(({ lanes }) => Object.entries(lanes)).filter(([, { heir }]) => heir !== undefined);
  return Object.fromEntries(Object.entries(brokers).map(([name, place]) => {
    const lent = heirs.filter(([partition]) => run.brokers[name]?.lanes[partition]?.strip === false).map(([, { box }]) => box.y - place.box.y - LENT).filter((height) => height > 0);
    const isBare = lent.length > 0 && Object.keys(place.lanes).length === 0 && place.coordinator === null;
    return [name, isBare ? { ...place, box: { ...place.box, height: Math.min(place.box.height, ...lent) } } : place];
  }));
}

/** The places, in which the lane that the step is about is at full size in the lens; its strip stays as an echo. */
function throughLens(run: Places, frame: Frame, focus: Focus): Places {
  const partition = run.lens === null ? null : partitionAt(frame, run, focus);
  const broker = partition === null ? null : ledBy(frame, run, partition);
  const place = broker === null ? undefined : run.brokers[broker];
  const strip = partition === null ? undefined : place?.lanes[partition];
  if (run.lens === null || partition === null || broker === null || place === undefined || strip === undefined) return run;
  return {
    ...run, readers: { [partition]: run.readers[partition] ?? {} },
    brokers: { ...run.brokers, [broker]: { ...place, lanes: { ...place.lanes, [partition]: run.lens }, echo: { [partition]: strip } } },
  };
}

/** The senders and receivers of the step's messages. */
function endsOf(frame: Frame, focus: Focus): (string | undefined)[] {
  const messages = Object.values(focus.messages).flat().map((id: number) => frame.view.network?.messages[String(id)] ?? frame.previousView?.network?.messages[String(id)]);
  return messages.flatMap((message) => [message?.from, message?.to]);
}

/**
 * The name of the place in which this actor is drawn: ZooKeeper has the controller's place, any other actor its own.
 */
const cornerOf = (actor: string): string => (actor === "zookeeper" ? "controller" : actor);

const brokerHeard = (frame: Frame, run: Places, focus: Focus): string | null => endsOf(frame, focus).find((name) => name !== undefined && name in run.brokers) ?? null;

function clientAt(frame: Frame, run: Places, focus: Focus): string | null {
  const { step, view } = frame;
  // If the step is about a consumer whose records an application passes on, the producer of that application counts.
  const passesOn = Object.values(view.applications ?? {}).find(({ loop }) => loop != null && loop.consumer === focus.actor)?.client;
  const candidates = [focus.actor, step?.actor, view.applications?.[step?.actor ?? ""]?.client, step?.transition?.of, ...endsOf(frame, focus), passesOn];
  const found = candidates.find((name) => typeof name === "string" && name in run.clients);
  return found ?? Object.keys(run.clients)[0] ?? null;
}

const ABOUT_BROKER = new Set<Focus["kind"]>(["actor", "leader", "refused", "copy"]);

/** The broker that acts in a step, if the step shows its log, its own state or a message of it; else null. */
function actingIn(run: Places, frame: Frame, focus: Focus, partition: string | null): string | null {
  const { actor, kind } = focus;
  const place = actor === null || kind === "coordinator" ? undefined : run.brokers[actor];
  if (actor === null || place === undefined) return null;
  // A follower that only learns the high watermark is not unfolded, because it stores nothing.
  if (kind === "actor" && frame.step?.kind === "replication") return null;
  const hasLog = partition === null || place.lanes[partition] !== undefined;
  return hasLog || ABOUT_BROKER.has(kind) || endsOf(frame, focus).includes(actor) ? actor : null;
}

/**
 * The strips in the rows of a phone, for partitions other than the one at full size: first those that the step names,
 * then the others in their order. `owner`: the broker whose log the strip shows.
 */
function besideLane(run: Places, frame: Frame, focus: Focus, partition: string | null): { owner: string; name: string; lane: LanePlace }[] {
  const rows = run.rows ?? [];
  if (rows.length === 0 || partition === null) return [];
  const placed = new Set(Object.values(run.brokers).flatMap((one) => Object.keys(one.lanes)));
  const named = namedBy(frame, focus).filter((name): name is string => typeof name === "string" && placed.has(name));
  const known = [...new Set([...named, ...placed])].filter((name) => name !== partition).flatMap((name) => {
    const view = frame.view.partitions?.[name];
    const id = view === undefined ? null : shownReplica(view);
    const owner = ledBy(frame, run, name) ?? (id === null ? "" : `broker-${id}`);
    return view === undefined || run.brokers[owner] === undefined ? [] : [{ owner, name, view }];
  });
  return known.slice(0, rows.length).map(({ owner, name, view }, index) => {
    const replica = view.replicas[owner.replace(/^broker-/, "")];
    const span = { first: replica?.log_start ?? 0, end: Math.max(8, replica?.log_end ?? 0) };
    const lane = phoneParts().rowLane(span, name, run.kind === "log" ? "" : owner, rows[index] as Box);
    return { owner, name, lane: { ...lane, port: run.brokers[owner]?.port ?? lane.port } };
  });
}

/**
 * Partition → strip in the small box of a broker: first the partitions that it leads now, then those that it leads at
 * another step and of which it has a copy now.
 */
function chipLanes(run: Places, frame: Frame, name: string): Record<string, LanePlace> {
  const { rows = [], lanes } = run.brokers[name] as BrokerPlace;
  const known = [...new Set(Object.values(run.brokers).flatMap((one) => Object.keys(one.lanes)))];
  const led = known.filter((partition) => ledBy(frame, run, partition) === name);
  const kept = Object.keys(lanes).filter((partition) => replicaIn(frame, name, partition) !== null);
  return Object.fromEntries([...new Set([...led, ...kept])].slice(0, rows.length).map((partition, index) => {
    const replica = frame.view.partitions?.[partition]?.replicas[name.replace(/^broker-/, "")];
    const span = { first: replica?.log_start ?? 0, end: Math.max(8, replica?.log_end ?? 0) };
    return [partition, { ...phoneParts().chipLane(span, partition, rows[index] as Box), port: (run.brokers[name] as BrokerPlace).port }];
  }));
}

/** The place of a partition's lane at full size, from the first broker that has one. */
const wholeLane = (run: Places, partition: string): LanePlace | undefined => Object.values(run.brokers).map(({ lanes }) => lanes[partition]).find((lane) => lane !== undefined);

/** The places on a phone of the components that are in the picture at this step, with those that are unfolded. */
function castOf(run: Places, frame: Frame, focus: Focus): Places {
  const partition = partitionAt(frame, run, focus);
  const client = clientAt(frame, run, focus);
  const corner = cornerOf(focus.actor ?? frame.step?.actor ?? "");
  const standing = run.kind === "cluster" ? run.others[corner] : undefined;
  const controls = standing !== undefined;
  const hasChips = Object.values(run.brokers).some(({ rows }) => rows !== undefined);
  const leader = partition === null ? null : ledBy(frame, run, partition);
  const acting = actingIn(run, frame, focus, partition);
  const coordinator = coordinatorAt(frame, run, focus);
  // If a coordinator acts and its broker has no copy of this log, the broker is not unfolded: the coordinator's place
  // shows the step.
  const inRail = acting !== null && acting === coordinator && leader !== null && partition !== null && run.brokers[acting]?.lanes[partition] === undefined;
  // If the tool or the controller sends a request to a broker with a small box, the broker is not unfolded either, so
  // that the log that the step is about stays visible.
  const heard = controls && (leader === null || !hasChips) ? brokerHeard(frame, run, focus) : null;
  const broker = (inRail ? null : acting) ?? heard ?? leader ?? Object.keys(run.brokers)[0] ?? null;
  const brokers: Places["brokers"] = {};
  const place = broker === null ? undefined : run.brokers[broker];
  // The lane of a follower that copies, and of a leader that the plan does not know, has the place of the lane in the
  // plan.
  const isHere = broker !== null && partition !== null && (place?.lanes[partition] !== undefined || focus.kind === "copy" || leader === broker);
  const lane = !isHere || partition === null ? undefined : wholeLane(run, partition);
  if (hasChips) {
    for (const [name, { panel, ...own }] of Object.entries(run.brokers)) {
      const strips = chipLanes(run, frame, name);
      const strip = partition === null || name !== broker || lane === undefined ? undefined : strips[partition];
      brokers[name] = {
        ...own, ...(name === broker && panel !== undefined ? { panel } : {}),
        lanes: partition === null || name !== broker || lane === undefined ? strips : { ...strips, [partition]: lane },
        ...(strip === undefined || partition === null ? {} : { echo: { [partition]: strip } }),
        coordinator: name === coordinator && own.coordinator !== null ? { ...own.coordinator, shared: true } : null,
      };
    }
  } else if (broker !== null && place !== undefined) {
    brokers[broker] = { ...place, lanes: partition === null || lane === undefined ? {} : { [partition]: lane }, coordinator: broker === coordinator ? place.coordinator : null };
  }
  const beside = besideLane(run, frame, focus, partition);
  for (const { owner, name, lane: strip } of beside) {
    const own = brokers[owner] ?? { ...(run.brokers[owner] as BrokerPlace), box: strip.box, lanes: {}, coordinator: null, folded: true };
    brokers[owner] = { ...own, lanes: { ...own.lanes, [name]: strip } };
  }
  const seen = new Set(Object.values(brokers).flatMap((one) => Object.keys(one.lanes)));
  const clients = clientsOf(run, partition, controls ? null : client);
  return {
    ...run, brokers, clients,
    others: { ...withoutCorners(run), ...(standing === undefined ? {} : { [corner]: standing }) },
    readers: partition === null || run.readers[partition] === undefined ? {} : { [partition]: run.readers[partition] as Places["readers"][string] },
    away: {
      clients: [...Object.keys(run.clients).filter((name) => !(name in clients)), ...Object.keys(run.others).filter((name) => name !== corner && CORNERS.some((one) => one === name))],
      brokers: Object.keys(run.brokers).filter((name) => !(name in brokers)),
      lanes: [...new Set(Object.values(run.brokers).flatMap((one) => Object.keys(one.lanes)))].filter((name) => !seen.has(name)),
      readers: [],
    },
  };
}

/**
 * The places of the other components, without the controller and the tool, which are in the picture only when they act.
 */
function withoutCorners(run: Places): Places["others"] {
  return Object.fromEntries(Object.entries(run.others).filter(([name]) => !CORNERS.some((one) => one === name)));
}

/**
 * The places of clients: client `client` in full, with its queue of this partition; of the others, those that have
 * small boxes.
 */
function clientsOf(run: Places, partition: string | null, client: string | null): Places["clients"] {
  return Object.fromEntries(Object.entries(run.clients).flatMap(([name, { panel, ...own }]): [string, ClientPlace][] => {
    const row = partition === null ? undefined : own.queues[partition];
    if (name === client) return [[name, { ...own, ...(panel === undefined ? {} : { panel }), queues: partition === null || row === undefined ? {} : { [partition]: row } }]];
    return panel === undefined ? [] : [[name, { ...own, queues: {}, folded: true }]];
  }));
}

/**
 * The broker whose coordinator is shown: that of the step's transactional id; without one, the broker whose transaction
 * changed last; else one that is down or planned. Null if no broker has a coordinator's place.
 */
function coordinatorAt(frame: Frame, run: Places, focus: Focus): string | null {
  const placed = Object.keys(run.brokers).filter((name) => run.brokers[name]?.coordinator != null);
  const entries = placed.flatMap((name) => Object.entries(frame.view.brokers?.[name.replace(/^broker-/, "")]?.transactions ?? {}).map(([id, entry]) => ({ name, id, entry })));
  const own = entries.filter(({ id }) => focus.transactional_id === null || id === focus.transactional_id);
  const last = own.reduce<(typeof own)[number] | null>((best, one) => (best === null || one.entry.last_update > best.entry.last_update ? one : best), null);
  // A coordinator that is down keeps its place until another one has read its log.
  const planned = placed.filter((name) => run.brokers[name]?.coordinator?.spare !== true);
  const dead = planned.find((name) => frame.view.brokers?.[name.replace(/^broker-/, "")]?.alive === false);
  return last?.name ?? dead ?? planned[0] ?? null;
}

export function sizeOf(width: number, height: number, projector: boolean): Size {
  return { width, height, form: width < UPRIGHT ? "phone" : projector ? "projector" : "desk" };
}
