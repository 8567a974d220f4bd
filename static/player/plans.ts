/**
 * Holds the plans of a session's branches (docs/frame.md, *Plan*), and requests a plan that is missing or that does not
 * reach the branch's newest step ("outgrown"). Until a branch has its own plan, its parent's is used, so that the parts
 * that both share keep their places.
 */

import type { Lines } from "./lines.ts";
import type { Plan } from "../generated/messages.ts";
import type { Source } from "./source.ts";

export class Plans {
  readonly #lines: Lines;
  readonly #source: Source;
  readonly #plans = new Map<string, Plan>();
  /** Branch → for which state of the branch its plan was last requested or received. */
  readonly #asked = new Map<string, Asked>();

  constructor(lines: Lines, source: Source) {
    this.#lines = lines;
    this.#source = source;
  }

  of(branch: string): Plan | null {
    for (let id: string | null = branch; id !== null; id = this.#lines.branches.get(id)?.parent ?? null) {
      const plan = this.#plans.get(id);
      if (plan !== undefined) return plan;
    }
    return null;
  }

  /** The branch's own plan, not its parent's; null if it has not arrived. */
  own(branch: string): Plan | null {
    return this.#plans.get(branch) ?? null;
  }

  /**
   * Keeps a plan that has arrived. `interventions`: how many of the branch's own interventions it takes into account. A
   * plan may arrive twice, because a request without an answer is repeated.
   */
  put(branch: string, plan: Plan, interventions: number): void {
    const grewNot = this.#plans.get(branch)?.steps === plan.steps;
    this.#plans.set(branch, plan);
    this.#asked.set(branch, { interventions, outgrown: grewNot ? plan.steps : null });
  }

  /**
   * Requests the plan of a branch, unless a plan for its present state has arrived or was requested. If the server
   * refuses, the page stays without it.
   */
  look(branch: string): void {
    const info = this.#lines.branches.get(branch);
    if (info === undefined) return;
    const plan = this.#plans.get(branch);
    const wanted: Asked = { interventions: info.interventions.length, outgrown: plan !== undefined && !plan.complete && info.newest > plan.steps ? plan.steps : null };
    const asked = this.#asked.get(branch);
    if (asked?.interventions === wanted.interventions && (wanted.outgrown === null || asked.outgrown === wanted.outgrown)) return;
    this.#asked.set(branch, wanted);
    this.#source.ask({ type: "plan", branch }).catch(() => undefined);
  }
}

/**
 * A branch when its plan was requested: the number of its own interventions, and the last step of the plan that it had
 * outgrown; `outgrown` null: it had outgrown none.
 */
interface Asked {
  interventions: number;
  outgrown: number | null;
}
