/**
 * A scenario document as the builder shows it: the tables of the form, the place of a field, the texts of fields.
 *
 * All rules are the server's; this file has only the shapes of its tables and the order of the fields.
 */

import { parseToBigint, stringifyWithBigint } from "../player/exact-json.ts";
import type { Json as PlainJson } from "../player/frame.ts";

/** The values of a document; a producer id may be too large for an exact JavaScript number. */
export type Json = null | boolean | number | string | bigint | Json[] | { [name: string]: Json };
export type JsonObject = { [name: string]: Json };

export interface Field {
  kind: string;
  default: Json;
  required: boolean;
  low: number | null;
  high: number | null;
  choices: Json[];
  rows: string | null;
  bound: number;
  /** The name of the one of `tables` with the allowed keys; null: any key is allowed. */
  table: string | null;
  /** The kind of names that may be entered here; null: any text. */
  names: string | null;
  /** Value of the row's deciding field (`Form.belonging`) → the kind of names that may be entered with it. */
  names_by: Record<string, string>;
}

export interface Setting {
  kind: string;
  default: Json;
  low: number | null;
  high: number | null;
  choices: Json[];
}

export interface Form {
  sections: Record<string, Record<string, Field>>;
  tables: Record<string, Record<string, Setting>>;
  /**
   * Section → its deciding field. Its rows are of several kinds, such as the calls `send` and `commit`. `word`: the
   * name of the field that says the kind; `always`: the fields of every kind; `fields`: kind → its own fields.
   */
  belonging: Record<string, { word: string; always: string[]; fields: Record<string, string[]> }>;
  needs: Record<string, string[]>;
  actions: Record<string, string[]>;
  /**
   * For faults with a message: action of the fault → API of the message ("": any) → field of the message → its setting.
   */
  messages: Record<string, Record<string, Record<string, Setting>>>;
  names: Record<string, string[]>;
  versions: Record<string, string>;
  /** The most mistakes that are shown. */
  mistakes_max: number;
}

export interface Mistake {
  place: string;
  /** Sentences of the catalogue, or names and values, which are the same in every language. */
  wrong: PlainJson;
  allowed: PlainJson;
  line: number | null;
}

export type Path = (string | number)[];

export interface Edit {
  do: "set" | "remove" | "add" | "move";
  path: Path;
  value?: Json;
  by?: number;
}

export interface Meaning {
  document: JsonObject | null;
  names: Record<string, string[]>;
  mistakes: Mistake[];
  lesson: string;
}

/** Group → the top-level fields of the document in it. One group is open at a time; every field is in one of them. */
export const GROUPS: Record<string, string[]> = {
  about: ["id", "title", "summary", "watch_for", "question", "profile", "opens_on"],
  cluster: ["cluster", "topics"],
  clients: ["producers", "consumers"],
  applications: ["applications", "loops", "services", "database"],
  faults: ["faults"],
  before: ["overrides", "switches"],
  expected: ["expect", "limits", "seed"],
  lesson: ["lesson", "signs", "beats", "checkpoints"],
  further: ["variants", "variants_only", "middleware", "sources", "covers"],
};

/**
 * The keys that the table in the field `name` of a row may have, and the catalogue's prefix for the texts that explain
 * them. Null if any key is allowed.
 */
export function knownKeys(form: Form, field: Field, row: JsonObject, name: string): { known: Record<string, Setting>; prefix: string } | null {
  if (field.table !== null) return { known: form.tables[field.table] ?? {}, prefix: CATALOGUE_OF_TABLE[field.table] ?? "" };
  const requests = name === "message" ? form.messages[String(row["action"])] : undefined;
  if (requests === undefined) return null;
  const message = row[name];
  const api = isObject(message) ? String(message["api"] ?? "") : "";
  return { known: requests[api] ?? requests[""] ?? {}, prefix: "form.crafted" };
}

/** The least and the greatest value of an integer setting; null if a bound is missing or it is no integer. */
export function boundsOf({ kind, low, high }: Setting): { low: number; high: number } | null {
  return kind === "int" && low !== null && high !== null ? { low, high } : null;
}

export const CATALOGUE_OF_TABLE: Record<string, string> = {
  settings: "form.setting", broker: "form.broker", switches: "form.switch",
};
const CATALOGUE_OF_WORD: Record<string, string> = {
  fault: "form.action", call: "form.call_word", override: "form.override_word", service: "form.approach_word", checkpoint: "form.ask",
};

/** The catalogue's prefix for the texts of a field's choices; null if they have none. */
export function wordsOfChoices(section: string, name: string, form: Form): string | null {
  if (name === "profile") return "library.profile";
  if (section === "scenario") return name === "question" ? "library.question" : null;
  if (section === "checkpoint") return name === "ask" ? "form.ask" : null;
  return form.belonging[section]?.word === name ? CATALOGUE_OF_WORD[section] ?? null : null;
}

/**
 * The place at a path, as the loader names it: keys joined by dots, a row by its name if it has one, else its number.
 */
export function placeOf(document: Json, path: Path): string {
  const words: string[] = [];
  let node: Json | undefined = document;
  for (const key of path) {
    node = (node as Record<string | number, Json> | undefined)?.[key];
    const named = typeof key === "number" && isObject(node) && typeof node["name"] === "string" && node["name"] !== "";
    words.push(named ? String((node as JsonObject)["name"]) : String(key));
  }
  return words.join(".");
}

/** The inverse of `placeOf`: the path to a place that a mistake names. The document need not have this place. */
export function pathOf(document: Json, place: string): Path {
  const path: Path = [];
  let node: Json | undefined = document;
  for (const word of place.split(".")) {
    let key: string | number = word;
    if (Array.isArray(node)) {
      const named: number = node.findIndex((row) => isObject(row) && row["name"] === word);
      key = named >= 0 ? named : Number(word);
    }
    path.push(key);
    node = (node as Record<string | number, Json> | undefined)?.[key];
    if (typeof node !== "object" || node === null) node = undefined;
  }
  return path;
}

/**
 * The places of the open rows after `edit` moved or removed a row of `list`; `rows` are the rows before it. Places of
 * rows without a name contain their number, which the edit may change.
 */
export function openAfter(open: Iterable<string>, list: string, rows: Json[], edit: Edit): Set<string> {
  const number = edit.path.at(-1) as number;
  const follow = (place: string): string | null => {
    const [word, ...rest] = place.slice(list.length + 1).split(".");
    const at = Number(word);
    const isName = rows.some((row) => isObject(row) && row["name"] === word);
    if (!place.startsWith(`${list}.`) || !Number.isInteger(at) || isName) return place;
    const other = number + (edit.by ?? 0);
    if (edit.do === "remove" && at === number) return null;
    const now = edit.do === "remove" ? at - (at > number ? 1 : 0) : at === number ? other : at === other ? number : at;
    return [list, now, ...rest].join(".");
  };
  return new Set([...open].map(follow).filter((place) => place !== null));
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The fields to show for a row, the deciding one (`Form.belonging`) first: those that go with its value, and those that
 * the row has. In a section without a deciding field: all fields.
 */
export function fieldsOf(form: Form, section: string, row: JsonObject): [string, Field][] {
  const every = Object.entries(form.sections[section] ?? {});
  const belonging = form.belonging[section];
  if (belonging === undefined) return every;
  const word = row[belonging.word];
  const may = new Set([belonging.word, ...belonging.always, ...(belonging.fields[String(word)] ?? [])]);
  const shown = every.filter(([name]) => may.has(name) || name in row);
  return [...shown.filter(([name]) => name === belonging.word), ...shown.filter(([name]) => name !== belonging.word)];
}

/** The field with the kind of names that may be entered in this row: the row's deciding field may change it. */
export function fieldIn(form: Form, section: string, field: Field, row: JsonObject): Field {
  const word = String(row[form.belonging[section]?.word ?? ""]);
  return { ...field, names: field.names_by[word] ?? field.names };
}

/**
 * The edits that set the deciding field of a row to `word` and remove the fields that do not go with it. A fault that
 * acts on messages also gets a message, and a call of `send` a partition, if the row has none.
 */
export function wordEdits(form: Form, section: string, row: JsonObject, path: Path, word: Json, names: Record<string, string[]>): Edit[] {
  const belonging = form.belonging[section];
  if (belonging === undefined) return [];
  const may = new Set([belonging.word, ...belonging.always, ...(belonging.fields[String(word)] ?? [])]);
  const edits: Edit[] = [{ do: "set", path: [...path, belonging.word], value: word }];
  for (const name of Object.keys(row)) if (!may.has(name)) edits.push({ do: "remove", path: [...path, name] });
  if (section === "fault" && isForMessages(form, word) && !isObject(row["match"])) edits.push(...whenEdits(row, path, "message"));
  if (section === "call" && word === "send" && !("partition" in row)) {
    edits.push({ do: "set", path: [...path, "partition"], value: firstPartition(names) });
  }
  return edits;
}

/** Whether a fault with this action acts on a message, and so has no time of its own. */
export function isForMessages(form: Form, action: Json | undefined): boolean {
  return (form.actions["message"] ?? []).includes(String(action));
}

/**
 * The actor for which the builder offers a crash when a message is sent: the sender if it is a broker, else the
 * receiver.
 */
export function crashingAt(source: string, destination: string): string {
  return [source, destination].find((name) => name.startsWith("broker-")) ?? destination;
}

export type When = "message" | "time";

/** What triggers a fault: a message or a time; null if the row has neither or both. */
export function whenOf(row: JsonObject): When | null {
  if (("match" in row) === ("at" in row)) return null;
  return "match" in row ? "message" : "time";
}

/**
 * The catalogue key of the sentence that says that the trial run never met the trigger of a fault. `seen`: how often
 * the trial met it; undefined before a trial. Null if it was met, or before a trial.
 */
export function unmetKey(row: JsonObject, seen: number | undefined): string | null {
  if (seen !== 0) return null;
  return whenOf(row) === "time" ? "builder.never_reached" : "builder.never_met";
}

/** The edits after which a message triggers a fault, or a time does; the other trigger is removed. */
export function whenEdits(row: JsonObject, path: Path, when: When): Edit[] {
  const [kept, left] = when === "time" ? ["at", ["match", "after_ms"]] as const : ["match", ["at"]] as const;
  const edits: Edit[] = left.filter((name) => name in row).map((name) => ({ do: "remove", path: [...path, name] }));
  if (!(kept in row)) edits.push({ do: "set", path: [...path, kept], value: when === "time" ? FIRST_TIME : { api: "Produce" } });
  return edits;
}

const FIRST_TIME = 10;

function firstPartition(names: Record<string, string[]>): string {
  return names["partitions"]?.[0] ?? "t-0";
}

/**
 * The edits, in which the removal of a table's only key is replaced by the removal of the table: otherwise an empty
 * `match = { }` would remain in the text. `path`: the path of the table.
 */
export function withoutEmptied(edits: Edit[], table: JsonObject, path: Path): Edit[] {
  const [only, more] = Object.keys(table);
  return edits.map((edit) => {
    const isLast = edit.do === "remove" && more === undefined && edit.path.length === path.length + 1 && edit.path.at(-1) === only
      && path.every((key, index) => edit.path[index] === key);
    return isLast ? { do: "remove", path } : edit;
  });
}

/** The languages of the texts that the author writes. */
export function languagesOf(language: string): string[] {
  return language === "both" ? ["en", "zh-Hans"] : [language];
}

/** The edits after which every text says the same in both languages, for an author who writes only one. */
export function oneLanguage(document: Json, language: string, path: Path = []): Edit[] {
  if (Array.isArray(document)) return document.flatMap((row, index) => oneLanguage(row, language, [...path, index]));
  if (!isObject(document)) return [];
  if (!isText(document)) return Object.entries(document).flatMap(([name, value]) => oneLanguage(value, language, [...path, name]));
  const other = language === "en" ? "zh-Hans" : "en";
  const [own, others] = [document[language] ?? "", document[other] ?? ""];
  if (own === others) return [];
  return [own === "" ? { do: "set", path: [...path, language], value: others } : { do: "set", path: [...path, other], value: own }];
}

function isText(value: JsonObject): boolean {
  const names = Object.keys(value);
  return names.length > 0 && names.every((name) => (name === "en" || name === "zh-Hans") && typeof value[name] === "string");
}

/** The mistakes at a place, and the number of mistakes at places inside it. */
export function mistakesAt(mistakes: Mistake[], place: string): { here: Mistake[]; below: number } {
  return {
    here: mistakes.filter((mistake) => mistake.place === place),
    below: mistakes.filter((mistake) => mistake.place.startsWith(`${place}.`)).length,
  };
}

export function mistakesInGroup(mistakes: Mistake[], group: string): number {
  const fields = GROUPS[group] ?? [];
  return mistakes.filter((mistake) => fields.includes(mistake.place.split(".")[0] ?? "")).length;
}

/** The line for a folded row: its time, name, kind and message, and the actor, partition, client, id or group in it. */
export function rowLine(section: string, row: JsonObject, wordOf: (prefix: string, name: string) => string, form: Form): string {
  const word = form.belonging[section]?.word ?? (section === "checkpoint" ? "ask" : null);
  const prefix = word === null ? null : wordsOfChoices(section, word, form);
  const worded = word !== null && prefix !== null && typeof row[word] === "string" ? wordOf(prefix, row[word]) : null;
  const match = isObject(row["match"]) ? matchLine(row["match"]) : null;
  const at = typeof row["at"] === "number" ? `${row["at"]} ms` : null;
  const named = row["name"] ?? row["id"] ?? null;
  const further = ["actor", "partition", "client", "transactional_id", "group"].map((name) => row[name]).filter(
    (value) => typeof value === "string" && value !== named);
  return [at, typeof named === "string" ? named : null, worded, match, ...further].filter((part) => part !== null).join(" · ");
}

export function matchLine(match: JsonObject): string {
  const arrow = match["from"] !== undefined || match["to"] !== undefined
    ? `${String(match["from"] ?? "*")} → ${String(match["to"] ?? "*")}` : null;
  const nth = typeof match["nth"] === "number" ? `#${match["nth"]}` : null;
  const kind = `${String(match["api"] ?? "*")}${match["response"] === true ? " ↩" : ""}`;
  return [kind, arrow, match["partition"] ?? null, nth].filter((part) => part !== null).map(String).join(" ");
}

/**
 * A new row for the author to change: it has the required fields, with values that the loader accepts where possible.
 */
export function newRow(form: Form, section: string, names: Record<string, string[]>, rows: Json[]): JsonObject {
  const row: JsonObject = {};
  for (const [name, field] of Object.entries(form.sections[section] ?? {})) {
    if (!field.required) continue;
    if (name === "name") row[name] = freeName(section, rows);
    else if (field.choices.length > 0) row[name] = field.choices[0] ?? null;
    else if (field.names !== null) {
      const known = names[field.names] ?? form.names[field.names] ?? [];
      row[name] = field.kind === "names" ? known.slice(0, 1) : known[0] ?? "";
    } else if (field.kind === "int") row[name] = Math.max(field.low ?? 0, 0);
    else if (field.kind === "words") row[name] = { en: "", "zh-Hans": "" };
    else row[name] = "";
  }
  if (section === "fault") return { match: { api: "Produce", response: true }, action: "drop" };
  if (section === "call") {
    const last = rows.filter(isObject).map((one) => (typeof one["at"] === "number" ? one["at"] : 0));
    return { at: last.length === 0 ? 10 : Math.max(...last) + 10, do: "send", partition: firstPartition(names) };
  }
  if (section === "application") row["calls"] = [];
  return row;
}

const SHORT: Record<string, string> = { producer: "p", consumer: "c", application: "app-", topic: "t", loop: "loop-", service: "service-", variant: "v", participant: "participant-" };

function freeName(section: string, rows: Json[]): string {
  const taken = new Set(rows.filter(isObject).map((row) => row["name"]));
  const start = SHORT[section] ?? "";
  for (let number = 1; ; number += 1) {
    if (!taken.has(`${start}${number}`)) return `${start}${number}`;
  }
}

/** The value of a text typed into a field of this kind; undefined for an empty text, which removes the key. */
export function readValue(kind: string, text: string): Json | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  if (kind === "int" || kind === "number") {
    const value = Number(trimmed);
    if (/^[+-]?\d+$/.test(trimmed) && !Number.isSafeInteger(value)) return BigInt(trimmed);
    return Number.isFinite(value) ? value : trimmed;
  }
  if (kind === "acks") return trimmed === "all" ? "all" : Number(trimmed);
  if (kind === "bool") return trimmed === "true";
  if (kind === "ints") return words(trimmed).map((word) => (Number.isInteger(Number(word)) ? Number(word) : word));
  if (kind === "names") return words(trimmed);
  if (kind === "any") return anyValue(trimmed);
  return text;
}

function words(text: string): string[] {
  return text.split(/[\s,，、]+/).filter((word) => word !== "");
}

/** The value of a text in JSON, such as a number, true or a list; for `null` and if it is no JSON, the text itself. */
export function anyValue(text: string): Json {
  try {
    const value = parseToBigint(text) as Json;
    return value === null ? text : value;
  } catch {
    return text;
  }
}

export function showValue(value: Json | undefined): string {
  if (value === undefined || value === null) return "";
  if (Array.isArray(value)) return value.every((one) => typeof one !== "object") ? value.join(", ") : stringifyWithBigint(value);
  return typeof value === "object" ? stringifyWithBigint(value) : String(value);
}
