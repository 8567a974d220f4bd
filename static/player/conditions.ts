/**
 * Conditions by which a reader looks for steps (docs/websocket.md): in words, and as a short text for the address. The
 * server decides at which steps a condition holds.
 */

import type * as messages from "../generated/messages.ts";
import type { Header, OnKind, OnSubject } from "../generated/messages.ts";
import { say } from "./text.ts";
import type { WithoutNull } from "./whole-view.ts";

/** A condition. A field that may have any value is absent. */
export type Condition = WithoutNull<messages.Condition>;

export type SubjectKind = OnSubject["kind"];
export type StepKind = OnKind["kind"];

export const SUBJECTS: readonly SubjectKind[] = ["actor", "partition", "transaction", "message"];

/** Every name that a condition may hold: `GET /api/conditions`. */
export interface Choices {
  kinds: string[];
  guarantees: string[];
  machines: Record<string, string[]>;
  errors: string[];
  rule_groups: string[];
}

/** The names that may occur in a run with this header, fetched from the address `conditions`. Rejects if that fails. */
export async function fetchChoices(conditions: string, header: Pick<Header, "version" | "client_versions"> | null): Promise<Choices> {
  const asked = new URLSearchParams([
    ["version", header?.version ?? ""], ...[...new Set(Object.values(header?.client_versions ?? {}))].map((version) => ["client", version]),
  ]);
  const response = await fetch(`${conditions}?${asked.toString()}`, { headers: { Accept: "application/json" } });
  if (!response.ok) throw new Error(String(response.status));
  return (await response.json()) as Choices;
}

/** A condition in words. */
export function inWords(condition: Condition): string {
  switch (condition.on) {
    case "kind":
      return say("stops.kind.is", { kind: say(`stops.kind.${condition.kind}`) });
    case "interesting":
      return say("stops.interesting.is");
    case "broken":
      return condition.guarantee === undefined ? say("stops.broken.any") : say("stops.broken.is", { guarantee: say(`player.guarantee.${condition.guarantee}`) });
    case "state": {
      const { machine, state, of } = condition;
      return of === undefined ? say("stops.state.is", { machine, state }) : say("stops.state.of", { machine, state, of });
    }
    case "error":
      return condition.error === undefined ? say("stops.error.any") : say("stops.error.is", { error: condition.error });
    case "subject":
      return say(`stops.subject.${condition.kind}`, { id: condition.id });
    case "rule":
      return say("stops.rule.is", { rule: condition.rule });
    case "text":
      return say("stops.text.is", { text: condition.text });
  }
}

/**
 * A condition as `state:transaction_states:CompleteCommit`: its parts with colons between them, each escaped for an
 * address.
 */
export function inShort(condition: Condition): string {
  const parts: (string | undefined)[] = [condition.on];
  switch (condition.on) {
    case "kind":
      parts.push(condition.kind);
      break;
    case "broken":
      parts.push(condition.guarantee);
      break;
    case "state":
      parts.push(condition.machine, condition.state, condition.of);
      break;
    case "error":
      parts.push(condition.error);
      break;
    case "subject":
      parts.push(condition.kind, condition.id);
      break;
    case "rule":
      parts.push(condition.rule);
      break;
    case "text":
      parts.push(condition.language, condition.text);
      break;
  }
  return parts.filter((part) => part !== undefined).map(encodeURIComponent).join(":");
}

/** The condition of a short text; null if the text is none. */
export function outOfShort(short: string): Condition | null {
  let parts: string[];
  try {
    parts = short.split(":").map(decodeURIComponent);
  } catch {
    return null;
  }
  const [on, one, two, three] = parts;
  if (parts.some((part) => part === "" || part.length > 200)) return null;
  if (on === "interesting") return { on };
  if (on === "broken") return one === undefined ? { on } : { on, guarantee: one };
  if (on === "error") return one === undefined ? { on } : { on, error: one };
  if (on === "kind" && one !== undefined) return { on, kind: one as StepKind };
  if (on === "rule" && one !== undefined) return { on, rule: one };
  if (on === "state" && one !== undefined && two !== undefined) {
    return three === undefined ? { on, machine: one, state: two } : { on, machine: one, state: two, of: three };
  }
  if (on === "subject" && two !== undefined && SUBJECTS.includes(one as SubjectKind)) return { on, kind: one as SubjectKind, id: two };
  if (on === "text" && two !== undefined && (one === "en" || one === "zh-Hans")) return { on, text: two, language: one };
  return null;
}
