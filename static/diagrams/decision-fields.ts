/** The numbers on both sides of a decision, and its rules as questions with their answers. Pure. */

import type { Decision, DecisionRow, Json, JsonObject } from "../player/frame.ts";
import { say } from "../player/text.ts";
import { fieldName, valueText } from "./field-words.ts";

/** Fields that are shown, unless it is said how many. */
const FIELDS = 5;

export interface RuleShape {
  number: number;
  rule: string;
  outcome: DecisionRow["outcome"];
  sentence: string;
  /** *Yes* or *No* after the question in the sentence; null if it has none or was not reached. */
  answer: string | null;
}

export interface DecisionShape {
  by: string;
  subject: string;
  /** `isOfOtherEpoch`: nothing is stored to compare with. */
  fields: { name: string; arrived: string; stored: string; isOfOtherEpoch?: boolean }[];
  rules: RuleShape[];
  /** The result of the deciding rule. */
  refusal: { rule: string; error: string; compared: string; next: string } | null;
}

/** Field by field, in the order in which the engine names them; a field known on one side only has a dash. */
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
 * If the lookup of duplicates decided: the batch that it found, which has the numbers that arrived. Else the producer's
 * state.
 */
function storedFields(decision: Decision): JsonObject {
  const isFound = decision.rows.some(({ key, outcome }) => key === "decision.duplicate_lookup" && outcome === "decided");
  return isFound ? decision.arrived : (decision.stored ?? {});
}

/**
 * The stored sequence is that of the epoch that arrived: of an epoch that has been left there is none, although the log
 * has records.
 */
function isOfOtherEpoch(name: string, stored: Json, { arrived, stored: known }: Decision): boolean {
  return name === "last_sequence" && (stored === null || stored === -1) && known?.["producer_epoch"] != null && known["producer_epoch"] !== arrived["producer_epoch"];
}

/** −1 and null both mean that there is none yet. */
function numberText(value: Json): string {
  return value === -1 || value === null ? say("diagram.none") : valueText(value);
}

/** Rules are questions; the first one with the answer *yes* decides. */
export function answered(row: DecisionRow): { sentence: string; answer: string | null } {
  const sentence = say(row.key, row.params);
  const asked = row.outcome === "decided" || row.outcome === "passed";
  if (!asked || !/[?？]/.test(sentence)) return { sentence, answer: null };
  return { sentence, answer: say(row.outcome === "decided" ? "diagram.decision.yes" : "diagram.decision.no") };
}
