/**
 * Texts: turns a catalogue key and its parameters into the sentence of the current language.
 *
 * The catalogue (docs/frame.md, section Sentences) comes from the server, which has all texts in both languages. In
 * place of a missing text or parameter, its key is shown in brackets, so that the fault is noticed. The engine fills
 * the same texts in the same way (engine/explain/sentences.py).
 *
 *     say("broker.duplicate_found", { producer_id: 0, ... })
 */

import { get } from "./addressed.ts";
import type { Json, JsonObject, Language } from "./frame.ts";

export type Texts = Record<string, string>;

export interface Catalogue {
  texts: Texts;
  /** Key → class and method in Kafka, for sentences that have one. */
  sources: Record<string, string>;
}

const PLACEHOLDER = /\{([a-z_0-9]+)(?:@([a-z_.]+)|:([^{}|]*)\|([^{}|]*))?\}((?: ms| 毫秒| UTC)(?![A-Za-z]))?( (?=[\u3400-\u9fff]))?/g;
/** The mark between the ends of a range. */
const UP_TO = "–";
/** The prefix of slots for an end of a message (sender, receiver) or of a connection. */
const END = "end";
const CONNECTION = "connection";
const OTHER_END: Readonly<Record<string, string>> = { source: "destination", destination: "source", from: "to", to: "from" };
/** The suffix of a slot for a calendar time in milliseconds since 1970. */
const UTC = " UTC";
/** Names of slots before ` ms` that hold a moment of the run; any other slot before ` ms` holds a duration. */
const MOMENTS: ReadonlySet<string> = new Set(["at", "due", "from", "sent_at", "since", "started_at", "until"]);
/**
 * Below so many ms, a moment is written in milliseconds, and a duration, too, unless it is a number of whole seconds.
 */
const MILLISECONDS_BELOW = 10_000;
const SECOND_MS = 1000;
/** From so many ms on, a moment of the run is written as on a clock. */
const LONG_MOMENT_MS = 60_000;
const UNITS = [
  ["duration.days", 86_400_000],
  ["duration.hours", 3_600_000],
  ["duration.minutes", 60_000],
] as const;
const SECONDS = "duration.seconds";

/** Matches 第 before a moment in a Chinese text, with the character before it. */
const NTH = /([\u3400-\u9fff]?)第 (?=\{([a-z_0-9]+)\} ms)/g;
const CHINESE = /[\u3400-\u9fff]/;
/** Matches a text that ends with a Chinese character or mark, after which Chinese goes on without a space. */
const CHINESE_END = /[\u3000-\u303f\u3400-\u9fff\uff00-\uff5e]$/;

const CHINESE_BETWEEN = "、";

/** The mark between the items of a list in this text: `、` in a Chinese one. */
function betweenIn(text: string): string {
  return CHINESE.test(text) ? CHINESE_BETWEEN : ", ";
}

/**
 * A value as text. The items of a list are joined by `between`; if that is the Chinese mark, items such as `t-0:
 * broker-1` get a Chinese colon. Null becomes a dash.
 */
export function formatValue(value: Json | undefined, between = ", "): string {
  if (value === null || value === undefined) return "–";
  if (Array.isArray(value)) return value.map((item) => (between === CHINESE_BETWEEN ? formatValue(item).replaceAll(": ", "：") : formatValue(item))).join(between);
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}

/** The sentence in a parameter of the form `{"key": …, "params": …}`; null for any other value. */
function sentenceIn(value: Json | undefined, word: (key: string) => string | undefined): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value) || typeof value["key"] !== "string") return null;
  const text = word(value["key"]);
  return text === undefined ? `[${value["key"]}]` : fill(text, (value["params"] ?? {}) as JsonObject, word);
}

/**
 * The time of slot `name` in larger units than ms. All moments have three decimals (`20.010 s`), all durations two
 * (`19.70 s`), or none if they are whole seconds (`30 s`, `7 d 10 min`). Null for a value that is written in
 * milliseconds or is no number, and without a catalogue.
 */
function timeText(name: string, milliseconds: Json | undefined, word: (key: string) => string | undefined): string | null {
  const isMoment = MOMENTS.has(name);
  if (typeof milliseconds !== "number" || milliseconds < SECOND_MS || word(SECONDS) === undefined) return null;
  if (milliseconds < MILLISECONDS_BELOW && (isMoment || milliseconds % SECOND_MS > 0)) return null;
  if (isMoment && milliseconds >= LONG_MOMENT_MS) return momentText(milliseconds, word);
  let left = milliseconds;
  const parts: string[] = [];
  for (const [key, size] of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(fill(word(key) ?? "", { count }));
  }
  if (left >= SECOND_MS) parts.push(fill(word(SECONDS) ?? "", { count: isMoment ? (left / SECOND_MS).toFixed(3) : left % SECOND_MS === 0 ? left / SECOND_MS : (Math.floor((left + 5) / 10) / 100).toFixed(2) }));
  else if (left > 0) parts.push(`${left} ms`);
  return parts.join(" ");
}

/**
 * A moment of the run (ms), written as on a clock: `1:10.495`, `2:00:00.000`, `7 d 0:10:00.000`. Durations have units
 * instead, so that a reader can tell the two apart.
 */
function momentText(milliseconds: number, word: (key: string) => string | undefined): string {
  const [[dayKey, day]] = UNITS;
  const days = Math.floor(milliseconds / day);
  const hours = Math.floor((milliseconds % day) / 3_600_000);
  const two = (number: number): string => String(number).padStart(2, "0");
  const minutes = Math.floor(milliseconds / 60_000) % 60;
  const second = `${two(Math.floor(milliseconds / 1000) % 60)}.${String(milliseconds % 1000).padStart(3, "0")}`;
  if (days === 0 && hours === 0) return `${minutes}:${second}`;
  return `${days > 0 ? `${fill(word(dayKey) ?? "", { count: days })} ` : ""}${hours}:${two(minutes)}:${second}`;
}

/** Milliseconds since 1970 as calendar time in UTC: `2026-11-20 09:12:00`. */
export function clock(milliseconds: number): string {
  const at = new Date(milliseconds);
  return Number.isNaN(at.valueOf()) ? String(milliseconds) : at.toISOString().slice(0, 19).replace("T", " ");
}

/** A place in a text that is filled with a parameter. */
interface Slot {
  name: string;
  prefix: string | undefined;
  /** The words of `{count:one|many}`: after the number 1 and after any other; undefined in another slot. */
  one: string | undefined;
  many: string | undefined;
  unit: string | undefined;
  /** The space before a Chinese word; "" before another. */
  space: string;
  /** If a range begins here (`{first}–{last}`), the name of the slot at its end; else null. */
  end: string | null;
}

/** Text → its parts. There are few texts, and they are filled at every step, so each is parsed only once. */
const read = new Map<string, readonly (string | Slot)[]>();

function partsOf(text: string): readonly (string | Slot)[] {
  let parts = read.get(text);
  if (parts === undefined) {
    parts = split(text);
    read.set(text, parts);
  }
  return parts;
}

function split(text: string): (string | Slot)[] {
  const parts: (string | Slot)[] = [];
  let at = 0;
  for (const match of text.matchAll(PLACEHOLDER)) {
    const [whole, name = "", prefix, one, many, unit, space = ""] = match;
    if (match.index > at) parts.push(text.slice(at, match.index));
    parts.push({ name, prefix, one, many, unit, space, end: null });
    at = match.index + whole.length;
  }
  if (at < text.length) parts.push(text.slice(at));
  markRanges(parts);
  return parts;
}

function markRanges(parts: (string | Slot)[]): void {
  const isPlain = (part: string | Slot | undefined): part is Slot => typeof part === "object" && part.prefix === undefined && part.one === undefined;
  for (let index = 0; index + 2 < parts.length; index += 1) {
    const [first, between, last] = parts.slice(index, index + 3);
    if (between !== UP_TO || !isPlain(first) || !isPlain(last) || first.unit !== undefined) continue;
    first.end = last.name;
    index += 2;
  }
}

/**
 * A Chinese text with `t = {at} ms` in place of `第 {at} ms` for each moment from a minute on, because 第 1 分钟 would mean
 * the first minute.
 */
function sinceTheStart(text: string, params: JsonObject): string {
  return text.replace(NTH, (found: string, before: string, name: string) => {
    const moment = params[name];
    if (typeof moment !== "number" || moment < LONG_MOMENT_MS) return found;
    return before === "" ? "t = " : `${before} t = `;
  });
}

/**
 * Fills the slots of a text: `{name}`; `{count:one|many}`; `{name@prefix}`, which becomes the text of the key
 * `prefix.value`. A range whose ends are equal becomes one number. `{name} ms` becomes seconds, minutes, hours and days
 * if it is a moment of the run or a duration of ten seconds and more, or a duration of whole seconds. `{name} UTC`
 * becomes a calendar time. A parameter that is itself a sentence is filled, too; in place of a missing parameter, its
 * name is shown. `word`: returns the text of a catalogue key.
 */
export function fill(text: string, params: JsonObject, word: (key: string) => string | undefined = () => undefined): string {
  if (!text.includes("{")) return text;
  const parts = partsOf(text.includes("第 {") ? sinceTheStart(text, params) : text);
  const between = betweenIn(text);
  let filled = "";
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] as string | Slot;
    if (typeof part === "string") filled += part;
    else if (isOne(part, params)) index += 1; // The end of the range, in the next slot, stands for both ends.
    else {
      const value = slotText(part, params, word, between);
      filled += part.space === "" || CHINESE_END.test(value) ? value : value + part.space;
    }
  }
  return filled;
}

/** Whether a range that begins here consists of one number. */
function isOne({ name, end }: Slot, params: JsonObject): boolean {
  return end !== null && Object.hasOwn(params, name) && Object.hasOwn(params, end) && params[name] === params[end];
}

/**
 * The name of a message's sender or receiver, or of an end of a connection. If both ends are the same broker, its role
 * at this end.
 */
function endText(name: string, prefix: string, params: JsonObject, word: (key: string) => string | undefined): string {
  const value = formatValue(params[name]);
  if (params[OTHER_END[name] ?? ""] !== params[name]) return value;
  const kind = prefix.split(".")[1] ?? formatValue(params["kind"]);
  const of = kind === CONNECTION ? [kind] : [formatValue(params["api"]), kind];
  const text = word([END, ...of, name === "from" || name === "source" ? "from" : "to"].join("."));
  return text === undefined ? value : fill(text, { broker: value });
}

function slotText({ name, prefix, one, many, unit }: Slot, params: JsonObject, word: (key: string) => string | undefined, between: string): string {
  if (!Object.hasOwn(params, name)) return `[${name}]${unit ?? ""}`;
  const given = params[name];
  if (unit === UTC) return typeof given === "number" ? `${clock(given)}${unit}` : given === null ? formatValue(given) : `${formatValue(given, between)}${unit}`;
  if (unit !== undefined) return timeText(name, given, word) ?? `${formatValue(given, between)}${unit}`;
  if (prefix?.split(".")[0] === END) return endText(name, prefix, params, word);
  if (prefix !== undefined) {
    const named = Array.isArray(given) ? given : [given];
    return named.map((item) => word(`${prefix}.${formatValue(item)}`) ?? formatValue(item)).join(between);
  }
  const value = sentenceIn(given, word) ?? formatValue(given, between);
  if (one === undefined || many === undefined) return value;
  return `${value} ${given === 1 ? one : many}`;
}

/**
 * The catalogue in a parsed document: `{texts, sources}`, or a plain `{key: text}`. Throws for any other.
 */
export function readCatalogue(document: unknown): Catalogue {
  if (typeof document !== "object" || document === null) throw new Error("The catalogue is not an object.");
  const whole = document as Record<string, unknown>;
  if (typeof whole["texts"] !== "object" || whole["texts"] === null) {
    return { texts: whole as Texts, sources: {} };
  }
  return { texts: whole["texts"] as Texts, sources: (whole["sources"] ?? {}) as Record<string, string> };
}

/** The catalogues of a page by language, of which one is current. */
export class Words extends EventTarget {
  #catalogues = new Map<Language, Catalogue>();
  #current: Language = "en";

  get language(): Language {
    return this.#current;
  }

  has(language: Language): boolean {
    return this.#catalogues.has(language);
  }

  learn(language: Language, catalogue: Catalogue): void {
    const known = this.#catalogues.get(language);
    this.#catalogues.set(language, {
      texts: { ...known?.texts, ...catalogue.texts },
      sources: { ...known?.sources, ...catalogue.sources },
    });
  }

  /** Makes a language current and fires `change`. Its catalogue must have been given by `learn` before. */
  use(language: Language): void {
    this.#current = language;
    this.dispatchEvent(new Event("change"));
  }

  say(key: string, params: JsonObject = {}): string {
    const texts = this.#catalogues.get(this.#current)?.texts;
    const text = texts?.[key];
    return text === undefined ? `[${key}]` : fill(text, params, (name) => texts?.[name]);
  }

  /** A duration as every sentence writes it: `70 ms`, `19.69 s`, `7 d 10 min`. */
  duration(milliseconds: number): string {
    const texts = this.#catalogues.get(this.#current)?.texts;
    return fill("{duration} ms", { duration: milliseconds }, (name) => texts?.[name]);
  }

  knows(key: string): boolean {
    return this.#catalogues.get(this.#current)?.texts[key] !== undefined;
  }

  /** The parameters that a text names, each once. */
  slots(key: string): string[] {
    const text = this.#catalogues.get(this.#current)?.texts[key] ?? "";
    return [...new Set([...text.matchAll(PLACEHOLDER)].map((found) => found[1] ?? ""))];
  }

  source(key: string): string | null {
    return this.#catalogues.get(this.#current)?.sources[key] ?? null;
  }
}

/** The words of this page. Panels read them while they draw; after a switch of the language, they get a new frame. */
export const words = new Words();

export function say(key: string, params: JsonObject = {}): string {
  return words.say(key, params);
}

export function duration(milliseconds: number): string {
  return words.duration(milliseconds);
}

/** A long span of virtual time, from a second on in seconds: to 0.1 s, from a minute on to 1 s. */
export function span(milliseconds: number): string {
  const step = milliseconds < 60_000 ? 100 : SECOND_MS;
  const rounded = Math.round(milliseconds / step) * step;
  return rounded < SECOND_MS || rounded >= 60_000 ? duration(rounded) : say(SECONDS, { count: rounded / SECOND_MS });
}

export function slotsOf(key: string): string[] {
  return words.slots(key);
}

/**
 * Loads the catalogue of a language, unless it is loaded, and makes it current. Rejects if it cannot be loaded.
 */
export async function loadLanguage(language: Language, address: string, into: Words = words): Promise<void> {
  if (!into.has(language)) {
    const catalogue = await parsed(address);
    const sources = (catalogue as { sources?: unknown } | null)?.sources;
    // In a file, the sources are a table of their own, which both languages share.
    into.learn(language, readCatalogue(typeof sources === "string" ? { ...(catalogue as object), sources: await parsed(sources) } : catalogue));
  }
  into.use(language);
}

/** The JSON document at an address. If the response has an error status, rejects with the address and the status. */
async function parsed(address: string): Promise<unknown> {
  const response = await get(address);
  if (!response.ok) throw new Error(`${address} answered ${response.status}`);
  return response.json();
}
