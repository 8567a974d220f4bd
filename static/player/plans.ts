/**
 * The plans of a session's branches (docs/frame.md, *Plan*), which are requested if one is missing or outgrown. Until a
 * branch has its own plan, its parent's is used, so that the parts that both share keep their places.
 */

import type { Lines } from "./lines.ts";
import type { Plan } from "../generated/messages.ts";
import type { Source } from "./source.ts";

export class Plans {
  readonly #lines: Lines;
  readonly #source: Source;
  readonly #plans = new Map<string, Plan>();
  /** Branch → its state when its plan was last requested or received. */
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
   * Keeps a plan. `interventions`: how many of the branch's own interventions it knows. A plan may arrive twice,
   * because a request without an answer is repeated.
   */
  put(branch: string, plan: Plan, interventions: number): void {
    const grewNot = this.#plans.get(branch)?.steps === plan.steps;
    this.#plans.set(branch, plan);
    this.#asked.set(branch, { interventions, outgrown: grewNot ? plan.steps : null });
  }

  /**
   * Requests the plan of a branch, unless it is there or was requested. If the server cannot make it, the page has
   * none.
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
 * The number of the branch's own interventions, and the last step of the plan that the branch has outgrown; null if it
 * has outgrown none.
 */
interface Asked {
  interventions: number;
  outgrown: number | null;
}
