/** The message middleware on the stage: who wants a transaction, what the middleware has heard, what participants hold. */

import { nothing, svg } from "lit";
import type { SVGTemplateResult } from "lit";
import { shownTransaction } from "../diagrams/middleware-shown.ts";
import { isPicked, plainly } from "../diagrams/picked.ts";
import type { MiddlewareTransactionView, MiddlewareView, ParticipantView } from "../generated/messages.ts";

import { facts, named } from "../player/joins.ts";
import { say } from "../player/text.ts";
import type { Box, Layer, Places, StageObject } from "./contract.ts";
import { DEPTH } from "./depth.ts";
import { box, fittedText, path, text, textWidth } from "./draw.ts";
import { stateWord } from "./state-word.ts";

/** Ways through the engine's machines, as people tell them; a state on none of them is added at the end. */
const TRANSACTION: readonly (readonly string[])[] = [
  ["STARTED", "PREPARING", "AWAIT_CONFIRM", "COMMITTING", "COMMITTED"],
  ["STARTED", "PREPARING", "ROLLING_BACK", "ROLLED_BACK"],
  ["STARTED", "PREPARING", "AWAIT_CONFIRM", "ROLLING_BACK", "ROLLED_BACK"],
  ["STARTED", "PREPARING", "AWAIT_CONFIRM", "CHECKING", "COMMITTING", "COMMITTED"],
  ["STARTED", "PREPARING", "AWAIT_CONFIRM", "COMMITTING", "COMPENSATING", "COMPENSATED"],
];
const BUSINESS: readonly (readonly string[])[] = [
  ["IDLE", "WAIT_ACK", "LOCAL_RUN", "LOCAL_OK", "WAIT_CONFIRM_ACK", "DONE"],
  ["IDLE", "WAIT_ACK", "LOCAL_RUN", "LOCAL_FAILED", "WAIT_CONFIRM_ACK", "DONE"],
];
const PILL = 26;
/** Units: what is narrower says its state under its name; what is lower tells beside its states, and not below them. */
const NARROW = 170;
const LOW = 236;

function railOf(rails: readonly (readonly string[])[], state: string | undefined): readonly string[] {
  const [first = []] = rails;
  if (state === undefined) return first;
  return rails.find((rail) => rail.includes(state)) ?? [...first.slice(0, 3), state];
}

export const middleware: Layer = (frame, here, focus) => {
  if (here.kind !== "middleware") return [];
  const view = frame.view.middleware;
  if (view === undefined) return [];
  const tid = shownTransaction(frame);
  const objects = headings(here);
  for (const [name, { box: own }] of Object.entries(here.others)) {
    const drawn = drawnOf(view, name, tid, own);
    if (drawn === null) continue;
    const focused = frame.step?.actor === name && focus.kind !== "sent" && focus.kind !== "lost";
    const selection = plainly("actor", name);
    objects.push({
      key: `node:${name}`, ...own, phase: "static", depth: DEPTH.body, hot: focused, select: selection, picked: isPicked(frame.selection, selection), label: drawn.label,
      draw: svg`${box(0, 0, own.width, own.height, `body${drawn.alive ? "" : " dead"}`, 8)}${focused ? box(1, 1, own.width - 2, 27, "wash", 7) : nothing}${
        fittedText(own.width < NARROW ? 8 : 14, 20, name, own.width - (own.width < NARROW ? 16 : 28), own.width < NARROW ? 14 : 15, { classes: "b", bold: true, least: 9 })}${drawn.fact === "" ? nothing : fittedText(own.width - 14, 20, drawn.fact, own.width - 36 - textWidth(name, 15, true), 13, { anchor: "end", classes: drawn.strong ? "b" : "k", least: 8 })}${
        drawn.inner}${focused ? box(0, 0, own.width, own.height, "ring", 8) : nothing}`,
    });
  }
  return objects;
};

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
  fact: string;
  strong: boolean;
  alive: boolean;
  inner: SVGTemplateResult;
  label: string;
}

function drawnOf(view: MiddlewareView, name: string, tid: string | null, own: Box): Drawn | null {
  if (name === "business") return businessOf(view, tid, own);
  if (name === "middleware") return middlewareOf(view, tid, own);
  if (name === "manager") return managerOf(view, tid, own);
  if (name === "initiator") return plainOf(name, tid === null ? say("stage.mw.opens") : say("stage.mw.opened", { tid }), own);
  const participant = view.participants?.[name];
  return participant === undefined ? null : participantOf(name, participant, tid, own);
}

function word(state: string): string {
  return stateWord(state);
}

function plainOf(name: string, said: string, own: Box): Drawn {
  return { fact: "", strong: false, alive: true, label: named(name, said), inner: own.width < NARROW ? fittedText(8, 48, said, own.width - 16, 13, { most: 2, least: 9, classes: "k" })
    : fittedText(14, 46, said, own.width - 28, 13, { most: 2, least: 9, classes: "k" }) };
}

/** Pills one under the other, the current state black. */
function column(rail: readonly string[], state: string | undefined, x: number, y: number, width: number, room: number): SVGTemplateResult {
  const step = Math.min(PILL + 8, room / rail.length);
  const height = Math.min(PILL, step - 5);
  return svg`${rail.map((one, index) => {
    const top = y + index * step;
    const on = one === state;
    return svg`${index === 0 || step - height < 6 ? nothing : path(`M${x + width / 2},${top - (step - height)}v${step - height - 1}m-3.5,-3.5l3.5,3.5l3.5,-3.5`, "rail")}${
      box(x, top, width, height, `pill${on ? " on" : ""}`, height / 2)}${
      fittedText(x + width / 2, top + height / 2 + 4.5, word(one), width - 10, 13, { least: 8, anchor: "middle", bold: on, classes: on ? "inv" : "" })}`;
  })}`;
}

function businessOf(view: MiddlewareView, tid: string | null, own: Box): Drawn {
  const entry = tid === null ? undefined : view.business?.transactions?.[tid];
  const stored = entry?.stored ?? null;
  const small = own.height < 160;
  const said = stored === null ? "" : say("stage.mw.stored", { stored });
  const state = word(entry?.state ?? "IDLE");
  if (own.width < NARROW) {
    return {
      fact: "", strong: false, alive: view.business?.alive !== false, label: `business: ${state} ${said}`,
      inner: svg`${fittedText(8, 40, state, own.width - 16, 13, { classes: "b", bold: true, least: 9 })}${
        said === "" ? nothing : fittedText(8, 60, said, own.width - 16, 11, { most: 2, least: 9, classes: "k" })}`,
    };
  }
  return {
    fact: "", strong: false, alive: view.business?.alive !== false, label: `business: ${word(entry?.state ?? "IDLE")} ${said}`,
    inner: small
      ? svg`${fittedText(14, 46, word(entry?.state ?? "IDLE"), own.width - 28, 13, { classes: "b", bold: true, least: 9 })}${said === "" ? nothing : fittedText(14, 68, said, own.width - 28, 12, { most: 2, least: 8, classes: "k" })}`
      : svg`${column(railOf(BUSINESS, entry?.state), entry?.state ?? "IDLE", 14, 38, Math.min(150, own.width - 28), own.height - 90)}${
        said === "" ? nothing : fittedText(14, own.height - 22, said, own.width - 28, 13, { most: 2, least: 9, classes: "k" })}`,
  };
}

function middlewareOf(view: MiddlewareView, tid: string | null, own: Box): Drawn {
  const entry = tid === null ? undefined : view.transactions?.[tid];
  if (own.height < LOW) return lowMiddleware(view, entry, tid, own);
  const pill = 128;
  const lower = own.height - 112;
  return {
    fact: entry === undefined ? say("stage.mw.none_yet") : say("stage.mw.transaction", { tid }), strong: false, alive: view.middleware?.alive !== false,
    label: named("middleware", entry === undefined ? say("stage.mw.none_yet") : word(entry.state)),
    inner: svg`${column(railOf(TRANSACTION, entry?.state), entry?.state, 14, 38, pill, lower - 40)}${
      entry === undefined ? nothing : svg`${votesOf(entry, pill + 32, own.width - pill - 44, lower - 36)}${footOf(entry, own)}`}`,
  };
}

/** All that it knows stands beside its states. */
function lowMiddleware(view: MiddlewareView, entry: MiddlewareTransactionView | undefined, tid: string | null, own: Box): Drawn {
  const pill = 104;
  const x = pill + 24;
  const width = own.width - x - 12;
  const lines = entry === undefined ? [] : footWords(entry);
  const foot = own.height - 12 - (lines.length - 1) * 17;
  const heard = entry === undefined ? [] : heardOf(entry);
  const pitch = Math.min(17, (foot - 62) / Math.max(1, heard.length - 1));
  return {
    fact: entry === undefined ? say("stage.mw.none_yet") : say("stage.mw.transaction", { tid }), strong: false, alive: view.middleware?.alive !== false,
    label: named("middleware", entry === undefined ? say("stage.mw.none_yet") : word(entry.state)),
    inner: svg`${column(railOf(TRANSACTION, entry?.state), entry?.state, 12, 36, pill, own.height - 42)}${
      entry === undefined ? nothing : svg`${heard.map(({ name, said, known }, index) => fittedText(x, 46 + index * pitch, named(name, said), width, 13, { classes: known ? "k" : "q", least: 8 }))}${
        lines.map(({ said, strong }, index) => fittedText(x, foot + index * 17, said, width, 13, { bold: strong, classes: strong ? "b" : "k", least: 8 }))}`}`,
  };
}

/** Of its message, its decision and how long participants differ, a line each. */
function footWords(entry: MiddlewareTransactionView): { said: string; strong: boolean }[] {
  const message = entry.message === "none" ? null : say(`diagram.roles.message_${entry.message}`);
  return [
    ...(message === null ? [] : [{ said: say("diagram.roles.message", { message }), strong: false }]),
    ...(entry.decision === null ? [] : [{ said: say("stage.mw.decision", { decision: word(entry.decision) }), strong: true }]),
    ...windowWords(entry).map((said, index) => ({ said, strong: index === 0 })),
  ];
}

/** Whether participants may differ, as far as the middleware knows, and when; nothing before the first Commit-ok. */
export function windowWords({ window: { since, until } }: Pick<MiddlewareTransactionView, "window">): string[] {
  if (since === null) return [];
  if (until === null) return [say("stage.mw.window_open"), say("stage.mw.window_since", { since })];
  return [say("stage.mw.window_closed"), ...(since === until ? [] : [say("stage.mw.window_span", { since, until })])];
}

function heardOf(entry: MiddlewareTransactionView): { name: string; said: string; known: boolean }[] {
  const names = [...new Set([...Object.keys(entry.votes ?? {}), ...Object.keys(entry.answers ?? {})])].sort();
  return names.map((name) => {
    const vote = entry.votes?.[name];
    const answer = entry.answers?.[name];
    const said = answer?.answer != null ? say("stage.mw.answered", { answer: answer.answer, at: answer.at })
      : answer !== undefined ? say("stage.mw.asked", { asked: answer.asked }) : vote === undefined ? say("stage.mw.no_vote") : word(vote);
    return { name, said, known: answer?.answer != null || (vote !== undefined && answer === undefined) };
  });
}

/** What it has heard of each participant. */
function votesOf(entry: MiddlewareTransactionView, x: number, width: number, room: number): SVGTemplateResult {
  const heard = heardOf(entry);
  const step = Math.min(40, (room - 16) / Math.max(1, heard.length));
  return svg`${text(x, 50, say("stage.mw.heard"), "s12 q")}${heard.map(({ name, said, known }, index) => {
    const y = 70 + index * step;
    if (step < 30) return fittedText(x, y, named(name, said), width, 12, { classes: known ? "k" : "q", least: 7 });
    return svg`${fittedText(x, y, name, width, 13, { bold: true, classes: "b", least: 8 })}${fittedText(x, y + 15, said, width, 12, { classes: known ? "k" : "q", least: 7 })}`;
  })}`;
}

function footOf(entry: MiddlewareTransactionView, own: Box): SVGTemplateResult {
  const y = own.height;
  const [outcome, span] = windowWords(entry);
  const message = entry.message === "none" ? null : say(`diagram.roles.message_${entry.message}`);
  return svg`${message === null ? nothing : svg`${box(14, y - 112, own.width - 28, 28, "slot", 5)}${
    fittedText(24, y - 93, say("diagram.roles.message", { message }), own.width - 48, 13, { classes: "k", least: 9 })}`}${
    entry.decision === null ? nothing : fittedText(14, y - 62, say("stage.mw.decision", { decision: word(entry.decision) }), own.width - 28, 15, { bold: true, classes: "b", least: 10 })}${
    outcome === undefined ? nothing : svg`${fittedText(14, y - 38, outcome, own.width - 28, 15, { bold: true, classes: "b", least: 10 })}${
      span === undefined ? nothing : fittedText(14, y - 18, span, own.width - 28, 13, { classes: "k", least: 8 })}`}`;
}

function managerOf(view: MiddlewareView, tid: string | null, own: Box): Drawn {
  const entry = tid === null ? undefined : view.manager?.transactions?.[tid];
  const answers = Object.entries(entry?.answers ?? {}).map(([name, answer]) => named(name, answer ?? say("stage.none")));
  if (own.width < NARROW) {
    const numbered = facts(answers.map((answer) => answer.replace(/^participant-/, "")));
    const state = entry === undefined ? say("stage.none") : word(entry.state);
    return {
      fact: "", strong: true, alive: view.manager?.alive !== false, label: named("manager", facts([state, ...answers])),
      inner: svg`${fittedText(8, 40, state, own.width - 16, 13, { classes: "b", bold: true, least: 9 })}${
        numbered === "" ? nothing : fittedText(8, 58, numbered, own.width - 16, 12, { most: 2, least: 8, classes: "k" })}`,
    };
  }
  return {
    fact: entry === undefined ? "" : word(entry.state), strong: true, alive: view.manager?.alive !== false, label: named("manager", entry === undefined ? say("stage.none") : word(entry.state)),
    inner: answers.length === 0 ? svg`${nothing}` : fittedText(14, 37, facts(answers), own.width - 28, 12, { least: 7, classes: "k" }),
  };
}

/** The value that readers see there, and what is set aside or already applied. */
function participantOf(name: string, view: ParticipantView, tid: string | null, own: Box): Drawn {
  const entry = tid === null ? undefined : view.transactions?.[tid];
  const state = entry?.state ?? "IDLE";
  const value = view.value ?? 0;
  const reserved = view.reserved ?? 0;
  const applied = entry?.applied ?? 0;
  const added = applied > 0 ? (entry?.operation ?? 0) * applied : 0;
  const said = reserved > 0 ? say("stage.mw.reserved", { value, reserved }) : applied > 0 ? say("stage.mw.applied", { value }) : say("stage.mw.value", { value });
  const bar = Math.max(60, own.width - 92);
  const high = own.height >= 110 ? 32 : 20;
  const y = own.height - high - 10;
  const side = 54;
  const at = y + high / 2 + (high > 20 ? 5.5 : 4.5);
  const size = high > 20 ? 16 : 13;
  if (own.width < NARROW) {
    return {
      fact: "", strong: false, alive: view.alive !== false, label: named(name, facts([word(state), said])),
      inner: svg`${fittedText(8, 40, word(state), own.width - 16, 13, { bold: state === "COMMITTED", classes: state === "COMMITTED" ? "b" : "k", least: 9 })}${
        fittedText(8, 62, said, own.width - 16, 12, { most: 2, least: 8, classes: "k" })}`,
    };
  }
  return {
    fact: word(state), strong: state === "COMMITTED", alive: view.alive !== false, label: named(name, facts([word(state), said])),
    inner: own.height < 72 ? fittedText(14, own.height - 12, said, own.width - 28, 12, { least: 8, classes: "k" }) : svg`${fittedText(14, y - 9, said, own.width - 28, 13, { least: 8, classes: "k" })}${
      box(14, y, bar, high, "cell small b0", 3)}${text(14 + bar / 2, at, String(value - added), `s${size} b`, "middle")}${
      reserved > 0 ? svg`${box(16 + bar, y, side, high, "cell small b0 open", 3)}${fittedText(16 + bar + side / 2, at, `+${reserved}`, side - 6, size, { bold: true, classes: "b", anchor: "middle", least: 8 })}`
        : added !== 0 ? svg`${box(16 + bar, y, side, high, "cell small b0", 3)}${fittedText(16 + bar + side / 2, at, `${added > 0 ? "+" : ""}${added}`, side - 6, size, { bold: true, classes: "b", anchor: "middle", least: 8 })}` : nothing}`,
  };
}

