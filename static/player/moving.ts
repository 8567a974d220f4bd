/**
 * The interfaces of the parts that the store asks before it moves the reader: whether playing stops, which steps have
 * to wait for an answer, and how far one press moves.
 */

/** Whether a move is animated. `surely`: even if the frame before it was on show only for a moment. */
export type Motion = boolean | "surely";

/** Says whether playing stops at a step; null while that is not known. */
export interface Stops {
  holdsAt(number: number): boolean | null;
}

/** Holds back steps before which the reader has to answer a question. */
export interface Gate {
  /** The first step in `from`…`to` that has to wait for an answer; null: none. */
  waitsIn(branch: string, from: number, to: number): number | null;
  /** Resolves when the questions of this branch are known; null if they are known, or if nothing is asked. */
  coming(branch: string): Promise<void> | null;
  /** Called when the reader wanted to go on and could not. */
  blocked(): void;
}

/**
 * Parts of the player that move by more or less than one step. Each method but `nearest` returns whether it moved the
 * reader itself.
 */
export interface Pace {
  /** Moves on to the next check of the step on show, at the level of checks. */
  within(): boolean;
  forward(): boolean;
  back(): boolean;
  /** The step to which the scrubber moves when the reader points at step `number`. */
  nearest(number: number): number;
}
