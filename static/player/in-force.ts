/**
 * Decides which rows of machines and lines of code apply in a run. A row or line may need certain versions of Kafka and
 * a level of `transaction.version` (engine/explain/in_force.py). The header has the version of each actor, the view the
 * level.
 */

import type { Frame } from "./frame.ts";

/** What a row or line needs. `versions`: it exists only in these (missing: in all); `level`: the least level. */
export interface Needs {
  versions?: string[];
  level?: number;
}

export interface InForce {
  /** The actor's version of Kafka; "" if the run has no Kafka, so that all rows and lines apply. */
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
