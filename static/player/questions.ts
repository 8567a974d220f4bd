/** Questions as the server sends them, and the steps at which they stop a reader. */

import type { Question, QuestionChoice, Reason } from "../generated/messages.ts";

export type { Question, QuestionChoice, Reason };

export interface Quiz {
  questions: Question[];
  /** Step to the choice that was made there; empty: skipped. */
  answers: Record<string, string>;
}

/** The first step in `from`…`to` before which something is still to be answered. */
export function stopBefore(questions: readonly Question[], answered: ReadonlySet<number>, from: number, to: number): number | null {
  const open = questions.filter((question) => !answered.has(question.at) && question.at + 1 >= from && question.at + 1 <= to);
  return open.length === 0 ? null : Math.min(...open.map((question) => question.at + 1));
}

/** How many of the given answers were right; a skipped question is no answer. */
export function rightOf(quiz: Quiz): { right: number; given: number } {
  const given = quiz.questions.filter(({ at }) => (quiz.answers[String(at)] ?? "") !== "");
  return { right: given.filter(({ at, right }) => quiz.answers[String(at)] === right).length, given: given.length };
}
