/** Joins texts with the punctuation of the current language. */

import { say } from "./text.ts";

/** Names in a row: `t-0, t-1`. */
export function listed(names: readonly string[]): string {
  return names.join(say("join.list"));
}

/** Statements about the same thing in one sentence: `sent, 2nd try`. */
export function facts(parts: readonly string[]): string {
  return parts.join(say("join.comma"));
}

/** Parts that have commas themselves: `a; b`. */
export function clauses(parts: readonly string[]): string {
  return parts.join(say("join.semicolon"));
}

/** A name and a statement about it: `p1: sends`. */
export function named(name: string, said: string): string {
  return `${name}${say("join.colon")}${said}`;
}

/** A text with another in brackets, if there is one: `16 KiB (was 48 KiB)`. */
export function aside(text: string, other: string | null): string {
  return other === null || other === "" ? text : say("join.aside", { text, aside: other });
}

/** The text between two sentences, and after a label: a space, or nothing in Chinese. */
export function gap(): string {
  const [first, then] = ["", ""];
  return say("join.sentences", { first, then });
}

/** Whole sentences, one after the other. */
export function sentences(parts: readonly string[]): string {
  return parts.filter((part) => part !== "").reduce((first, then) => (first === "" ? then : say("join.sentences", { first, then })), "");
}
