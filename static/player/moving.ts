/**
 * What the store asks before it moves the reader: where playing ends, which steps have to wait, how far one press goes.
 */

/** Whether the next step is animated; `surely`: also right after another frame that was only shown on the way. */
export type Motion = boolean | "surely";

/** Where playing ends by itself: whether at this step, null while that is not known. */
export interface Stops {
  holdsAt(number: number): boolean | null;
}

/** A question that may come before a step: the reader answers it before the step is shown. */
export interface Gate {
  /** The first step in `from`…`to` that has to wait; null: none. */
  waitsIn(branch: string, from: number, to: number): number | null;
  /** Resolves when the questions of this branch are known; null: they are known, or nothing is asked. */
  coming(branch: string): Promise<void> | null;
  /** The reader wanted to go on and could not. */
  blocked(): void;
}

/** Parts that move by more or less than one step. Each returns whether it moved the reader itself. */
export interface Pace {
  /** Goes on inside the step on show, if there is more to see in it. */
  within(): boolean;
  forward(): boolean;
  back(): boolean;
  /** Where the scrubber comes to rest. */
  nearest(number: number): number;
}
