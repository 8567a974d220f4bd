/**
 * Terms that a press explains in place (`term-note.ts`): rules, errors, isolation levels, guarantees. Pure.
 *
 * A term is a key of the catalogue in `data-term`; its explanation consists of the catalogue's own texts.
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

/** Addresses of the reference; "" in a file that has no site around it. */
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

/** Where a run's controller stores its decisions. If a rule has a text for each kind, the one for the run is shown. */
export type Keeper = "zookeeper" | "quorum";

export function keeperOf({ quorum }: Pick<View, "quorum">): Keeper {
  return Object.keys(quorum ?? {}).length > 0 ? "quorum" : "zookeeper";
}

/** The key of a rule's text in a run with this keeper; without a run, of the text that is true of every run. */
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

/** An element that was pressed for its term (`data-term`), in the words of a run with this keeper. */
export interface PressedTerm {
  opener: HTMLElement | SVGElement;
  keeper: Keeper | null;
}

/** The pressed term; null: none, or the press opens a page of its own. */
export function pressedTerm(event: MouseEvent): PressedTerm | null {
  if (event.ctrlKey || event.metaKey || event.shiftKey) return null;
  const path = event.composedPath().filter((one) => one instanceof HTMLElement || one instanceof SVGElement);
  const opener = path.find((one) => one.dataset["term"] !== undefined);
  const keeper = path.find((one) => one.dataset["keptBy"] !== undefined)?.dataset["keptBy"] as Keeper | undefined;
  return opener === undefined ? null : { opener, keeper: keeper ?? null };
}

/** What a pressed term means; null: the catalogue has no text. */
export function meaningHere({ opener, keeper }: PressedTerm, shelf: Shelf): Meaning | null {
  return meaningOf(opener.dataset["term"] ?? "", shelf, keeper);
}

/** A rule's number: a link into the reference, or a button if there is none; a press shows the rule's text. */
export function ruleChip(rule: string, rules: string): TemplateResult {
  const term = `requirement.${rule}`;
  if (rules !== "") return html`<a class="chip" data-term=${term} href=${rules.replace("{rule}", encodeURIComponent(rule))} target="_blank" rel="noopener">${rule}</a>`;
  return words.knows(term) ? html`<button class="chip" data-term=${term}>${rule}</button>` : html`<span class="chip">${rule}</span>`;
}

/** The name of an error; a press shows what it means. */
export function errorName(name: string): TemplateResult | string {
  const term = errorTerm(name);
  return term === null ? name : html`<button class="term" data-term=${term}>${name}</button>`;
}

/** Like `termed`, but a line of Chinese may end only between its words (`word-break: keep-all`). */
export function phrased(text: string): unknown {
  return isChinese(text) ? phrasesOf(text).map((phrase) => html`${termed(phrase)}<wbr>`) : termed(text);
}

/** A sentence in which names are not broken and names of errors can be pressed. */
export function termed(text: string): unknown {
  const parts = text.split(ERROR);
  return parts.length === 1 ? unbroken(text) : parts.map((part, index) => (index % 2 === 1 ? errorName(part) : unbroken(part)));
}
