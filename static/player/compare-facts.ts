/**
 * The differences between two runs at their steps on show: nodes, transactions, partitions, consumers. Both sides have
 * the same facts in the same order, so that they can be compared. Computed from views alone; pure.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { INTERNAL } from "../diagrams/internal-partitions.ts";
import { leaderBatches } from "../diagrams/leader-log.ts";
import { shownTransaction } from "../diagrams/middleware-shown.ts";
import type { MiddlewareView, Plan, TransactionView } from "../generated/messages.ts";
import { rowsOf } from "../stage/beside.ts";
import { DATABASE_NAME } from "../stage/beside-places.ts";
import { stateOf } from "../stage/producers.ts";
import { stateWord } from "../stage/state-word.ts";
import type { Frame, ReplicaView, View } from "./frame.ts";
import { pathKey } from "./frame.ts";
import { aside, facts, listed } from "./joins.ts";
import { say } from "./text.ts";

export const defaults = {
  /** The most facts that a side shows; the others are counted. */
  most: 5,
  /** The most batches that a fact lists. */
  batches: 4,
  /** The most names of things in which one run is ahead. */
  ahead: 3,
};

/** A fact about one side. `about`: the component or partition that the pictures mark. */
export interface Fact {
  about: string;
  name: string;
  said: string;
  /** Whether the fact is a time: runs that differ only in time differ in such facts. */
  isOfTime?: boolean;
  /** Whether the fact is a number that identifies something: a producer id, an epoch, a sequence number. */
  isNumber?: boolean;
}

export interface Apart {
  about: string;
  /** Further names that the pictures mark. */
  marks?: readonly string[];
  name: string;
  left: string;
  right: string;
  isOfTime?: boolean;
  isNumber?: boolean;
}

/** Whether a whole list is shown, and the function that changes this. */
export interface Unfolding {
  whole: boolean;
  turn: () => void;
}

/** `none`: the text of an empty list. */
export interface Unfolded extends Unfolding {
  none: string;
}

export type ApartRow = Pick<Apart, "name" | "left" | "right">;

/**
 * The facts that differ; first those about components that are down in at least one of the runs. Empty until both frames
 * have arrived.
 */
export function factsApart(left: Frame | null | undefined, right: Frame | null | undefined): Apart[] {
  if (left == null || right == null) return [];
  const [ours, theirs] = [factsOf(left), factsOf(right)];
  const names = [...new Set([...ours.keys(), ...theirs.keys()])];
  const apart = names.flatMap((name): Apart[] => {
    const [one, other] = [ours.get(name), theirs.get(name)];
    // A fact that only one run has so far, such as a transaction, is not compared.
    return one === undefined || other === undefined || one.said === other.said ? [] : [{ about: one.about, name, left: one.said, right: other.said, ...(one.isOfTime === true ? { isOfTime: true } : {}), ...(one.isNumber === true ? { isNumber: true } : {}) }];
  });
  for (const name of Object.keys(left.view.partitions ?? {})) {
    const marks = offsetsApart(name, left.view, right.view);
    for (const one of apart) if (one.about === name) one.marks = marks;
    apart.push(...recordsApart(name, marks, left.view, right.view), ...batchesApart(name, marks, left.view, right.view), ...numbersApart(name, marks, left.view, right.view));
  }
  const isDown = ({ about }: Apart): boolean => !isAlive(left.view, about) || !isAlive(right.view, about);
  return [...apart.filter(isDown), ...apart.filter((one) => !isDown(one))];
}

/** The paths of the view under which partitions and actors are listed by name. */
const PLACES = [["partitions"], ["clients"], ["consumers"], ["services"], ["middleware"], ["middleware", "participants"]];

/** Whether the step on show changes one of these partitions and actors. */
export function changesOne({ changed }: Pick<Frame, "changed">, abouts: readonly string[]): boolean {
  return abouts.some((about) => PLACES.some((place) => changed.has(pathKey([...place, about]))));
}

/** The moment since which a shown thing differs; null if it does not. */
export type Since = (about: string) => number | null;

/**
 * The facts that differ in more than time (`parted`), in the order in which they began to differ. A thing in which one
 * run was `behind` before that is nearer to the cause and comes first. Facts that are times follow, and last numbers
 * (`numbered`): two runs may have the same state with different numbers.
 */
export function nearestFirst(all: readonly Apart[], parted: Since, behind: Since, numbered: Since = () => null): Apart[] {
  const first = Math.min(...all.map(({ about }) => parted(about) ?? Infinity));
  const dated = all.filter(({ isNumber }) => isNumber !== true).flatMap((one): { one: Apart; since: number }[] => {
    const [differs, lags] = [parted(one.about), behind(one.about)];
    if (differs !== null) return [{ one, since: differs }];
    if (lags !== null && lags < first && first < Infinity) return [{ one, since: lags }];
    return one.isOfTime === true ? [{ one, since: Infinity }] : [];
  });
  const numbers = all.flatMap((one): { one: Apart; since: number }[] => {
    const since = one.isNumber === true ? numbered(one.about) : null;
    return since === null ? [] : [{ one, since }];
  });
  return [dated, numbers].flatMap((some) => some.sort((one, other) => (one.since === other.since ? 0 : one.since - other.since)).map(({ one }) => one));
}

/**
 * The base offsets of batches and markers with a record, a marker or an outcome that the other log does not have at the
 * same offset: `t-0 43`. Offsets that one log has deleted are left out, because nothing is known of them.
 */
function offsetsApart(partition: string, left: View, right: View): string[] {
  const logs = [left, right].map((view) => everyBatchOf(view, partition)) as [Batch[], Batch[]];
  const since = Math.max(0, ...logs.flatMap(([first]) => first?.base_offset ?? []));
  const held = logs.map((log) => new Map(log.flatMap((batch) => offsetsOf(batch).map((offset): [number, string] => [offset, contentAt(batch, offset)]))));
  const apart = logs.flatMap((log, side) => log.filter((batch) => offsetsOf(batch).some((offset) => offset >= since && held[side]?.get(offset) !== held[1 - side]?.get(offset))));
  return [...new Set(apart.map(({ base_offset: base }) => base))].sort((one, other) => one - other).map((base) => `${partition} ${base}`);
}

function offsetsOf({ base_offset: base, last_offset: last }: Batch): number[] {
  return Array.from({ length: last - base + 1 }, (_, index) => base + index);
}

/** The marker, or the outcome and the record, that a batch has at an offset. */
function contentAt(batch: Batch, offset: number): string {
  const { base_offset: base, control, outcome, serials = [] } = batch;
  return [control, outcome, ...serials.slice(offset - base, offset - base + 1)].join(" ");
}

/** The records of both logs from the first offset at which they differ. `marks`: as `offsetsApart` returns them. */
function recordsApart(partition: string, marks: readonly string[], left: View, right: View): Apart[] {
  if (INTERNAL.test(partition)) return [];
  const [ours, theirs] = [recordsOf(left, partition), recordsOf(right, partition)] as const;
  const from = [...ours].find(([offset, serial]) => (theirs.get(offset) ?? serial) !== serial)?.[0];
  if (from === undefined) return [];
  const text = (records: ReadonlyMap<number, number>): string => {
    const names = [...records].filter(([offset]) => offset >= from).map(([, serial]) => `r${serial}`);
    return listed(names.length > defaults.batches ? [...names.slice(0, defaults.batches), "…"] : names);
  };
  return [{ about: partition, name: say("player.compare.fact.records_from", { partition, offset: from }), left: text(ours), right: text(theirs), marks }];
}

/** Offset → serial of the record there, for batches with all their serials. */
function recordsOf(view: View, partition: string): ReadonlyMap<number, number> {
  const whole = batchesOf(view, partition).filter(({ serials = [], base_offset: base, last_offset: last }) => serials.length === last - base + 1);
  return new Map(whole.flatMap(({ serials, base_offset: base }) => serials.map((serial, index): [number, number] => [base + index, serial])));
}

/**
 * The sizes of the batches of both logs from the first offset at which the same records are in other batches, as far as
 * both logs go. It marks the offsets at which a batch begins in one log only, `t-0 |43`, except those of batches that
 * differ in more (`marks`, as `offsetsApart` returns them).
 */
function batchesApart(partition: string, marks: readonly string[], left: View, right: View): Apart[] {
  if (INTERNAL.test(partition)) return [];
  const [ours, theirs] = [batchesOf(left, partition), batchesOf(right, partition)];
  const since = Math.max(...[ours, theirs].map(([first]) => first?.base_offset ?? 0));
  const until = Math.min(...[ours, theirs].map((all) => (all.at(-1)?.last_offset ?? -1) + 1));
  const cut = (all: readonly Batch[], others: readonly Batch[]): Batch[] => all.filter(({ base_offset: base, last_offset: last }) =>
    base >= since && base < until && !others.some((one) => one.base_offset === base && one.last_offset === last));
  const [one, other] = [cut(ours, theirs), cut(theirs, ours)];
  const from = Math.min(...[...one, ...other].map(({ base_offset: base }) => base));
  // One log may end within a batch of the other: it is then not known into which batches its records will go.
  if (one.length === 0 || other.length === 0) return [];
  const bases = [ours, theirs].map((all) => new Set(all.map(({ base_offset: base }) => base)));
  const begins = [...one, ...other].map(({ base_offset: base }) => base).filter((base) => !bases.every((all) => all.has(base)) && !marks.includes(`${partition} ${base}`));
  return [{ about: partition, name: say("player.compare.fact.batches", { partition, offset: from }), left: cutText(ours, from), right: cutText(theirs, from), marks: begins.map((base) => `${partition} |${base}`) }];
}

/**
 * The numbers of the first batch or marker that both logs have at the same offset with the same content, but with
 * another producer id, epoch or sequence number. Its marks are `t-0 #43`; those of another content (`marks`) are left out.
 */
function numbersApart(partition: string, marks: readonly string[], left: View, right: View): Apart[] {
  const theirs = new Map(everyBatchOf(right, partition).map((batch) => [batch.base_offset, batch]));
  const apart = everyBatchOf(left, partition).flatMap((one) => {
    const other = theirs.get(one.base_offset);
    return other === undefined || marks.includes(`${partition} ${one.base_offset}`) || (one.control === null) !== (other.control === null) || numbersText(one) === numbersText(other) ? [] : [{ one, other }];
  });
  const [first] = apart;
  if (first === undefined) return [];
  const name = say(first.one.control === null ? "player.compare.fact.numbers" : "player.compare.fact.marker_numbers", { partition, offset: first.one.base_offset });
  return [{ about: partition, name, left: numbersText(first.one), right: numbersText(first.other), isNumber: true, marks: apart.map(({ one }) => `${partition} #${one.base_offset}`) }];
}

/** `PID 1000, epoch 0, seq 1`; for a marker, with its coordinator's epoch instead of a sequence number. */
function numbersText({ producer_id: pid, producer_epoch: epoch, first_sequence: seq, control, coordinator_epoch: coordinator }: Batch): string {
  if (pid === null || pid === -1) return say("player.compare.fact.no_pid");
  const whose = identityText(pid, epoch);
  return control === null ? facts([whose, say("player.compare.fact.sequence", { seq: seq ?? "–" })]) : facts([whose, say("player.compare.fact.coordinator_epoch", { epoch: coordinator })]);
}

function identityText(pid: number | string | null | undefined, epoch: number | null | undefined): string {
  return pid == null || pid === -1 ? say("stage.none") : say("player.compare.fact.identity", { pid, epoch: epoch ?? "–" });
}

/**
 * Names of the producers that hold different records in the two runs at these steps, or the same records in different
 * states (sent in one run, waiting in the other).
 */
export function holdingApart(left: Frame | null | undefined, right: Frame | null | undefined): string[] {
  if (left == null || right == null) return [];
  const [ours, theirs] = [left.view.clients ?? {}, right.view.clients ?? {}];
  const held = (batches?: Client["batches"]): string => JSON.stringify(Object.values(batches ?? {}).map(({ partition, state, serials }) => `${partition} ${state} ${(serials ?? []).join(",")}`).sort());
  return Object.keys(ours).filter((name) => theirs[name] !== undefined && held(ours[name]?.batches) !== held(theirs[name]?.batches));
}

type Client = NonNullable<View["clients"]>[string];
type Batch = ReplicaView["batches"][string];

function batchesOf(view: View, partition: string): Batch[] {
  return everyBatchOf(view, partition).filter(({ control }) => control === null);
}

function everyBatchOf({ partitions }: View, partition: string): Batch[] {
  return leaderBatches(partitions?.[partition]).sort((one, other) => one.base_offset - other.base_offset);
}

/** The number and the sizes of batches in words: `2 batches: 8 + 2 records`. */
function cutText(batches: readonly Batch[], from: number): string {
  const counts = batches.filter(({ base_offset: base }) => base >= from).map(({ record_count: count }) => String(count));
  const shown = counts.length > defaults.batches ? [...counts.slice(0, defaults.batches), "…"] : counts;
  return say("player.compare.fact.cut", { count: counts.length, counts: shown.join(" + ") });
}

/** A thing that differs because one run is further, and the run that is; `both` if each is further in some part. */
export interface Ahead {
  about: string;
  side: "left" | "right" | "both";
}

/** The names of the two runs. */
export type RunNames = Readonly<Record<"left_run" | "right_run", string>>;

/**
 * `holding`: as `holdingApart` returns it. `passed`: as `passedApart` returns it. `compared`: the last compared step,
 * if no event differs: of a long run, only the first steps are compared.
 */
export interface BesideFacts {
  holding?: readonly string[];
  passed?: readonly string[];
  compared?: number | undefined;
}

/**
 * The names of things that differed before these steps in more than time (`names`) and are equal at these steps. A
 * transaction of the middleware is named with the states that it has in one run only: `middleware (checking back in
 * “Changed run a”)`.
 */
export function passedApart(names: readonly string[], plans: readonly (Pick<Plan, "passed"> | null)[], shown: readonly number[], runs: RunNames): string[] {
  return names.map((name) => {
    const states = plans.map((plan) => Object.values(plan?.passed?.[name] ?? {}).flat());
    const only = states.map((own, side) => own.filter(({ state, since }) => since <= (shown[side] ?? 0) && states[1 - side]?.some((other) => other.state === state) === false).map(({ state }) => state));
    const said = only.flatMap((own, side) => (own.length === 0 ? [] : [say("player.compare.passed_states", { states: listed([...new Set(own)].map(stateWord)), run: side === 0 ? runs.left_run : runs.right_run })]));
    return aside(name, said.length === 0 ? null : facts(said));
  });
}

/**
 * The sentence shown if facts differ at most in time. `same`: the last step before the events differ; null if none do.
 * `ahead`: what differs at these steps because one run is ahead.
 */
export function nothingApart(same: number | null, shown: readonly number[], ahead: readonly Ahead[], runs: RunNames, { holding = [], passed = [], compared = Number.POSITIVE_INFINITY }: BesideFacts = {}): string {
  if (same === null && shown.some((step) => step > compared)) return say("player.compare.none_yet", { step: compared });
  if (same === null || shown.every((step) => step <= same)) return say("player.compare.nothing_apart");
  const step = same + 1;
  if (passed.length > 0) return say("player.compare.passed_apart", { step, names: listed(passed) });
  if (ahead.length === 0 && holding.length > 0) return say("player.compare.batches_apart", { step, names: listed(holding.slice(0, defaults.ahead)) });
  if (ahead.length === 0) return say("player.compare.same_states", { step });
  const [left, right, both] = (["left", "right", "both"] as const).map((side) => listed(ahead.filter((one) => one.side === side).slice(0, defaults.ahead).map(({ about }) => about))) as [string, string, string];
  if (left === "" && right === "") return say("player.compare.both_ahead", { names: both });
  if (left !== "" && right !== "") return say("player.compare.each_ahead", { ...runs, left, right });
  return say("player.compare.one_ahead", left === "" ? { run: runs.right_run, names: right } : { run: runs.left_run, names: left });
}

/**
 * One side's facts that differ. A press on the number of the others shows all of them; a second press hides them again.
 */
export function apartList(apart: readonly ApartRow[], side: "left" | "right", { whole, turn, none, most = defaults.most }: Unfolded & { most?: number }): TemplateResult {
  if (apart.length === 0) return html`<p class="apart none">${none}</p>`;
  const shown = whole ? apart : apart.slice(0, most);
  const rest = apart.length - most;
  return html`<ul class="apart" aria-label=${say("player.compare.apart")}>${shown.map((one) => html`<li><span>${one.name}</span> <b>${one[side]}</b></li>`)}${
    rest <= 0 ? nothing : html`<li class="others">${othersButton(rest, { whole, turn })}</li>`}</ul>`;
}

/** The button that shows the rest of a list, or hides it again. */
export function othersButton(rest: number, { whole, turn }: Unfolding): TemplateResult {
  return html`<button class="others" aria-expanded=${whole ? "true" : "false"} @click=${turn}>${whole ? say("player.compare.apart_fewer") : say("player.compare.apart_more", { count: rest })}</button>`;
}

interface Life {
  alive?: boolean;
  paused?: boolean;
}

/** The name of every node in a view, with the part of the view that has its `alive` and `paused`. */
function livesOf({ middleware, brokers, clients, consumers, services }: View): [string, Life][] {
  return [
    ...Object.entries(nodesOf(middleware)),
    ...Object.entries(brokers ?? {}).map(([id, broker]): [string, Life] => [`broker-${id}`, broker]),
    ...Object.entries(clients ?? {}),
    ...Object.entries(consumers ?? {}),
    ...Object.entries(services ?? {}),
  ];
}

function nodesOf(view: MiddlewareView | undefined): Record<string, Life> {
  const { initiator, business, middleware, manager, participants = {} } = view ?? {};
  const roles = Object.entries({ initiator, business, middleware, manager }).filter((one): one is [string, NonNullable<typeof business>] => one[1] != null);
  return { ...participants, ...Object.fromEntries(roles) };
}

const isAlive = (view: View, name: string): boolean => livesOf(view).find(([one]) => one === name)?.[1].alive !== false;

function lifeWord({ alive, paused }: Life): string {
  return say(alive === false ? "stage.mw.down" : paused === true ? "stage.paused" : "player.compare.fact.up");
}

function factsOf(frame: Frame): Map<string, Fact> {
  const { view } = frame;
  const states = middlewareStates(frame);
  const found: Fact[] = livesOf(view).map(([name, life]) => {
    const client = view.clients?.[name];
    if (client !== undefined) return { about: name, name, said: clientState(frame, name, client) };
    const state = states.get(name);
    return { about: name, name, said: state === undefined ? lifeWord(life) : life.alive === false || life.paused === true ? facts([lifeWord(life), state]) : state };
  });
  found.push(...windowFacts(frame));
  if (view.database !== undefined) found.push({ about: DATABASE_NAME, name: say("player.compare.fact.rows"), said: listed(rowsOf(frame).map(({ said }) => said)) || say("stage.none") });
  for (const [tid, entry] of Object.entries(transactionsOf(view))) found.push({ about: tid, name: tid, said: entry.state });
  found.push(...offsetFacts(view), ...identityFacts(view));
  const partitions = Object.entries(view.partitions ?? {}).sort(([one], [other]) => Number(INTERNAL.test(one)) - Number(INTERNAL.test(other)));
  for (const [name, { leader, replicas }] of partitions) {
    const log = leader === null ? undefined : replicas?.[String(leader)];
    found.push({ about: name, name: say("player.compare.fact.leader", { partition: name }), said: leader === null ? say("stage.none") : `broker-${leader}` });
    if (log === undefined) continue;
    found.push({ about: name, name, said: say("player.compare.fact.log", { end: log.log_end, hw: log.high_watermark, lso: log.last_stable_offset }) });
    if (!INTERNAL.test(name)) found.push({ about: name, name: say("player.compare.fact.outcomes", { partition: name }), said: outcomesOf(log) });
  }
  for (const [name, { delivered_count: count }] of Object.entries(view.consumers ?? {})) {
    found.push({ about: name, name: say("player.compare.fact.reads", { consumer: name }), said: say("player.compare.fact.records", { count }) });
  }
  for (const [name, { isr }] of partitions) {
    found.push({ about: name, name: say("player.compare.fact.in_sync", { partition: name }), said: listed([...isr].sort((one, other) => one - other).map(String)) });
  }
  return new Map(found.map((fact) => [fact.name, fact]));
}

/** The committed offsets of each group, as its coordinator has them. */
function offsetFacts({ brokers = {}, partitions = {} }: View): Fact[] {
  return Object.entries(brokers).flatMap(([id, { alive, groups = {} }]) => Object.entries(groups).flatMap(([group, { log_partition: log, committed = {} }]) =>
    !alive || String(partitions[`__consumer_offsets-${log}`]?.leader) !== id ? [] : Object.entries(committed).map(([partition, { offset }]): Fact =>
      ({ about: group, name: say("player.compare.fact.group_offset", { group, partition }), said: String(offset) }))));
}

/** Producer id and epoch of each producer, and of each transactional id at its coordinator. */
function identityFacts(view: View): Fact[] {
  const managers = Object.entries(view.clients ?? {}).map(([name, { transaction_manager: manager }]) => [name, manager ?? undefined] as const);
  return [...managers, ...Object.entries(transactionsOf(view))].flatMap(([about, held]): Fact[] =>
    held === undefined ? [] : [{ about, name: say("player.compare.fact.identity_of", { about }), said: identityText(held.producer_id, held.producer_epoch), isNumber: true }]);
}

/**
 * Of the transaction on show: the window of the middleware, and the time during which the nodes differed, each once it
 * is over.
 */
function windowFacts(frame: Frame): Fact[] {
  const { middleware } = frame.view;
  const tid = shownTransaction(frame);
  if (middleware === undefined || tid === null) return [];
  const spans = { window: middleware.transactions?.[tid]?.window, differed: middleware.differ?.[tid] };
  return Object.entries(spans).flatMap(([name, span]): Fact[] => {
    if (span?.since == null || span.until === null) return [];
    const { since, until } = span;
    return [{ about: "middleware", name: say(`player.compare.fact.${name}`), said: say("player.compare.fact.span", { since, until }), isOfTime: true }];
  });
}

/** The state of a client, with the error that ended its work. */
function clientState(frame: Frame, name: string, client: NonNullable<View["clients"]>[string]): string {
  const { said, bad } = stateOf(frame, name, client);
  const error = client.transaction_manager?.last_error;
  return bad && error != null ? say("player.compare.fact.error", { state: said, error }) : said;
}

const OUTCOMES = ["committed", "aborted", "open"] as const;

/** The numbers of records of transactions in a log, by outcome. */
function outcomesOf(log: ReplicaView): string {
  const batches = Object.values(log.batches ?? {});
  const parts = OUTCOMES.flatMap((outcome) => {
    const count = batches.filter((batch) => batch.outcome === outcome).reduce((sum, batch) => sum + batch.record_count, 0);
    return count === 0 ? [] : [say(`player.compare.fact.${outcome}`, { count })];
  });
  return parts.length === 0 ? say("stage.none") : facts(parts);
}

/** The state of each node that takes part in the transaction on show. */
function middlewareStates(frame: Frame): Map<string, string> {
  const { middleware } = frame.view;
  if (middleware === undefined) return new Map();
  const tid = shownTransaction(frame) ?? "";
  const { business, manager, participants = {}, transactions = {} } = middleware;
  const entries: [string, { state: string } | undefined][] = [
    ["middleware", transactions[tid]], ["manager", manager?.transactions?.[tid]],
    // As on the stage, participants and the business system are idle before their first message.
    ...Object.entries({ ...participants, ...(business == null ? {} : { business }) }).map(([name, one]): [string, { state: string } | undefined] => [name, one.transactions?.[tid] ?? (one.alive === false ? undefined : { state: "IDLE" })]),
  ];
  return new Map(entries.flatMap(([name, entry]) => (entry === undefined ? [] : [[name, stateWord(entry.state)]])));
}

/** The transactions as the newest coordinator has them; a coordinator that is down has none. */
function transactionsOf({ brokers = {} }: View): Record<string, TransactionView> {
  const found: Record<string, TransactionView> = {};
  for (const broker of Object.values(brokers)) {
    if (!broker.alive) continue;
    for (const [tid, entry] of Object.entries(broker.transactions ?? {})) {
      if ((found[tid]?.coordinator_epoch ?? -1) <= entry.coordinator_epoch) found[tid] = entry;
    }
  }
  return found;
}
