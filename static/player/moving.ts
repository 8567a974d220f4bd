/** What the store asks before it moves the reader: where playing ends, what has to wait, how far one press goes. */

/** Whether the next step may move: `surely` also right after another frame, which was only on the way to it. */
export type Motion = boolean | "surely";

/** Where playing ends by itself: whether at this step, null while that is not known. */
export interface Stops {
  holdsAt(number: number): boolean | null;
}

/** A question that may come before a step: the reader answers it before the step is shown. */
export interface Gate {
  /** The first step in `from`…`to` that has to wait; null: none. */
  waitsIn(branch: string, from: number, to: number): number | null;
  /** Until it is known where questions stand in this branch; null: it is, or nothing is asked. */
  coming(branch: string): Promise<void> | null;
  /** The reader wanted to go on and could not. */
  blocked(): void;
}

/** Who looks at more or less than one step at a time. Each answers whether it moved the reader itself. */
export interface Pace {
  /** Goes on inside the step on show, where there is more of it to be seen. */
  within(): boolean;
  forward(): boolean;
  back(): boolean;
  /** Where the scrubber comes to rest. */
  nearest(number: number): number;
}
