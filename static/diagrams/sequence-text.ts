/**
 * The messages up to a step as a sequence diagram in Mermaid's language, which wikis and repositories draw. Pure.
 *
 * The arrow shows the fate, as in the space-time diagram: `->>` arrived, `-x` did not, `-)` is in transit. Responses
 * are dashed.
 */

import type { Arrow, Frame, Mark } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { messageLabel } from "./message-words.ts";
import { sentUpTo } from "./spacetime-layout.ts";

export const defaults = { messages: 400 };

export function sequenceText(frame: Frame, arrows: readonly Arrow[], marks: readonly Mark[], title: string, options = defaults): string {
  const step = frame.step?.number ?? 0;
  const end = sentUpTo(arrows, step);
  const shown = arrows.slice(Math.max(0, end - options.messages), end);
  const first = shown[0]?.sentStep ?? step;
  const notes = marks.filter((mark) => mark.step >= first && mark.step <= step);
  const lines = ["sequenceDiagram", `  %% ${plain(title)}, ${plain(say("diagram.at", { at: frame.view.time }))}`];
  if (end > shown.length) lines.push(`  %% ${plain(say("exports.diagram.more", { count: end - shown.length }))}`);
  const actors = participants(frame, shown, notes);
  actors.forEach((actor, index) => lines.push(`  participant a${index} as ${plain(actor)}`));
  const name = (actor: string): string => `a${actors.indexOf(actor)}`;
  const numbered = [
    ...shown.map((arrow) => ({ step: arrow.sentStep, line: messageLine(arrow, step, name) })),
    ...notes.map((mark) => ({ step: mark.step, line: `  Note over ${name(mark.actor)}: ${plain(say(mark.key, mark.params))}` })),
  ];
  // The sorting is stable, so lines of the same step keep their order.
  lines.push(...numbered.sort((one, other) => one.step - other.step).map(({ line }) => line));
  return `${lines.join("\n")}\n`;
}

/** The actors that send, receive or have a note, in the order of the run's header. */
function participants(frame: Frame, arrows: readonly Arrow[], notes: readonly Mark[]): string[] {
  const used = new Set([...arrows.flatMap(({ message }) => [message.from, message.to]), ...notes.map((mark) => mark.actor)]);
  const known = frame.header.actors.map((actor) => actor.name).filter((actor) => used.has(actor));
  return [...known, ...[...used].filter((actor) => !known.includes(actor)).sort()];
}

function messageLine(arrow: Arrow, step: number, name: (actor: string) => string): string {
  const underWay = arrow.settledStep === null || arrow.settledStep > step;
  const head = underWay ? ")" : arrow.fate === "delivered" ? ">>" : "x";
  const { message } = arrow;
  return `  ${name(message.from)}${message.is_response ? "--" : "-"}${head}${name(message.to)}: ${plain(messageLabel(message))}`;
}

/**
 * The text, so that Mermaid reads it as plain text: white space becomes one space, and characters with a meaning in its
 * syntax are written by their number, such as `#59;`.
 */
export function plain(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[#;<>{}"%]/g, (sign) => `#${sign.charCodeAt(0)};`);
}
