/**
 * What the engine derives of a view and of a step (docs/frame.md, *Derived*): facts that a panel draws and does not work
 * out. A recording that was kept before the engine told them has none.
 */

import type { Change } from "./frame.ts";

export interface Timer {
  kind: string;
  subject: string;
  /** Null where nobody keeps since when. */
  since: number | null;
  until: number;
}

export interface Disagreement {
  /** The last sequence that was acknowledged, the epoch, or whether the leader knows the producer at all. */
  what: "sequence" | "epoch" | "unknown";
  producer_id: number;
  leader: number;
  own: number | null;
  known: number | null;
}

export interface Derived {
  /** Of what waits, the first in the order in which they will happen. */
  pending: string[];
  /** Of all roles but clients, by `<actor>/<kind> <subject>`. */
  timers: Record<string, Timer & { actor: string }>;
  /** By client and partition. */
  disagreements: Record<string, Record<string, Disagreement>>;
  /** By guarantee, the records that have broken it. */
  broken: Partial<Record<string, Record<string, true>>>;
}

/** A batch that reached a log in this step. */
export interface Arrival {
  partition: string;
  broker: string;
  fate: "appended" | "duplicate" | "refused" | "not_stored";
  /** Base offset of the batch that was appended, or of the stored one with the same numbers. */
  at: number | null;
  /** COMMIT or ABORT of a marker that was not appended. */
  control?: string;
}

export interface StepDerived {
  /** Of the view's `derived`; missing where nothing changes. */
  changes?: Change[];
  arrivals?: Arrival[];
}

/** Of one branch of a file: of its first view, where it has no parent, and of each of its own steps. */
export interface FileDerived {
  view?: Derived;
  steps: StepDerived[];
}
