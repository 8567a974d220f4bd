/**
 * The middleware's two tables: the responses that it has received from each participant, and those for which it waits.
 *
 *     <eos-middleware-votes></eos-middleware-votes>
 *     document.querySelector("eos-middleware-votes").frame = frame;
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Frame } from "../player/frame.ts";
import { say, words } from "../player/text.ts";
import { stateWord } from "../stage/state-word.ts";
import { hasChanged, stateWas } from "./changes.ts";
import { DiagramElement, folded, section } from "./element.ts";
import { shownTransaction } from "./middleware-shown.ts";

export const defaults = { rows: 7 };

export interface VoteRow {
  node: string;
  vote: string;
  voteWas: string | null;
  asked: string;
  answer: string;
  changed: boolean;
}

export interface VotesShape {
  tid: string;
  decision: string | null;
  strategy: string;
  rows: VoteRow[];
  folded: number;
  timer: string | null;
}

export function layoutVotes(frame: Frame, most = defaults.rows): VotesShape | null {
  const transactions = frame.view.middleware?.transactions ?? {};
  // The business system may know a transaction that the middleware does not; then the middleware's newest one is shown.
  const shown = shownTransaction(frame);
  const tid = shown !== null && shown in transactions ? shown : (Object.keys(transactions).sort((one, other) => Number(other) - Number(one))[0] ?? null);
  const entry = tid === null ? undefined : transactions[tid];
  if (tid === null || entry === undefined) return null;
  const path = ["middleware", "transactions", tid];
  const nodes = [...new Set([...Object.keys(entry.votes ?? {}), ...Object.keys(entry.answers ?? {})])].sort();
  const rows = nodes.map((node): VoteRow => {
    const answer = entry.answers?.[node];
    return {
      node,
      vote: entry.votes?.[node] ?? "–",
      voteWas: stateWas(frame, ...path, "votes", node),
      asked: answer === undefined ? "–" : answer.tries === 0
        ? say("diagram.votes.not_yet", { asked: answer.asked })
        : say("diagram.votes.asked", { asked: answer.asked, tries: answer.tries }),
      answer: answer === undefined ? "–" : answer.answer ?? say("diagram.none"),
      changed: hasChanged(frame, ...path, "votes", node) || hasChanged(frame, ...path, "answers", node),
    };
  });
  const timer = entry.timer;
  return {
    tid,
    decision: entry.decision,
    strategy: strategyText(frame),
    rows: rows.slice(0, most),
    folded: Math.max(0, rows.length - most),
    timer: timer === null ? null : say("diagram.votes.timer", { kind: timerWord(timer.kind), until: timer.until }),
  };
}

function timerWord(kind: string): string {
  const key = `diagram.votes.timer.${kind}`;
  return words.knows(key) ? say(key) : kind.replaceAll("_", " ");
}

function strategyText(frame: Frame): string {
  const strategy = frame.view.middleware?.middleware?.strategy;
  if (strategy === undefined) return "";
  const key = `word.strategy.${strategy}`;
  return words.knows(key) ? say(key) : strategy.replaceAll("_", " ");
}

export class MiddlewareVotes extends DiagramElement {
  static override styles = [...DiagramElement.styles, css`td { overflow-wrap: break-word; font-size: var(--t-mark); }`];

  protected override show(frame: Frame): TemplateResult | typeof nothing {
    const shape = layoutVotes(frame);
    if (shape === null) return nothing;
    if (shape.rows.length === 0) return folded(say("diagram.votes.heading", { tid: shape.tid }), say("diagram.votes.nobody_asked"));
    return section(
      say("diagram.votes.heading", { tid: shape.tid }),
      shape.decision === null ? say("diagram.votes.undecided") : say("diagram.votes.decided", { decision: stateWord(shape.decision) }),
      html`<table><thead><tr><th>${say("diagram.roles.node")}</th><th>${say("diagram.votes.vote")}</th><th>${say("diagram.votes.request")}</th><th>${
        say("diagram.votes.answer")}</th></tr></thead><tbody>${repeat(shape.rows, (row) => row.node, (row) => html`<tr class=${row.changed ? "hit" : ""}><td>${
        row.node}</td><td>${stateWord(row.vote)}${row.voteWas === null ? nothing : html` <span class="was">${row.voteWas}</span>`}</td><td>${row.asked}</td><td>${
        row.answer}</td></tr>`)}</tbody></table>${shape.folded > 0 ? html`<p class="quiet">${say("diagram.roles.folded", { count: shape.folded })}</p>` : nothing}${
        shape.timer === null ? nothing : html`<p>${shape.timer}</p>`}${
        shape.strategy === "" ? nothing : html`<p class="quiet">${say("diagram.votes.strategy", { strategy: shape.strategy })}</p>`}`,
    );
  }
}

customElements.define("eos-middleware-votes", MiddlewareVotes);
