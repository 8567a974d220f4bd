/**
 * What the store asks before it moves the reader: whether playing ends, which steps have to wait, and how far one press
 * goes.
 */

/** Whether the next step is animated. `surely`: even right after a frame that was only shown on the way. */
export type Motion = boolean | "surely";

/** Whether playing ends by itself at a step; null while that is not known. */
export interface Stops {
  holdsAt(number: number): boolean | null;
}

/** A question may come before a step: the reader answers it before the step is shown. */
export interface Gate {
  /** The first step in `from`…`to` that has to wait for an answer; null: none. */
  waitsIn(branch: string, from: number, to: number): number | null;
  /** Resolves when the questions of this branch are known; null if they are known, or if nothing is asked. */
  coming(branch: string): Promise<void> | null;
  /** Called when the reader wanted to go on and could not. */
  blocked(): void;
}

/**
 * Parts of the player that move by more or less than one step. Each method returns whether it moved the reader itself.
 */
export interface Pace {
  /** Goes on inside the step on show, if there is more to see in it. */
  within(): boolean;
  forward(): boolean;
  back(): boolean;
  /** The step at which the scrubber comes to rest. */
  nearest(number: number): number;
}
