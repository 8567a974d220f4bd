/**
 * What the receiver decided: the numbers that arrived beside the stored ones, the rules in the order in which they were
 * tried, with the deciding one highlighted and the following ones *not reached*; and for a refusal the error and what
 * happens next.
 *
 *     <eos-decision></eos-decision>
 *     document.querySelector("eos-decision").frame = frame;
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import type { Decision, Frame, Refusal } from "../player/frame.ts";
import { errorName } from "../player/terms.ts";
import { facts, sentences } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { answered, layoutFields } from "./decision-fields.ts";
import type { DecisionShape, RuleShape } from "./decision-fields.ts";
import { DiagramElement, folded, section } from "./element.ts";
import { errorText } from "./field-words.ts";
import { arrivalWords } from "./lane-arrival.ts";
import { arrivedNow } from "./lane-arrived.ts";
import { plainly } from "./picked.ts";

/** The number of rules drawn before and after the deciding one; the others are counted and can be unfolded. */
export const defaults = { before: 2, after: 1, refused: { before: 0, after: 0 } };

export function layoutDecision(decision: Decision, refusal: Refusal | null): DecisionShape {
  return {
    by: decision.by,
    subject: decision.subject,
    fields: layoutFields(decision),
    rules: decision.rows.map((row, index) => ({ number: index + 1, rule: row.rule, outcome: row.outcome, ...answered(row) })),
    refusal: refusal === null ? null : layoutRefusal(refusal),
  };
}

/** The result of an append, in the words of the lanes; null if the step is about something else or was refused. */
export function consequence(frame: Frame): string | null {
  const decision = frame.step?.decision;
  if (decision == null || frame.step?.refusal != null) return null;
  const partition = frame.view.partitions?.[decision.subject];
  const id = /^broker-(\d+)$/.exec(decision.by)?.[1];
  const replica = id === undefined ? undefined : partition?.replicas[id];
  if (id === undefined || replica === undefined) return null;
  const arrived = arrivedNow(frame, decision.subject, id);
  if (arrived === null) return null;
  if (arrived.fate === "duplicate") return say("diagram.decision.answered", { base_offset: arrived.at ?? 0 });
  return arrivalWords(frame, arrived).detail;
}

/**
 * The rules in three parts: the drawn ones, and the folded ones before and after them. Drawn are the deciding rule with
 * its neighbours, or the first rules if none decided.
 */
export function foldRules(rules: readonly RuleShape[], options: { before: number; after: number } = defaults) {
  const decided = Math.max(0, rules.findIndex((rule) => rule.outcome === "decided"));
  const from = Math.max(0, decided - options.before);
  const to = Math.min(rules.length, decided + options.after + 1);
  // A single rule is not folded, because the line that counts it would take as much room. If no rule is to be drawn on
  // that side (`options`), it is folded all the same.
  const first = from === 1 && options.before > 0 ? 0 : from;
  const last = to === rules.length - 1 && options.after > 0 ? rules.length : to;
  return { before: rules.slice(0, first), drawn: rules.slice(first, last), after: rules.slice(last) };
}

export function layoutRefusal(refusal: Refusal): NonNullable<DecisionShape["refusal"]> {
  return {
    rule: refusal.rule,
    error: refusal.error,
    compared: facts(refusal.compared.map(([name, value]) => errorText(name, value))),
    next: say(refusal.next, refusal.next_params),
  };
}

export class DecisionPanel extends DiagramElement {
  static override styles = [
    ...DiagramElement.styles,
    css`
      .compared td { font-weight: 650; line-height: 18px; padding: 1px 6px 1px 0; }
      .compared tr > :first-child { padding-inline-start: 0; }
      .compared thead td { border: 0; }
      .compared tbody th { border-top: 1px solid var(--line); vertical-align: baseline; }
      ol { margin-top: 1px; }
      li { display: grid; grid-template-columns: 18px 1fr; padding: 1px 0; color: var(--ink-2); }
      li > :first-child { font-weight: 600; }
      li.decided { color: var(--ink); background: var(--now); outline: 2px solid var(--ink); padding: 2px 8px;
        margin: 1px -8px; }
      li.decided .sentence { font-weight: 650; }
      li.not_reached { color: var(--ink-3); }
      .refusal { margin-top: 3px; border-left: 4px solid var(--bad); padding-left: 8px; }
      .rule { color: inherit; font-size: var(--t-mark); white-space: nowrap; }
    `,
  ];

  protected override show(frame: Frame): TemplateResult {
    const step = frame.step;
    if (step?.decision == null) {
      return step?.refusal == null
        ? folded(say("diagram.decision.heading"), say("diagram.decision.none"))
        : section(say("diagram.decision.refused"), step.refusal.rule, this.#refusal(layoutRefusal(step.refusal)));
    }
    const shape = layoutDecision(step.decision, step.refusal);
    const title = html`<button @click=${() => this.pick(plainly("actor", shape.by))}>${say("diagram.decision.by", { by: shape.by })}</button>`;
    return section(
      title,
      subjectText(frame, shape),
      html`<table class="compared"><thead><tr><td></td>${shape.fields.map((field) => html`<th scope="col">${field.name}</th>`)}</tr></thead><tbody>
        <tr><th scope="row">${say("diagram.decision.arrived")}</th>${shape.fields.map((field) => html`<td>${field.arrived}</td>`)}</tr>
        <tr><th scope="row">${say("diagram.decision.stored")}</th>${shape.fields.map((field) => html`<td>${field.stored}</td>`)}</tr>
      </tbody></table>${drawLadder(shape.rules, consequence(frame), shape.refusal !== null)}${shape.refusal === null ? nothing : this.#refusal(shape.refusal)}`,
    );
  }

  #refusal(refusal: NonNullable<DecisionShape["refusal"]>): TemplateResult {
    return html`<div class="refusal"><p><span class="bad">${errorName(refusal.error)}</span> <span class="rule">${refusal.rule}</span></p><p>${
      refusal.compared}</p><p>${refusal.next}</p></div>`;
  }
}

/** The subject of a decision in words, such as a partition; `leader of t-0` if the partition's leader decides. */
function subjectText(frame: Frame, shape: DecisionShape): string {
  const leader = frame.view.partitions?.[shape.subject]?.leader;
  return leader != null && shape.by === `broker-${leader}` ? say("diagram.decision.leader_of", { partition: shape.subject }) : shape.subject;
}

function drawLadder(rules: readonly RuleShape[], came: string | null, refused: boolean): TemplateResult {
  // After a refusal, fewer rules are drawn, because the error and its consequence are drawn below and need the room.
  const { before, drawn, after } = foldRules(rules, refused ? defaults.refused : defaults);
  return html`${drawFolded(before)}<ol>${drawn.map((rule) => drawRule(rule, came))}</ol>${drawFolded(after)}`;
}

/** The line for folded rules: how many passed, were not reached and were off. */
function drawFolded(rules: readonly RuleShape[]): TemplateResult | typeof nothing {
  if (rules.length === 0) return nothing;
  const outcomes = ["passed", "not_reached", "off"] as const;
  const counts = outcomes
    .map((outcome) => [outcome, rules.filter((rule) => rule.outcome === outcome).length] as const)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => say(`diagram.decision.folded_${outcome}`, { count }));
  return html`<details class="more"><summary>${sentences(counts)}</summary><ol>${rules.map((rule) => drawRule(rule, null))}</ol></details>`;
}

function drawRule(rule: RuleShape, came: string | null): TemplateResult {
  const decided = rule.outcome === "decided";
  const untried = decided || rule.outcome === "passed" ? nothing : html` <span>${say(`diagram.decision.${rule.outcome}`)}</span>`;
  const answer = rule.answer === null ? (rule.outcome === "passed" ? say("diagram.decision.passed") : null) : rule.answer;
  return html`<li class=${rule.outcome} title=${rule.rule}><span>${rule.number}</span><span><span class="sentence">${rule.sentence}${
    answer === null ? nothing : html` <b>${answer}</b>`}</span>${untried}${rule.outcome === "not_reached" ? nothing : html` <span class="rule">${rule.rule}</span>`}${
    decided && came !== null ? html`<br><span>${came}</span>` : nothing}</span></li>`;
}

customElements.define("eos-decision", DecisionPanel);
