/** The types of questions as the server sends them; finds the steps before which they stop a reader. */

import type { Question, QuestionChoice, Reason } from "../generated/messages.ts";

export type { Question, QuestionChoice, Reason };

export interface Quiz {
  questions: Question[];
  /** Step → the choice that the reader made there; "": skipped. */
  answers: Record<string, string>;
}

/**
 * The number of the first step in `from`…`to` before which a question is open; null: none. `answered`: steps of
 * answers.
 */
export function stopBefore(questions: readonly Question[], answered: ReadonlySet<number>, from: number, to: number): number | null {
  const open = questions.filter((question) => !answered.has(question.at) && question.at + 1 >= from && question.at + 1 <= to);
  return open.length === 0 ? null : Math.min(...open.map((question) => question.at + 1));
}

/** How many answers were given, and how many of them were right; a skipped question does not count as answered. */
export function rightOf(quiz: Quiz): { right: number; given: number } {
  const given = quiz.questions.filter(({ at }) => (quiz.answers[String(at)] ?? "") !== "");
  return { right: given.filter(({ at, right }) => quiz.answers[String(at)] === right).length, given: given.length };
}
