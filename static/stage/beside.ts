/**
 * Draws services and their database on the stage: for a service the actions of its round, for the database the
 * committed and uncommitted rows.
 */

import { nothing, svg } from "lit";
import type { SVGTemplateResult } from "lit";
import { brokenRecords } from "../diagrams/broken-records.ts";
import { isPicked, plainly } from "../diagrams/picked.ts";
import type { DatabaseView, ServiceView, WorkerView } from "../generated/messages.ts";
import type { Frame } from "../player/frame.ts";
import { facts, listed, named } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { DATABASE_NAME } from "./beside-places.ts";
import type { Box, Layer } from "./contract.ts";
import { DEPTH } from "./depth.ts";
import { box, fittedText, textWidth } from "./draw.ts";

const HEAD = 27;
const CELL = { width: 38, height: 26, gap: 4 };
const LABEL = 76;

interface Drawn {
  fact: string;
  alive: boolean;
  label: string;
  inner: SVGTemplateResult;
}

export const beside: Layer = (frame, here, focus) => {
  const { services, database } = frame.view;
  if (services === undefined || database === undefined || here.kind !== "cluster") return [];
  return Object.entries(here.others).flatMap(([name, { box: own }]) => {
    const service = services[name];
    const drawn = name === DATABASE_NAME ? databaseOf(frame, database, own) : service === undefined ? null : serviceOf(name, service, own);
    if (drawn === null) return [];
    const focused = frame.step?.actor === name && focus.kind !== "sent" && focus.kind !== "lost";
    const selection = plainly("actor", name);
    const room = own.width - 36 - textWidth(name, 15, true);
    return [{
      key: `beside:${name}`, ...own, phase: "static", depth: DEPTH.body, hot: focused || (name === DATABASE_NAME && breaksRows(frame)), select: selection, picked: isPicked(frame.selection, selection), label: drawn.label,
      draw: svg`${box(0, 0, own.width, own.height, `body${drawn.alive ? "" : " dead"}`, 8)}${focused ? box(1, 1, own.width - 2, HEAD, "wash", 7) : nothing}${
        fittedText(14, 20, name, own.width - 28, 15, { classes: "b", bold: true, least: 9 })}${
        drawn.fact === "" || room < 30 ? nothing : fittedText(own.width - 14, 20, drawn.fact, room, 13, { anchor: "end", classes: "k", least: 8 })}${drawn.inner}${
        focused ? box(0, 0, own.width, own.height, "ring", 8) : nothing}`,
    }];
  });
};

/**
 * Whether the step breaks a guarantee about rows. The database then counts as part of the step (`hot`), so that the
 * picture shows the missing or duplicate row.
 */
const breaksRows = ({ step }: Frame): boolean => step?.broken.some(({ guarantee }) => guarantee.startsWith("row_")) === true;

const records = (serials: readonly number[]): string => listed(serials.map((serial) => `r${serial}`));

interface Slot {
  said: string;
  on: boolean;
  /** Whether the process of this slot is down. */
  dead?: boolean;
}

const THREADS_MOST = 6;

/**
 * The drawing of a service: the actions of its round in order, of which the current one is black; for a service with
 * worker threads, these threads, of which those that hold a record are black.
 */
function serviceOf(name: string, view: ServiceView, own: Box): Drawn {
  const state = say(`diagram.service.${view.alive ? view.state : "DOWN"}`);
  const all: Slot[] = view.workers === undefined ? view.acts.map((act, index) => ({ said: say(`stage.act.${act}`), on: index === view.act })) : threadsOf(view.threads ?? 1, view.workers);
  // While a process is down, its threads are not called free.
  const slots = view.alive ? all : all.map(({ said }) => ({ said: view.workers === undefined ? said : "", on: false, dead: true }));
  const width = (own.width - 20 - CELL.gap * (slots.length - 1)) / Math.max(1, slots.length);
  const y = HEAD + 7;
  const foot = own.height - 12;
  const held = view.hand.length === 0 ? say("diagram.service.no_work") : say("diagram.service.in_hand", { records: records(view.hand) });
  const working = (view.workers ?? []).filter(({ until, inserts }) => until !== null && !inserts);
  const until = listed(working.map(({ serial, until: end }) => say("stage.worker.until", { record: `r${serial}`, until: end ?? 0 })));
  const hand = working.length === 0 ? held : until;
  return {
    fact: state, alive: view.alive, label: named(name, facts([state, held, ...(working.length === 0 ? [] : [until])])),
    inner: svg`${slots.map(({ said, on, dead = false }, index) => {
      const x = 10 + index * (width + CELL.gap);
      return svg`${box(x, y, width, CELL.height, dead ? "none wait" : `pill${on ? " on" : ""}`, 6)}${
        said === "" ? nothing : fittedText(x + width / 2, y + CELL.height / 2 + 4.5, said, width - 6, 13, { least: 8, anchor: "middle", bold: on, classes: on ? "inv" : dead ? "q" : "" })}`;
    })}${fittedText(14, foot, hand, own.width - 28, 12, { least: 8, classes: view.hand.length === 0 ? "q" : "k" })}`,
  };
}

/** A slot for each worker thread, with its record if it holds one; a last slot counts the threads that do not fit. */
function threadsOf(threads: number, workers: readonly WorkerView[]): Slot[] {
  const busy = workers.filter(({ since }) => since !== null).map(({ serial, inserts }) => ({
    said: inserts ? say("stage.worker.inserts", { record: `r${serial}` }) : `r${serial}`, on: true,
  }));
  const free = Array.from({ length: Math.max(0, threads - busy.length) }, () => ({ said: say("stage.worker.free"), on: false }));
  const all = [...busy, ...free];
  return all.length <= THREADS_MOST ? all : [...all.slice(0, THREADS_MOST - 1), { said: `+${all.length - THREADS_MOST + 1}`, on: false }];
}

interface Cell {
  said: string;
  held: boolean;
  /** Whether a guarantee is broken, because the record has no row, or several. */
  bad?: boolean;
}

/** One text for each record with a committed row or with a missing one, in the order of the records. */
export function rowsOf(frame: Frame): { said: string; bad: boolean }[] {
  const rows = frame.view.database?.rows ?? {};
  const missing = [...brokenRecords(frame, "row_missing")].filter((serial) => rows[String(serial)] === undefined);
  return [...new Set([...Object.keys(rows).map(Number), ...missing])].sort((one, other) => one - other).map((serial) => {
    const row = rows[String(serial)];
    if (row === undefined) return { said: say("stage.database.missing", { record: `r${serial}` }), bad: true };
    return row.copies > 1 ? { said: `r${serial} ×${row.copies}`, bad: brokenRecords(frame, "row_repeated").has(serial) } : { said: `r${serial}`, bad: false };
  });
}

/**
 * The drawing of the database: its committed rows, outbox entries and offsets, then those of open transactions, dashed.
 */
function databaseOf(frame: Frame, view: DatabaseView, own: Box): Drawn {
  const open = Object.values(view.open ?? {});
  const rows: Cell[] = [
    ...rowsOf(frame).map((one) => ({ ...one, held: false })),
    ...open.flatMap((one) => one.rows.filter((serial) => !one.repeated.includes(serial)).map((serial) => ({ said: `r${serial}`, held: true }))),
  ];
  const entries: Cell[] = [
    ...view.outbox.map((serial) => ({ said: `r${serial}`, held: false })),
    ...open.flatMap((one) => one.outbox.map((serial) => ({ said: `r${serial}`, held: true }))),
  ];
  const offsets = Object.entries(view.offsets).map(([partition, offset]) => `${partition} → ${offset}`);
  const lines: [string, Cell[]][] = [["rows", rows], ...(entries.length > 0 ? [["outbox", entries] as [string, Cell[]]] : [])];
  const state = say(view.alive ? (open.length > 0 ? "stage.database.open" : "stage.database.closed") : "stage.database.down");
  const shown = [named(say("stage.database.rows"), words(rows)), ...(entries.length > 0 ? [named(say("stage.database.outbox"), words(entries))] : []), ...(offsets.length > 0 ? [named(say("diagram.database.offsets"), listed(offsets))] : [])];
  return {
    fact: state, alive: view.alive, label: named(DATABASE_NAME, facts([state, ...shown])),
    inner: svg`${lines.map(([name, cells], index) => lineOf(name, cells, HEAD + 6 + index * (CELL.height + 5), own))}${
      offsets.length === 0 ? nothing : fittedText(14, own.height - 9, named(say("diagram.database.offsets"), listed(offsets)), own.width - 28, 12, { least: 8, classes: "k" })}`,
  };
}

const words = (cells: readonly Cell[]): string =>
  cells.length === 0 ? say("stage.none") : listed(cells.map(({ said, held }) => (held ? say("stage.database.held", { record: said }) : said)));

/** The cell that counts the cells that do not fit, with the longest text that is expected, for measuring. */
const MORE: Cell = { said: "+99", held: false };

/**
 * A cell's width, in units. A cell with a broken guarantee says so in words, which need more room than a record's name.
 */
function widthOf({ said, bad = false }: Cell): number {
  return bad ? Math.max(CELL.width, textWidth(said, 13, true) + 16) : CELL.width;
}

/** A line of cells: the newest that fit, after a count of the earlier ones. */
function lineOf(name: string, cells: readonly Cell[], y: number, own: Box): SVGTemplateResult {
  const left = 14 + LABEL;
  const room = own.width - left - 10;
  const fits = (some: readonly Cell[]): boolean => some.reduce((sum, cell) => sum + widthOf(cell) + CELL.gap, -CELL.gap) <= room;
  let kept = cells;
  while (kept.length > 1 && !fits(kept.length < cells.length ? [MORE, ...kept] : kept)) kept = kept.slice(1);
  const shown: Cell[] = kept.length < cells.length ? [{ said: `+${cells.length - kept.length}`, held: false }, ...kept] : [...kept];
  const middle = y + CELL.height / 2 + 4.5;
  let x = left;
  return svg`${fittedText(14, middle, say(`stage.database.${name}`), LABEL - 6, 13, { least: 8, classes: "q" })}${
    shown.length === 0 ? fittedText(left, middle, say("stage.none"), own.width - left - 14, 13, { classes: "q" }) : nothing}${shown.map((cell) => {
    const { said, held, bad = false } = cell;
    const width = widthOf(cell);
    const drawn = svg`${box(x, y, width, CELL.height, bad ? "pill lacks" : held ? "pill pend" : "slot", 4)}${
      fittedText(x + width / 2, middle, said, width - 6, 13, { least: 7, anchor: "middle", bold: !held, classes: bad ? "bad" : held ? "k" : "b" })}`;
    x += width + CELL.gap;
    return drawn;
  })}`;
}
