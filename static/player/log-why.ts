/**
 * Finds the answer to *why* in a log case: what a step is about, and why consumers stop there. The case's file contains
 * the answers, one for each range of steps (engine/codec/log_why.py). Pure.
 */

import type { AskWhy, LogWhy, PlayedBranch, SentStep } from "../generated/messages.ts";
import type { Step } from "./frame.ts";
import { leadOf } from "./leading.ts";
import type { WhyAnswer, WhyLink, WhyQuestion } from "./why-answer.ts";

export interface LogAnswers {
  why: readonly LogWhy[];
  /** The branch whose steps are from the files; the other branches preview remedies. Null if there is none. */
  written: PlayedBranch | null;
  steps: Readonly<Record<string, readonly SentStep[]>>;
}

export type AskedWhy = Pick<AskWhy, "branch" | "number" | "selection" | "question" | "subject">;

const QUESTION = "lso";

/**
 * The answer at a step. If it names no question (no consumer stops), and the reader neither asked one nor selected a
 * thing, it begins with the sentence of the step.
 */
export function whyInLog(answers: LogAnswers, asked: AskedWhy): WhyAnswer {
  const found = readersIn(answers, asked);
  const step = found.question === null && asked.question === null && asked.selection === null ? answers.steps[asked.branch]?.[(asked.number ?? 0) - 1] : undefined;
  if (step === undefined) return found;
  const { key, params } = leadOf(step as unknown as Step);
  return { ...found, links: [{ key, params, rules: step.rules, subject: null, compared: [], step: step.number, answers: true }, ...found.links] };
}

/**
 * The answer about the partition that the reader asked about or selected; else about the step's partition; else about
 * any partition whose consumers stop.
 */
function readersIn({ why, written, steps }: LogAnswers, asked: AskedWhy): WhyAnswer {
  const number = asked.number ?? written?.newest ?? 0;
  if (written !== null && asked.branch !== written.id && number > written.newest) return alone("log.why.preview", written.newest);
  const here = why.filter(({ first, last }) => first <= number && (last === null || number <= last));
  const actor = steps[written?.id ?? ""]?.[number - 1]?.actor;
  const wanted = [asked.subject, asked.selection?.id, actor];
  const found = wanted.map((name) => here.find(({ partition }) => partition === name)).find((one) => one !== undefined) ?? here[0];
  if (found === undefined) return alone("log.why.free");
  return { questions: here.map(questionOf), question: QUESTION, subject: found.partition, links: found.links as unknown as WhyLink[] };
}

function questionOf({ partition, offset }: LogWhy): WhyQuestion {
  return { question: QUESTION, subject: partition, key: "why.ask.lso", params: { partition, offset } };
}

/** An answer of one sentence. `step`: the number of a step at which *why* has a better answer; null: none. */
function alone(key: string, step: number | null = null): WhyAnswer {
  return { questions: [], question: null, subject: "", links: [{ key, params: {}, rules: [], subject: null, compared: [], step, answers: true }] };
}
