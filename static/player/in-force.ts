/**
 * Which rows of machines and lines of code apply in a run: rows and lines say which versions of Kafka and which level
 * of `transaction.version` they need (engine/explain/in_force.py); the header says the version of each actor, the view
 * the level.
 */

import type { Frame } from "./frame.ts";

/** The versions that have the row or line (all if none is named), and the level that it needs there. */
export interface Needs {
  versions?: string[];
  level?: number;
}

export interface InForce {
  /** Empty if no Kafka runs: then nothing is left out. */
  version: string;
  level: number;
}

export const EVERYTHING: InForce = { version: "", level: Number.POSITIVE_INFINITY };

/**
 * The version and level of an actor: those of the cluster, unless the actor is a client of another version. If a
 * recording does not state the level, nothing is left out because of it.
 */
export function inForce(frame: Pick<Frame, "header" | "view">, actor: string): InForce {
  const { version, client_versions } = frame.header;
  return { version: client_versions?.[actor] ?? version, level: frame.view.derived?.transaction_version ?? EVERYTHING.level };
}

export function has(there: InForce, needs: Needs): boolean {
  if (there.version === "") return true;
  return (needs.versions?.includes(there.version) ?? true) && (needs.level ?? 0) <= there.level;
}
