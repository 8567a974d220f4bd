/**
 * Composes the comparison about a refused or duplicate batch: the rule that decided, as a question with its answer, and
 * the arrived numbers beside the stored ones. It is shown on a card in the network (ghosts.ts) or, on an upright stage
 * whose network has no room for it, at the foot (under-phone.ts).
 */

import { answered, layoutFields } from "../diagrams/decision-fields.ts";
import type { DecisionShape } from "../diagrams/decision-fields.ts";
import { fieldName, valueText } from "../diagrams/field-words.ts";
import type { DecisionRow, Frame, Json } from "../player/frame.ts";
import { facts } from "../player/joins.ts";
import { say } from "../player/text.ts";
import type { Focus } from "./contract.ts";
import { decides } from "./network.ts";

export interface Decided {
  by: string;
  rule: string;
  sentence: string;
  answer: string;
  /** The fields that have a number on both sides; may be empty. */
  fields: DecisionShape["fields"];
  /**
   * `off`: the rules that the run switches off, as texts. `passed`, `rest`: how many other rules passed, and how many
   * were not reached.
   */
  off: string[];
  passed: number;
  rest: number;
}

export function decidedBy(frame: Frame, focus: Focus): Decided | null {
  const decision = frame.step?.decision;
  if (decision == null || !decides(frame, focus)) return null;
  const count = (which: DecisionRow["outcome"]): number => decision.rows.filter(({ outcome }) => outcome === which).length;
  const row = decision.rows.find(({ outcome }) => outcome === "decided");
  if (row === undefined) return null;
  const { sentence, answer } = answered(row);
  const every = layoutFields(decision, 6);
  const both = every.filter(({ arrived, stored, isOfOtherEpoch }) => arrived !== "–" && stored !== "–" && isOfOtherEpoch !== true);
  return {
    by: decision.by, rule: row.rule, sentence, answer: answer ?? "", fields: withExpected(both.length > 0 ? both : every, frame.step?.refusal?.compared ?? []),
    off: decision.rows.filter(({ outcome }) => outcome === "off").map(({ key, params }) => say("stage.ghost.off_rule", { rule: say(key, params) })),
    passed: count("passed"), rest: count("not_reached"),
  };
}

/** The counts of `decidedBy` in words. */
export function countsText({ passed, rest }: Decided): string {
  const said = [["passed_rules", passed], ["more_rules", rest]] as const;
  return facts(said.filter(([, count]) => count > 0).map(([key, count]) => say(`stage.ghost.${key}`, { count })));
}

/**
 * The fields. Where the rule compared a number with an expected one, the field shows the expected number instead of the
 * stored one, and comes last: `first seq 1 | must be 0`.
 */
function withExpected(fields: Decided["fields"], compared: readonly (readonly [Json, Json])[]): Decided["fields"] {
  const values = new Map(compared.map(([name, value]) => [String(name), value]));
  const more = [...values].flatMap(([name, value]) => {
    const [, of] = /^arrived (.+)$/.exec(name) ?? [];
    const expected = of === undefined ? undefined : values.get(`expected ${of}`);
    return of === undefined || expected === undefined ? [] : [{ name: fieldName(of), arrived: valueText(value), stored: say("stage.ghost.must_be", { value: valueText(expected) }) }];
  });
  return [...fields.filter(({ name }) => more.every((one) => one.name !== name)), ...more];
}

export const sideOf = ({ arrived, stored }: Decided["fields"][number]): string => (stored === "–" ? arrived : `${arrived} ${arrived === stored ? "=" : "≠"} ${stored}`);

/** A field in words: `epoch 0 ≠ 2`; if only one side has the field, with that value. */
export function fieldText(field: Decided["fields"][number]): string {
  return `${field.name} ${sideOf(field)}`;
}
