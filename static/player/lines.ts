/**
 * Holds the branches of a session with their loaded steps, and computes the views after steps.
 *
 * A branch shares its steps up to `leaves_at` with its parent: each step is stored once, with the branch that owns it.
 * The view at n is the state after step n. Views that were shown are kept (they share equal parts). A missing view is
 * folded from the nearest kept one that is reachable over loaded steps, never from the beginning of the run.
 */

import type { Step, View } from "./frame.ts";
import { Walk } from "./fold.ts";
import type { BranchInfo, Difference } from "./source.ts";
import { StepWindows } from "./windows.ts";

export const defaults = {
  /**
   * The number of windows of 500 steps that are kept on either side of the one in which the reader is. So the memory of
   * a page does not grow with the run.
   */
  windows: 1,
  /** The most views that are kept for a branch. */
  views: 8,
  /** While folding, a view is kept every so many steps. */
  keepEvery: 250,
  /** The most steps over which a view is folded. If the nearest one is farther away, a near view is fetched instead. */
  foldAtMost: 600,
  /** The most steps after its own over which a near view is folded on: its lists get longer with every step. */
  onAtMost: 1000,
  /**
   * When the reader is so many steps after the one for which a near view was made, the page requests a newer one, so
   * that it need not wait later. The server makes near views at keyframes, every 500 steps, and folds them on from
   * there: with a number below 500, the page would get the same view again.
   */
  renewAfter: 600,
};

/**
 * The limits for a recording: all steps are kept, and views are folded over any distance, because there is no server.
 */
const endless = Number.POSITIVE_INFINITY;
export const whole: typeof defaults = { ...defaults, windows: endless, foldAtMost: endless, onAtMost: endless, renewAfter: endless, views: 160 };

/** The limits for a comparison of two runs, which needs steps far from the reader, too. */
export const wide: typeof defaults = { ...defaults, windows: 44 };

/** A range of a branch whose steps one branch (`owner`) stores: the views `from`…`to` and the steps `from` + 1…`to`. */
export interface Stretch {
  owner: string;
  from: number;
  to: number;
}

export class Lines {
  readonly branches = new Map<string, BranchInfo>();
  #windows = new Map<string, StepWindows>();
  #views = new Map<string, Map<number, View>>();
  /**
   * `owner/number` of the views that folding did not give, because a change on the way was about something that the
   * view before it leaves out. They have to be fetched.
   */
  readonly #lost = new Set<string>();
  readonly #limits: typeof defaults;

  constructor(limits: typeof defaults = defaults) {
    this.#limits = limits;
  }

  windows(owner: string): StepWindows {
    let windows = this.#windows.get(owner);
    if (windows === undefined) {
      windows = new StepWindows(this.#limits.windows);
      this.#windows.set(owner, windows);
    }
    return windows;
  }

  #viewsOf(owner: string): Map<number, View> {
    let views = this.#views.get(owner);
    if (views === undefined) {
      views = new Map();
      this.#views.set(owner, views);
    }
    return views;
  }

  /** The ranges of a branch from its root to its newest step. */
  stretches(branch: string): Stretch[] {
    const stretches: Stretch[] = [];
    let to = Number.MAX_SAFE_INTEGER;
    for (const info of withAncestors(this.branches, branch)) {
      const from = info.parent === null ? 0 : info.leaves_at;
      if (to > from || info.parent === null) stretches.unshift({ owner: info.id, from, to });
      to = Math.min(to, from);
    }
    return stretches;
  }

  owner(branch: string, number: number): string {
    return ownerOf(this.branches, branch, number);
  }

  step(branch: string, number: number): Step | undefined {
    return this.windows(this.owner(branch, number)).get(number);
  }

  mark(branch: string, number: number): number {
    return this.windows(this.owner(branch, number)).mark(number);
  }

  /**
   * A function from a step's number to its marks (bits, 0: never seen), for a caller that needs many steps of a branch.
   */
  marks(branch: string): (number: number) => number {
    const stretches = this.stretches(branch).map(({ owner, to }) => ({ to, windows: this.windows(owner) }));
    const [only, another] = stretches;
    if (only !== undefined && another === undefined) return (number) => only.windows.mark(number);
    return (number) => stretches.find(({ to }) => number <= to)?.windows.mark(number) ?? 0;
  }

  time(branch: string, number: number): number | undefined {
    return number === 0 ? 0 : this.windows(this.owner(branch, number)).time(number);
  }

  newest(branch: string): number {
    return this.branches.get(branch)?.newest ?? 0;
  }

  keep(branch: string, number: number, view: View): void {
    const views = this.#viewsOf(this.owner(branch, number));
    views.delete(number);
    views.set(number, view);
    if (views.size <= this.#limits.views) return;
    for (const kept of views.keys()) {
      if (kept === 0 || kept === number) continue;
      views.delete(kept);
      return;
    }
  }

  /** Sets the number of the branch's newest step. */
  reach(branch: string, newest: number): void {
    const info = this.branches.get(branch);
    if (info !== undefined) this.branches.set(branch, { ...info, newest });
  }

  /** Removes a step that the branch itself owns, and the kept views at it and after it. */
  letGo(branch: string, number: number): void {
    this.windows(branch).remove(number);
    const views = this.#viewsOf(branch);
    for (const at of [...views.keys()]) if (at >= number) views.delete(at);
  }

  /**
   * The kept view nearest to a step and at most `most` steps away, even if steps between them are not loaded; null if
   * there is none.
   */
  anchor(branch: string, number: number, most: number): { number: number; view: View } | null {
    let best: { number: number; view: View } | null = null;
    for (const stretch of this.stretches(branch)) {
      for (const [at, view] of this.#views.get(stretch.owner) ?? []) {
        if (at < stretch.from || at > stretch.to || !this.#reaches(view, number)) continue;
        const far = Math.abs(at - number);
        if (far <= most && (best === null || far < Math.abs(best.number - number))) best = { number: at, view };
      }
    }
    return best;
  }

  /** Keeps the view at `number`, made from the view `from` by a difference; steps between them need not be loaded. */
  arrive(branch: string, number: number, from: View, { changes, step }: Difference): void {
    const walk = new Walk(from);
    walk.along(changes);
    this.#arrived(branch, number, walk);
    if (step !== null) this.windows(this.owner(branch, number)).put([step], number);
  }

  /** The view after a step that is not in these lines; null if the view before it is missing or leaves out too much. */
  behind(branch: string, step: Step): View | null {
    const before = this.view(branch, step.number - 1);
    if (before === null) return null;
    const walk = new Walk(before);
    walk.forward(step);
    const view = walk.freeze();
    return walk.isLost ? null : view;
  }

  /** Whether the view at `number` has to be fetched as a near view, because folding did not give it. */
  isLost(branch: string, number: number): boolean {
    return this.#lost.has(`${this.owner(branch, number)}/${number}`) && !this.#isHeld(branch, number);
  }

  #isHeld(branch: string, number: number): boolean {
    return this.#views.get(this.owner(branch, number))?.has(number) === true;
  }

  /**
   * Keeps the view of a finished walk and returns it; null if a change was about something that the view leaves out.
   */
  #arrived(branch: string, number: number, walk: Walk): View | null {
    const view = walk.freeze();
    if (walk.isLost) this.#lost.add(`${this.owner(branch, number)}/${number}`);
    else this.keep(branch, number, view);
    return walk.isLost ? null : view;
  }

  /** Whether a near view may be folded to a step: not too far back, where it lists too little, nor too far on. */
  #reaches(view: View, number: number): boolean {
    const { at, reaches } = view.folded ?? { at: 0, reaches: Number.POSITIVE_INFINITY };
    return at - number <= reaches && number - at <= this.#limits.onAtMost;
  }

  /**
   * Whether the kept view at a step was made from a near view that is so many steps older that a newer one is needed.
   */
  isOutgrown(branch: string, number: number): boolean {
    const view = this.#views.get(this.owner(branch, number))?.get(number);
    return view !== undefined && number - (view.folded?.at ?? 0) > this.#limits.renewAfter;
  }

  /**
   * Whether the view at `number` can be folded once the steps `from`…`to` have arrived in addition to the loaded ones.
   */
  isReachableWith(branch: string, number: number, from: number, to: number): boolean {
    return this.#nearest(branch, number, (step) => step >= from && step <= to) !== null;
  }

  /** The view at `number`, folded from the nearest reachable one; null if steps or a near view are missing. */
  view(branch: string, number: number): View | null {
    const near = this.#nearest(branch, number);
    if (near === null) return null;
    if (near.number === number) return near.view;
    const walk = new Walk(near.view);
    const backward = near.number > number;
    for (let at = near.number; at !== number; ) {
      const step = this.step(branch, backward ? at : at + 1);
      if (step === undefined) return null;
      if (backward) walk.backward(step);
      else walk.forward(step);
      at += backward ? -1 : 1;
      if (at % this.#limits.keepEvery === 0 && at !== number && !walk.isLost) this.keep(branch, at, walk.freeze());
    }
    return this.#arrived(branch, number, walk);
  }

  #nearest(branch: string, number: number, comes: (step: number) => boolean = () => false): { number: number; view: View } | null {
    let best: { number: number; view: View } | null = null;
    let distance = this.#limits.foldAtMost + 1;
    for (const stretch of this.stretches(branch)) {
      for (const [at, view] of this.#views.get(stretch.owner) ?? []) {
        if (at < stretch.from || at > stretch.to || !this.#reaches(view, number)) continue;
        const far = Math.abs(at - number);
        if (far < distance && this.#isWalkable(branch, Math.min(at, number), Math.max(at, number), comes)) {
          distance = far;
          best = { number: at, view };
        }
      }
    }
    return best;
  }

  /** Whether every step after `from` up to `to` is loaded, or will be (`comes`). */
  #isWalkable(branch: string, from: number, to: number, comes: (step: number) => boolean): boolean {
    for (let number = to; number > from; number -= 1) {
      if (this.step(branch, number) === undefined && !comes(number)) return false;
    }
    return true;
  }
}

/** The id of the branch that stores step `number` of `branch`; for number 0, of the root. */
export function ownerOf(branches: ReadonlyMap<string, BranchInfo>, branch: string, number: number): string {
  let info = branches.get(branch);
  while (info !== undefined && info.parent !== null && number <= info.leaves_at) info = branches.get(info.parent);
  return info?.id ?? branch;
}

/** The branch, its parent, and so on up to the root. */
export function withAncestors(branches: ReadonlyMap<string, BranchInfo>, id: string | null): BranchInfo[] {
  const info = id === null ? undefined : branches.get(id);
  return info === undefined ? [] : [info, ...withAncestors(branches, info.parent)];
}
