/**
 * Keeps names in a sentence on one line, and numbers with their units. A browser may break a line at any hyphen, but
 * `broker-` at the end of a line would not be recognised as a name.
 *
 *     html`<p>${unbroken("broker-2 answers c-committed.")}</p>`
 */

import type { TemplateResult } from "lit";
import { html } from "lit";

export const defaults = {
  /** The most letters of a name that is kept on one line: a longer one would leave a line on a phone half empty. */
  longest: 28,
};

/** A name that contains a hyphen, an option of a command, or a time with its unit. */
const TOGETHER = /((?<![\p{L}\p{N}_-])--[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*|[\p{L}\p{N}_.]+(?:-[\p{L}\p{N}_.]*[\p{L}\p{N}_])+|(?<![\p{L}\p{N}_.])\d[\d.]* (?:ms|s|min|h|d|毫秒|秒)(?![\p{L}\p{N}_]))/u;

/** The text, divided into parts; every second part is a name with a hyphen or a time with its unit. */
export function namesIn(text: string): string[] {
  return /-|\d /.test(text) ? text.split(TOGETHER) : [text];
}

export function unbroken(text: string): string | (string | TemplateResult)[] {
  const parts = namesIn(text);
  if (parts.length === 1) return text;
  return parts.map((part, index) => (index % 2 === 1 && part.length <= defaults.longest ? html`<span class="nb">${part}</span>` : part));
}

/**
 * A name, divided into pieces between which a line may end: only after its underscores and dots, and not before a
 * number.
 */
export function pieces(said: string): (string | TemplateResult)[] {
  return said.replace(/(?<=[A-Z]) (?=\d)/g, "\u00a0").split(/(?<=_|[A-Za-z]\.)(?=[A-Za-z])/).flatMap((piece, index) => (index === 0 ? [piece] : [html`<wbr>`, piece]));
}
