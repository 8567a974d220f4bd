/**
 * Places the messages in transit: for each, the place on its wire to which virtual time has brought it, its fate in
 * this step, and how much of it is shown. Pure.
 *
 * Messages that would overlap are moved apart: their wires slide along the boxes of components, so that each is still
 * on its own wire. If there are more than six, they show only type and partition; if there are more than twelve, those
 * between the same components are counted together (a "bundle"). On a phone, these limits are lower.
 */

import { nothing, svg } from "lit";
import { clamp, overlap, overlapArea, round } from "../diagrams/geometry.ts";
import { isPicked, messageSelection } from "../diagrams/picked.ts";
import { isMessageOfPicked } from "../diagrams/transaction-picked.ts";
import type { Frame, MessageView, Selection } from "../player/frame.ts";
import { listed, named } from "../player/joins.ts";
import { say } from "../player/text.ts";
import type { Box, Focus, Layer, Places, Point, StageObject } from "./contract.ts";
import { NO_FOCUS } from "./contract.ts";
import { box, path, text, textWidth } from "./draw.ts";
import type { Detail, Envelope, Fate } from "./envelope.ts";
import { TORN, envelopeOf } from "./envelope.ts";
import { carriedWords, sheetOf } from "./messages.ts";
import type { Sheet } from "./messages.ts";
import { phoneParts } from "./later.ts";
import type { Wire } from "./wires.ts";
import { between01, heading, pathOf, pointOn, roomy, shifted, wireOf } from "./wires.ts";

export const defaults = {
  /** `whole`: the most messages that are shown with their content; `single`: the most that are shown one by one. */
  whole: 6,
  single: 12,
  /**
   * The most bundles if there is one for each pair of components. If there were more, there is one for each component
   * that sends requests or receives responses.
   */
  bundles: 8,
  /** As `whole`, if the network also shows the card with the rule that decided. */
  besideDecision: 3,
  /** The limits on a phone, where messages stand side by side. */
  upright: { whole: 2, single: 4 },
  /** A message says when it is due if that is at least so many virtual milliseconds away. */
  due: 50,
};

/** A message in the picture. */
export interface Flight {
  message: MessageView;
  sheet: Sheet;
  envelope: Envelope;
  wire: Wire;
  /**
   * Its place on its wire, 0 (sender) to 1 (receiver), now and before this step; `before` null: it left in this step.
   */
  u: number;
  before: number | null;
  box: Box;
  fate: Fate;
  /** Whether this step sent, delivered, lost, delayed or duplicated it. */
  hot: boolean;
  /** Whether it is sent because of a message that arrived in this step, and so moves only after that one. */
  follows: boolean;
  /** Its index among the messages that wait in the same connection, the next one first; null if it does not wait so. */
  queue: number | null;
  /**
   * Its place as drawn in the step before or after, which it keeps if it has room there; undefined: not drawn there.
   */
  stood?: At | undefined;
}

export interface Bundle {
  key: string;
  wires: Wire[];
  messages: MessageView[];
  /** The place of the bundle's count on its first wire, 0 to 1. */
  u: number;
  box: Box;
}

export interface Network {
  flights: Flight[];
  bundles: Bundle[];
  /** Messages between components without a place in this picture. */
  away: MessageView[];
}

interface Candidate {
  message: MessageView;
  wire: Wire;
  state: "flying" | "docked" | "lost";
  copies: number;
}

/** Frame → its network, so that it is computed once: tag and ghosts need the places of messages, too. */
const known = new WeakMap<Frame, { here: Places; network: Network }>();

export function networkOf(frame: Frame, here: Places, focus: Focus): Network {
  const found = known.get(frame);
  if (found?.here === here) return found.network;
  const network = layoutNetwork(frame, here, focus);
  known.set(frame, { here, network });
  const stood = stoodIn(frame, here);
  const step = stepOf(frame);
  for (const [id, at] of stood) if (Math.abs(at.step - step) > 1) stood.delete(id);
  for (const flight of network.flights) {
    const { message: { id }, wire, u, box: own } = flight;
    const on = boxAt(flight, u);
    if (stood.get(id)?.step !== step) stood.set(id, { step, ends: [wire.from.at, wire.to.at], off: [own.x - on.x, own.y - on.y], before: flight.stood });
  }
  return network;
}

/** The ends of a message's wire, and the message's distance from its place on the wire. */
interface At {
  ends: readonly [from: Point, to: Point];
  off: Point;
}
type Stood = Map<number, At & { step: number; /** The place in the neighbouring step that this one continues, so that drawing the step again gives the same. */ before: At | undefined }>;

/**
 * Plan of a run → width of the picture → the places at which messages were drawn in the last step and its neighbours. So
 * a message keeps its wire from step to step, even if a message beside it disappears.
 */
const runs = new WeakMap<object, Map<number, Stood>>();

function stoodIn({ plan }: Frame, { width }: Places): Stood {
  const sizes = (plan === null ? undefined : runs.get(plan)) ?? new Map<number, Stood>();
  if (plan !== null) runs.set(plan, sizes);
  const found: Stood = sizes.get(width) ?? new Map();
  sizes.set(width, found);
  return found;
}

const stepOf = ({ step }: Frame): number => step?.number ?? 0;

function layoutNetwork(frame: Frame, here: Places, focus: Focus): Network {
  const away: MessageView[] = [];
  const candidates: Candidate[] = [];
  for (const { message, state } of merged(frame, focus)) {
    const wire = wireOf(message, here);
    if (wire === null && (here.wing === undefined || wireOf(message, here.wing.here) === null)) away.push(message);
    else if (wire !== null) candidates.push({ message, wire, state, copies: 0 });
  }
  const single = withCopies(candidates);
  const isOfLoss = focus.kind === "lost" && focus.messages.lost.length + focus.messages.dropped.length > 1;
  const stood = here.upright && isOfLoss ? null : withLost(frame, here, focus, single);
  const found = stood ?? fitted(frame, here, focus, single, focus.kind !== "lost" ? ALL : isOfLoss ? LOST : ONE_LOST);
  if (!here.upright) return { ...found, away };
  // On a phone, a count without room is left out, and its messages are counted below the picture; so are all if several
  // messages are lost together.
  const isFree = ({ box: own }: Bundle): boolean => !isOfLoss && found.flights.every((flight) => overlapArea(flight.box, own) <= COVERS);
  const shown = { flights: found.flights, bundles: found.bundles.filter(isFree) };
  const crowded = found.bundles.filter((bundle) => !isFree(bundle)).flatMap(({ messages }) => messages);
  const notes: Box[] = [];
  return { ...shown, flights: shown.flights.map((flight) => phoneParts().noted(flight, shown, here, notes)), away: [...away, ...crowded] };
}

/**
 * The network that shows most: the whole one if nothing overlaps; else, of the levels in `ways`, that with least
 * overlap.
 */
function fitted(frame: Frame, here: Places, focus: Focus, single: readonly Candidate[], ways: readonly Tight[]): Omit<Network, "away"> {
  let found = arranged(frame, here, focus, single, 0);
  for (const tight of ways) {
    const most = hidden(found, here);
    if (most <= COVERS) break;
    const less = arranged(frame, here, focus, single, tight);
    if (hidden(less, here) < most) found = less;
  }
  return found;
}

/**
 * The network in a step that loses a message: the newest messages have the places that they had in the step in which
 * they left. Null if no message is lost, or if a lost one then has no room.
 */
function withLost(frame: Frame, here: Places, focus: Focus, single: readonly Candidate[]): Omit<Network, "away"> | null {
  const newest = Math.max(...single.map(({ message }) => message.sent_at));
  const sent = single.filter(({ message }) => message.sent_at === newest).map(({ message }) => message.id);
  const lost = new Set(single.filter(({ state }) => state === "lost").map(({ message }) => message.id));
  if (lost.size === 0) return null;
  const before: Focus = { ...focus, kind: "sent", messages: { ...NO_FOCUS.messages, sent, delivered: focus.messages.delivered } };
  const { flights, bundles } = fitted(frame, here, before, single.map((one) => (one.state === "lost" ? { ...one, state: "flying" } : one)), ALL);
  if (flights.filter(({ message }) => lost.has(message.id)).length < lost.size) return null;
  const hot = hotIds(focus);
  const all = flights.map((flight): Flight => {
    const { message: { id }, fate } = flight;
    const own = { ...flight, hot: hot.has(id), fate: { ...fate, now: focus.kind === "lost" && lost.has(id) } };
    if (!lost.has(id)) return own;
    const died = { ...own, fate: { ...own.fate, lost: true, note: "" } };
    return here.upright ? died : torn(died, flights.filter((other) => other !== flight), here);
  });
  const placed = here.upright ? phoneParts().inRow(all, here) : all;
  return placed === null ? null : { bundles, flights: placed };
}

/**
 * A lost message, at its place or moved so far that its torn-off piece, which is in front of it, is within the network
 * and covers no other message.
 */
function torn(flight: Flight, others: readonly Flight[], here: Places): Flight {
  const { box: own, message } = flight;
  // A message between a lane and a consumer is drawn with its torn-off piece within its own width.
  if (flight.wire.short) return flight;
  const { x, width } = columnOf(here, own);
  const [least, most] = message.is_response ? [x + TORN + 3, x + width - own.width] : [x, x + width - own.width - TORN - 3];
  const died: Flight = { ...flight, box: least > most ? own : { ...own, x: round(clamp(own.x, least, most)) } };
  return others.some((other) => overlapArea(taken(died), taken(other)) > COVERS) ? freed(died, others, here) : died;
}

/**
 * The box of the network in which a message is: that between clients and brokers or, farther right, that of consumers'
 * fetches. In a middleware's picture, they are the networks on both sides of the middleware.
 */
export function columnOf(here: Places, { x, width }: Box): Box {
  const { fetches, network } = here;
  return fetches !== null && x > fetches.x - (here.kind === "middleware" ? width : GAP) ? fetches : network;
}

/**
 * How much is left out. 0: nothing; 1: the content of all messages that this step does not change; 2: also requests
 * whose response is shown; 3: all messages but those that this step changes are only counted; 4: as 3, and if several
 * are lost, they are shown without content, too.
 */
type Tight = 0 | 1 | 2 | 3 | 4;
const ALL: readonly Tight[] = [1, 2, 3, 4];
/**
 * The order of the levels if several messages are lost on a phone: first the others are only counted, and only then do
 * the lost ones lose their content.
 */
const LOST: readonly Tight[] = [3, 4, 1, 2];
/**
 * The order of the levels if one message is lost: it stays whole while the others lose their content or are counted.
 */
const ONE_LOST: readonly Tight[] = [1, 3, 4, 2];

function arranged(frame: Frame, here: Places, focus: Focus, single: readonly Candidate[], tight: Tight): Omit<Network, "away"> {
  const lines = linesOf(single);
  const inLine = lines.flat();
  // On a phone, messages that wait in one connection are counted at their receiver.
  const long = single.filter((one) => !one.wire.short && !inLine.includes(one));
  const isHot = ({ message }: Candidate): boolean => hotIds(focus).has(message.id);
  const isOwn = ({ message, state }: Candidate): boolean => hotIds(focus).has(message.id) && (isNow(focus, message.id, state) || state === "docked");
  const most = here.upright ? defaults.upright : defaults;
  const many = tight >= 3 ? long.filter((one) => !isOwn(one)) : long.length > most.single ? long.filter((one) => !isHot(one)) : [];
  const counted = here.upright ? [...many, ...inLine] : many;
  const whole = !here.upright && decides(frame, focus) ? defaults.besideDecision : most.whole;
  // On a phone, a network of the middleware has only one row of messages.
  const isRow = here.upright && here.kind === "middleware" && long.length > whole + 1;
  const detail: Detail = long.length > whole ? "brief" : "whole";
  // Between a lane and a consumer there is room for one message, so a request is left out if its response is there.
  const isAnswered = ({ message, wire, state }: Candidate): boolean => (wire.short || tight >= 2) && state === "docked" && !message.is_response
    && single.some((other) => answers(other.message, message));
  // On a phone, a message of the middleware is left out if its receiver sends the next one in this step.
  const isPassedOn = ({ message, state }: Candidate): boolean => tight >= 2 && here.upright && here.kind === "middleware" && state === "docked"
    && single.some((other) => other.state === "flying" && other.message.from === message.to && focus.messages.sent.includes(other.message.id));
  const shown = single.filter((one) => !counted.includes(one) && !isAnswered(one) && !isPassedOn(one));
  // On a phone, several messages that are lost together are drawn without content (from level 1 on, except at level 3),
  // so that each has room for its name.
  const isOfMany = (one: Candidate): boolean => here.upright && tight > 0 && tight !== 3 && one.state === "lost" && focus.messages.lost.length + focus.messages.dropped.length > 1;
  const isWhole = (one: Candidate): boolean => isHot(one) && !isRow && (tight === 0 || (isNow(focus, one.message.id, one.state) && !isOfMany(one)));
  const detailOf = (one: Candidate): Detail => (one.wire.short ? "small" : inLine.includes(one) ? "row" : isWhole(one) ? "whole" : tight > 0 ? "brief" : detail);
  const queueOf = (one: Candidate): number | null => lines.map((line) => line.indexOf(one)).find((place) => place >= 0) ?? null;
  const flights = withoutCovered(inOrder(apart(shown.map((one) => ({ ...flightOf(frame, here, focus, one, detailOf(one), tight > 0), queue: queueOf(one) })), here)));
  return { flights, bundles: bundled(counted, here, flights) };
}

const waits = ({ message, state }: Candidate): boolean => state === "flying" && message.waits_behind !== undefined && message.waits_behind !== null;

/**
 * The groups of at least two requests that wait in the same connection, each in the order in which the receiver takes
 * them. A request that waits alone is in no group, and is drawn where it arrived.
 */
function linesOf(single: readonly Candidate[]): Candidate[][] {
  const lines = new Map<string, Candidate[]>();
  for (const one of single.filter((other) => waits(other) && !other.wire.short)) {
    const key = `${one.message.from} ${one.message.to}`;
    lines.set(key, [...(lines.get(key) ?? []), one]);
  }
  return [...lines.values()].filter((line) => line.length > 1);
}

/**
 * The area, in square units, of the largest part that cannot be read: the overlap of two messages, notes or counts, or
 * the part of a message beyond a phone's edge.
 */
function hidden({ flights, bundles }: Omit<Network, "away">, here: Places): number {
  const beyond = here.upright ? Math.max(0, ...flights.map((flight) => (taken(flight).x + taken(flight).width - here.width) * flight.box.height)) : 0;
  const notes = here.upright ? [] : flights.filter(({ fate }) => fate.note !== "" && fate.side === "under").map(noteBox);
  const boxes = [...flights.map((flight) => (here.upright ? taken(flight) : flight.box)), ...notes, ...bundles.map((bundle) => bundle.box), ...standingIn(here)];
  return Math.max(beyond, ...boxes.flatMap((one, index) => boxes.slice(index + 1).map((other) => overlapArea(one, other))));
}

/** The boxes of components that stand in the network. */
function standingIn(here: Places): Box[] {
  return Object.values(here.kind === "cluster" && !here.upright ? here.others : {}).map((other) => other.box);
}

/** An overlap of at most so many square units counts as none. */
const COVERS = 40;

/**
 * The messages, of which two of about one size that left one sender together have each other's places if the one for the
 * higher receiver would be below the other: so their wires do not cross, and they do not pass each other later.
 */
function inOrder(flights: readonly Flight[]): Flight[] {
  const all = [...flights];
  const isFresh = ({ stood, fate, queue, wire, u }: Flight): boolean => stood === undefined && !fate.docked && !fate.lost && queue === null && !wire.upright && !wire.short && u < 0.5;
  const withPlace = (flight: Flight, { u, box: own, wire: { from } }: Flight): Flight => ({ ...flight, u, box: { ...own, width: flight.box.width }, wire: { ...flight.wire, from } });
  all.forEach((_, first) => all.forEach((__, second) => {
    const [one, other] = [all[first] as Flight, all[second] as Flight];
    const together = [one, other].every(isFresh) && one.message.sent_at === other.message.sent_at && one.message.from === other.message.from && Math.abs(one.box.width - other.box.width) < GAP && one.box.height === other.box.height;
    if (together && one.wire.to.at[1] < other.wire.to.at[1] && one.box.y > other.box.y) [all[first], all[second]] = [withPlace(one, other), withPlace(other, one)];
  }));
  return all;
}

/** The messages, without requests that have arrived and that their responses would cover. */
function withoutCovered(flights: readonly Flight[]): Flight[] {
  return flights.filter(({ message, fate, box: own }) => !fate.docked || message.is_response || !flights.some(({ message: answer, box: other }) =>
    answers(answer, message) && overlapArea(own, other) > 0.2 * own.width * own.height));
}

/** Whether `answer` is the response to `request`. */
function answers(answer: MessageView, request: MessageView): boolean {
  return answer.is_response && !request.is_response && answer.correlation_id === request.correlation_id && answer.to === request.from && answer.from === request.to;
}

/** Whether the network also shows the rule that decided, with its numbers. */
export function decides(frame: Frame, { kind }: Focus): boolean {
  return (kind === "duplicate" || kind === "refused") && frame.step?.decision?.rows.some(({ outcome }) => outcome === "decided") === true;
}

function hotIds({ messages }: Focus): Set<number> {
  return new Set(Object.values(messages).flat());
}

/** The messages in transit after the step, and those that the step delivered or lost, in the order of their ids. */
function merged(frame: Frame, { messages }: Focus): { message: MessageView; state: Candidate["state"] }[] {
  const found = new Map<number, { message: MessageView; state: Candidate["state"] }>();
  const before = frame.previousView?.network?.messages ?? {};
  const settle = (ids: readonly number[], state: Candidate["state"]): void => {
    for (const id of ids) {
      const message = before[String(id)];
      if (message !== undefined) found.set(id, { message, state });
    }
  };
  settle(messages.delivered, "docked");
  settle([...messages.dropped, ...messages.lost], "lost");
  for (const message of Object.values(frame.view.network?.messages ?? {})) found.set(message.id, { message, state: "flying" });
  return [...found.values()].sort((one, other) => one.message.id - other.message.id);
}

/**
 * The messages, in which duplicates are left out and counted at the original (`copies`) as long as both are at the same
 * place: they are drawn as sheets behind it.
 */
function withCopies(candidates: readonly Candidate[]): Candidate[] {
  const kept: Candidate[] = [];
  for (const one of candidates) {
    const { message: mine } = one;
    const first = kept.find(({ message, state }) => state === one.state && message.from === mine.from && message.to === mine.to &&
      message.correlation_id === mine.correlation_id && message.api === mine.api && message.is_response === mine.is_response &&
      message.sent_at === mine.sent_at && message.arrives_at === mine.arrives_at && sameCargo(message, mine));
    if (first === undefined) kept.push(one);
    else first.copies += 1;
  }
  return kept;
}

const sameCargo = (one: MessageView, other: MessageView): boolean => JSON.stringify(one.fields) === JSON.stringify(other.fields);

/** The share of a message's way that virtual time has brought it, 0 to 1. It is 1 if it waits at a paused receiver. */
export function progress({ sent_at, arrives_at, held }: MessageView, time: number): number {
  if (held) return 1;
  if (arrives_at === null) return 0.5;
  return arrives_at <= sent_at ? 1 : clamp((time - sent_at) / (arrives_at - sent_at), 0, 1);
}

function flightOf(frame: Frame, here: Places, focus: Focus, one: Candidate, detail: Detail, isTight: boolean): Flight {
  const { message, state } = one;
  const sheet = sheetOf(message, recordsOf(frame, message), frame.view, frame.plan?.again?.[message.id]);
  const envelope = envelopeOf(sheet, detail, here, isTight ? endOf(wayBeside(message, here)) : wayBeside(message, here), !here.upright && here.brokers[message.from] !== undefined && here.brokers[message.to] !== undefined ? message.to : "");
  const wire = roomy(one.wire, envelope.width);
  const isNew = focus.messages.sent.includes(message.id) && frame.previousView?.network?.messages[String(message.id)] === undefined;
  const u = state === "docked" ? 1 : progress(message, frame.view.time);
  const before = isNew || frame.previousView === null ? null : progress(frame.previousView.network?.messages[String(message.id)] ?? message, frame.previousView.time);
  const fate: Fate = {
    now: isNow(focus, message.id, state), docked: state === "docked", lost: state === "lost", copies: one.copies,
    // The tag of a delayed message already says when it is due.
    note: state === "flying" && !focus.messages.delayed.includes(message.id) ? noteOf(frame, message, wire) : "", side: here.upright ? "right" : "under",
  };
  const last = here.upright ? undefined : stoodIn(frame, here).get(message.id);
  const far = last === undefined ? Number.POSITIVE_INFINITY : Math.abs(last.step - stepOf(frame));
  const stood = far === 0 ? last?.before : far === 1 && last !== undefined ? { ends: last.ends, off: last.off } : undefined;
  const flight = { message, sheet, envelope, wire, u, before, fate, queue: null, stood, hot: hotIds(focus).has(message.id), follows: isNew && focus.messages.delivered.length > 0, box: { x: 0, y: 0, width: 0, height: 0 } };
  return { ...flight, box: boxAt(flight, u) };
}

/**
 * Sender and receiver as text, for a message between brokers that are side by side on a phone, where an arrow up or
 * down does not show them; "" for all others.
 */
function wayBeside({ from, to }: MessageView, here: Places): string {
  return here.upright && here.brokers[from]?.rows !== undefined && here.brokers[to]?.rows !== undefined ? `${from} → ${to}` : "";
}

/** Only the arrow and receiver of such a text, for messages with little room. */
const endOf = (way: string): string => way.replace(/^.* (?=→)/, "");

/**
 * Partition → serials of a Produce request: from its sender's view after this step or, if the request is gone there,
 * before this step; for batches that the sender has forgotten, from the plan.
 */
function recordsOf({ view, previousView, plan }: Frame, { from, correlation_id: id, id: message }: MessageView): Readonly<Record<string, readonly number[]>> {
  const sender = [view, previousView].map((one) => one?.clients?.[from]).find((one) => one?.requests?.[String(id)] !== undefined);
  const batches = (sender?.requests[String(id)]?.batches ?? []).flatMap((name) => sender?.batches[name] ?? []);
  return { ...plan?.forgotten?.[message], ...Object.fromEntries(batches.map(({ partition, serials }) => [partition, serials])) };
}

function isNow({ kind, messages }: Focus, id: number, state: Candidate["state"]): boolean {
  if (kind === "lost") return state === "lost";
  if (kind !== "sent") return false;
  const tampered = [...messages.delayed, ...messages.duplicated];
  return tampered.length > 0 ? tampered.includes(id) : messages.sent.includes(id);
}

function noteOf(frame: Frame, { id, held, to, arrives_at: at, waits_behind: behind }: MessageView, { short }: Wire): string {
  if (short) return "";
  if (behind !== undefined) return say("stage.message.waits");
  if (held) return say("stage.message.held", { to });
  if (at !== null && at > (frame.delayed?.get(id) ?? at)) return say("stage.message.delayed", { at });
  return at !== null && at - frame.view.time >= defaults.due ? say("stage.message.due", { at }) : "";
}

/**
 * The place on its wire, 0 to 1, of a message at `u`, shifted so that its whole sheet is between the two components.
 */
function standsAt({ envelope: { width, height }, wire }: Pick<Flight, "envelope" | "wire">, u: number): number {
  return between01(wire, u, width, height);
}

function boxAt(flight: Pick<Flight, "envelope" | "wire">, u: number): Box {
  const { width, height } = flight.envelope;
  const [x, y] = pointOn(flight.wire, standsAt(flight, u));
  return { x: round(x - width / 2), y: round(y - height / 2), width, height };
}

const GAP = 8;
/** Units from a phone's edge that stay free: the ring of a step's subject is outside the component's box. */
export const EDGE = 10;

/** The box of a message with the gap around it, and with its note below it, its copies or its torn-off piece. */
export function taken({ box: { x, y, width, height }, fate, wire, message }: Flight): Box {
  if (fate.lost && !wire.short) {
    // The torn-off piece is in front of the message.
    const left = !wire.upright && message.is_response ? TORN : 0;
    return { x: x - GAP / 2 - left, y: y - GAP / 2, width: width + GAP + TORN, height: height + GAP };
  }
  const tail = (fate.note === "" || fate.side !== "under" ? 0 : 14) + fate.copies * 6;
  // The note under a message may be wider than the message.
  const noted = tail === 0 || wire.upright ? 0 : Math.max(0, textWidth(fate.note, 12, true) - width);
  return { x: x - GAP / 2 - (message.is_response ? 0 : noted), y: y - GAP / 2, width: width + GAP + noted + fate.copies * 6, height: height + GAP + tail };
}

/** The box of the note under a message, as envelope.ts draws it: a wider note ends at the message's point. */
function noteBox({ box: { x, y, width, height }, fate, message }: Flight): Box {
  const wide = textWidth(fate.note, 12, true);
  const left = wide <= width ? x + (width - wide) / 2 : message.is_response ? x + 4 : x + width - 4 - wide;
  return { x: left, y: y + height + 3, width: wide, height: 13 };
}

/** The box of a message with its note, below it or beside it, or with its torn-off piece. */
export function withNote(flight: Flight): Box {
  const { box: own, fate } = flight;
  if (fate.lost) return taken(flight);
  if (fate.note === "") return own;
  const width = textWidth(fate.note, 12, true) + 8;
  // A note wider than its message reaches beyond one of its ends; both sides are kept free.
  const beyond = Math.max(0, width - own.width);
  if (fate.side === "under") return { x: own.x - beyond, y: own.y, width: own.width + 2 * beyond, height: own.height + 16 };
  return { ...own, x: fate.side === "right" ? own.x : own.x - width, width: own.width + width };
}

/**
 * The messages, moved apart so that they overlap as little as possible. Those that arrived or were lost are placed
 * first, then the others. Both groups are in the order in which they were sent; on a phone, wider ones come first. Each
 * message makes way for those placed before it.
 */
function apart(flights: readonly Flight[], here: Places): Flight[] {
  const wide = (flight: Flight): number => (here.upright ? flight.box.width : 0);
  const order = [...flights].sort((one, other) => stays(other) - stays(one) || wide(other) - wide(one) || one.message.sent_at - other.message.sent_at || one.box.y - other.box.y || one.message.id - other.message.id);
  const found = placedIn(order, flights, here);
  // Messages that were moved far (on a phone), or that are above their request, are placed again, before the others.
  // The new places are used only if they are better.
  const aside = order.filter((flight) => (here.upright ? farFrom(flight, found) > flight.box.width / 2 : isOverRequest(flight, found)));
  if (aside.length === 0) return found;
  const again = placedIn([...aside, ...order.filter((flight) => !aside.includes(flight))], flights, here, aside);
  if (!here.upright) return aside.some((flight) => isOverRequest(flight, again)) || crowd(again) > crowd(found) ? found : again;
  const moved = (all: readonly Flight[]): number => flights.reduce((sum, flight) => sum + farFrom(flight, all), 0);
  return moved(again) < moved(found) ? again : found;
}

const stays = ({ fate }: Flight): number => Number(fate.docked || fate.lost);

/**
 * Whether a response is placed above its request, which has arrived: messages one below the other should be in the
 * order of time.
 */
function isOverRequest({ message }: Flight, placed: readonly Flight[]): boolean {
  const own = placed.find((other) => other.message.id === message.id);
  return own !== undefined && placed.some((other) => followsOver(own, other));
}

const followsOver = (answer: Flight, { message, fate, box: own }: Flight): boolean => fate.docked && answers(answer.message, message) && answer.box.y + answer.box.height / 2 < own.y;

/** The sum of the areas on which two messages overlap, in square units. */
function crowd(placed: readonly Flight[]): number {
  return placed.reduce((sum, one, index) => sum + placed.slice(index + 1).reduce((more, other) => more + overlapArea(taken(one), taken(other)), 0), 0);
}

/** Units between a message's place in `placed` and the place that it would have alone. */
function farFrom({ message, box: own }: Flight, placed: readonly Flight[]): number {
  const at = placed.find((other) => other.message.id === message.id)?.box ?? own;
  return Math.hypot(at.x - own.x, at.y - own.y);
}

/**
 * The messages with places found one after the other, in `order`, each where the earlier ones leave room. First are
 * those that arrived or were lost and those in `first`, then those that wait in a connection, then all others.
 */
function placedIn(order: readonly Flight[], flights: readonly Flight[], here: Places, first: readonly Flight[] = []): Flight[] {
  const placed: Flight[] = [];
  // Except on a phone, a response in `first` is not placed above its request, if this has arrived.
  const put = (flight: Flight): void => {
    const request = here.upright || !first.includes(flight) ? undefined : flights.find((other) => other.fate.docked && answers(flight.message, other.message));
    placed.push(kept(flight, placed, here) ?? held(request === undefined ? freed(flight, placed, here) : freed(flight, [...placed, request], here, request), here));
  };
  const alone = order.filter(({ queue }) => queue === null);
  const isFirst = (flight: Flight): boolean => stays(flight) > 0 || first.includes(flight);
  alone.filter(isFirst).forEach(put);
  for (const line of byConnection(flights)) placed.push(...inLine(line, placed, here));
  alone.filter((flight) => !isFirst(flight)).forEach(put);
  return flights.map((flight) => placed.find(({ message }) => message.id === flight.message.id) ?? flight);
}

/** The most units by which a kept message moves up or down to make way for another. */
const NEAR = 60;

/**
 * The message on the wire on which it was drawn in the neighbouring step (`stood`). Null if it was not drawn there, or
 * if another message is at its place and it cannot move a little aside.
 */
function kept(flight: Flight, placed: readonly Flight[], here: Places): Flight | null {
  if (flight.stood === undefined) return null;
  const { from, to } = flight.wire;
  const { ends, off } = flight.stood;
  const wire = { ...flight.wire, from: { ...from, at: ends[0] }, to: { ...to, at: ends[1] } };
  const on = boxAt({ ...flight, wire }, flight.u);
  const found = held({ ...flight, wire, box: { ...on, x: on.x + off[0], y: on.y + off[1] } }, here);
  const standing = [...placed.map(taken), ...standingIn(here)];
  const isFree = (at: Flight): boolean => outside(at.box, here) < COVERS && standing.every((other) => overlapArea(taken(at), other) < 0.5);
  if (isFree(found)) return found;
  const beside = offItsWire(found, standing, here);
  return isFree(beside) && Math.abs(beside.box.y - found.box.y) <= NEAR ? beside : null;
}

function byConnection(flights: readonly Flight[]): Flight[][] {
  const lines = new Map<string, Flight[]>();
  for (const flight of flights.filter(({ queue }) => queue !== null)) {
    const key = `${flight.message.from} ${flight.message.to}`;
    lines.set(key, [...(lines.get(key) ?? []), flight]);
  }
  return [...lines.values()];
}

/**
 * The messages that wait in one connection, placed one below the other at their receiver, the next one first. The last
 * one has a note with their number.
 */
function inLine(line: readonly Flight[], placed: readonly Flight[], here: Places): Flight[] {
  const [first] = line;
  if (first === undefined) return [];
  const width = Math.max(...line.map(({ envelope }) => envelope.width));
  const pitch = first.envelope.height + GAP;
  const note = say("stage.message.waits_many", { count: line.length });
  const envelope: Envelope = { ...first.envelope, width, height: line.length * pitch - GAP };
  const fate: Fate = { ...first.fate, note, side: "under" };
  const slid = freed({ ...first, envelope, fate, u: 1, box: boxAt({ envelope, wire: first.wire }, 1) }, placed, here);
  const isHigh = slid.box.y < CLEAR && here.kind === "cluster";
  const body = isHigh ? offItsWire({ ...slid, box: { ...slid.box, y: CLEAR } }, [...placed.map(taken), ...standingIn(here)], here) : slid;
  const top = Math.max(body.box.y, CLEAR);
  return line.map((flight, place) => ({
    ...flight, wire: body.wire, u: body.u, fate: { ...flight.fate, note: place === line.length - 1 ? note : "", side: "under" },
    box: { x: round(body.box.x + width - flight.envelope.width), y: round(top + place * pitch), width: flight.envelope.width, height: flight.envelope.height },
  }));
}

/**
 * The message, moved back into its network if its wire leads beyond a phone's edge, over a client or over the name of
 * the column.
 */
function held(flight: Flight, here: Places): Flight {
  if (flight.wire.short || flight.queue !== null) return flight;
  const piece = flight.fate.lost ? TORN : 0;
  const x = here.upright ? clamp(flight.box.x, EDGE, Math.max(EDGE, here.width - EDGE - flight.box.width - piece)) : here.kind === "cluster" ? Math.max(flight.box.x, here.network.x) : flight.box.x;
  const y = here.upright || here.kind !== "cluster" ? flight.box.y : Math.max(flight.box.y, CLEAR);
  return x === flight.box.x && y === flight.box.y ? flight : { ...flight, box: { ...flight.box, x, y } };
}

/**
 * The cost, in square units, of a place that is a whole wire's length away from where virtual time has brought the
 * message.
 */
const ASIDE = 6000;
/** The factor by which covering another message costs more than covering a component. */
export const COVERED = 12;
/**
 * The shifts along its wire, as shares of the wire's length, that are tried for a message that has no room at its own
 * place.
 */
const QUEUE = [0, -0.14, 0.14, -0.28, 0.28, -0.42, 0.42, -0.56];

/** The message at the place near its own that costs least. `request`: if given, the place must not be above it. */
function freed(flight: Flight, placed: readonly Flight[], here: Places, request?: Flight): Flight {
  if (flight.wire.short) return flight;
  // The message is moved by sliding the end of its wire along the edge of the nearer component.
  const { from, to } = flight.wire;
  const [along, size] = (flight.u < 0.5 ? from : to).facing[1] !== 0 ? ["x", "width"] as const : ["y", "height"] as const;
  let best = flight;
  let least = Number.POSITIVE_INFINITY;
  const standing = [...placed.map(taken), ...standingIn(here)];
  for (const back of QUEUE) {
    const u = clamp(flight.u + back, 0, 1);
    if (back !== 0 && (least < 0.5 || flight.fate.docked || flight.fate.lost || u !== flight.u + back)) continue;
    const stood = { ...flight, u, box: boxAt(flight, u) };
    const own = taken(stood);
    const over = own.x + own.width - here.width + EDGE;
    const edges = along === "x" ? [Math.min(0, -over), Math.max(0, (here.upright ? EDGE : here.network.x + 4) - own.x)] : [];
    const tries = [0, ...edges, ...standing.flatMap((other) => [other[along] - own[along] - own[size], other[along] + other[size] - own[along]])];
    for (const far of tries.sort((one, other) => Math.abs(one) - Math.abs(other))) {
      const moved = held(movedBy(stood, far, along), here);
      if (request !== undefined && followsOver(moved, request)) continue;
      const cost = placed.reduce((sum, other) => sum + overlapArea(taken(moved), taken(other)), 0) * COVERED + outside(moved.box, here) + Math.abs(back) * ASIDE;
      if (cost < least - 0.5) {
        best = moved;
        least = cost;
      }
      if (cost < 0.5) break;
    }
  }
  const covers = (at: Flight): number => standing.reduce((sum, other) => sum + overlapArea(taken(at), other), 0);
  return request === undefined && here.kind === "cluster" && covers(best) > COVERS ? offItsWire(best, standing, here) : best;
}

/**
 * The message, moved off its wire to the place near it where it covers least: for a message without a free place on its
 * wire, because components may be too small for all wires between them.
 */
function offItsWire(flight: Flight, standing: readonly Box[], here: Places): Flight {
  const { x, y, width, height } = flight.box;
  const own = taken(flight);
  const [dx, dy] = [x - own.x, y - own.y];
  const columns = here.upright ? [x, ...standing.flatMap((other) => [other.x + other.width + dx, other.x - own.width + dx]), EDGE + dx, here.width - EDGE - own.width + dx] : [x];
  const rows = here.upright ? [y, here.network.y + 3, here.network.y + here.network.height - height - 3] : [y, ...standing.flatMap((other) => [other.y + other.height + dy, other.y - own.height + dy])];
  const tries = rows.flatMap((row) => columns.map((column): Flight => ({ ...flight, box: { x: round(column), y: round(row), width, height } })));
  const costOf = (at: Flight): number => standing.reduce((sum, other) => sum + overlapArea(taken(at), other), 0) * COVERED + outside(taken(at), here) + Math.abs(at.box.x - x) + Math.abs(at.box.y - y);
  return tries.reduce((best, at) => (costOf(at) < costOf(best) ? at : best), flight);
}

/**
 * The message, moved by `far` units along x or y by sliding its wire; by less if the edges of components end before.
 */
function movedBy(flight: Flight, far: number, along: "x" | "y"): Flight {
  let moved = flight;
  for (let round = 0; round < 3; round += 1) {
    const missing = far - (moved.box[along] - flight.box[along]);
    if (Math.abs(missing) < 0.3) break;
    const wire = shifted(moved.wire, standsAt(moved, moved.u), missing);
    moved = { ...moved, wire, box: boxAt({ ...moved, wire }, moved.u) };
  }
  return moved;
}

/** Height that is kept free for the names of the columns, in units. */
const CLEAR = 28;

function outside(one: Box, here: Places): number {
  const top = here.upright ? 2 : CLEAR;
  const over = Math.max(0, top - one.y) + Math.max(0, one.y + one.height - here.height + 2);
  const aside = Math.max(0, 2 - one.x) + Math.max(0, one.x + one.width - here.width + 2);
  return over * one.width + aside * one.height + bodiesOf(here).reduce((sum, body) => sum + overlapArea(one, body), 0);
}

/** The boxes of components, lanes and coordinators, which messages should not cover. */
export function bodiesOf(here: Places): Box[] {
  const brokers = Object.values(here.brokers).flatMap((broker) => [
    broker.box, ...(broker.panel === undefined ? [] : [broker.panel]), ...(broker.coordinator === null ? [] : [broker.coordinator.box]), ...Object.values(broker.lanes).map((lane) => lane.box),
  ]);
  return [...Object.values(here.clients).flatMap((client) => (client.panel === undefined ? [client.box] : [client.box, client.panel])), ...brokers, ...Object.values(here.others).map((other) => other.box)];
}

/**
 * The bundles of the messages that are only counted. Each pair of components has one, and one more for messages that
 * wait in its connection. If these are too many, except on a phone, each component has one for the requests that it
 * sends and one for the responses to it.
 */
function bundled(counted: readonly Candidate[], here: Places, flights: readonly Flight[]): Bundle[] {
  const pairs = together(counted, (one) => `${one.wire.bundle}${waits(one) ? " waits" : ""}`);
  if (here.upright || pairs.length <= defaults.bundles) return stacked(pairs.map((one) => ({ ...one, u: allWait(one) ? 0.86 : 0.5 })), here, flights);
  const ends = together(counted, ({ message: { from, to, is_response } }) => `${is_response ? "to" : "from"} ${is_response ? to : from}`);
  return stacked(ends.map((one) => ({ ...one, u: one.key.startsWith("to") ? 0.72 : 0.28 })), here, flights);
}

function together(counted: readonly Candidate[], keyOf: (one: Candidate) => string): Omit<Bundle, "u" | "box">[] {
  const bundles = new Map<string, Omit<Bundle, "u" | "box"> & { known: Set<string> }>();
  for (const one of counted) {
    const key = keyOf(one);
    const bundle = bundles.get(key) ?? { key, wires: [], messages: [], known: new Set() };
    bundle.messages.push(one.message);
    if (!bundle.known.has(one.wire.bundle)) bundle.wires.push(one.wire);
    bundle.known.add(one.wire.bundle);
    bundles.set(key, bundle);
  }
  return [...bundles.values()].map(({ key, wires, messages }) => ({ key, wires, messages }));
}

const BUNDLE = 24;

/** The bundles with the boxes of their counts: each on its wire, moved so that none covers another. */
function stacked(bundles: readonly Omit<Bundle, "box">[], here: Places, flights: readonly Flight[]): Bundle[] {
  const boxed = bundles.map((bundle): Bundle => {
    const [x, y] = pointOn(bundle.wires[0] as Wire, bundle.u);
    const height = here.upright ? BUNDLE - 2 : BUNDLE;
    const width = here.upright ? round(16 + textWidth(bundleText(bundle, here), 13, true)) : 16 + bundleText(bundle, here).length * 7.6;
    return { ...bundle, box: { x: round(x - width / 2), y: round(y - height / 2), width, height } };
  }).sort((one, other) => one.box.y - other.box.y);
  // On a phone, the counts are in two rows if they would overlap.
  const isCrowded = boxed.some((one, index) => boxed.slice(index + 1).some((other) => overlap(one.box, other.box)));
  if (here.upright) return boxed.reduce((placed: Bundle[], one) => [...placed, phoneParts().gap(one, [...flights, ...placed].map((other) => other.box), here, isCrowded)], []);
  const placed: Bundle[] = [];
  for (const one of boxed) {
    const above = placed.filter((other) => overlap({ ...other.box, y: 0, height: 1 }, { ...one.box, y: 0, height: 1 })).map(({ box: other }) => other.y + BUNDLE + 2);
    placed.push({ ...one, box: { ...one.box, y: Math.max(one.box.y, ...above) } });
  }
  const over = Math.max(0, ...placed.map(({ box: { y } }) => y + BUNDLE + 4 - here.network.height));
  return over === 0 ? placed : placed.map((one) => ({ ...one, box: { ...one.box, y: round(one.box.y - over) } }));
}

const allWait = ({ messages }: Pick<Bundle, "messages">): boolean => messages.every(({ waits_behind: behind }) => behind !== undefined && behind !== null);

function bundleText({ messages }: Pick<Bundle, "messages">, here: Places): string {
  // A wire on a phone does not show whether a message between brokers is a response.
  const nameIn = (message: MessageView): string => message.is_response && wayBeside(message, here) !== "" ? say("diagram.message.response", { api: message.api }) : message.api;
  const apis = listed([...new Set(messages.map(nameIn))].slice(0, 2));
  const ways = new Set(messages.map((message) => wayBeside(message, here)));
  const [way = ""] = ways.size === 1 ? ways : [];
  const names = way === "" ? apis : `${apis} ${way}`;
  if (messages.length > 1 && allWait({ messages })) return say("stage.message.waits_bundle", { count: messages.length, names });
  return messages.length === 1 ? names : `${messages.length} × ${names}`;
}

/** An object that moves along a curve: motion.ts moves its upper left corner through the points in `via`. */
export interface Travelling extends StageObject {
  via: readonly Point[];
  /** Units of height of the note below the object. */
  below?: number;
}

/** The object of a wire. Its SVG path `way` changes if it makes way for another wire, which motion.ts animates. */
export interface Bending extends StageObject {
  way: string;
}

/**
 * The points through which the upper left corner of the message moves in this step; empty if it does not move. A
 * message that left in this step starts at its sender.
 */
function wayOf(flight: Flight): Point[] {
  const { wire, u, before, box: { width, height } } = flight;
  const [from, to] = [before === null ? null : between01(wire, before, width, height), standsAt(flight, u)];
  const start = from ?? 0;
  if (Math.abs(to - start) < 0.01) return [];
  const points = Array.from({ length: 7 }, (_, index) => pointOn(wire, start + ((to - start) * index) / 6));
  const left = points.map(([x, y]): Point => [round(x - width / 2), round(y - height / 2)]);
  return flight.queue === null ? left : [...left.slice(0, -1), [flight.box.x, flight.box.y]];
}

export const networkLayer: Layer = (frame, here, focus) => {
  const network = networkOf(frame, here, focus);
  return [
    ...network.flights.map(wireObject), ...network.bundles.map(bundleWire),
    ...network.flights.map((flight) => flightObject(frame, flight)), ...network.bundles.map((bundle) => bundleObject(frame, bundle, here)),
    ...awayObject(here, network),
  ];
};

function wireObject(flight: Flight): Bending {
  const { message, wire, fate, queue } = flight;
  const d = pathOf(wire);
  // Of messages that wait in one connection, only the first one has a wire.
  if (queue !== null && queue > 0) return { key: `w:${message.id}`, x: 0, y: 0, width: 0, height: 0, phase: "static", depth: 0, draw: svg``, label: "", way: d };
  const trail = fate.lost || fate.docked || fate.now;
  const at = standsAt(flight, flight.u);
  const drawn = wire.short && !trail ? svg`` : svg`${path(trail && !fate.now ? d : `${d}${tipOf(wire)}`, "wire")}${trail
    ? svg`<path d=${d} class="trail" pathLength="1" stroke-dasharray=${`${round(at * 100) / 100} 2`}/>`
    : nothing}`;
  return { key: `w:${message.id}`, x: 0, y: 0, width: 0, height: 0, phase: "static", depth: 0, draw: drawn, label: "", way: d };
}

function bundleWire({ key, wires }: Bundle): StageObject {
  return { key: `w:${key}`, x: 0, y: 0, width: 0, height: 0, phase: "static", depth: 0, draw: path(wires.map(pathOf).join(""), "wire"), label: "" };
}

function flightObject(frame: Frame, flight: Flight): Travelling {
  const { message, wire, u, fate, envelope, box: { x, y, width, height } } = flight;
  const way = wayOf(flight);
  const selection: Selection = messageSelection(fate.lost || fate.docked ? (frame.previousView ?? frame.view) : frame.view, message);
  const picked = isPicked(frame.selection, selection) || isMessageOfPicked(frame, message);
  const start = way[0];
  return {
    key: `m:${message.id}`, x, y, width, height, phase: flight.follows ? "gate" : "cause", depth: 4, hot: flight.hot,
    draw: svg`${envelope.draw(turnsBack(wire) ? (message.is_response ? -1 : 1) : heading(wire, standsAt(flight, u)), fate)}`,
    via: way, ...(start === undefined || flight.before !== null ? {} : { from: start }),
    select: selection, picked, label: nameOf(flight), ...(fate.note === "" || fate.side !== "under" ? {} : { below: 14 }), ...gripOf(flight),
  };
}

/**
 * Whether a wire, not an upright one, leaves and arrives at the same side of the network, so that its direction does
 * not tell a request from a response.
 */
function turnsBack({ bulges, upright, from }: Wire): boolean {
  return !upright && bulges && from.facing[0] < 0;
}

/**
 * x of the dots that say that actions on a message in transit are available, after its name. None for a message that
 * has arrived or is lost, and where it has no room.
 */
function gripOf({ fate, wire, envelope: { width } }: Flight): Pick<StageObject, "grip"> {
  if (fate.lost || fate.docked || wire.short || wire.upright) return {};
  return { grip: width - 12 };
}

/** The arrowhead at a wire's end, needed because messages between brokers leave and arrive on the same side. */
function tipOf({ to: { at: [x, y], facing: [dx, dy] } }: Wire): string {
  const [side, up] = [4 * Math.abs(dy), 4 * Math.abs(dx)];
  const [fx, fy] = [round(x + 7 * dx), round(y + 7 * dy)];
  return `M${fx - side},${fy - up}L${round(x)},${round(y)}L${fx + side},${fy + up}`;
}

/** What a message is, in one sentence. */
export function nameOf({ message, sheet, fate }: Pick<Flight, "message" | "sheet" | "fate">): string {
  const { name: api } = sheet;
  const { from, to, arrives_at: at, held, waits_behind: behind } = message;
  const state = fate.lost ? "lost" : fate.docked ? "docked" : behind !== undefined ? "waits" : held ? "held" : at === null ? "flying" : "due";
  const ending = say(`stage.message.fate.${state}`, { to, at });
  const carries = carriedWords(sheet);
  if (carries === "") return say(message.is_response ? "stage.message.answer_name_empty" : "stage.message.request_name_empty", { api, from, to, fate: ending });
  return say(message.is_response ? "stage.message.answer_name" : "stage.message.request_name", { api, from, to, carries, fate: ending });
}

function bundleObject(frame: Frame, bundle: Bundle, here: Places): StageObject {
  const said = bundleText(bundle, here);
  const { key, messages, box: at } = bundle;
  const selection = messageSelection(frame.view, messages[messages.length - 1] as MessageView);
  return {
    key: `m:${key}`, ...at, phase: "cause", depth: 4, select: selection,
    draw: svg`${box(0, 0, at.width, at.height, "pill", 12)}${text(at.width / 2, at.height - 7.5, said, "s13 b", "middle")}`,
    label: named(say("stage.message.count", { count: messages.length }), said),
  };
}

const awayText = (count: number): string => say("stage.message.away", { count });

/**
 * The box of the text that counts the messages without a place: in the first free corner of the network, else in the
 * lower right one. Null if there are no such messages, and on a phone, where the line below the picture names them.
 */
export function awayBox(here: Places, { away, flights, bundles }: Network): Box | null {
  if (away.length === 0 || here.upright) return null;
  const width = textWidth(awayText(away.length), 12);
  const { network } = here;
  const [left, right] = [network.x + 6, network.x + network.width - width - 6];
  const [top, bottom] = [network.y + 4, network.y + network.height - 18];
  const spots = [[right, bottom], [left, bottom], [right, top], [left, top]].map(([x = 0, y = 0]): Box => ({ x, y, width, height: 14 }));
  const stands = [...flights.map(taken), ...bundles.map((bundle) => bundle.box), ...Object.values(here.others).map((other) => other.box)];
  return spots.find((spot) => !stands.some((one) => overlap(one, spot))) ?? (spots[0] as Box);
}

function awayObject(here: Places, network: Network): StageObject[] {
  const at = awayBox(here, network);
  if (at === null) return [];
  const said = awayText(network.away.length);
  return [{
    key: "away", x: round(at.x), y: round(at.y), width: round(at.width), height: 14, phase: "static", depth: 4,
    draw: text(0, 11, said, "s12 q"), label: said,
  }];
}
