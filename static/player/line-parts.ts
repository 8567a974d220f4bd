/**
 * Makes the line of a step in the text of a run: its sentences, with commands set as code. For a preview of a remedy,
 * the conditions that must hold before the command is run are added. Pure, no DOM.
 */

import type { TemplateResult } from "lit";
import { html } from "lit";
import { isPreview } from "../diagrams/log-case.ts";
import type { Said, Step } from "./frame.ts";
import { clauses, gap } from "./joins.ts";
import { say } from "./text.ts";
import { unbroken } from "./unbroken.ts";

/**
 * How the catalogue keys of those notes of a preview begin that are conditions of its command. Their texts are no whole
 * sentences, because the page of the log shows them in a list.
 */
const CONDITION = "logs.condition.";

type Part = string | TemplateResult | readonly Part[];

/** The parts of the step's line: its sentences one after the other, then the conditions, on a line of their own. */
export function linePartsOf(step: Step): Part[] {
  const conditions = isPreview(step) ? step.notes.filter(({ key }) => key.startsWith(CONDITION)) : [];
  const own: Said[] = [step, ...step.notes.filter((note) => !conditions.includes(note))];
  const parts = own.map((said) => withCode(say(said.key, said.params), commandsIn([said])));
  const needed = conditions.length === 0 ? [] : [[html`<br>`, say("logs.todo.only_if"), gap(), ...withCode(clauses(conditions.map(({ key, params }) => say(key, params))) + say("join.stop"), commandsIn(conditions))]];
  return [...parts, ...needed].flatMap((part, index): Part[] => (index === 0 ? [part] : [gap(), part]));
}

function commandsIn(all: readonly Said[]): string[] {
  return all.flatMap(({ params: { command } }) => (typeof command === "string" && command !== "" ? [command] : []));
}

/** The text with its commands set as code, each exactly as it is typed. */
function withCode(text: string, commands: readonly string[]): Part[] {
  const [command, ...others] = commands;
  const at = command === undefined ? -1 : text.indexOf(command);
  if (command === undefined || at < 0) return [unbroken(text)];
  return [unbroken(text.slice(0, at)), html`<code>${unbroken(command)}</code>`, ...withCode(text.slice(at + command.length), others)];
}
