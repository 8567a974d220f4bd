/** The types of questions to the engine and of its answers (docs/websocket.md, `why`), with functions on them. Pure. */

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
 * What the reader asked. `selection`: the thing that it is about; null: the engine chooses the most unusual one.
 * `question`: the kind of question; null: the first one that fits.
 */
export interface Asked {
  selection: Selection | null;
  question: string | null;
  subject: string;
}

/**
 * The event by which a button in a picture asks *why*. `detail` null: the question is about the most unusual thing.
 */
export type AskWhyEvent = CustomEvent<Pick<WhyQuestion, "question" | "subject"> | null>;

export function askWhyEvent(question: string, subject: string): AskWhyEvent {
  return new CustomEvent("ask-why", { detail: { question, subject }, bubbles: true, composed: true });
}

/** Whether two selections are of the same thing. */
export function sameThing(one: Selection | null, other: Selection | null): boolean {
  return one === other || (one !== null && other !== null && one.kind === other.kind && one.id === other.id);
}

/**
 * The sentences of an answer, reordered: first the one that answers the question, then the chain from symptom to cause.
 */
export function answerFirst(links: readonly WhyLink[]): WhyLink[] {
  const answer = links.find(({ answers }) => answers === true);
  return answer === undefined ? [...links] : [answer, ...links.filter((link) => link !== answer)];
}

/** The question that the answer is to; null if it is not among those that the engine offers. */
export function currentQuestion(answer: WhyAnswer): WhyQuestion | null {
  return answer.questions.find((one) => one.question === answer.question && one.subject === answer.subject) ?? null;
}

/** The questions that the reader can choose from; empty if the answer is to a question that is not among them. */
export function offeredQuestions(answer: WhyAnswer): WhyQuestion[] {
  return currentQuestion(answer) === null ? [] : answer.questions;
}
