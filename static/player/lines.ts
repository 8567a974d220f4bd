/**
 * Branches as lines of steps that share their beginnings, and the views along them.
 *
 * A step up to `leaves_at` belongs to the parent; everything is stored once, with its owner. The view at n is the state
 * after step n. Views that were shown are kept (they share equal parts), so a view is folded from the nearest one that
 * is reachable over loaded steps, never from the beginning.
 */

import type { Step, View } from "./frame.ts";
import { Walk } from "./fold.ts";
import type { BranchInfo, Difference } from "./source.ts";
import { StepWindows } from "./windows.ts";

export const defaults = {
  /**
   * Windows of 500 steps kept on either side of the reader's own, so that the memory of a page does not grow with its
   * run.
   */
  windows: 1,
  /** Views kept for a branch. */
  views: 8,
  /** While folding, a view is kept every so many steps. */
  keepEvery: 250,
  /** Beyond this many steps, a near view is fetched instead of folding. */
  foldAtMost: 600,
  /** The most steps over which a view that lists only what is near is folded; its lists grow on the way. */
  onAtMost: 1000,
  /**
   * The number of steps after which the page requests another near view, so that it need not wait for one. The server
   * cuts a view at every keyframe, each 500 steps, and folds it on from there: with a smaller number, the page would
   * get the same view again.
   */
  renewAfter: 600,
};

/** The limits for a recording, which has no server to ask again: it is kept whole, and folded over any distance. */
const endless = Number.POSITIVE_INFINITY;
export const whole: typeof defaults = { ...defaults, windows: endless, foldAtMost: endless, onAtMost: endless, renewAfter: endless, views: 160 };

/** The limits for a comparison of two runs, which also needs steps far from the reader. */
export const wide: typeof defaults = { ...defaults, windows: 44 };

/** A range of a branch that one owner stores: the views `from`..`to` and the steps `from`+1..`to`. */
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
   * `owner/number` of the views that cannot be folded from another one, because the changes between them are no longer
   * held.
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
    for (let info = this.branches.get(branch); info !== undefined; ) {
      const from = info.parent === null ? 0 : info.leaves_at;
      if (to > from || info.parent === null) stretches.unshift({ owner: info.id, from, to });
      to = Math.min(to, from);
      info = info.parent === null ? undefined : this.branches.get(info.parent);
    }
    return stretches;
  }

  /** The id of the branch that stores step `number` of `branch` (0: the root). */
  owner(branch: string, number: number): string {
    let info = this.branches.get(branch);
    while (info !== undefined && info.parent !== null && number <= info.leaves_at) info = this.branches.get(info.parent);
    return info?.id ?? branch;
  }

  step(branch: string, number: number): Step | undefined {
    return this.windows(this.owner(branch, number)).get(number);
  }

  peek(branch: string, number: number): Step | undefined {
    return this.windows(this.owner(branch, number)).get(number);
  }

  mark(branch: string, number: number): number {
    return this.windows(this.owner(branch, number)).mark(number);
  }

  /** For a caller that needs many steps of one branch: a function from a step's number to its marks. */
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

  /** Notes that the branch reaches at least this step. */
  reach(branch: string, newest: number): void {
    const info = this.branches.get(branch);
    if (info !== undefined) this.branches.set(branch, { ...info, newest });
  }

  /** Removes a step that the branch itself owns, and the views folded from it. */
  letGo(branch: string, number: number): void {
    this.windows(branch).remove(number);
    const views = this.#viewsOf(branch);
    for (const at of [...views.keys()]) if (at >= number) views.delete(at);
  }

  /**
   * The held view nearest to a step, at most `most` steps away, whether or not the steps between are held; null if
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

  /** Keeps the view at `number`, to which a difference leads from `from`; the steps between need not be known. */
  arrive(branch: string, number: number, from: View, { changes, step }: Difference): void {
    const walk = new Walk(from);
    walk.along(changes);
    this.#arrived(branch, number, walk);
    if (step !== null) this.windows(this.owner(branch, number)).put([step], number);
  }

  /** The view after a step that is not held; null if the view before it is not held either. */
  behind(branch: string, step: Step): View | null {
    const before = this.view(branch, step.number - 1);
    if (before === null) return null;
    const walk = new Walk(before);
    walk.forward(step);
    const view = walk.freeze();
    return walk.isLost ? null : view;
  }

  /** Whether the view at `number` can only be fetched as a near view. */
  isLost(branch: string, number: number): boolean {
    return this.#lost.has(`${this.owner(branch, number)}/${number}`) && !this.#isHeld(branch, number);
  }

  #isHeld(branch: string, number: number): boolean {
    return this.#views.get(this.owner(branch, number))?.has(number) === true;
  }

  /** Keeps the view to which a fold led; returns null if the fold came over something that the view does not list. */
  #arrived(branch: string, number: number, walk: Walk): View | null {
    const view = walk.freeze();
    if (walk.isLost) this.#lost.add(`${this.owner(branch, number)}/${number}`);
    else this.keep(branch, number, view);
    return walk.isLost ? null : view;
  }

  /** Whether a view still lists what is near at a step, and not much more. */
  #reaches(view: View, number: number): boolean {
    const { at, reaches } = view.folded ?? { at: 0, reaches: Number.POSITIVE_INFINITY };
    return at - number <= reaches && number - at <= this.#limits.onAtMost;
  }

  /** Whether the view held at a step was cut so many steps ago that it soon cannot be folded further. */
  isOutgrown(branch: string, number: number): boolean {
    const view = this.#views.get(this.owner(branch, number))?.get(number);
    return view !== undefined && number - (view.folded?.at ?? 0) > this.#limits.renewAfter;
  }

  /** Whether the view at `number` can be folded once the steps `from` to `to` have arrived, too. */
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
      if (this.peek(branch, number) === undefined && !comes(number)) return false;
    }
    return true;
  }
}
