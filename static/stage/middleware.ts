/**
 * Draws the nodes of a message middleware on the stage: the initiator and the business system, the middleware with the
 * responses that it has received, and the participants with their data.
 */

import { nothing, svg } from "lit";
import type { SVGTemplateResult } from "lit";
import { round } from "../diagrams/geometry.ts";
import { shownTransaction } from "../diagrams/middleware-shown.ts";
import { isPicked, plainly } from "../diagrams/picked.ts";
import type { MiddlewareTransactionView, MiddlewareView, ParticipantView, WindowView } from "../generated/messages.ts";
import type { Frame, View } from "../player/frame.ts";
import { facts, named } from "../player/joins.ts";
import { say, words } from "../player/text.ts";
import type { Box, Layer, Places, StageObject } from "./contract.ts";
import { DEPTH } from "./depth.ts";
import { box, fittedText, path, text, textWidth } from "./draw.ts";
import { ladder, rungsOf } from "./ladder.ts";
import type { LadderPlace, Rung } from "./ladder.ts";
import { LOW, NARROW, ladderPlace, rowsOf, taggedPart } from "./middleware-parts.ts";
import type { Part } from "./middleware-parts.ts";
import { stateWord } from "./state-word.ts";

/** Baselines of the second and third line of a narrow node, under its name, in units. */
const SECOND = 40;
const THIRD = 65;

export const defaults = {
  /** The share of its axis that the bar of a window fills while the window's end is not known. */
  open: 0.75,
};

export const middleware: Layer = (frame, here, focus) => {
  if (here.kind !== "middleware") return [];
  const view = frame.view.middleware;
  if (view === undefined) return [];
  const tid = shownTransaction(frame);
  const objects = headings(here);
  for (const [name, { box: own }] of Object.entries(here.others)) {
    const part = focus.actor === name ? taggedPart(frame, here, focus) : null;
    const drawn = drawnOf({ frame, view, tid, own, part }, name);
    if (drawn === null) continue;
    const focused = focus.actor === name && focus.kind !== "sent" && focus.kind !== "lost";
    const selection = plainly("actor", name);
    const { alive, state } = liveOf(view, name);
    objects.push({
      key: `node:${name}`, ...own, phase: "static", depth: DEPTH.body, hot: focused, select: selection, picked: isPicked(frame.selection, selection),
      label: state === "" ? drawn.label : facts([drawn.label, state]),
      draw: svg`${box(0, 0, own.width, own.height, `body${alive ? "" : " dead"}`, 8)}${focused ? box(1, 1, own.width - 2, own.width < NARROW && part !== null ? 46 : 27, "wash", 7) : nothing}${
        own.width < NARROW ? narrowHead(name, state, drawn, own, part !== null) : wideHead(name, state, drawn, own, hasFact(name, part))}${
        drawn.inner}${focused ? box(0, 0, own.width, own.height, "ring", 8) : nothing}`,
    });
    if (name === "middleware") objects.push(...windowTerm(view, tid, own));
  }
  return objects;
};

/** A button over the words about the middleware's window, which shows what this term means; empty without the words. */
function windowTerm({ transactions, differ }: MiddlewareView, tid: string | null, own: Box): StageObject[] {
  const entry = transactions?.[tid ?? ""];
  const [first, ...times] = entry === undefined ? [] : windowWords(entry, differ?.[tid ?? ""]);
  if (first === undefined || times.length === 0) return [];
  const high = own.height < LOW ? times.length * 24 + 18 : times.length > 1 ? 66 : 52;
  const [x, width] = own.height < LOW ? [rowsOf(own, 0, 0).x, rowsOf(own, 0, 0).width] : [14, own.width - 28];
  return [{
    key: "term:window", x: round(own.x + x), y: round(own.y + own.height - high), width: round(width), height: high, phase: "gate", depth: DEPTH.body, term: "term.window",
    draw: svg`<rect class="hit" width=${round(width)} height=${high} rx="3"/>`, label: say("player.term.of", { term: say("term.window") }),
  }];
}

/** Whether the head of a node has the node's state in words; false if the step's tag replaces them. */
function hasFact(name: string, part: Part | null): boolean {
  if (part === null || part.kind === "row") return true;
  return part.kind === "state" && (name === "middleware" || name === "business");
}

/** Whether a node is alive, and the word in its box while it is down or paused (`state`); "" for a node that works. */
export function liveOf(view: MiddlewareView | undefined, name: string): { alive: boolean; state: string } {
  const node = view === undefined ? undefined : name === "initiator" || name === "business" || name === "middleware" || name === "manager" ? view[name] : view.participants?.[name];
  const alive = node?.alive !== false;
  return { alive, state: !alive ? say("stage.mw.down") : node?.paused === true ? say("stage.paused") : "" };
}

/** The drawing of a badge such as `is down`, white on black, with its left edge at `x`. */
function badge(x: number, y: number, state: string): SVGTemplateResult {
  const width = textWidth(state, 12, true) + 12;
  return svg`${box(x, y, width, 18, "tag", 4)}${text(x + width / 2, y + 13, state, "s12 inv", "middle")}`;
}

/** x, in units, at which the head of a wide node goes on after its name and, if there is one, its badge. */
export function headEnd(name: string, state: string): number {
  const after = 14 + textWidth(name, 15, true) + 8;
  return state === "" ? after : after + textWidth(state, 12, true) + 18;
}

/** Nodes whose purpose is stated in words, because their names do not say it. */
const GLOSSED: readonly string[] = ["initiator", "business"];

function wideHead(name: string, state: string, { fact, strong }: Drawn, own: Box, isSaid: boolean): SVGTemplateResult {
  const gloss = GLOSSED.includes(name) && state === "" ? say(`stage.mw.gloss.${name}`) : "";
  const glossed = headEnd(name, state) + textWidth(gloss, 12);
  const isGlossed = gloss !== "" && glossed + (fact === "" || !isSaid ? 0 : textWidth(fact, 13, strong) + 8) <= own.width - 14;
  const free = isGlossed ? glossed + 8 : headEnd(name, state);
  return svg`${isGlossed ? text(headEnd(name, state), 20, gloss, "s12 q") : nothing}${fittedText(14, 20, name, own.width - 28, 15, { classes: "b", bold: true, least: 9 })}${state === "" ? nothing : badge(headEnd(name, ""), 6, state)}${
    fact === "" || !isSaid ? nothing : fittedText(own.width - 14, 20, fact, own.width - 14 - free, 13, { anchor: "end", classes: strong ? "b" : "k", least: 8 })}`;
}

/**
 * The drawing of the head of a narrow node: its name, and under it the badge and the state. `isTagged`: this second
 * line is left out, because the step's tag is in its place.
 */
function narrowHead(name: string, state: string, { fact, strong }: Drawn, own: Box, isTagged: boolean): SVGTemplateResult {
  const from = state === "" ? 8 : 8 + textWidth(state, 12, true) + 17;
  return svg`${fittedText(8, 20, name, own.width - 16, 14, { classes: "b", bold: true, least: 9 })}${isTagged ? nothing : svg`${state === "" ? nothing : badge(8, 26, state)}${
    fact === "" ? nothing : fittedText(from, SECOND, fact, own.width - 8 - from, 13, { bold: strong, classes: strong ? "b" : "k", least: 8 })}`}`;
}

function headings(here: Places): StageObject[] {
  if (here.upright) return [];
  const { others, network, fetches } = here;
  const wanting = others["initiator"] ?? others["business"];
  const participant = Object.entries(others).find(([name]) => name.startsWith("participant"))?.[1];
  const middle = others["middleware"];
  return [{
    key: "heads:middleware", x: 0, y: 0, width: 0, height: 0, phase: "static", depth: DEPTH.body, label: "",
    draw: svg`${wanting === undefined ? nothing : text(wanting.box.x, 18, say("stage.head.wanting"), "s13 q")}${text(network.x + 24, 18, say("stage.head.network"), "s13 q")}${
      middle === undefined ? nothing : text(middle.box.x, 18, say("stage.head.middleware"), "s13 q")}${
      fetches === null ? nothing : text(fetches.x + 24, 18, say("stage.head.network"), "s13 q")}${
      participant === undefined ? nothing : text(participant.box.x, 18, say("stage.head.participants"), "s13 q")}`,
  }];
}

interface Drawn {
  /** The node's state in words. */
  fact: string;
  strong: boolean;
  inner: SVGTemplateResult;
  label: string;
}

/** The data from which a node is drawn. `part`: the part that the step's tag replaces; null: none. */
interface Node {
  frame: Frame;
  view: MiddlewareView;
  tid: string | null;
  own: Box;
  part: Part | null;
}

function drawnOf(node: Node, name: string): Drawn | null {
  const { view, tid, own } = node;
  if (name === "business") return businessOf(node);
  if (name === "middleware") return middlewareOf(node);
  if (name === "manager") return managerOf(view, tid, own);
  if (name === "initiator") return initiatorOf(tid, own);
  const participant = view.participants?.[name];
  return participant === undefined ? null : participantOf(name, participant, tid, own);
}

const word = stateWord;

function initiatorOf(tid: string | null, own: Box): Drawn {
  const said = tid === null ? say("stage.mw.opens") : say("stage.mw.opened", { tid });
  const inner = own.width < NARROW ? fittedText(8, THIRD - 8, said, own.width - 16, 12, { most: 2, least: 9, classes: "k" }) : fittedText(14, 46, said, own.width - 28, 13, { most: 2, least: 9, classes: "k" });
  return { fact: "", strong: false, label: named("initiator", said), inner };
}

/** The drawing of the ladder of a node's states, without the pill that the step's tag replaces. */
function states(place: LadderPlace, rungs: readonly Rung[], part: Part | null): SVGTemplateResult {
  return ladder(rungs, place, part?.kind === "state" ? rungs.findIndex(({ look }) => look === "on") : -1);
}

function businessOf({ frame, view, tid, own, part }: Node): Drawn {
  const entry = tid === null ? undefined : view.business?.transactions?.[tid];
  const stored = entry?.stored ?? null;
  const said = stored === null ? "" : say("stage.mw.stored", { stored });
  const state = word(entry?.state ?? "IDLE");
  const changed = `stage.mw.own_change.${stored ?? ""}`;
  const change = entry?.undone !== true && words.knows(changed) ? say(changed) : "";
  const label = named("business", facts([state, said, change].filter((one) => one !== "")));
  if (own.width < NARROW) {
    return { fact: state, strong: true, label, inner: said === "" ? svg`${nothing}` : fittedText(8, 60, said, own.width - 16, 11, { most: 2, least: 9, classes: "k" }) };
  }
  const place = ladderPlace("business", own);
  return {
    fact: "", strong: false, label,
    inner: place === null
      ? svg`${part?.kind === "state" ? nothing : fittedText(14, 46, state, own.width - 28, 13, { classes: "b", bold: true, least: 9 })}${said === "" ? nothing : fittedText(14, Math.min(68, own.height - 7), said, own.width - 28, 12, { most: own.height < 84 ? 1 : 2, least: 8, classes: "k" })}`
      : svg`${states(place, rungsOf(frame, "business", tid, entry?.state), part)}${
        said === "" ? nothing : fittedText(14, own.height - (change === "" ? 22 : 35), said, own.width - 28, 13, { most: change === "" ? 2 : 1, least: 9, classes: "k" })}${
        change === "" ? nothing : svg`${box(14, own.height - 30, own.width - 28, 22, "cell small b0", 3)}${fittedText(own.width / 2, own.height - 14, change, own.width - 40, 14, { bold: true, classes: "b", anchor: "middle", least: 9 })}`}`,
  };
}

/**
 * Whether the middleware has known the transaction at some step up to this one. If it has no entry of it now, a crash
 * removed the entry.
 */
function isLost(frame: Frame, tid: string | null): boolean {
  const now = frame.step?.number ?? 0;
  return frame.plan?.passed?.["middleware"]?.[tid ?? ""]?.some(({ since }) => since > 0 && since <= now) === true;
}

function middlewareOf({ frame, view, tid, own, part }: Node): Drawn {
  const entry = tid === null ? undefined : view.transactions?.[tid];
  const rungs = rungsOf(frame, "middleware", tid, entry?.state);
  const said = entry === undefined ? say(isLost(frame, tid) ? "stage.mw.lost" : "stage.mw.none_yet", { tid }) : word(entry.state);
  const place = ladderPlace("middleware", own) as LadderPlace;
  const [windows, beside] = [frame.view, frame.beside].map((one) => (one === undefined ? undefined : windowsOf(one, tid)));
  return {
    fact: entry === undefined ? said : say("stage.mw.transaction", { tid }), strong: false, label: named("middleware", said),
    inner: svg`${states(place, rungs, part)}${
      entry === undefined || windows === undefined ? nothing : svg`${heard(entry, own, part, windows.really)}${own.height < LOW ? lowFoot(entry, own, [windows, beside]) : footOf(entry, own, [windows, beside])}`}`,
  };
}

/** The word for a participant's vote as the middleware knows it; for a later state, the word for that. */
function voteWord(state: string | undefined): string {
  const key = `stage.mw.vote.${state ?? "IDLE"}`;
  return words.knows(key) ? say(key) : word(state ?? "IDLE");
}

/** The drawing of the responses that the middleware has received, one row for each participant, in order of names. */
function heard(entry: MiddlewareTransactionView, own: Box, part: Part | null, really: WindowView | undefined): SVGTemplateResult {
  const rows = heardOf(entry);
  const { x, y, width, pitch, names } = rowsOf(own, rows.length, footRows(entry, really));
  return svg`${own.height < LOW ? nothing : text(x, 50, say("stage.mw.heard"), "s12 q")}${rows.map(({ name, said, known }, index) => {
    const at = y + index * pitch;
    const isTagged = part?.kind === "row" && part.of === name;
    const classes = known ? "k" : "q";
    if (!names) return isTagged ? nothing : fittedText(x, at, named(name, said), width, own.height < LOW ? Math.min(13, pitch) : 12, { classes, least: 8 });
    return svg`${fittedText(x, at, name, width, 13, { bold: true, classes: "b", least: 8 })}${isTagged ? nothing : fittedText(x, at + 15, said, width, 12, { classes, least: 8 })}`;
  })}`;
}

/** The height, in lines, of the words under the responses received, with the bars under these words. */
export function footRows(entry: MiddlewareTransactionView, really: WindowView | undefined): number {
  return footWords(entry, really).length + (entry.window.since === null ? 0 : entry.window.until === null ? 0.3 : 0.8);
}

/**
 * The drawing of the words in a low box: beside the middleware's states and under the responses received. If bars
 * follow below, the words are higher.
 */
function lowFoot(entry: MiddlewareTransactionView, own: Box, windows: WindowsBeside): SVGTemplateResult {
  const lines = footWords(entry, windows[0].really);
  const { x, width } = rowsOf(own, 0, 0);
  const bars = windowBars(windows, x, width, [own.height - 32, own.height - 6]);
  const isOver = entry.window.until !== null;
  let y = own.height - (bars === null ? 12 : 16);
  return svg`${lines.toReversed().map(({ said, strong }) => {
    const at = y;
    y -= bars !== null && isOver && !strong ? 22 : 17;
    return fittedText(x, at, said, width, 13, { bold: strong, classes: strong ? "b" : "k", least: 8 });
  })}${bars ?? nothing}`;
}

/**
 * The windows of a transaction. `window`: the time in which participants may differ as far as the middleware knows;
 * `really`: the time in which they do differ; `now`: the present virtual time in ms.
 */
export interface Windows {
  window: WindowView;
  really: WindowView | undefined;
  now: number;
}

/** The windows of a run, and of the run that it is compared with, if there is one. */
export type WindowsBeside = readonly [own: Windows, beside?: Windows | undefined];

function windowsOf({ middleware: node, time }: Pick<View, "middleware" | "time">, tid: string | null): Windows | undefined {
  const window = node?.transactions?.[tid ?? ""]?.window;
  return window === undefined ? undefined : { window, really: node?.differ?.[tid ?? ""], now: time };
}

/**
 * The spans of time for which bars are drawn: once they are over, the middleware's window and the participants' own;
 * while the middleware's is open (`isOpen`), only that one, up to now.
 */
function spansOf({ window, really, now }: Windows): { isOpen: boolean; spans: { since: number; until: number }[] } {
  if (window.since !== null && window.until === null) return { isOpen: true, spans: [{ since: window.since, until: now }] };
  return { isOpen: false, spans: [window, really].flatMap((one) => (one?.since == null || one.until === null || one.since === one.until ? [] : [{ since: one.since, until: one.until }])) };
}

/**
 * The drawing of the windows as bars under their words, on an axis that two compared runs share. There is one bar for
 * the middleware's window (from the first CommitOk that it received to the last), and one for the participants' own
 * (from the first local commit to the last). As long as the middleware's window is open, there is only its bar, up to
 * now, on an axis whose end is not known. `ys`: y of each bar; a bar that is alone has the last y. `high`: units of a
 * bar's height; two high bars are joined by lines at their ends. Null if the middleware's window is not open and one of
 * the two bars is missing or has no length.
 */
export function windowBars(windows: WindowsBeside, x: number, width: number, ys: readonly number[], high = 3): SVGTemplateResult | null {
  const { isOpen, spans } = spansOf(windows[0]);
  if (spans.length < 2 && !isOpen) return null;
  const all = windows.flatMap((one) => (one === undefined ? [] : [{ ...spansOf(one), began: one.really?.since ?? Infinity }]));
  const isEndless = all.some((one) => one.isOpen);
  const from = Math.min(...all.flatMap((one) => [...one.spans.map(({ since }) => since), ...(one.isOpen ? [one.began] : [])]));
  const until = Math.max(...all.flatMap((one) => one.spans.map(({ until: end }) => end)));
  if (until === from) return null;
  const drawn = isEndless ? width * defaults.open : width;
  const ends = all.flatMap((one) => one.spans);
  const at = isEndless ? null : brokenAxis(ends, from, until, width);
  const place = at ?? ((time: number): number => ((time - from) * drawn) / (until - from));
  const own = ys.slice(-spans.length);
  return svg`${spans.map(({ since, until: end }, index) => svg`${path(`M${round(x)},${own[index] ?? 0}h${round(drawn)}`, "rail")}${
    isEndless ? svg`<path d="M${round(x + drawn)},${own[index] ?? 0}H${round(x + width)}" class="rail" stroke-dasharray="3 3"/>` : nothing}${
    box(round(x + place(since)), (own[index] ?? 0) - high / 2, Math.max(3, round(place(end) - place(since))), high, "tag", 1)}${
    at === null ? nothing : path(`M${round(x + width / 2 - 5)},${(own[index] ?? 0) + high / 2 + 3}l4,${-high - 6}h6l-4,${high + 6}z`, "behind")}`)}${
    high <= 3 || own.length < 2 ? nothing : spans.flatMap(({ since, until: end }) => [since, end]).map((time) => path(`M${round(x + place(time))},${(own[0] ?? 0) - 8}V${(own[1] ?? 0) + 8}`, "rail"))}`;
}

/**
 * For an axis whose middle is left out. `wide`: px of each of its two parts. `least`: if two ends of windows are at
 * least so many px apart on a whole axis, readers see that they differ.
 */
const ENDS = { wide: 44, least: 5 };

/**
 * A function from a time to its place on an axis whose middle is left out; null if a whole axis already shows how the
 * ends of the windows differ.
 */
function brokenAxis(spans: readonly { since: number; until: number }[], from: number, until: number, width: number): ((time: number) => number) | null {
  const far = Math.max(...spans.map(({ since }) => since - from), ...spans.map(({ until: end }) => until - end));
  const unit = ENDS.wide / far;
  if (far === 0 || (far * width) / (until - from) >= ENDS.least) return null;
  return (time) => (time - from <= far ? (time - from) * unit : width - (until - time) * unit);
}

/**
 * The lines of words about a transaction: one for its message, one for its decision, and those about how long
 * participants differ. If the latter are more than two, because the window is over, the message is left out.
 */
export function footWords(entry: MiddlewareTransactionView, really?: WindowView): { said: string; strong: boolean }[] {
  const window = windowWords(entry, really);
  const message = entry.message === "none" || window.length > 2 ? null : say(`diagram.roles.message_${entry.message}`);
  return [
    ...(message === null ? [] : [{ said: say("diagram.roles.message", { message }), strong: false }]),
    ...(entry.decision === null ? [] : [{ said: say("stage.mw.decision", { decision: word(entry.decision) }), strong: true }]),
    ...window.map((said, index) => ({ said, strong: index === 0 })),
  ];
}

/**
 * The lines that say whether and when participants may differ, as far as the middleware knows. Empty before the first
 * CommitOk. `really`: the time in which they do differ, which no node knows.
 */
export function windowWords({ window: { since, until } }: Pick<MiddlewareTransactionView, "window">, really?: WindowView): string[] {
  if (since === null) return [];
  if (until === null) return [say("stage.mw.window_open"), say("stage.mw.window_since", { since })];
  if (since === until) return [say("stage.mw.window_closed")];
  const span = really?.since == null || really.until === null
    ? [say("stage.mw.window_span", { since, until })]
    : [say("stage.mw.window_reported", { since, until, lasted: until - since }), say("stage.mw.window_really", { since: really.since, until: really.until, lasted: really.until - really.since })];
  return [say("stage.mw.window_closed"), ...span];
}

export function heardOf(entry: MiddlewareTransactionView): { name: string; said: string; known: boolean }[] {
  const names = [...new Set([...Object.keys(entry.votes ?? {}), ...Object.keys(entry.answers ?? {})])].sort();
  return names.map((name) => {
    const vote = entry.votes?.[name];
    const answer = entry.answers?.[name];
    const isRepeated = answer !== undefined && answer.tries > 1;
    // A missing response is late if the middleware no longer waits for it: if it sent the request once, before its
    // present wait began. A request that it repeats is never late, because each wait begins with the resend.
    const isLate = answer?.answer === null && (entry.timer === null || (!isRepeated && (answer.asked_at ?? entry.timer.since) < entry.timer.since));
    const asked = isRepeated ? say("stage.mw.resend", { resend: answer.tries - 1 }) : answer?.asked;
    const said = answer?.answer != null ? say("stage.mw.answered", { answer: answer.answer, at: answer.at })
      : asked !== undefined ? say(isLate ? "stage.mw.unanswered" : "stage.mw.asked", { asked }) : voteWord(vote);
    return { name, said, known: isLate || answer?.answer != null || (vote !== undefined && vote !== "IDLE" && answer === undefined) };
  });
}

function footOf(entry: MiddlewareTransactionView, own: Box, windows: WindowsBeside): SVGTemplateResult {
  const y = own.height;
  const [outcome, ...spans] = windowWords(entry, windows[0].really);
  // Two bars on one axis, with a line of words above and below them, take the room of the message, which is left out.
  const compared = spans.length > 1 ? windowBars(windows, 14, own.width - 28, [y - 42, y - 27], 7) : null;
  const isCompared = compared !== null;
  const [decided, known, times] = isCompared ? [98, 78, [55, 9]] as const : spans.length > 1 ? [70, 52, [33, 14]] as const : [62, 38, [18]] as const;
  const message = entry.message === "none" || isCompared ? null : say(`diagram.roles.message_${entry.message}`);
  return svg`${message === null ? nothing : svg`${box(14, y - 112, own.width - 28, 28, "slot", 5)}${
    fittedText(24, y - 93, say("diagram.roles.message", { message }), own.width - 48, 13, { classes: "k", least: 9 })}`}${
    entry.decision === null ? nothing : fittedText(14, y - decided, say("stage.mw.decision", { decision: word(entry.decision) }), own.width - 28, 15, { bold: true, classes: "b", least: 10 })}${
    outcome === undefined ? nothing : fittedText(14, y - known, outcome, own.width - 28, 15, { bold: true, classes: "b", least: 10 })}${
    spans.map((span, index) => fittedText(14, y - (times[index] ?? 13), span, own.width - 28, 13, { classes: "k", least: 10 }))}${compared ?? windowBars(windows, 14, own.width - 28, [y - 29, y - 5]) ?? nothing}`;
}

function managerOf(view: MiddlewareView, tid: string | null, own: Box): Drawn {
  const entry = tid === null ? undefined : view.manager?.transactions?.[tid];
  const answers = Object.entries(entry?.answers ?? {}).map(([name, answer]) => named(name, answer ?? say("stage.none")));
  const state = entry === undefined ? say("stage.mw.not_asked") : word(entry.state);
  const label = named("manager", facts([state, ...answers]));
  const numbered = facts(answers.map((answer) => answer.replace(/^participant-/, "")));
  // As long as the node has no transaction, it has its purpose in words under its name.
  const said = entry === undefined ? say("stage.mw.gloss.manager") : own.width >= NARROW && textWidth(facts(answers), 11) <= own.width - 28 ? facts(answers) : numbered;
  const classes = entry === undefined ? "q" : "k";
  if (own.width < NARROW) {
    return { fact: state, strong: entry !== undefined, label, inner: said === "" ? svg`${nothing}` : fittedText(8, 58, said, own.width - 16, 12, { most: 2, least: 8, classes }) };
  }
  return {
    fact: state, strong: entry !== undefined, label,
    inner: said === "" ? svg`${nothing}` : fittedText(14, 37, said, own.width - 28, 12, { least: 9, classes }),
  };
}

/**
 * The drawing of a participant: the value that readers see there, and the amount that is reserved or already applied.
 */
function participantOf(name: string, view: ParticipantView, tid: string | null, own: Box): Drawn {
  const entry = tid === null ? undefined : view.transactions?.[tid];
  const state = entry?.state ?? "IDLE";
  // A node that is down has only its badge, unless it has a state on its disk.
  const fact = view.alive === false && state === "IDLE" ? "" : word(state);
  const value = view.value ?? 0;
  const reserved = view.reserved ?? 0;
  const applied = entry?.applied ?? 0;
  const added = applied > 0 ? (entry?.operation ?? 0) * applied : 0;
  const said = reserved > 0 ? say("stage.mw.reserved", { value, reserved }) : say("stage.mw.value", { value });
  const bar = Math.max(60, own.width - 92);
  const high = own.height >= 110 ? 32 : 20;
  const y = own.height - high - 10;
  const side = 54;
  const at = y + high / 2 + (high > 20 ? 5.5 : 4.5);
  const size = high > 20 ? 16 : 13;
  if (own.width < NARROW) {
    return {
      fact, strong: state === "COMMITTED", label: named(name, facts([fact, said].filter((one) => one !== ""))),
      inner: fittedText(8, THIRD, said, own.width - 16, 12, { most: 2, least: 8, classes: "k" }),
    };
  }
  return {
    fact, strong: state === "COMMITTED", label: named(name, facts([fact, said].filter((one) => one !== ""))),
    inner: own.height < 72 ? fittedText(14, own.height - 12, said, own.width - 28, 12, { least: 8, classes: "k" }) : svg`${fittedText(14, y - 9, said, own.width - 28, 13, { least: 8, classes: "k" })}${
      box(14, y, bar, high, "cell small b0", 3)}${text(14 + bar / 2, at, String(value - added), `s${size} b`, "middle")}${
      reserved > 0 ? svg`${box(16 + bar, y, side, high, "cell small b0 open", 3)}${fittedText(16 + bar + side / 2, at, `+${reserved}`, side - 6, size, { bold: true, classes: "b", anchor: "middle", least: 8 })}`
        : added !== 0 ? svg`${box(16 + bar, y, side, high, "cell small b0", 3)}${fittedText(16 + bar + side / 2, at, `${added > 0 ? "+" : ""}${added}`, side - 6, size, { bold: true, classes: "b", anchor: "middle", least: 8 })}` : nothing}`,
  };
}

