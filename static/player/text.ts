/**
 * Words: turns a catalogue key and its parameters into the sentence of the current language.
 *
 * The catalogue (docs/frame.md, section Sentences) is the server's; both languages are complete there. A key
 * or a parameter that is missing is shown as it is called, so that a fault is seen and not hidden.
 *
 *     say("broker.duplicate_found", { producer_id: 0, ... })
 */

import type { Json, JsonObject, Language } from "./frame.ts";

export type Texts = Record<string, string>;

export interface Catalogue {
  texts: Texts;
  /** Key to class and method in Kafka, where the sentence has one. */
  sources: Record<string, string>;
}

const PLACEHOLDER = /\{([a-z_][a-z0-9_]*)(?::([^{}|]*)\|([^{}|]*))?\}/gi;

/** One value as people read it: lists joined with commas, nothing written as "null". */
export function formatValue(value: Json | undefined, language: Language): string {
  if (value === null || value === undefined) return "–";
  if (Array.isArray(value)) {
    const separator = language === "en" ? ", " : "、";
    return value.map((item) => formatValue(item, language)).join(separator);
  }
  if (typeof value === "object") return JSON.stringify(value);
  return String(value);
}

/** Fills `{name}` and `{count:one|many}`; a parameter that is not given stays visible in its braces. */
export function fill(text: string, params: JsonObject, language: Language): string {
  return text.replace(PLACEHOLDER, (whole, name: string, one?: string, many?: string) => {
    if (!(name in params)) return whole;
    const value = formatValue(params[name], language);
    if (one === undefined || many === undefined) return value;
    return `${value} ${Number(params[name]) === 1 ? one : many}`;
  });
}

/** Accepts the server's `{texts, sources}` and a plain `{key: text}`. */
export function readCatalogue(document: unknown): Catalogue {
  if (typeof document !== "object" || document === null) throw new Error("The catalogue is not an object.");
  const whole = document as Record<string, unknown>;
  if (typeof whole["texts"] !== "object" || whole["texts"] === null) {
    return { texts: whole as Texts, sources: {} };
  }
  return { texts: whole["texts"] as Texts, sources: (whole["sources"] ?? {}) as Record<string, string> };
}

/** The words of one page: both languages, one of them current. */
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

  /** Switches without a reload; fires `change`. The language must have been learnt. */
  use(language: Language): void {
    this.#current = language;
    this.dispatchEvent(new Event("change"));
  }

  say(key: string, params: JsonObject = {}): string {
    const text = this.#catalogues.get(this.#current)?.texts[key];
    return text === undefined ? key : fill(text, params, this.#current);
  }

  knows(key: string): boolean {
    return this.#catalogues.get(this.#current)?.texts[key] !== undefined;
  }

  source(key: string): string | null {
    return this.#catalogues.get(this.#current)?.sources[key] ?? null;
  }
}

/** The page's words. Panels read them while they draw; a new frame comes after every switch. */
export const words = new Words();

export function say(key: string, params: JsonObject = {}): string {
  return words.say(key, params);
}

/** Fetches one language's catalogue and makes it current. Throws with the address when it cannot be had. */
export async function loadLanguage(language: Language, address: string, into: Words = words): Promise<void> {
  if (!into.has(language)) {
    const response = await fetch(address, { headers: { Accept: "application/json" } });
    if (!response.ok) throw new Error(`${address} answered ${response.status}`);
    into.learn(language, readCatalogue(await response.json()));
  }
  into.use(language);
}
