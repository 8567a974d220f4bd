/**
 * The moments of a comparison of two runs, as the server aligned them (`engine/view/alongside.py`). At each moment,
 * each run is at one of its steps. Both runs make equal events at the same moment; at a step that only one run has, the
 * other run stays at its step. Pure.
 */

import type { Alongside, Rescheduled } from "../generated/messages.ts";

/** The step of each run at a moment. */
export type Pair = readonly [left: number, right: number];

export interface Parting {
  moment: number;
  steps: readonly [left: number | null, right: number | null];
  /** Whether both steps are shown beside each other, even if no moment has both. */
  isPair?: boolean;
}

export class Moments {
  readonly #known: Alongside;

  constructor(known: Alongside) {
    this.#known = known;
  }

  /** The calls and faults that the scripts of the two runs schedule differently. */
  get rescheduled(): readonly Rescheduled[] {
    return this.#known.rescheduled ?? [];
  }

  /** The view that shows best how the ends of the two runs differ. */
  get picture(): NonNullable<Alongside["picture"]> {
    return this.#known.picture ?? "logs";
  }

  /** Sentences that compare the results of both runs; empty if they are not known. */
  get verdict(): NonNullable<Alongside["verdict"]> {
    return this.#known.verdict ?? [];
  }

  /**
   * The first virtual time at which a state or log differs, even if only by when it changes; null: none, or not known.
   */
  get timed(): Parting | null {
    return this.#partingAt(this.#known.timed);
  }

  /**
   * The names of the actors, partitions and transactions whose states change at other virtual times in one run than in
   * the other, in the order of the first such change.
   */
  get later(): readonly string[] {
    return this.#known.later ?? [];
  }

  /** The names of things that still differ at the ends of both runs; null: not known. */
  get lasting(): readonly string[] | null {
    return this.#known.lasting ?? null;
  }

  /** Whether an actor, partition or transaction differs at some step, if only in time or numbers. */
  isEverApart(subject: string): boolean {
    const { parts, numbers = {} } = this.#known;
    return subject in parts || subject in numbers || this.later.includes(subject);
  }

  /** Whether producer ids, epochs or sequence numbers differ somewhere. */
  get hasNumbers(): boolean {
    return Object.keys(this.#known.numbers ?? {}).length > 0;
  }

  /** Whether a step is the last one of a run. */
  isLast(side: 0 | 1, step: number): boolean {
    return this.#known.ends[side] === step;
  }

  /** Whether the runs differ only in virtual time, as far as both were compared. */
  get isOfTime(): boolean {
    return this.#known.timed !== undefined && !this.isOfState;
  }

  /** The first fault that only one run has: its step there, and its moment; null: none, or not known. */
  get fault(): Parting | null {
    const [left = null, right = null] = this.#known.fault ?? [];
    if (left === null) return right === null ? null : { steps: [left, right], moment: this.of(1, right) };
    return { steps: [left, right], moment: this.of(0, left) };
  }

  /** The steps and the moment at which a leader first decides differently about the same batch; null: it never does. */
  get decides(): Parting | null {
    return this.#partingAt(this.#known.decides);
  }

  #partingAt(steps: readonly number[] | undefined): Parting | null {
    const [left, right] = steps ?? [];
    if (left === undefined || right === undefined) return null;
    return { steps: [left, right], moment: Math.max(this.of(0, left), this.of(1, right)), isPair: true };
  }

  /** The step of each run at a moment. After the last compared moment, each moment moves both runs by one step. */
  at(moment: number): Pair {
    const { same, moments } = this.#known;
    if (moment <= same) return [moment, moment];
    const { last } = this;
    const [left = same, right = same] = moments[Math.min(moment, last) - same - 1] ?? [];
    const beyond = Math.max(0, moment - last);
    return [left + beyond, right + beyond];
  }

  /** The first moment at which a run (0: left, 1: right) has reached its step `step`. */
  of(side: 0 | 1, step: number): number {
    let low = 0;
    let high = this.last;
    const end = this.at(high)[side];
    if (step > end) return high + step - end;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.at(middle)[side] >= step) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** The last moment at which neither run is past these steps. */
  upTo([left, right]: Pair): number {
    return Math.min(this.of(0, left + 1), this.of(1, right + 1)) - 1;
  }

  /** For each run, whether it is at another step at `moment` than at the earlier moment `since`. */
  moved(moment: number, since = moment - 1): readonly [boolean, boolean] {
    const [now, before] = [this.at(moment), this.at(since)];
    return moment <= 0 ? [false, false] : [now[0] !== before[0], now[1] !== before[1]];
  }

  /**
   * Whether the other run has an equal event at the moment of this step. If a leader decides differently there
   * (`decides`), the events do not count as equal.
   */
  isShared(side: 0 | 1, step: number): boolean {
    if (this.decides?.steps[side] === step) return false;
    const [left, right] = this.moved(this.of(side, step));
    return left && right;
  }

  /** The moment of the first step that differs; null if there is none as far as both were compared. */
  get first(): number | null {
    return this.#known.moments.length === 0 ? null : this.#known.same + 1;
  }

  /**
   * Where the runs part: at `parted`, or at an earlier moment at which a leader decides differently. If there is
   * neither, at the first step that differs. Null if no step differs.
   */
  get parting(): Parting | null {
    const { first, same, decides, parted } = this;
    if (first === null) return null;
    if (parted === null) return decides ?? { moment: first, steps: [same + 1, same + 1] };
    return decides !== null && decides.moment < parted.moment ? decides : parted;
  }

  /**
   * The first moment at which a state, a log or a number differs in more than time, with the step of each run that
   * makes it differ at that moment (null for a run that does not); null if there is none.
   */
  get parted(): Parting | null {
    const first = this.first ?? Infinity;
    const steps = ([0, 1] as const).map((side) => Math.min(...this.#parted.map((pair) => pair[side] ?? Infinity)));
    const moments = steps.map((step, side) => (step === Infinity ? Infinity : Math.max(first, this.of(side as 0 | 1, step))));
    const moment = Math.min(...moments);
    if (moment === Infinity) return null;
    const [left = null, right = null] = steps.map((step, side) => (moments[side] === moment ? step : null));
    return { moment, steps: [left, right] };
  }

  /** Whether a state, a log, a number or a decision of a leader differs in more than time, and not only events do. */
  get isOfState(): boolean {
    return this.decides !== null || this.#parted.length > 0;
  }

  get #parted(): (readonly (number | null)[])[] {
    return [...Object.values(this.#known.parts), ...Object.values(this.#known.numbers ?? {})];
  }

  /** The run in which the state of a thing has changed more often up to these steps; null: neither, or not known. */
  ahead(about: string, shown: Pair): "left" | "right" | null {
    const [left = 0, right = 0] = (this.#known.changes?.[about] ?? []).map((steps, side) => steps.filter((step) => step <= (shown[side] ?? 0)).length);
    return left === right ? null : left > right ? "left" : "right";
  }

  /** The last moment that was compared. */
  get last(): number {
    return this.#known.same + this.#known.moments.length;
  }

  get same(): number {
    return this.#known.same;
  }

  /** Whether a call or fault happens in both runs at the same time, but at two different moments. */
  get crossed(): boolean {
    return this.#known.crossed;
  }

  /** Whether an actor, a partition or a transaction differs at these steps in more than time. */
  differs(subject: string, shown: Pair): boolean {
    return this.since(subject, shown) !== null;
  }

  /** The names of the actors, partitions and transactions that differ, up to these steps, in more than time. */
  apartBefore(shown: Pair): string[] {
    return Object.keys(this.#known.parts).filter((subject) => this.differs(subject, shown));
  }

  /**
   * The moment from which on an actor, partition or transaction differs in more than time; null if it does not differ
   * yet at these steps.
   */
  since(subject: string, shown: Pair): number | null {
    return this.#since(this.#known.parts, subject, shown);
  }

  /**
   * The moment from which on a thing has other producer ids, epochs or sequence numbers in one run than in the other;
   * null if it does not have them yet at these steps.
   */
  numberedSince(subject: string, shown: Pair): number | null {
    return this.#since(this.#known.numbers ?? {}, subject, shown);
  }

  #since(parts: Alongside["parts"], subject: string, shown: Pair): number | null {
    const moments = (parts[subject] ?? []).flatMap((step, side) => (step !== null && (shown[side] ?? 0) >= step ? [this.of(side as 0 | 1, step)] : []));
    return moments.length === 0 ? null : Math.min(...moments);
  }

  /**
   * The moment since which the state of a thing has changed more often in one run than in the other; null if it has
   * changed equally often up to these steps.
   */
  aheadSince(about: string, shown: Pair): number | null {
    const changes = (this.#known.changes?.[about] ?? []).flatMap((steps, side) => steps.filter((step) => step <= (shown[side] ?? 0))
      .map((step) => ({ moment: this.of(side as 0 | 1, step), by: side === 0 ? 1 : -1 })));
    let [further, since] = [0, 0];
    for (const moment of [...new Set(changes.map((one) => one.moment))].sort((one, other) => one - other)) {
      const before = further;
      for (const one of changes) if (one.moment === moment) further += one.by;
      if (before === 0) since = moment;
    }
    return further === 0 ? null : since;
  }
}
