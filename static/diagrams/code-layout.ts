/**
 * The code of a component beside a step: which parts are unfolded, and how lines are marked. Pure.
 *
 * A part is a line at the left edge with everything indented under it. Parts that the step does not touch are folded
 * and counted.
 */

import type { Check, Code, CodeLine, Place } from "../player/checks.ts";
import { checksOf, testsOf } from "../player/checks.ts";
import { EVERYTHING, has, inForce } from "../player/in-force.ts";
import type { Frame, Json, Transition } from "../player/frame.ts";
import type { Keeper } from "../player/terms.ts";
import { keeperOf, requirementText } from "../player/terms.ts";
import { say, words } from "../player/text.ts";
import { fieldName, valueText } from "./field-words.ts";
import type { MachineTable } from "./machine-layout.ts";

/**
 * What the step did at a line. `decided`, `passed`, `off` and `not_reached` are the outcomes of the condition there;
 * `here` is the line that the step's sentence describes; `also` is a line that a note of the step describes.
 */
export type LineMark = "here" | "decided" | "passed" | "off" | "not_reached" | "also";

/** The marks, the strongest first. A line to which two marks apply gets the stronger one. */
const STRENGTH: LineMark[] = ["decided", "here", "off", "passed", "not_reached", "also"];

export interface LineShape {
  /** The line's number in its component, from 0. */
  number: number;
  depth: number;
  /** The code, or the text of a comment. */
  text: string;
  isComment: boolean;
  mark: LineMark | null;
  /** Whether this is the line of the check on show or, without one, the line of the step's sentence. */
  now: boolean;
  /** The compared numbers in words, such as `expected 13 · first 15`; "": none. */
  numbers: string;
  /** Index of the first of the step's checks that is at this line, from 0; null if none is. */
  check: number | null;
  /**
   * Whether the line has no mark and was not executed: it is indented under a condition that did not hold or was not
   * reached, or it stands among such conditions.
   */
  skipped: boolean;
}

export interface PartShape {
  lines: LineShape[];
  folded: boolean;
}

export interface CodeShape {
  component: string;
  title: string;
  /** Kafka's class and method for the line marked `now`; without such a line, Kafka's classes for the component. */
  kafka: string;
  parts: PartShape[];
  /** The requirements of the line marked `now`, each with its text in the reader's language. */
  rules: { rule: string; text: string }[];
  /** Other components that the step went through. */
  others: { component: string; title: string }[];
}

/**
 * The code beside a step. `check`: the check on show; null: the whole step. `chosen`: the component that the reader
 * chose; null: the step's own one is shown. Returns null if the step belongs to no component's code.
 */
export function layoutCode(frame: Frame, code: Code, check: Check | null, chosen: string | null): CodeShape | null {
  if (frame.step === null) return null;
  const there = inForce(frame, frame.step.actor);
  const checks = checksOf(frame.step, code, there);
  const said = checks.find((one) => one.kind === "sentence");
  const now = check?.place ?? (check === null ? said?.place : null) ?? null;
  const names = [...new Set(checks.flatMap((one) => (one.place === null ? [] : [one.place[0]])))];
  const component = chosen ?? now?.[0] ?? said?.place?.[0] ?? names[0];
  if (component === undefined) return null;
  const document = code.components[component];
  if (document === undefined) return null;
  const marks = marksOf(component, [...testsOf(frame.step, code), ...checks]);
  const lines = document.lines.map((line, number): LineShape => {
    const isNow = now !== null && now[0] === component && now[1] === number;
    const at = checks.findIndex((one) => isAt(one.place, component, number));
    return { ...wordsOf(line), number, depth: line.depth, now: isNow, skipped: false, ...(marks.get(number) ?? NO_MARK), check: at < 0 ? null : at };
  }).filter((line) => line.now || line.mark !== null || has(there, document.lines[line.number] ?? {}));
  return {
    component, title: say(`code.${component}`), parts: partsOf(lines),
    kafka: (now === null ? undefined : code.line(now)?.kafka) ?? document.kafka,
    rules: rulesAt(now, code, keeperOf(frame.view)),
    others: names.filter((name) => name !== component).map((name) => ({ component: name, title: say(`code.${name}`) })),
  };
}

/** The requirements of the line; if it has none, those of the lines under which it is indented. */
function rulesAt(now: Place | null, code: Code, keeper: Keeper): CodeShape["rules"] {
  if (now === null) return [];
  const lines = code.components[now[0]]?.lines ?? [];
  let depth = Number.POSITIVE_INFINITY;
  for (let number = now[1]; number >= 0; number -= 1) {
    const line = lines[number];
    if (line === undefined || line.depth >= depth) continue;
    depth = line.depth;
    const rules = line.rules ?? [];
    if (rules.length > 0) return rules.map((rule) => ({ rule, text: say(requirementText(rule, keeper)) }));
  }
  return [];
}

const NO_MARK = { mark: null, numbers: "" };

function isAt(place: Place | null, component: string, number: number): boolean {
  return place !== null && place[0] === component && place[1] === number;
}

function wordsOf(line: CodeLine): { text: string; isComment: boolean } {
  if (line.comment !== undefined) return { text: `# ${say(line.comment)}`, isComment: true };
  return { text: (words.language === "zh-Hans" ? line.chinese : undefined) ?? line.text ?? "", isComment: false };
}

function marksOf(component: string, checks: readonly Check[]): Map<number, { mark: LineMark; numbers: string }> {
  const marks = new Map<number, { mark: LineMark; numbers: string }>();
  for (const check of checks) {
    if (check.place === null || check.place[0] !== component) continue;
    const mark = markOf(check);
    const known = marks.get(check.place[1]);
    const isWeaker = known !== undefined && STRENGTH.indexOf(known.mark) <= STRENGTH.indexOf(mark);
    marks.set(check.place[1], {
      mark: isWeaker ? known.mark : mark,
      numbers: known === undefined || known.numbers === "" ? comparedText(check) : known.numbers,
    });
  }
  return marks;
}

function markOf(check: Check): LineMark {
  if (check.kind === "test" || check.kind === "guard") return check.outcome ?? "passed";
  return check.kind === "note" ? "also" : "here";
}

/** The compared numbers of a check, in words; "" if nothing was compared. */
function comparedText(check: Check): string {
  return check.outcome === "not_reached" || check.outcome === "off" ? "" : numbersText(check.numbers);
}

/** Numbers with their names: `expected 13 · first 15`. */
export function numbersText(numbers: readonly [string, Json][]): string {
  return numbers.map(([name, value]) => say("diagram.code.number", { name: fieldName(name), value: valueText(value) })).join(" · ");
}

/**
 * The lines, divided into parts: each line at the left edge begins one, unless it is empty. If any part has a mark, those
 * without one are folded, and consecutive folded parts become one.
 */
export function partsOf(lines: readonly LineShape[]): PartShape[] {
  const parts: PartShape[] = [];
  for (const line of lines) {
    const last = parts[parts.length - 1];
    const begins = line.depth === 0 && line.text !== "";
    if (begins || last === undefined) parts.push({ lines: [line], folded: false });
    else last.lines.push(line);
  }
  const marked = parts.map((part) => part.lines.some((line) => line.mark !== null || line.now));
  // If no part has a mark, none is folded.
  if (!marked.includes(true)) return parts;
  return joined(parts.map((part, index) => ({ lines: withSkipped(part.lines), folded: !(marked[index] ?? false) })));
}

/** The marks of a condition under which the indented lines are not executed. */
const NOT_EXECUTED: ReadonlySet<LineMark> = new Set(["passed", "not_reached", "off"]);

function withSkipped(lines: readonly LineShape[]): LineShape[] {
  const last = lines.findLastIndex(({ mark }) => mark === "not_reached");
  const decided = lines.findIndex(({ mark }) => mark === "decided");
  return lines.map((line, index) => {
    if (line.mark !== null || line.isComment || line.text === "") return line;
    const over = lines.slice(0, index).findLast(({ depth, mark }) => mark !== null && depth < line.depth);
    const among = decided >= 0 && index > decided && index < last && line.depth <= (lines[decided]?.depth ?? 0);
    return { ...line, skipped: among || (over?.mark != null && NOT_EXECUTED.has(over.mark)) };
  });
}

/** The parts with consecutive folded ones joined. */
function joined(parts: readonly PartShape[]): PartShape[] {
  const found: PartShape[] = [];
  for (const part of parts) {
    const last = found[found.length - 1];
    if (part.folded && last?.folded === true) last.lines.push(...part.lines);
    else found.push({ lines: [...part.lines], folded: part.folded });
  }
  return found;
}

export interface RowShape {
  source: string;
  on: string;
  when: string;
  target: string;
  reply: string;
  spec: string;
  refused: boolean;
  fired: boolean;
}


/**
 * The rows of a machine's table that were tried in a transition; the last one is the row that fired. `there`: the
 * version and level of the component that has the machine. Empty if the table has no such row.
 */
export function layoutRows(transition: Transition, table: MachineTable, there = EVERYTHING): RowShape[] {
  const fired = table.rows[transition.row];
  if (fired === undefined) return [];
  return table.rows
    .slice(0, transition.row + 1)
    .filter((row) => row === fired || (row.source === fired.source && row.on === fired.on && has(there, row)))
    .map((row) => ({
      source: row.source, on: row.on, when: row.when, target: row.target ?? row.source, reply: row.reply, spec: row.spec,
      refused: row.target === null, fired: row === fired,
    }));
}
