/**
 * A state machine as a picture: boxes for states, lines for edges, from the engine's own table. Pure.
 *
 * States and edges come from the table; only the places of the states are decided here. A state without a place of its
 * own gets one in a grid, so a new row in the engine never disappears from the picture.
 */

import type { InForce, Needs } from "../player/in-force.ts";
import { has } from "../player/in-force.ts";
import { round, textWidth } from "./geometry.ts";
import type { PlacedBox } from "./machine-edges.ts";
import { edgePaths } from "./machine-edges.ts";

/** The content of `/reference/machines/<name>.json`, made from the engine's table. */
export interface MachineTable {
  name: string;
  initial: string;
  states: string[];
  terminal: string[];
  events: string[];
  rows: (Needs & {
    source: string; on: string; when: string; target: string | null; reply: string; why: string; spec: string;
  })[];
}

/**
 * The table with only the rows that are in force at the version and level `there`, with their events and states, and
 * the initial state. `taken`: source, target and event of the row taken last, which stays even if it is not in force
 * any more: the request may be from before the level changed.
 */
export function tableInForce(table: MachineTable, there: InForce, taken: readonly [string, string, string] | null): MachineTable {
  const rows = table.rows.filter((row) => has(there, row) || (taken !== null && row.source === taken[0] && row.target === taken[1] && row.on === taken[2]));
  if (rows.length === table.rows.length) return table;
  const states = new Set([table.initial, ...rows.flatMap(({ source, target }) => (target === null ? [] : [source, target]))]);
  const events = new Set(rows.map((row) => row.on));
  return {
    ...table, rows, states: table.states.filter((state) => states.has(state)), terminal: table.terminal.filter((state) => states.has(state)),
    events: table.events.filter((event) => events.has(event)),
  };
}

export interface StateShape {
  state: string;
  x: number;
  y: number;
  width: number;
  height: number;
  current: boolean;
  /** Whether the state is being written: it is in force once it is replicated. */
  pending: boolean;
  terminal: boolean;
}

export interface EdgeShape {
  key: string;
  from: string;
  to: string;
  path: string;
  /** Whether this is the edge that the machine took last, in this step or before. */
  last: boolean;
  on: string[];
}

export interface MachineShape {
  width: number;
  height: number;
  states: StateShape[];
  edges: EdgeShape[];
  /** States into which an edge leads from every other state. These edges are not drawn; a text replaces them. */
  anywhere: string[];
  /** How many states and edges are not drawn. */
  folded: { states: number; edges: number };
}

type Places = Record<string, [column: number, row: number]>;

/**
 * Column and row of each state of the client's transaction machine. A producer without a transactional id enters only
 * the states of the first row, and error states.
 */
export const CLIENT_PLACES: Places = {
  UNINITIALIZED: [0, 0],
  INITIALIZING: [1, 0],
  READY: [2, 0],
  IN_TRANSACTION: [2, 1],
  COMMITTING_TRANSACTION: [1, 1],
  ABORTING_TRANSACTION: [1, 2],
  ABORTABLE_ERROR: [2, 2],
  PREPARED_TRANSACTION: [0, 1],
  FATAL_ERROR: [0, 2],
};

/**
 * Column and row of the states of a transactional id at its coordinator: commit above, abort below, the states between
 * transactions in the middle.
 */
export const TRANSACTION_PLACES: Places = {
  PrepareCommit: [0, 0],
  CompleteCommit: [2, 0],
  Ongoing: [0, 1],
  Empty: [2, 1],
  PrepareAbort: [0, 2],
  CompleteAbort: [2, 2],
  PrepareEpochFence: [0, 3],
  Dead: [2, 3],
};

/**
 * Column and row of the states of a transaction at the message middleware: progress to the right, undoing to the left.
 */
export const MIDDLEWARE_PLACES: Places = {
  STARTED: [0, 0],
  PREPARING: [1, 0],
  AWAIT_CONFIRM: [2, 0],
  ROLLED_BACK: [0, 1],
  ROLLING_BACK: [1, 1],
  CHECKING: [2, 1],
  COMPENSATED: [0, 2],
  COMPENSATING: [1, 2],
  COMMITTING: [2, 2],
  MANUAL: [1, 3],
  COMMITTED: [2, 3],
};

const HEIGHT = 20;
const ROW = 40;
/** px above the first row for edges that bend over its boxes. */
const ABOVE = 8;
/** px below the boxes if there is only one row, for edges that bend under it. */
const BELOW = 15;
const FONT = 8.5;
/** If edges lead to a state from all others, and these are at least so many, a text replaces the edges. */
const ANYWHERE = 5;

export interface MachineOptions {
  width: number;
  places: Places;
  /** Names of the states to draw; null: all. */
  only: readonly string[] | null;
  /** The state that is being written, besides the current one. */
  pending?: string | null;
}

/** The lines of a state's name in its box: long names break at the underscore, or after their first word. */
export function stateLines(state: string): string[] {
  if (state.length <= 11) return [state];
  const words = /^([A-Z][a-z]+)([A-Z].*)$/.exec(state);
  if (words !== null) return words.slice(1);
  return state.length > 13 && state.includes("_") ? state.split("_") : [state];
}

export function layoutMachine(
  table: MachineTable, current: string, lastEdge: readonly [string, string, string] | null, options: MachineOptions,
): MachineShape {
  const wanted = table.states.filter((state) => options.only === null || options.only.includes(state));
  const shown = placed(wanted, options.places);
  const columns = Math.max(1, ...[...shown.values()].map(([column]) => column + 1));
  const rows = Math.max(1, ...[...shown.values()].map(([, row]) => row + 1));
  const column = options.width / columns;
  const above = rows === 1 ? 1 : ABOVE;
  const states: (StateShape & PlacedBox)[] = [];
  for (const [state, [at, row]] of shown) {
    const lines = stateLines(state);
    const width = Math.min(column - 12, Math.max(...lines.map((line) => textWidth(line, FONT, true))) + 12);
    const height = lines.length > 1 ? HEIGHT + 8 : HEIGHT;
    const x = at === 0 ? 0 : at === columns - 1 ? options.width - width : column * at + (column - width) / 2;
    states.push({
      state, x: round(x), y: round(above + row * ROW + (rows === 1 ? 0 : (HEIGHT + 8 - height) / 2)), width: round(width), height, column: at, row,
      current: state === current, pending: state === options.pending, terminal: table.terminal.includes(state),
    });
  }
  const { edges, folded, anywhere } = layoutEdges(table, states, lastEdge, rows);
  return {
    width: options.width,
    height: above + (rows - 1) * ROW + (rows === 1 ? HEIGHT + BELOW : HEIGHT + 12),
    states: states.map(({ column: _, row: __, ...shape }) => shape),
    edges,
    anywhere,
    folded: { states: table.states.length - states.length, edges: folded },
  };
}

/**
 * Column and row of each state. States in `places` keep their places, but move up if a whole row has no state. The
 * other states follow below in a grid with three columns.
 */
function placed(states: string[], places: Places): Map<string, [number, number]> {
  const result = new Map<string, [number, number]>();
  const rows = [...new Set(states.map((state) => places[state]?.[1]).filter((row) => row !== undefined))].sort();
  for (const state of states) {
    const place = places[state];
    if (place !== undefined) result.set(state, [place[0], rows.indexOf(place[1])]);
  }
  let next = rows.length * 3;
  for (const state of states) {
    if (result.has(state)) continue;
    result.set(state, [next % 3, Math.floor(next / 3)]);
    next += 1;
  }
  return result;
}

function layoutEdges(
  table: MachineTable, states: readonly (StateShape & PlacedBox)[], lastEdge: readonly [string, string, string] | null, rows: number,
): { edges: EdgeShape[]; folded: number; anywhere: string[] } {
  const at = new Map(states.map((state) => [state.state, state]));
  const all = edgesOf(table);
  const anywhere = fromAnywhere(table, all, at);
  const isLast = (edge: Edge): boolean => lastEdge !== null && lastEdge[0] === edge.from && lastEdge[1] === edge.to;
  const drawn = all.filter((edge) => at.has(edge.from) && at.has(edge.to) && (!anywhere.includes(edge.to) || isLast(edge)));
  const paths = edgePaths(drawn.map(({ from, to }) => ({ from: at.get(from) as PlacedBox, to: at.get(to) as PlacedBox })), rows);
  const edges = drawn.map((edge, index): EdgeShape => ({
    key: `${edge.from}>${edge.to}`, ...edge, path: paths[index] ?? "", last: isLast(edge),
  }));
  edges.sort((one, other) => Number(one.last) - Number(other.last));
  return { edges, folded: all.filter((edge) => !at.has(edge.from) || !at.has(edge.to)).length, anywhere };
}

interface Edge {
  from: string;
  to: string;
  on: string[];
}

/** One edge for all rows that lead from one state to another. */
function edgesOf(table: MachineTable): Edge[] {
  const edges = new Map<string, Edge>();
  for (const row of table.rows) {
    if (row.target === null || row.target === row.source) continue;
    const key = `${row.source}>${row.target}`;
    const edge = edges.get(key) ?? { from: row.source, to: row.target, on: [] };
    if (!edge.on.includes(row.on)) edge.on.push(row.on);
    edges.set(key, edge);
  }
  return [...edges.values()];
}

/** The drawn states into which an edge leads from every other state, if there are at least `ANYWHERE` others. */
function fromAnywhere(table: MachineTable, edges: readonly Edge[], at: ReadonlyMap<string, unknown>): string[] {
  const most = table.states.length - 1;
  return most < ANYWHERE ? [] : table.states.filter((state) => at.has(state) && edges.filter((edge) => edge.to === state).length === most);
}
