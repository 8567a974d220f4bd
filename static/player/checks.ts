/**
 * Lists everything that one step checked and did ("checks"), in order: each test of a decision, each row of a machine's
 * table, the sentence, and the notes. The zoom level of checks shows them one by one; the code panel marks their lines.
 *
 * The line of a check in the code is looked up in the documents that the engine serves (engine/pseudocode).
 */

import { get } from "./addressed.ts";
import type { DecisionRow, Json, JsonObject, Step, Transition } from "./frame.ts";
import type { InForce, Needs } from "./in-force.ts";
import { EVERYTHING, has } from "./in-force.ts";
import { slotsOf } from "./text.ts";

/** A component, and the number of a line in its code, from 0. */
export type Place = [component: string, line: number];

export interface CodeLine extends Needs {
  depth: number;
  text?: string;
  /** The code in Chinese, if that differs. */
  chinese?: string;
  /** For a line that is a comment: the catalogue key of its text. Such a line has no `text`. */
  comment?: string;
  says?: string[];
  decides?: string[];
  rules?: string[];
  kafka?: string;
}

export interface CodeComponent {
  kafka: string;
  machines: string[];
  lines: CodeLine[];
}

/** The content of `/reference/code.json`. */
export interface CodeDocument {
  components: Record<string, CodeComponent>;
  /** Machine → for each row of its table, the line of the code that carries it out; null: no line does. */
  rows: Record<string, (Place | null)[]>;
  /**
   * Machine → for each row of its table, the state and the event to which it applies, its guard ("": it always holds),
   * and where it is in force.
   */
  tables: Record<string, [source: string, on: string, when: string, needs?: Needs][]>;
}

/** The code of all components, with the line of each sentence, test and row. */
export class Code {
  readonly components: Record<string, CodeComponent>;
  readonly #rows: Record<string, (Place | null)[]>;
  readonly #tables: CodeDocument["tables"];
  readonly #places = new Map<string, Place>();

  constructor(document: CodeDocument) {
    this.components = document.components;
    this.#rows = document.rows;
    this.#tables = document.tables;
    for (const [name, component] of Object.entries(document.components)) {
      component.lines.forEach((line, number) => {
        for (const tie of [...(line.says ?? []), ...(line.decides ?? [])]) this.#places.set(tie, [name, number]);
      });
    }
  }

  ofSentence(key: string): Place | null {
    return this.#places.get(key) ?? null;
  }

  ofTest(table: string, key: string): Place | null {
    return this.#places.get(`${table}?${key}`) ?? null;
  }

  ofRow(machine: string, row: number): Place | null {
    return this.#rows[machine]?.[row] ?? null;
  }

  /** The guard of a row; "" if it has none. */
  guardOf(machine: string, row: number): string {
    return this.#tables[machine]?.[row]?.[2] ?? "";
  }

  /** The numbers of the rows that are tried before this one: those above it for the same state and event, in force. */
  triedBefore(machine: string, row: number, there: InForce): number[] {
    const table = this.#tables[machine] ?? [];
    const [source, on] = table[row] ?? [];
    return table.slice(0, row).flatMap((other, number) => (other[0] === source && other[1] === on && has(there, other[3] ?? {}) ? [number] : []));
  }

  line(place: Place): CodeLine | undefined {
    return this.components[place[0]]?.lines[place[1]];
  }
}

export interface Check {
  kind: "test" | "guard" | "row" | "sentence" | "note";
  /** Catalogue key of the check's text: a question or a sentence. */
  key: string;
  params: JsonObject;
  /**
   * The outcome of a test or guard: `decided` (it held), `passed` (it did not), `not_reached`, or `off` (switched off);
   * null for any other check.
   */
  outcome: DecisionRow["outcome"] | null;
  rules: string[];
  /** The compared numbers, each with its name. */
  numbers: [name: string, value: Json][];
  place: Place | null;
  transition: Transition | null;
}

const GUARD = "player.check.guard";
const OF_A_ROW = "player.check.row";
const REFUSED_ROW = "player.check.row_stays";

/**
 * The checks that a reader goes through. Tests that were not reached are left out; the code shows them. `there`: the
 * version and level of the acting component.
 */
export function checksOf(step: Step, code: Code | null, there = EVERYTHING): Check[] {
  const tests = testsOf(step, code).filter((test) => test.outcome !== "not_reached");
  const rows = [...(step.earlier_transitions ?? []), ...(step.transition === null ? [] : [step.transition])];
  const numbers = (step.refusal?.compared ?? []).map(([name, value]): [string, Json] => [String(name), value]);
  return [
    ...tests,
    ...rows.flatMap((row) => ofRow(row, code, there)),
    {
      kind: "sentence", key: step.key, params: step.params, outcome: null, rules: step.rules, numbers,
      place: code?.ofSentence(step.key) ?? null, transition: null,
    },
    ...step.notes.map((note): Check => ({
      kind: "note", key: note.key, params: note.params, outcome: null, rules: note.rules, numbers: [],
      place: code?.ofSentence(note.key) ?? null, transition: null,
    })),
  ];
}

/**
 * The checks of a row that fired: first the guards of the rows that were tried before it, in the table's order, then
 * the row itself.
 */
function ofRow(row: Transition, code: Code | null, there: InForce): Check[] {
  const { machine } = row;
  const common = { rules: [], numbers: [], transition: row };
  const guards = (code?.triedBefore(machine, row.row, there) ?? []).map((number): Check => ({
    ...common, kind: "guard", key: GUARD, params: { guard: code?.guardOf(machine, number) ?? "", on: row.on, from: row.from }, outcome: "passed",
    place: code?.ofRow(machine, number) ?? null,
  }));
  const fired: Check = {
    ...common, kind: "row", key: row.from === row.to ? REFUSED_ROW : OF_A_ROW, outcome: null,
    params: { machine, of: row.of, from: row.from, to: row.to, on: row.on }, place: code?.ofRow(machine, row.row) ?? null,
  };
  return [...guards, fired];
}

/** All tests of the step's decision, also those that were not reached. */
export function testsOf(step: Step, code: Code | null): Check[] {
  const { decision } = step;
  return (decision?.rows ?? []).map((row): Check => ({
    kind: "test", key: row.key, params: row.params, outcome: row.outcome, rules: [row.rule],
    // The engine gives each test the parameters of all tests of the decision. Only those in its own question count.
    numbers: slotsOf(row.key).filter((name) => name in row.params).map((name) => [name, row.params[name] ?? null]),
    place: code?.ofTest(decision?.machine ?? "", row.key) ?? null, transition: null,
  }));
}

const kept = new Map<string, Promise<Code>>();

/** The code at an address. It is fetched once for all panels of the page, and again after a failure, which rejects. */
export function fetchCode(address: string): Promise<Code> {
  const known = kept.get(address);
  if (known !== undefined) return known;
  const asked = get(address).then(async (response) => {
    if (!response.ok) throw new Error(`${address} answered ${response.status}`);
    return new Code((await response.json()) as CodeDocument);
  });
  kept.set(address, asked);
  asked.catch(() => kept.delete(address));
  return asked;
}
