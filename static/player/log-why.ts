/** Why readers stop, in a log case: the answers came with its file (engine/codec/log_why.py), one for each stretch of steps. Pure. */

import type { AskWhy, LogWhy, PlayedBranch, SentStep as Step } from "../generated/messages.ts";
import type { WhyAnswer, WhyLink, WhyQuestion } from "./why-answer.ts";

export interface LogAnswers {
  why: readonly LogWhy[];
  /** The branch with what is in the files; others try what no log contains. */
  written: PlayedBranch | null;
  steps: Readonly<Record<string, readonly Step[]>>;
}

export type AskedWhy = Pick<AskWhy, "branch" | "number" | "selection" | "question" | "subject">;

const QUESTION = "lso";

/** The partition that was asked about or selected, else the one that the step is about, else any whose consumers stop. */
export function whyInLog({ why, written, steps }: LogAnswers, asked: AskedWhy): WhyAnswer {
  const number = asked.number ?? written?.newest ?? 0;
  if (written !== null && asked.branch !== written.id && number > written.newest) return alone("log.why.preview");
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

function alone(key: string): WhyAnswer {
  return { questions: [], question: null, subject: "", links: [{ key, params: {}, rules: [], subject: null, compared: [], step: null, answers: true }] };
}
