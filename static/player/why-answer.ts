/** Questions to the engine and its answers (docs/websocket.md, `why`). Pure. */

import type * as messages from "../generated/messages.ts";
import type { Why, WhyQuestion } from "../generated/messages.ts";
import type { Selection } from "./frame.ts";

export type { WhyQuestion };

export interface WhyLink extends Omit<messages.WhyLink, "subject"> {
  subject: Selection | null;
}

export interface WhyAnswer extends Pick<Why, "questions" | "question" | "subject"> {
  links: WhyLink[];
}

/** An answer in the form that followers get: the text of its question, and the chain. */
export interface ShownWhy extends Omit<messages.ShownWhy, "links"> {
  links: WhyLink[];
}

/**
 * The reader's question: about a selection (null: about the most unusual thing), and which question (null: the first).
 */
export interface Asked {
  selection: Selection | null;
  question: string | null;
  subject: string;
}

/**
 * The event of pictures whose things ask *why* with one click; without detail, it asks about the most unusual thing.
 */
export type AskWhyEvent = CustomEvent<Pick<WhyQuestion, "question" | "subject"> | null>;

export function askWhyEvent(question: string, subject: string): AskWhyEvent {
  return new CustomEvent("ask-why", { detail: { question, subject }, bubbles: true, composed: true });
}

/** Whether two selections are of the same thing. */
export function sameThing(one: Selection | null, other: Selection | null): boolean {
  return one === other || (one !== null && other !== null && one.kind === other.kind && one.id === other.id);
}

/** The sentences with the one that answers first, then the chain from the symptom to the cause. */
export function answerFirst(links: readonly WhyLink[]): WhyLink[] {
  const answer = links.find(({ answers }) => answers === true);
  return answer === undefined ? [...links] : [answer, ...links.filter((link) => link !== answer)];
}

/** The question that is answered; null if it is not among those that were offered. */
export function currentQuestion(answer: WhyAnswer): WhyQuestion | null {
  return answer.questions.find((one) => one.question === answer.question && one.subject === answer.subject) ?? null;
}

/** The questions to choose from; empty if the reader asked a question directly. */
export function offeredQuestions(answer: WhyAnswer): WhyQuestion[] {
  return currentQuestion(answer) === null ? [] : answer.questions;
}
