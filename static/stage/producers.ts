/**
 * Draws applications and producers: identity, state, waiting batches, batches without a response, and what the
 * application knows of its records.
 */

import { nothing, svg } from "lit";
import type { SVGTemplateResult } from "lit";
import { timerWord } from "../diagrams/timer-word.ts";
import { outdatedBy } from "../diagrams/disagreements.ts";
import { batchWords, isAbsent, range, serialsText } from "../diagrams/batch.ts";
import type { Id } from "../diagrams/batch.ts";
import { round } from "../diagrams/geometry.ts";
import { batchAt, leaderBatches } from "../diagrams/leader-log.ts";
import { drainedOf } from "../diagrams/client-batches.ts";
import { isPicked, plainly } from "../diagrams/picked.ts";
import { isOfPicked } from "../diagrams/transaction-picked.ts";
import { foldedRecords, recordsWaiting } from "../player/folded.ts";
import type { ClientBatchView, ClientView, Frame, RecordView, Selection, View } from "../player/frame.ts";
import { listed } from "../player/joins.ts";
import { say } from "../player/text.ts";
import type { Box, ClientPlace, Focus, Layer, Places, StageObject } from "./contract.ts";
import { wholeOf } from "./contract.ts";
import { DEPTH } from "./depth.ts";
import { box, fitted, fittedText, halo, path, text, textWidth } from "./draw.ts";
import { changedBelow } from "./focus-tag.ts";
import { phoneParts } from "./later.ts";
import { stateWord } from "./state-word.ts";
import { hueIn } from "../diagrams/instance.ts";

const BAR = 26;
const SQUARE = 9.6;
/** A box at least so many units high has room for a timer and for what the application knows. */
const WHOLE = 230;

const hasFoot = ({ folded, box: { height } }: ClientPlace): boolean => !folded && height >= WHOLE;

export const producers: Layer = (frame, here, focus) =>
  Object.entries(here.clients).flatMap(([name, place]) => clientObjects(frame, here, focus, name, place));

function clientObjects(frame: Frame, here: Places, focus: Focus, name: string, place: ClientPlace): StageObject[] {
  const client = frame.view.clients?.[name];
  if (client === undefined) return [];
  const focused = focus.actor === name && (focus.kind === "client" || focus.kind === "actor");
  const chips = here.upright && (place.panel !== undefined || place.folded) ? [chipOf(frame, here, name, client, place)] : [];
  if (here.upright && place.folded) return chips;
  const queued = place.folded || !client.alive ? [] : Object.keys(place.queues).flatMap((partition) => queueObjects(frame, here, name, client, partition, place));
  const inQueue = focused ? touchedIn(frame, focus, name, place, queued) : null;
  const isHead = focused && inQueue === null;
  const body = here.upright ? phoneParts().producer(frame, here, name, client, place, isHead) : place.folded ? foldedBody(frame, here, name, client, place, isHead) : wholeBody(frame, here, name, client, place, isHead);
  const objects = [...chips, body, ...queued];
  if (inQueue !== null) {
    objects.push({ key: "ring:queue", ...inQueue, phase: "effect", depth: DEPTH.gate, hot: true, label: "", draw: halo(0, 0, inQueue.width, inQueue.height, 4) });
  } else if (focused) {
    objects.push({ key: "ring:actor", ...wholeOf(place), phase: "effect", depth: DEPTH.gate, hot: true, label: "", draw: box(0, 0, wholeOf(place).width, wholeOf(place).height, "ring", 8) });
  }
  return objects;
}

/** The catalogue key of the only tag of a client that is about one of its batches. */
const OF_BATCH = "stage.tag.same_numbers";

/**
 * The box that is marked in a step of a client: of the batch, if the step changes only one and has no tag or a tag
 * about it; else of the queue that the step names. Null if there is neither; the client is then marked at its name.
 */
function touchedIn(frame: Frame, { kind, tag }: Focus, name: string, place: ClientPlace, queued: readonly StageObject[]): Box | null {
  const { step } = frame;
  if (step === null || kind !== "client" || (tag !== null && tag.key !== OF_BATCH)) return null;
  const changed = new Set(changedBelow(step, "clients", name, "batches").map(({ rest: [id = ""] }) => id));
  const drawn = queued.filter(({ key }) => [...changed].some((id) => key === `q:${name}:${id}`));
  const [only] = drawn;
  if (only !== undefined && drawn.length === 1) return { x: only.x, y: only.y, width: only.width, height: only.height };
  const queue = changed.size === 0 ? place.queues[String(step.params["partition"])] : undefined;
  if (queue === undefined) return null;
  const { x, y, width, height } = queue.waiting;
  return { x: x + 3, y: y + 3, width: width - 6, height: height - 6 };
}

/** The applications that use a producer, as [name, view]. */
const applicationsOf = (view: View, client: string) => Object.entries(view.applications ?? {}).filter(([, one]) => one.client === client);

/** The properties that every form of a producer's box shares. */
export function bodyOf(frame: Frame, name: string, client: ClientView) {
  return {
    phase: "static", depth: DEPTH.body, label: labelOf(frame, name, client), select: plainly("actor", name),
    holds: applicationsOf(frame.view, name).map(([application]) => plainly("actor", application)), picked: selected(frame, name, client),
  } as const;
}

export function applicationOf(view: View, client: string): { name: string; fact: string } | null {
  const found = applicationsOf(view, client);
  const [first] = found;
  if (first === undefined) return null;
  const [name, application] = first;
  const names = listed(found.map(([one]) => one));
  const { loop } = application;
  if (loop !== undefined) return { name: names, fact: say("stage.round", { round: loop.round }) };
  const key = application.blocked_by !== null ? "stage.waits" : application.last_result === "refused" ? "stage.call_failed" : "stage.calls";
  return { name: found.length > 1 ? names : name, fact: say(key, { done: application.next_call, calls: application.calls }) };
}

interface State {
  said: string;
  bad: boolean;
  /**
   * A text that says that the client does not know of stored batches, or of a higher epoch; null if it is up to date.
   */
  outdated: string | null;
}

export function stateOf(frame: Frame, name: string, client: ClientView): State {
  const own = ownState(client);
  const isStill = client.alive && !client.paused && !client.closed && !own.bad;
  const outdated = isStill ? outdatedBy(frame, name) : null;
  return outdated === null ? { ...own, outdated } : { ...own, said: say("stage.outdated", { state: own.said }), outdated };
}

function ownState(client: ClientView): { said: string; bad: boolean } {
  if (!client.alive) return { said: say("stage.down"), bad: false };
  if (client.paused) return { said: say("stage.paused"), bad: false };
  if (client.closed) return { said: say("stage.closed"), bad: false };
  const state = client.transaction_manager?.state;
  if (state === undefined) return { said: say("stage.plain_producer"), bad: false };
  // In Kafka 2.0, a producer without transactions stays in its first state even if it has a producer id.
  const { transactional_id: id, producer_id: producer } = client.transaction_manager ?? {};
  if (state === "UNINITIALIZED" && id === null && !isAbsent(producer ?? null)) return { said: say("stage.idempotent"), bad: false };
  // The state of a producer without transactions does not tell whether responses are outstanding, so the text says so.
  if (state === "READY" && id === null && Object.keys(client.batches).length > 0) return { said: say("stage.sending"), bad: false };
  return { said: stateWord(state), bad: state.includes("ERROR") };
}

export function identityPill({ view }: Frame, here: Places, client: ClientView, right: number, y: number, room: number): SVGTemplateResult {
  const manager = client.transaction_manager;
  if (manager == null) return svg``;
  if (isAbsent(manager.producer_id)) return text(right, y + 15, say("stage.no_id"), "s13 q", "end");
  const long = say("stage.identity", { producer_id: manager.producer_id, epoch: manager.producer_epoch });
  const said = textWidth(long, 13, true) + 14 <= room ? long : `${manager.producer_id}·${manager.producer_epoch}`;
  const width = Math.min(room, round(textWidth(said, 13, true) + 14));
  return svg`${box(right - width, y, width, 22, `cell small ${hueIn(view, here, manager.producer_id, manager.producer_epoch)}`, 4)}${
    fittedText(right - width / 2, y + 15.5, said, width - 8, 13, { least: 8, bold: true, classes: "b", anchor: "middle" })}`;
}

function labelOf(frame: Frame, name: string, client: ClientView): string {
  const manager = client.transaction_manager;
  const { said, outdated } = stateOf(frame, name, client);
  const named = say("stage.client_name", {
    client: name, state: said,
    identity: manager == null || isAbsent(manager.producer_id) ? say("stage.no_id") : say("stage.identity", { producer_id: manager.producer_id, epoch: manager.producer_epoch }),
  });
  return outdated === null ? named : `${named}. ${outdated}`;
}

function selected(frame: Frame, name: string, client: ClientView): boolean {
  return isPicked(frame.selection, plainly("actor", name)) || isOfPicked(frame, { transaction: client.transaction_manager?.transactional_id ?? null });
}

/** The drawing of the identity as plain text, for a box that is too low for a pill. */
function identityText(client: ClientView, right: number, y: number, room: number): SVGTemplateResult | typeof nothing {
  const manager = client.transaction_manager;
  if (manager == null) return nothing;
  const has = !isAbsent(manager.producer_id);
  const said = has ? `${manager.producer_id}·${manager.producer_epoch}` : say("stage.no_id");
  return fittedText(right, y, said, room, 12, { classes: has ? "b" : "q", bold: has, least: 8, anchor: "end" });
}

/** A folded client lower than this, in units, has only one line. */
const TWO_LINES = 46;

/**
 * The box of a folded client (there are too many clients for large boxes): its name, identity and state, and the
 * numbers of its waiting batches and of its requests in flight.
 */
function foldedBody(frame: Frame, here: Places, name: string, client: ClientView, place: ClientPlace, focused: boolean): StageObject {
  const { width, height } = place.box;
  const waiting = Object.values(client.queues).reduce((sum, queue) => sum + queue.batches.length, 0);
  const sent = Object.keys(client.requests).length;
  const state = stateOf(frame, name, client);
  const name17 = textWidth(name, 16, true);
  const id = client.transaction_manager?.transactional_id;
  const lines = height >= 62;
  const counts = say("stage.counts", { waiting, sent });
  const own = { key: `client:${name}`, ...place.box, ...bodyOf(frame, name, client) };
  if (height < TWO_LINES) {
    const size = Math.min(16, Math.max(11, height - 5));
    const nameWidth = Math.min(width * 0.3, textWidth(name, size, true));
    const middle = height / 2 + size * 0.35;
    const identity = 104;
    return {
      ...own, draw: svg`${box(0, 0, width, height, `body${client.alive ? "" : " dead"}`, 8)}${focused ? box(1, 1, width - 2, height - 2, "wash", 7) : nothing}${
        fittedText(12, middle, name, width * 0.3, size, { bold: true, classes: "b", least: 9 })}${
        fittedText(20 + nameWidth, middle, state.said, width - 28 - nameWidth - identity, Math.min(13, size), { classes: state.bad ? "bad" : "k", least: 8 })}${
        height >= 24 ? identityPill(frame, here, client, width - 8, (height - 22) / 2, identity - 8) : identityText(client, width - 10, middle, identity - 10)}`,
    };
  }
  return {
    ...own,
    draw: svg`${box(0, 0, width, height, `body${client.alive ? "" : " dead"}`, 8)}${focused ? box(1, 1, width - 2, Math.min(height - 2, 26), "wash", 7) : nothing}${
      fittedText(12, 21, name, width * 0.45, 16, { bold: true, classes: "b", least: 9 })}${identityPill(frame, here, client, width - 8, 5, width - name17 - 34)}${
      fittedText(12, 41, state.said, width * 0.54 - 12, 13, { classes: state.bad ? "bad" : "k", least: 9 })}${
      fittedText(width - 10, 41, counts, width * 0.46 - 14, 12, { classes: "q", least: 8, anchor: "end" })}${
      lines && id != null ? fittedText(12, 58, id, width - 22, 12, { classes: "k", least: 7 }) : nothing}`,
  };
}

/** The small box of a client on a phone with several clients, where its messages leave and arrive. */
function chipOf(frame: Frame, here: Places, name: string, client: ClientView, place: ClientPlace): StageObject {
  const { width, height } = place.box;
  const open = place.panel !== undefined;
  const size = fitted(name, width * 0.5, 12, { bold: true, least: 8 }).size;
  const said = textWidth(name, size, true);
  const manager = client.transaction_manager;
  const has = manager != null && !isAbsent(manager.producer_id);
  const state = stateOf(frame, name, client);
  const fact = !client.alive || client.paused ? state.said : has ? `${manager.producer_id}·${manager.producer_epoch}` : "";
  const room = width - said - 28;
  const pill = Math.min(room, round(textWidth(fact, 12, true) + 10));
  const isPlain = client.alive && !client.paused && has;
  return {
    key: `client:${name}`, ...place.box, phase: "static", depth: DEPTH.body, label: labelOf(frame, name, client), brings: plainly("actor", name), picked: selected(frame, name, client),
    ...(open ? {} : { holds: applicationsOf(frame.view, name).map(([application]) => plainly("actor", application)) }),
    draw: svg`${box(0, 0, width, height, `body${client.alive ? "" : " dead"}`, 7)}${open ? svg`${box(0, 0, width, height, "unfolded", 7)}${box(5, 3, said + 12, height - 6, "tag", 4)}` : nothing}${
      fittedText(11, height / 2 + 4.5, name, width * 0.5, 12, { bold: true, least: 8, classes: open ? "b inv" : "b" })}${
      fact === "" ? nothing : svg`${isPlain ? box(width - 5 - pill, 4, pill, height - 8, `cell small ${hueIn(frame.view, here, manager.producer_id, manager.producer_epoch)}`, 3) : nothing}${
        fittedText(width - 5 - pill / 2, height / 2 + 4.5, fact, pill - 4, 12, { classes: state.bad ? "bad" : isPlain ? "b" : "k", bold: isPlain, least: 8, anchor: "middle" })}`}`,
  };
}

type Zone = (typeof ZONES)[number];
export const ZONES = ["waiting", "sent"] as const;

/**
 * The drawing of one zone of a queue (waiting or sent) inside the client's box `card`. `line`: units from the zone's
 * top to the baseline of its name, which is drawn if `isNamed`.
 */
export function zoneOf(queue: Record<Zone, Box>, zone: Zone, card: Box, line: number, isNamed: boolean): SVGTemplateResult {
  const { x, y, width, height } = queue[zone];
  const [left, top] = [x - card.x, y - card.y];
  return svg`${box(left, top, width, height, "slot", 4)}${
    isNamed ? fittedText(left + width / 2, top + line, say(`stage.${zone}`), width - 8, 12, { classes: "q", least: 8, anchor: "middle" }) : nothing}`;
}

/** Whether a zone is empty, so that its name has room in it. */
export function isFree(client: ClientView, partition: string, zone: Zone): boolean {
  const queue = client.queues[partition];
  return zone === "waiting" ? (queue?.batches.length ?? 0) === 0 && queue?.muted !== true : sentIn(client, partition).length === 0;
}

function wholeBody(frame: Frame, here: Places, name: string, client: ClientView, place: ClientPlace, focused: boolean): StageObject {
  const { width, height } = place.box;
  const application = applicationOf(frame.view, name);
  const state = stateOf(frame, name, client);
  const id = client.transaction_manager?.transactional_id ?? null;
  const rows = Object.entries(place.queues);
  const first = rows[0]?.[1];
  const left = place.box.x;
  const top = place.box.y;
  const nameWidth = Math.min(textWidth(name, 17, true), width * 0.4);
  // A low box has no line for the names of the zones, so only empty zones have their names, inside them.
  const isHeaded = first !== undefined && first.row.y - top >= BAR + 78;
  const more = isHeaded ? 0 : withoutRow(client, place).batches;
  return {
    key: `client:${name}`, ...place.box, ...bodyOf(frame, name, client),
    draw: svg`${box(0, 0, width, height, `body${client.alive ? "" : " dead"}`, 8)}${application === null ? nothing : svg`${
      path(`M0.5,8q0,-7.5 7.5,-7.5h${width - 16}q7.5,0 7.5,7.5v18h${1 - width}z`, "slot")}${path(`M0,${BAR}h${width}`, "hair")}${
      fittedText(12, 18, application.name, width * 0.55, 13, { bold: true, classes: "b", least: 9 })}${
      fittedText(width - 12, 18, application.fact, width * 0.42, 12, { classes: "q", least: 9, anchor: "end" })}`}${
      focused ? box(1.5, BAR + 1, width - 3, 58, "wash", 2) : nothing}${
      fittedText(12, BAR + 25, name, width * 0.4, 17, { bold: true, classes: "b", least: 9 })}${
      identityPill(frame, here, client, width - 12, BAR + 9, width - 24 - nameWidth - 8)}${stateLine(state, id, width)}${
      first === undefined ? nothing : svg`${path(`M12,${BAR + 60}h${width - 24}`, "hair")}${!isHeaded ? nothing : svg`${text(first.waiting.x + first.waiting.width - left, first.row.y - top - 5, say("stage.waiting"), "s12 q", "end")}${
        fittedText(first.sent.x - left, first.row.y - top - 5, say("stage.sent"), width - (first.sent.x - left) - 6, 12, { least: 8, classes: "q" })}`}`}${
      rows.map(([partition, queue]) => svg`${fittedText(12, queue.row.y - top + queue.row.height / 2 + 5, more > 0 ? `${partition} +${more}` : partition, queue.waiting.x - left - 16, 13, { bold: true, classes: "b", most: queue.row.height > 36 ? 4 : 2, least: 7 })}${
        ZONES.map((zone) => zoneOf(queue, zone, place.box, queue[zone].height / 2 + 4.5, !isHeaded && isFree(client, partition, zone)))}`)}${
      isHeaded ? foldedQueues(client, place, width) : nothing}${hasFoot(place) ? footOf(frame, here, name, client, width, height) : lowFoot(frame, name, client, place, width)}`,
  };
}

/** The drawing of a client's state, and right of it the transactional id; a long id has a line of its own. */
function stateLine(state: { said: string; bad: boolean }, id: string | null, width: number): SVGTemplateResult {
  const classes = state.bad ? "bad" : "k";
  if (id === null) return fittedText(12, BAR + 47, state.said, width - 24, 13, { classes, least: 10 });
  // One line in slightly smaller letters is preferred to two lines.
  const size = [13, 12, 11].find((one) => textWidth(state.said, one) + textWidth(id, one) + 10 <= width - 24);
  if (size !== undefined) return svg`${text(12, BAR + 47, state.said, `s${size} ${classes}`)}${text(width - 12, BAR + 47, id, `s${size} k`, "end")}`;
  return svg`${fittedText(12, BAR + 42, state.said, width - 24, 12, { classes, least: 9 })}${fittedText(12, BAR + 55, id, width - 24, 12, { classes: "k", least: 8 })}`;
}

/** The queues of a client for which the picture has no row, and the number of batches in them. */
function withoutRow(client: ClientView, place: ClientPlace) {
  const others = Object.entries(client.queues).filter(([partition]) => !(partition in place.queues));
  return { others, batches: others.reduce((sum, [, queue]) => sum + queue.batches.length, 0) };
}

/** The line below the rows that counts the queues without a row and their batches; nothing if these have no batches. */
function foldedQueues(client: ClientView, place: ClientPlace, width: number): SVGTemplateResult | typeof nothing {
  const { others, batches } = withoutRow(client, place);
  if (batches === 0) return nothing;
  const said = say("stage.queues_more", { partitions: others.length, batches });
  const title = svg`<title>${listed(others.map(([partition]) => partition))}</title>`;
  return svg`<g>${title}${
    fittedText(12, place.box.height - (hasFoot(place) ? 62 : 8), said, width - 24, 12, { classes: "k", least: 9 })}</g>`;
}

function footOf(frame: Frame, here: Places, name: string, client: ClientView, width: number, height: number): SVGTemplateResult {
  const next = Object.values(client.timers).filter((timer) => timer.until > frame.view.time).sort((one, other) => one.until - other.until)[0];
  const y = height - 46;
  const tally = tallyOf(frame, name);
  return svg`${next === undefined ? nothing : fittedText(12, y - 18, say("stage.timer", { kind: timerWord(next.kind), left: next.until - frame.view.time }), width - 24, 13, { classes: "q", least: 9 })}${
    tally.total === 0 ? nothing : svg`${path(`M12,${y - 8}h${width - 24}`, "hair")}${fittedText(12, y + 10, say("stage.knows"), width * 0.38, 12, { classes: "q", least: 9 })}${
      fittedText(width - 12, y + 10, tally.said, width * 0.58, 12, { classes: tally.bad ? "bad" : "k", least: 8, anchor: "end" })}${squares(frame.view, here, client, tally, y + 19, width)}`}`;
}

/**
 * In a low box, a line below the last row: how many records the application knows to be stored. Nothing without room.
 */
function lowFoot(frame: Frame, name: string, client: ClientView, place: ClientPlace, width: number): SVGTemplateResult | typeof nothing {
  const { y, height } = place.box;
  const rows = Object.values(place.queues).map(({ row }) => row.y + row.height - y);
  const tally = tallyOf(frame, name);
  if (tally.total === 0 || rows.length === 0 || height - Math.max(...rows) < LOW_FOOT || withoutRow(client, place).batches > 0) return nothing;
  return svg`${fittedText(12, height - 9, say("stage.knows"), width * 0.38, 12, { classes: "q", least: 9 })}${
    fittedText(width - 12, height - 9, tally.said, width * 0.58, 12, { classes: tally.bad ? "bad" : "k", least: 8, anchor: "end" })}`;
}

/** Units of height that this line needs below the last row. */
const LOW_FOOT = 24;

interface Tally {
  total: number;
  said: string;
  bad: boolean;
  /** The newest records, in the order of their serials. */
  shown: { serial: number; record: RecordView; lost: boolean }[];
}

function tallyOf(frame: Frame, name: string): Tally {
  const own = Object.entries(frame.view.records ?? {}).filter(([, record]) => record.producer === name);
  const far = foldedRecords(frame.view).counts[name] ?? {};
  const count = (status: string): number => own.filter(([, record]) => record.status === status).length + (far[status] ?? 0);
  const total = own.length + Object.values(far).reduce((sum, one) => sum + one, 0);
  const lost = new Set(frame.view.guarantees?.["lost"]?.serials ?? []);
  const [stored, failed] = [count("ok"), count("failed") + count("refused") + count("aborted")];
  const gone = own.filter(([serial]) => lost.has(Number(serial))).length;
  return {
    total, bad: gone > 0,
    said: gone > 0 ? say("stage.known_lost", { stored, lost: gone, total })
      : failed > 0 ? say("stage.known_failed", { stored, total, failed }) : say("stage.known", { stored, total }),
    shown: own.map(([serial, record]) => ({ serial: Number(serial), record, lost: lost.has(Number(serial)) })).sort((one, other) => one.serial - other.serial),
  };
}

/** The statuses of the records that have a square in the picture. */
export function fatesDrawn(view: View, here: Places): Set<string> {
  const named = Object.entries(here.clients).filter(([, place]) => hasFoot(place)).map(([name]) => name);
  return new Set(Object.values(view.records ?? {}).filter(({ producer }) => named.includes(producer)).map(({ status }) => status));
}

/**
 * The producer id with which the leader stored a record; undefined if the record is not in the part of the log in the
 * view.
 */
function producerIdOf(view: View, { partition, offset }: RecordView): Id {
  return offset === null ? undefined : batchAt(leaderBatches(view.partitions?.[partition]), offset)?.producer_id;
}

function squares(view: View, here: Places, client: ClientView, tally: Tally, top: number, width: number): SVGTemplateResult {
  const most = Math.floor((width - 24) / (SQUARE + 2));
  // If one row is too short, the squares have two, so that records that failed early are visible, too.
  const shown = tally.shown.slice(-(tally.total > 2 * most ? 2 * most - 3 : 2 * most));
  const earlier = tally.total - shown.length;
  const before = earlier > 0 ? 3 : 0;
  return svg`${earlier > 0 ? svg`<g><title>${say("stage.earlier_name", { count: earlier })}</title>${fittedText(12, top + 9, say("stage.earlier", { count: earlier }), 32, 11, { classes: "q", least: 7 })}</g>` : nothing}${shown.map(({ serial, record, lost }, index) => {
    const { status } = record;
    const hue = here.hue((lost ? undefined : producerIdOf(view, record)) ?? client.transaction_manager?.producer_id);
    const place = index + before;
    const x = round(12 + (place % most) * (SQUARE + 2));
    const y = top + (place >= most ? SQUARE + 2 : 0);
    const name = svg`<title>${say("stage.record_known", { serial, status: say(`stage.status.${status}`) })}</title>`;
    if (lost) return svg`<g>${name}${box(x, y, SQUARE, SQUARE, `flag ${hue}`, 1.5)}${path(`M${x - 1},${y - 1}l${SQUARE + 2},${SQUARE + 2}m0,${-SQUARE - 2}l${-SQUARE - 2},${SQUARE + 2}`, "failed")}</g>`;
    if (status === "ok") return svg`<g>${name}${box(x, y, SQUARE, SQUARE, `flag ${hue}`, 1.5)}</g>`;
    if (status === "failed" || status === "refused") return svg`<g>${name}${path(`M${x + 1},${y + 1}l8,8m0,-8l-8,8`, "failed")}</g>`;
    if (status === "aborted") return svg`<g>${name}${box(x + 0.8, y + 0.8, SQUARE - 1.6, SQUARE - 1.6, "none", 1.5)}${path(`M${x + 1.5},${y + SQUARE - 1.5}L${x + SQUARE - 1.5},${y + 1.5}`, "rail")}</g>`;
    return svg`<g>${name}${box(x + 0.8, y + 0.8, SQUARE - 1.6, SQUARE - 1.6, "none wait", 1.5)}</g>`;
  })}`;
}

/**
 * The ids of a partition's batches that are sent and have no response, in the order in which they were sent; then of
 * those that are drained and not sent yet.
 */
function sentIn(client: ClientView, partition: string): string[] {
  const sent = Object.values(client.requests).flatMap((request) => request.batches);
  return [...sent, ...drainedOf(client)].filter((id) => client.batches[id]?.partition === partition);
}

/** A batch in its queue, with its left edge and its width, in units. */
interface Queued {
  id: string;
  batch: ClientBatchView;
  x: number;
  width: number;
}

/**
 * The batches of a queue that have room, `waiting` and `sent`, and how many more there are of each. `from`: x of the
 * left edge of the waiting ones.
 */
interface QueueCells {
  waiting: Queued[];
  sent: Queued[];
  moreWaiting: number;
  moreSent: number;
  from: number;
  /** The ids of the batches that have their records before their sequence numbers in one line, in a low row. */
  both: ReadonlySet<string>;
}

/**
 * The cells for the batches of one partition's queue: waiting ones from right to left, beginning with the head of the
 * queue; sent ones from left to right.
 */
function cellsIn(view: View, name: string, client: ClientView, partition: string, queue: ClientPlace["queues"][string]): QueueCells {
  const waiting = client.queues[partition]?.batches ?? [];
  const sent = sentIn(client, partition);
  const height = queue.row.height - 6;
  const ofIds = (ids: readonly string[]): ClientBatchView[] => ids.flatMap((id) => client.batches[id] ?? []);
  // A low row shows the records before the sequences, if all batches have room for both.
  const bothIn = (ids: readonly string[], room: number): boolean =>
    height < NAMED_ABOVE && ofIds(ids).reduce((sum, batch) => sum + 11 + textWidth(bothOf(batch), 13, true), 4) <= room;
  const both = new Set([...(bothIn(waiting, queue.waiting.width) ? waiting : []), ...(bothIn(sent, queue.sent.width) ? sent : [])]);
  const widthOf = (id: string, batch: ClientBatchView): number => Math.max(28, Math.min(both.has(id) ? Infinity : 84, round(Math.max(
    textWidth(both.has(id) ? bothOf(batch) : labelFor(batch), 13, true), height >= NAMED_ABOVE ? textWidth(recordsOf(batch), 12) : 0) + 8)));
  const cells: QueueCells = { waiting: [], sent: [], moreWaiting: 0, moreSent: 0, from: queue.waiting.x + queue.waiting.width - 4, both };
  const far = recordsWaiting(view, name, partition);
  for (const id of waiting) {
    const batch = client.batches[id];
    if (batch === undefined) continue;
    const width = widthOf(id, batch);
    const last = cells.waiting.length === waiting.length - 1 && far === 0;
    if (cells.from - width < queue.waiting.x + (last ? 0 : 22)) break;
    cells.waiting.push({ id, batch, x: cells.from - width, width });
    cells.from -= width + 3;
  }
  let at = queue.sent.x + 3;
  const end = queue.sent.x + queue.sent.width - 2;
  // If the sent batches do not fit, their cells are narrower, so that all of them are shown.
  const wanted = sent.reduce((sum, id) => sum + (client.batches[id] === undefined ? 0 : widthOf(id, client.batches[id]) + 3), -3);
  const share = Math.min(1, (end - at - 3 * (sent.length - 1)) / Math.max(1, wanted - 3 * (sent.length - 1)));
  const narrowed = sent.every((id) => client.batches[id] === undefined || widthOf(id, client.batches[id]) * share >= LEAST_CELL) ? share : 1;
  for (const id of sent) {
    const batch = client.batches[id];
    if (batch === undefined) continue;
    const width = Math.floor(widthOf(id, batch) * narrowed);
    const last = cells.sent.length === sent.length - 1 || narrowed < 1;
    if (at + width > end - (last ? 0 : 20)) break;
    cells.sent.push({ id, batch, x: at, width });
    at += width + 3;
  }
  return { ...cells, moreWaiting: waiting.length - cells.waiting.length, moreSent: sent.length - cells.sent.length };
}

/** The batches in the queues of clients that the picture shows as cells; those that are only counted are left out. */
export function batchesQueued(view: View, here: Places): ClientBatchView[] {
  return Object.entries(here.clients).flatMap(([name, { queues }]) => {
    const client = view.clients?.[name];
    return client === undefined ? [] : Object.entries(queues).flatMap(([partition, queue]) => {
      const { waiting, sent } = cellsIn(view, name, client, partition, queue);
      return [...waiting, ...sent].map(({ batch }) => batch);
    });
  });
}

function queueObjects(frame: Frame, here: Places, name: string, client: ClientView, partition: string, place: ClientPlace): StageObject[] {
  const queue = place.queues[partition];
  if (queue === undefined) return [];
  const y = queue.row.y + 3;
  const height = queue.row.height - 6;
  const cells = cellsIn(frame.view, name, client, partition, queue);
  const batchObject = ({ id, batch, x, width }: Queued): StageObject => {
    const selection: Selection = { kind: "batch", id: `${name}/${id}`, partition, serials: [...batch.serials] };
    const numbered = !isAbsent(batch.first_sequence);
    const said = cells.both.has(id) ? bothOf(batch) : labelFor(batch);
    const records = recordsOf(batch);
    const isHigh = numbered && records !== "" && height >= NAMED_ABOVE;
    const own = client.transaction_manager;
    const hue = numbered ? hueIn(frame.view, here, batch.producer_id ?? own?.producer_id, batch.producer_epoch ?? own?.producer_epoch) : "plain";
    return {
      key: `q:${name}:${id}`, x: round(x), y, width, height, phase: "effect", depth: DEPTH.cell,
      draw: svg`${box(0, 0, width, height, `cell small ${hue}${numbered ? "" : " open"}`, 3)}${
        isHigh ? fittedText(width / 2, height * 0.38, records, width - 4, 12, { classes: "k", least: 8, anchor: "middle" }) : nothing}${
        fittedText(width / 2, isHigh ? height * 0.78 : height / 2 + 4.5, said, width - 4, 13, { bold: numbered, classes: numbered ? "b" : "k", least: 8, anchor: "middle" })}`,
      label: say("stage.batch_name", { client: name, partition, what: batchWords(batch) }), select: selection,
      picked: isPicked(frame.selection, selection) || isOfPicked(frame, { transaction: client.transaction_manager?.transactional_id ?? null }),
    };
  };
  const objects = [...cells.waiting, ...cells.sent].map(batchObject);
  const { moreWaiting, moreSent, from } = cells;
  const notes: SVGTemplateResult[] = [];
  const middle = queue.row.y + queue.row.height / 2 + 4;
  if (moreWaiting > 0) notes.push(svg`<g><title>${say("stage.waiting_more", { count: moreWaiting })}</title>${
    text(Math.max(from - 1, queue.waiting.x + 3 + textWidth(`+${moreWaiting}`, 12)), middle, `+${moreWaiting}`, "s12 k", "end")}</g>`);
  else if (client.queues[partition]?.muted === true && cells.waiting.length === 0) notes.push(text(queue.waiting.x + queue.waiting.width - 5, middle, say("stage.muted"), "s12 q", "end"));
  if (moreSent > 0) notes.push(svg`<g><title>${say("stage.sent_more", { count: moreSent })}</title>${text(queue.sent.x + queue.sent.width - 2, middle, `+${moreSent}`, "s12 k", "end")}</g>`);
  if (notes.length > 0) objects.push({ key: `q:${name}:${partition}:more`, x: 0, y: 0, width: 0, height: 0, phase: "effect", depth: DEPTH.cell, draw: svg`${notes}`, label: "" });
  return objects;
}

/** The least width of a batch in a queue, in units, in which its sequence numbers can be read. */
const LEAST_CELL = 26;

/** The most units for the names of a batch's records in a queue; longer ones are left out. */
const RECORDS = 60;

/** In a row at least so many units high, a batch has its records above its sequence numbers. */
const NAMED_ABOVE = 34;

/** The names of a batch's records (`r1–r3`); "" if they are too long for a queue. */
function recordsOf(batch: ClientBatchView): string {
  const records = serialsText(batch.serials);
  return textWidth(records, 13) <= RECORDS ? records : "";
}

/** A batch's records and sequences in one line. */
function bothOf(batch: ClientBatchView): string {
  const records = isAbsent(batch.first_sequence) ? "" : recordsOf(batch);
  return records === "" ? labelFor(batch) : `${records} | ${labelFor(batch)}`;
}

/** The sequence numbers of a batch; before it has any, its records. */
function labelFor(batch: ClientBatchView): string {
  if (!isAbsent(batch.first_sequence)) return range(batch.first_sequence, batch.last_sequence);
  return recordsOf(batch) || say("stage.records", { count: batch.record_count });
}
