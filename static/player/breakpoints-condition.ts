/** Reads the fields of a breakpoint's form as a condition. Pure, no DOM. */

import type { Condition, StepKind } from "./conditions.ts";
import type { Language } from "./frame.ts";

/** The condition that the form's fields state; null if it is incomplete. An empty choice means any value. */
export function conditionOf(on: Condition["on"], fields: FormData, language: Language): Condition | null {
  const field = (name: string): string => String(fields.get(name) ?? "").trim();
  switch (on) {
    case "interesting":
      return { on };
    case "broken":
      return field("guarantee") === "" ? { on } : { on, guarantee: field("guarantee") };
    case "error":
      return field("error") === "" ? { on } : { on, error: field("error") };
    case "kind":
      return { on, kind: field("kind") as StepKind };
    case "state": {
      const state = { on, machine: field("machine"), state: field("state") } as const;
      return field("of") === "" ? state : { ...state, of: field("of") };
    }
    case "subject": {
      const [kind, ...id] = field("subject").split(":");
      return id.length === 0 ? null : { on, kind: kind as "actor", id: id.join(":") };
    }
    case "rule":
      return field("rule") === "" ? null : { on, rule: field("rule").toUpperCase() };
    case "text":
      return field("text") === "" ? null : { on, text: field("text"), language };
  }
}
