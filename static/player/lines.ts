/**
 * Branches as lines of steps that share their beginnings, and the views along them.
 *
 * A step up to `leaves_at` belongs to the parent; everything is stored once, with its owner. A view at n is the
 * state after step n. Views that were shown are kept (they share what is equal), so going somewhere means folding
 * from the nearest view that is reachable over loaded steps, never from the beginning.
 */

import type { Step, View } from "./frame.ts";
import { Walk } from "./fold.ts";
import type { BranchInfo } from "./source.ts";
import { StepWindows } from "./windows.ts";

export const defaults = {
  /** Windows of 500 steps kept for a branch. */
  windows: 44,
  /** Views kept for a branch. */
  views: 160,
  /** While walking, a view is kept every so many steps. */
  keepEvery: 100,
  /** Farther than this, a keyframe is fetched instead of folding. */
  foldAtMost: 1000,
};

/** A stretch of a branch that one owner stores: views from..to, steps from+1..to. */
interface Stretch {
  owner: string;
  from: number;
  to: number;
}

export class Lines {
  readonly branches = new Map<string, BranchInfo>();
  #windows = new Map<string, StepWindows>();
  #views = new Map<string, Map<number, View>>();

  windows(owner: string): StepWindows {
    let windows = this.#windows.get(owner);
    if (windows === undefined) {
      windows = new StepWindows(defaults.windows);
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

  /** The stretches of a branch from its root to its newest step. */
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

  /** The branch that stores step `number` of `branch` (0: the root). */
  owner(branch: string, number: number): string {
    let info = this.branches.get(branch);
    while (info !== undefined && info.parent !== null && number <= info.leaves_at) info = this.branches.get(info.parent);
    return info?.id ?? branch;
  }

  step(branch: string, number: number): Step | undefined {
    return this.windows(this.owner(branch, number)).get(number);
  }

  peek(branch: string, number: number): Step | undefined {
    return this.windows(this.owner(branch, number)).peek(number);
  }

  mark(branch: string, number: number): number {
    return this.windows(this.owner(branch, number)).mark(number);
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
    if (views.size <= defaults.views) return;
    for (const kept of views.keys()) {
      if (kept === 0 || kept === number) continue;
      views.delete(kept);
      return;
    }
  }

  hasView(branch: string, number: number): boolean {
    return this.#views.get(this.owner(branch, number))?.has(number) ?? false;
  }

  /** The view at `number`, folded from the nearest reachable one, or null when steps or a keyframe are missing. */
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
      if (at % defaults.keepEvery === 0 && at !== number) this.keep(branch, at, walk.freeze());
    }
    const view = walk.freeze();
    this.keep(branch, number, view);
    return view;
  }

  #nearest(branch: string, number: number): { number: number; view: View } | null {
    let best: { number: number; view: View } | null = null;
    let distance = defaults.foldAtMost + 1;
    for (const stretch of this.stretches(branch)) {
      for (const [at, view] of this.#views.get(stretch.owner) ?? []) {
        if (at < stretch.from || at > stretch.to) continue;
        const far = Math.abs(at - number);
        if (far < distance && this.#isWalkable(branch, Math.min(at, number), Math.max(at, number))) {
          distance = far;
          best = { number: at, view };
        }
      }
    }
    return best;
  }

  /** Whether every step after `from` up to `to` is loaded. */
  #isWalkable(branch: string, from: number, to: number): boolean {
    for (let number = to; number > from; number -= 1) {
      if (this.peek(branch, number) === undefined) return false;
    }
    return true;
  }
}
