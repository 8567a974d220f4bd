/**
 * Keeps names in a sentence whole: a browser breaks a line at any hyphen, and `broker-` at the end of a line is no broker.
 *
 *     html`<p>${unbroken("broker-2 answers c-committed.")}</p>`
 */

import type { TemplateResult } from "lit";
import { html } from "lit";

export const defaults = {
  /** Letters of the longest name that is kept whole: a longer one would leave a line on a phone half empty. */
  longest: 28,
};

/** A name with a hyphen in it, or an option of a command. */
const HYPHENATED = /((?<![\p{L}\p{N}_-])--[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*|[\p{L}\p{N}_.]+(?:-[\p{L}\p{N}_.]*[\p{L}\p{N}_])+)/u;

/** The text in parts, every other of them a name. */
export function namesIn(text: string): string[] {
  return text.includes("-") ? text.split(HYPHENATED) : [text];
}

export function unbroken(text: string): string | (string | TemplateResult)[] {
  const parts = namesIn(text);
  if (parts.length === 1) return text;
  return parts.map((part, index) => (index % 2 === 1 && part.length <= defaults.longest ? html`<span class="nb">${part}</span>` : part));
}

/** A line may end behind the underscores and dots of a name, nowhere else in it, and not before a number. */
export function pieces(said: string): (string | TemplateResult)[] {
  return said.replace(/(?<=[A-Z]) (?=\d)/g, "\u00a0").split(/(?<=_|[A-Za-z]\.)(?=[A-Za-z])/).flatMap((piece, index) => (index === 0 ? [piece] : [html`<wbr>`, piece]));
}
