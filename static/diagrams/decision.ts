/**
 * What the receiver decided: the numbers that arrived beside the numbers it had, the rules in the order tried,
 * the deciding one lit, the rest *not reached*; and for a refusal the error and what happens next.
 *
 *     <eos-decision></eos-decision>
 *     document.querySelector("eos-decision").frame = frame;
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import type { Decision, DecisionRow, Frame, Json, Refusal } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { DiagramElement, folded, section } from "./element.ts";
import { errorText, fieldName, valueText } from "./field-words.ts";
import { plainly } from "./picked.ts";

export const defaults = { fields: 6 };

export interface RuleShape {
  number: number;
  rule: string;
  outcome: DecisionRow["outcome"];
  sentence: string;
}

export interface DecisionShape {
  by: string;
  subject: string;
  fields: { name: string; arrived: string; stored: string; same: boolean | null }[];
  rules: RuleShape[];
  /** What the deciding rule led to. */
  refusal: { rule: string; error: string; compared: string; next: string } | null;
}

/** Field by field, in the order in which the engine names them; a field known on one side only has a dash. */
export function layoutFields(decision: Decision, most = defaults.fields): DecisionShape["fields"] {
  const names = [...Object.keys(decision.arrived)];
  for (const name of Object.keys(decision.stored ?? {})) if (!names.includes(name)) names.push(name);
  return names.slice(0, most).map((name) => {
    const arrived = decision.arrived[name];
    const stored = decision.stored?.[name];
    return {
      name: fieldName(name),
      arrived: arrived === undefined ? "–" : numberText(arrived),
      stored: stored === undefined ? "–" : numberText(stored),
      same: arrived === undefined || stored === undefined ? null : arrived === stored,
    };
  });
}

/** −1 and null both mean that there is none yet. */
function numberText(value: Json): string {
  return value === -1 || value === null ? say("diagram.none") : valueText(value);
}

export function layoutDecision(decision: Decision, refusal: Refusal | null): DecisionShape {
  return {
    by: decision.by,
    subject: decision.subject,
    fields: layoutFields(decision),
    rules: decision.rows.map((row, index) => ({
      number: index + 1, rule: row.rule, outcome: row.outcome, sentence: say(row.key, row.params),
    })),
    refusal: refusal === null ? null : layoutRefusal(refusal),
  };
}

export function layoutRefusal(refusal: Refusal): NonNullable<DecisionShape["refusal"]> {
  return {
    rule: refusal.rule,
    error: refusal.error,
    compared: refusal.compared.map(([name, value]) => errorText(name, value)).join(", "),
    next: say(refusal.next, refusal.next_params),
  };
}

export class DecisionPanel extends DiagramElement {
  static override styles = [
    ...DiagramElement.styles,
    css`
      .compared { display: grid; grid-template-columns: minmax(84px, auto) 1fr 1fr; gap: 0 10px; margin-top: 3px;
        line-height: 18px; }
      .compared dt { color: var(--ink-2); }
      .compared dt, .compared dd { border-top: 1px solid var(--line); }
      .compared .head { border: 0; color: var(--ink-2); font-size: var(--t-mark); line-height: 14px; }
      .compared dd b { font-size: 14px; font-variant-numeric: tabular-nums; }
      ol { margin-top: 5px; }
      li { display: grid; grid-template-columns: 18px 1fr; padding: 1px 0; color: var(--ink-2); }
      li > :first-child { font-weight: 600; }
      li.decided { color: var(--ink); background: var(--now); outline: 2px solid var(--ink); padding: 4px 8px;
        margin: 2px -8px; }
      li.decided .sentence { font-weight: 650; }
      li.not_reached, li.off { color: var(--ink-3); }
      li.off .sentence { text-decoration: line-through; }
      .refusal { margin-top: 6px; border-left: 4px solid var(--bad); padding-left: 8px; }
      .rule { color: inherit; font-size: var(--t-mark); white-space: nowrap; }
    `,
  ];

  protected override show(frame: Frame): TemplateResult {
    const step = frame.step;
    if (step?.decision == null) {
      return step?.refusal == null
        ? folded(say("diagram.decision.heading"), say("diagram.decision.none"))
        : section(say("diagram.decision.refused_by", { by: step.actor }), step.refusal.rule, this.#refusal(layoutRefusal(step.refusal)));
    }
    const shape = layoutDecision(step.decision, step.refusal);
    const title = html`<button @click=${() => this.pick(plainly("actor", shape.by))}>${say("diagram.decision.by", { by: shape.by })}</button>`;
    return section(
      title,
      shape.subject,
      html`<dl class="compared"><dt class="head">${nothing}</dt><dd class="head">${say("diagram.decision.arrived")}</dd><dd
        class="head">${say("diagram.decision.stored")}</dd>${shape.fields.map(
          (field) => html`<dt>${field.name}</dt><dd><b>${field.arrived}</b></dd><dd><b>${field.stored}</b>${
            field.same === null ? nothing : html` <span class="quiet">${field.same ? "=" : "≠"}</span>`}</dd>`,
        )}</dl><ol>${shape.rules.map((rule) => drawRule(rule))}</ol>${
        shape.refusal === null ? nothing : this.#refusal(shape.refusal)}`,
    );
  }

  #refusal(refusal: NonNullable<DecisionShape["refusal"]>): TemplateResult {
    return html`<div class="refusal"><p><span class="bad">${refusal.error}</span> <span class="rule">${refusal.rule}</span></p><p>${
      refusal.compared}</p><p>${refusal.next}</p></div>`;
  }
}

function drawRule(rule: RuleShape): TemplateResult {
  const outcome = rule.outcome === "decided" ? nothing : html` <span>${say(`diagram.decision.${rule.outcome}`)}</span>`;
  return html`<li class=${rule.outcome}><span>${rule.number}</span><span><span class="sentence">${rule.sentence}</span>${outcome} <span
    class="rule">${rule.rule}</span></span></li>`;
}

customElements.define("eos-decision", DecisionPanel);
