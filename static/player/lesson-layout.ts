/**
 * How the text of a lesson stands at the end of a run: short paragraphs, what to do set apart, code as code. Its words
 * stay as they are. `eosviz/scenarios/lesson_layout.py` lays out the same texts on pages. Pure.
 */

import { sentencesOf } from "./sentence-fit.ts";

/** A sentence that says what to do: it names a command or a remedy, or begins with a verb that asks for an act. */
const TO_DO = /\.sh(?!\w)|\bremed(?:y|ies)\b|办法|应(?:当|该|先)?(?:调|设|查看|检查|使用|在|让|保持|比较|给|把)|^(?:Abort|Check|Choose|Close|Compare|Create|Give|Keep|Look|Lower|Raise|Send|Set|Use|Wait)\b/;
/** A command with its options, a function, or a setting with its value. */
const CODE = new RegExp(
  String.raw`((?<![\w.-])[a-z][\w-]*\.sh(?: (?:describe(?:-producers)?|find-hanging|abort|list)\b)?`
  + String.raw`(?: (?:--[a-z][\w-]*(?: (?:…|[\w./:-]*[\d_/:][\w./:-]*|[\w-]+(?= --)))?|…))*`
  + String.raw`|(?<![\w.])[A-Za-z_][\w.]*\(\)`
  + String.raw`|(?<![\w.@/-])[a-z]+(?:\.[a-z]+(?:-[a-z]+)*)+(?:=[\w.-]*\w)?(?![\w/]))`,
);

export interface Paragraph {
  /** The first sentence; what to do; all else. */
  kind: "lead" | "do" | "more";
  text: string;
}

/** The sentences of a lesson: the first alone, then two at a time; those that say what to do stand together. */
export function paragraphs(text: string): Paragraph[] {
  const between = /[\u2e80-\uffff]/.test(text) ? "" : " ";
  const found: { kind: Paragraph["kind"]; sentences: string[] }[] = [];
  sentencesOf(text).forEach((sentence, place) => {
    const kind = place === 0 ? "lead" : TO_DO.test(sentence) ? "do" : "more";
    const before = found[found.length - 1];
    if (before?.kind === kind && (kind === "do" || before.sentences.length < 2)) before.sentences.push(sentence);
    else found.push({ kind, sentences: [sentence] });
  });
  return found.map(({ kind, sentences }) => ({ kind, text: sentences.join(between) }));
}

/** The text in parts, every other of them code. */
export function codeIn(text: string): string[] {
  return text.split(CODE);
}
