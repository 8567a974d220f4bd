/** The numbers that a receiver compared when it decided, and its rules as questions with their answers. Pure. */

import type { Decision, DecisionRow, Json, JsonObject } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { fieldName, valueText } from "./field-words.ts";

/** The number of fields shown by default. */
const FIELDS = 5;

export interface RuleShape {
  number: number;
  rule: string;
  outcome: DecisionRow["outcome"];
  sentence: string;
  /** *Yes* or *No* if the rule's sentence is a question; null if it is none, or if the rule was not reached. */
  answer: string | null;
}

export interface DecisionShape {
  by: string;
  subject: string;
  /**
   * The compared fields, each with the arrived and the stored value in words. `isOfOtherEpoch`: the receiver stores no
   * value for the epoch that arrived, only for another one.
   */
  fields: { name: string; arrived: string; stored: string; isOfOtherEpoch?: boolean }[];
  rules: RuleShape[];
  /** If the request was refused: the rule that refused it, the error, the compared numbers and the next event. */
  refusal: { rule: string; error: string; compared: string; next: string } | null;
}

/** The first `most` fields, in the engine's order. A field that only one side has gets a dash on the other side. */
export function layoutFields(decision: Decision, most = FIELDS): DecisionShape["fields"] {
  const found = storedFields(decision);
  const names = [...Object.keys(decision.arrived)];
  for (const name of Object.keys(found)) if (!names.includes(name)) names.push(name);
  return names.slice(0, most).map((name) => {
    const arrived = decision.arrived[name];
    const stored = found[name];
    const isOther = stored !== undefined && isOfOtherEpoch(name, stored, decision);
    return {
      ...(isOther ? { isOfOtherEpoch: true } : {}),
      name: fieldName(name),
      arrived: arrived === undefined ? "–" : numberText(arrived),
      stored: stored === undefined ? "–" : isOther ? say("diagram.none_of_epoch", { epoch: decision.arrived["producer_epoch"] ?? "?" }) : numberText(stored),
    };
  });
}

/**
 * The numbers of the stored side. If the lookup of duplicates decided, they are those of the batch that it found, which
 * equal the arrived numbers; else those of the producer's state.
 */
function storedFields(decision: Decision): JsonObject {
  const isFound = decision.rows.some(({ key, outcome }) => key === "decision.duplicate_lookup" && outcome === "decided");
  return isFound ? decision.arrived : (decision.stored ?? {});
}

/**
 * Whether the field is the last sequence number, and none is stored because the producer's stored state is of another
 * epoch than the one that arrived.
 */
function isOfOtherEpoch(name: string, stored: Json, { arrived, stored: known }: Decision): boolean {
  return name === "last_sequence" && (stored === null || stored === -1) && known?.["producer_epoch"] != null && known["producer_epoch"] !== arrived["producer_epoch"];
}

/** A number in words; −1 and null both mean that there is none yet. */
function numberText(value: Json): string {
  return value === -1 || value === null ? say("diagram.none") : valueText(value);
}

/** The sentence of a rule, and its answer if it is a question; the first rule with the answer *yes* decides. */
export function answered(row: DecisionRow): { sentence: string; answer: string | null } {
  const sentence = say(row.key, row.params);
  const asked = row.outcome === "decided" || row.outcome === "passed";
  if (!asked || !/[?？]/.test(sentence)) return { sentence, answer: null };
  return { sentence, answer: say(row.outcome === "decided" ? "diagram.decision.yes" : "diagram.decision.no") };
}
