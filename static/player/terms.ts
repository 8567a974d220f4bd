/**
 * Finds the explanation of terms (rules, errors, isolation levels, guarantees), which a press shows (`term-note.ts`).
 * Pure.
 *
 * An element names its term by a key of the catalogue in `data-term`; the explanation consists of texts of the
 * catalogue.
 */

import type { TemplateResult } from "lit";
import { html } from "lit";
import { isChinese, phrasesOf } from "./phrases.ts";
import { say, words } from "./text.ts";
import { unbroken } from "./unbroken.ts";
import type { View } from "./whole-view.ts";

export interface Meaning {
  name: string;
  text: string;
  /** Further texts, each with its heading. */
  parts: [heading: string, text: string][];
  /** The address in the reference that says more; "" on a page without one. */
  more: string;
}

/** Addresses of the reference; "" in a file that plays offline, which has no site. */
export interface Shelf {
  /** The address of a rule, with `{rule}`. */
  rules: string;
  /** The address of the reference. */
  reference: string;
}

const ERROR_PARTS = ["compared", "answering", "asking"];
/** Kafka's names of errors: at least two words in capitals, joined by underscores. */
const ERROR = /\b([A-Z]+(?:_[A-Z]+)+)\b/;

/** The term of an error; null if the catalogue does not explain it. */
export function errorTerm(name: string): string | null {
  return words.knows(`error.${name}.meaning`) ? `error.${name}` : null;
}

const ISOLATIONS: Record<string, string> = { read_committed: "term.read_committed", read_uncommitted: "term.read_uncommitted" };

/** The term of an isolation level; null if there is none. */
export function isolationTerm(isolation: string): string | null {
  const term = ISOLATIONS[isolation];
  return term !== undefined && words.knows(`${term}.what`) ? term : null;
}

/**
 * Where the controller of a run's cluster stores its decisions. Some rules have a text for each of the two; the page
 * shows the one for the run.
 */
export type Keeper = "zookeeper" | "quorum";

export function keeperOf({ quorum }: Pick<View, "quorum">): Keeper {
  return Object.keys(quorum ?? {}).length > 0 ? "quorum" : "zookeeper";
}

/** The catalogue key of a rule's text in a run with this keeper; null as keeper: the text that is true of every run. */
export function requirementText(rule: string, keeper: Keeper | null): string {
  const own = `requirement.${rule}.${keeper}`;
  return keeper !== null && words.knows(own) ? own : `requirement.${rule}`;
}

/** The explanation of a term; null if the catalogue has no text. `keeper`: that of the run in which it is read. */
export function meaningOf(term: string, { rules, reference }: Shelf, keeper: Keeper | null = null): Meaning | null {
  const [kind = "", ...rest] = term.split(".");
  const name = rest.join(".");
  const place = (page: string): string => (reference === "" ? "" : `${reference}${page}/#${name}`);
  const meaning = (text: string, shown: string, more: string, parts: Meaning["parts"] = []): Meaning | null =>
    words.knows(text) ? { name: shown, text: say(text), parts, more } : null;
  if (kind === "requirement") return meaning(requirementText(name, keeper), name, rules.replace("{rule}", encodeURIComponent(name)));
  if (kind === "term") return meaning(`${term}.what`, say(term), place("terms"));
  if (kind === "error") {
    const parts = ERROR_PARTS.map((part): [string, string] => [say(`reference.error.${part}`), say(`${term}.${part}`)]);
    return meaning(`${term}.meaning`, name, place("errors"), parts);
  }
  return meaning(`${term}.means`, say(term), rules.replace("{rule}", "GEN-8"));
}

/** A pressed element with a term (`data-term`), and the keeper of the run around it; null: not in a run. */
export interface PressedTerm {
  opener: HTMLElement | SVGElement;
  keeper: Keeper | null;
}

/** The term on which a press was; null: on none, or Ctrl or Shift makes the browser open a page. */
export function pressedTerm(event: MouseEvent): PressedTerm | null {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return null;
  const path = event.composedPath().filter((one) => one instanceof HTMLElement || one instanceof SVGElement);
  const opener = path.find((one) => one.dataset["term"] !== undefined);
  const keeper = path.find((one) => one.dataset["keptBy"] !== undefined)?.dataset["keptBy"] as Keeper | undefined;
  return opener === undefined ? null : { opener, keeper: keeper ?? null };
}

/** The explanation of a pressed term; null if the catalogue has no text. */
export function meaningHere({ opener, keeper }: PressedTerm, shelf: Shelf): Meaning | null {
  return meaningOf(opener.dataset["term"] ?? "", shelf, keeper);
}

/**
 * The name of a rule, such as `SEQ-11`, as a link into the reference or, without one, a button. A press explains it.
 */
export function ruleChip(rule: string, rules: string): TemplateResult {
  const term = `requirement.${rule}`;
  if (rules !== "") return html`<a class="chip" data-term=${term} href=${rules.replace("{rule}", encodeURIComponent(rule))} target="_blank" rel="noopener">${rule}</a>`;
  return words.knows(term) ? html`<button class="chip" data-term=${term}>${rule}</button>` : html`<span class="chip">${rule}</span>`;
}

/** The name of an error, as a button that explains it; only the name if the catalogue does not explain it. */
export function errorName(name: string): TemplateResult | string {
  const term = errorTerm(name);
  return term === null ? name : html`<button class="term" data-term=${term}>${name}</button>`;
}

/** As `termed`, for a place with `word-break: keep-all`: lines of Chinese may end only between its words. */
export function phrased(text: string): unknown {
  return isChinese(text) ? phrasesOf(text).map((phrase) => html`${termed(phrase)}<wbr>`) : termed(text);
}

/** A sentence in which names are not broken over two lines, and names of errors can be pressed. */
export function termed(text: string): unknown {
  const parts = text.split(ERROR);
  return parts.length === 1 ? unbroken(text) : parts.map((part, index) => (index % 2 === 1 ? errorName(part) : unbroken(part)));
}
