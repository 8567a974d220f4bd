/**
 * Two runs in lockstep: the step of each that is on show, and the ways on from there. By step, equal events are one
 * moment (`moments.ts`); by virtual time, each run is shown as it is at that time.
 */

import { landingAfter, landingBefore } from "./beats.ts";
import type { Plan } from "./frame.ts";
import type { Line } from "./lockstep.ts";
import { nextMoment, previousMoment, stepAtTime } from "./lockstep.ts";
import type { Moments, Pair, Parting } from "./moments.ts";
import { endOf } from "./outcome.ts";
import type { PlayerStore } from "./store.ts";
import { defaults as growing } from "./store.ts";

export const defaults = {
  /** The number of steps requested when lockstep comes to the end of a run that can go on. */
  ahead: 20,
  /** `patience`: ms after which a step that is being fetched is no longer waited for. `look`: ms between two looks. */
  patience: 20_000,
  look: 60,
};

export const LOCKSTEPS = ["step", "time"] as const;
export type Lockstep = (typeof LOCKSTEPS)[number];

/**
 * A place at which the runs part. `fault`: the first fault that only one run has; `event`: the first event that differs; `times`: where states first differ in time
 * alone; `state`: where they first differ in more than time; `decides`: where a leader decides differently. `at`: the
 * moment, or the virtual time; null while it is not known.
 */
export interface Landmark {
  kind: "fault" | "event" | "times" | "state" | "decides";
  parting: Parting;
  at: number | null;
}

/** Where both runs are: at a landmark, before the first difference or after it, or at their ends. */
export type PlaceKind = Landmark["kind"] | "same" | "events" | "after" | "ends";

/** One of the two runs. */
export interface Walker {
  name: "left" | "right";
  store: PlayerStore;
  line: Line;
}

export function placeOf({ name }: Pick<Walker, "name">): 0 | 1 {
  return name === "left" ? 0 : 1;
}

/** The side's own plan, which says how the run ends; null while it is not known. */
export function planOf({ store }: Pick<Walker, "store">): Plan | null {
  return store.plans.own(store.branch);
}

export class Walk {
  /** The two runs; empty until both are opened. */
  sides: readonly Walker[] = [];
  by: Lockstep = "step";
  /** The moment of both runs (`moments.ts`), or the common virtual time. */
  at = 0;
  /** The moment that was on show before. */
  before = 0;
  /** The alignment of both runs' steps; null until the server has answered. */
  moments: Moments | null = null;
  /**
   * How the page finds the place at which it opens. `there`: the address names it. `asked`: the address names none, and
   * the runs are being opened. `looking`: the server is asked where the runs first differ. `done`: the place is shown,
   * or the reader has moved.
   */
  opens: "there" | "asked" | "looking" | "done" = "asked";
  /** The step that a side shows at a virtual time that several steps share, if it is not the last of them. */
  #exact = new Map<Walker, number>();
  /** Two steps that are shown beside each other although no moment has both; null: the steps of `at` are shown. */
  #pair: Pair | null = null;
  /** Whether both sides are moving to the landing of a beat. */
  #goes = false;
  readonly #moved: () => void;

  /** `moved`: called when the place has changed. */
  constructor(moved: () => void) {
    this.#moved = moved;
  }

  goTo(at: number, exact = new Map<Walker, number>(), pair: Pair | null = null): void {
    this.opens = "done";
    this.before = this.at;
    this.#exact = exact;
    this.#pair = pair;
    this.at = Math.max(0, at);
    this.keepUp();
    this.#moved();
  }

  /** Makes both runs come as far as the place requires, and show it. */
  keepUp(): void {
    this.#catchUp();
    this.#follow();
  }

  /** Moves both sides to the common step or time, or to their ends. */
  #follow(): void {
    for (const side of this.sides) {
      const { store, line } = side;
      const target = this.by === "step" ? Math.min(this.stepOf(side), store.newest) : this.#stepNow(line, this.#exact.get(side));
      if (store.target !== target) store.moveTo(target, Math.abs(target - store.target) === 1);
    }
  }

  /** Makes the missing steps of a run that can go on and is behind the other. */
  #catchUp(): void {
    for (const side of this.sides) {
      const { store, line } = side;
      if (!store.canGrow || store.busy || store.problem !== null || this.at === 0) continue;
      if (this.by === "step") {
        const wanted = this.stepOf(side);
        if (store.newest < wanted) void store.grow(Math.min(growing.advanceAtMost, wanted - store.newest));
        continue;
      }
      // Makes everything that happens at this moment: the steps up to the first one after it.
      const reached = line.time(store.newest);
      if (reached !== undefined ? reached <= this.at : store.newest === 0) void store.growToTime(this.at + 1);
    }
  }

  /**
   * The step of a side at the common time: the one in `exact` if it is of this time, else the last step of this time.
   */
  #stepNow(line: Line, exact: number | undefined): number {
    if (exact !== undefined && line.time(exact) === this.at) return exact;
    // The steps before the last one may not have been fetched.
    return (line.time(line.newest) ?? Infinity) <= this.at ? line.newest : stepAtTime(line, this.at);
  }

  // The place of both

  get end(): number {
    const ends = this.sides.map((side) => (this.by === "step" ? this.#momentOf(side, this.reach(side)) : this.#lasts(side)));
    return Math.max(0, ...ends);
  }

  /** Virtual time of the side's last step, or of the end that its plan knows. */
  #lasts(side: Walker): number {
    const plan = planOf(side);
    return Math.max(side.line.time(side.store.newest) ?? 0, plan?.complete === true ? (endOf(plan)?.time ?? 0) : 0);
  }

  get isAtEnd(): boolean {
    return this.#pair === null && this.at >= this.end && this.sides.every(({ store }) => !store.canGrow);
  }

  /** The number of steps of a run, including those that are still to be made, as far as its plan knows them. */
  reach(side: Walker): number {
    const plan = planOf(side);
    return Math.max(side.store.newest, plan?.complete === true ? plan.steps : 0);
  }

  /** The number of the step of a side that is on show, or will be. */
  stepOf(side: Walker): number {
    return this.by === "step" ? this.#pair?.[placeOf(side)] ?? this.#stepAt(side, this.at) : Math.min(side.store.target, side.store.newest);
  }

  /** The two steps on show, as the address has them, if no moment has both; else null. */
  get pair(): Pair | null {
    return this.by === "step" ? this.#pair : null;
  }

  /** Shows these two steps beside each other. */
  goToPair(pair: Pair): void {
    const [left, right] = pair;
    const moment = Math.max(this.moments?.of(0, left) ?? left, this.moments?.of(1, right) ?? right);
    const [ours, theirs] = this.stepsAt(moment);
    this.goTo(moment, new Map(), ours === left && theirs === right ? null : pair);
  }

  /** The steps of both sides at a place where the runs part. */
  stepsOf({ moment, steps: [left, right], isPair = false }: Parting): Pair {
    return left === null || right === null || !isPair ? this.stepsAt(moment) : [left, right];
  }

  /** The moment from which a move back starts: for two steps without a common moment, that of the earlier one. */
  get #backFrom(): number {
    const pair = this.pair;
    return pair === null || this.moments === null ? this.at : Math.min(this.moments.of(0, pair[0]), this.moments.of(1, pair[1]));
  }

  /**
   * The number of the step of a side, at most that of its last step: until the server has aligned the runs, the place
   * may be after the end of one.
   */
  stepWithin(side: Walker): number {
    return Math.min(this.stepOf(side), this.reach(side));
  }

  /** The step of a side at the moment or time before this one. */
  #stepBefore(side: Walker): number {
    return this.by === "step" ? this.#stepAt(side, Math.max(0, this.#backFrom - 1)) : stepAtTime(side.line, this.at - 1);
  }

  /**
   * The steps of both sides at a moment. Until the server has aligned the runs, equal numbers stand beside each other.
   */
  stepsAt(moment: number): Pair {
    return this.moments?.at(moment) ?? [moment, moment];
  }

  #stepAt(side: Walker, moment: number): number {
    return this.stepsAt(moment)[placeOf(side)];
  }

  #momentOf(side: Walker, step: number): number {
    return this.moments?.of(placeOf(side), step) ?? step;
  }

  // Where the runs part

  /** Whether a state or log differs, not only events. */
  get isOfState(): boolean {
    return this.moments !== null && (this.moments.isOfState || this.#timed !== null);
  }

  /**
   * The first difference (`Moments.parting`). By virtual time, and if the runs differ in time alone, a difference in
   * time counts, too.
   */
  get parting(): Parting | null {
    return this.#timed ?? this.moments?.parting ?? null;
  }

  get #timed(): Parting | null {
    return this.by === "time" || this.moments?.isOfTime === true ? this.moments?.timed ?? null : null;
  }

  /** The virtual time at which the runs part; null by steps, or while it is not known. */
  get partingTime(): number | null {
    return this.by === "time" ? this.#timeOf(this.parting) : null;
  }

  /**
   * The places at which the runs part, in their order. Of several in one place, only the one that says most: the
   * decision of a leader, then the fault, then a difference in more than time.
   */
  get landmarks(): readonly Landmark[] {
    const { moments } = this;
    const [decides, state, times] = [moments?.decides ?? null, moments?.parted ?? null, this.#timed];
    const fault = moments?.fault ?? null;
    const event = decides === null && fault === null && state === null && times === null ? moments?.parting ?? null : null;
    const found = Object.entries({ decides, fault, state, times, event }).flatMap(([kind, parting]): Landmark[] =>
      (parting === null ? [] : [{ kind: kind as Landmark["kind"], parting, at: this.by === "step" ? parting.moment : this.#timeOf(parting) }]));
    const placed = found.filter(({ at }, place) => found.findIndex((one) => one.at === at) === place);
    return placed.sort((one, other) => (one.at ?? Infinity) - (other.at ?? Infinity));
  }

  /** The landmark on show; null: none is. */
  get #here(): Landmark | null {
    return this.landmarks.find((one) => one.at === this.at && this.#isShown(one)) ?? null;
  }

  #isShown({ parting }: Landmark): boolean {
    if (this.by === "step" && parting.isPair !== true) return this.pair === null;
    return this.landingsOf(parting).every(([side, step]) => (this.by === "time" && side.line.time(step) !== this.at) || this.stepOf(side) === step);
  }

  /** Whether the only landmark is on show, so that a press would lead nowhere. */
  get isAtOnlyLandmark(): boolean {
    return this.landmarks.length === 1 && this.#here !== null;
  }

  /** The landmark to which a press leads: the next one, or else the first; null: there is none. */
  get landmark(): Landmark | null {
    const { landmarks } = this;
    const later = landmarks.find(({ at }) => at !== null && at > this.at);
    return later ?? landmarks[0] ?? null;
  }

  /** Where both runs are; null while it is not known. */
  get placeKind(): PlaceKind | null {
    const { moments } = this;
    if (moments === null || moments.first === null) return null;
    if (this.isAtEnd) return "ends";
    const here = this.#here;
    if (here !== null) return here.kind;
    if (this.sides.every((side) => this.stepOf(side) <= moments.same)) return "same";
    return this.at < (this.since?.at ?? Infinity) ? "events" : "after";
  }

  /** The landmark from which on the runs differ: a fault or another event comes before what it leads to. */
  get since(): Landmark | null {
    const { landmarks } = this;
    return landmarks.find(({ kind }) => kind === "state" || kind === "decides") ?? landmarks.find(({ kind }) => kind === "times") ?? landmarks[0] ?? null;
  }

  #timeOf(parting: Parting | null): number | null {
    const times = this.landingsOf(parting).map(([{ line }, step]) => line.time(step));
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 || known.length < times.length ? null : Math.max(...known);
  }

  landingsOf(parting: Parting | null): [Walker, number][] {
    return this.sides.flatMap((side): [Walker, number][] => {
      const step = parting?.steps[placeOf(side)] ?? null;
      return step === null ? [] : [[side, step]];
    });
  }

  /** Whether the place is before the one where the runs part. */
  get isBeforeParting(): boolean {
    const { parting, by } = this;
    if (parting === null) return false;
    return this.at < (by === "step" ? parting.moment : this.partingTime ?? Infinity);
  }

  /** Whether a side's step here makes the runs part: by a fault, in a state or log, or only in the time of a state. */
  partsHere(side: Walker): boolean {
    const here = this.#here;
    const step = here?.parting.steps[placeOf(side)] ?? null;
    return step !== null && (here?.kind === "fault" || here?.kind === "state" || here?.kind === "times") && (this.by === "step" || step === this.stepOf(side));
  }

  /** Whether a side shows the step at which its leader decides differently from the other run's. */
  decidesHere(side: Walker): boolean {
    const decides = this.moments?.decides ?? null;
    const step = side.store.shown;
    return decides !== null && decides.steps[placeOf(side)] === step && (this.by === "time" || this.pair !== null || this.at === this.#momentOf(side, step));
  }

  /** Whether a side shows the first step that differs and takes it at this moment or time. */
  isFirst(side: Walker): boolean {
    const { store, line } = side;
    const { first = null, same = 0 } = this.moments ?? {};
    if (first === null || this.moments === null) return false;
    if (this.by === "step") return this.at === first && this.#stepAt(side, first) === store.shown && this.moments.moved(first)[placeOf(side)];
    const times = this.sides.map((one) => one.line.time(same + 1) ?? Infinity);
    return store.shown === same + 1 && line.time(same + 1) === Math.min(...times);
  }

  // The ways on

  /** Makes both runs up to their ends, and shows their results. */
  async toTheEnd(): Promise<void> {
    const { opens } = this;
    await Promise.all(this.sides.map(async (side) => {
      await finish(side.store);
      await this.#make(side, side.store.newest);
    }));
    // The reader may have moved while the page opened.
    if (opens === this.opens) this.goTo(this.end);
  }

  /** Goes to the next landing of a beat in either run; without beats, on by one step or moment. */
  async nextBeat(): Promise<void> {
    if (this.#goes) return;
    this.#goes = true;
    try {
      const landings = this.#landings((plan, side) => landingAfter(plan, this.pair === null ? this.stepOf(side) : this.#stepAt(side, this.at)));
      if (landings.length === 0) return await this.forward();
      for (const [side, step] of landings) await this.#make(side, step);
      this.#land(landings, Math.min);
    } finally {
      this.#goes = false;
    }
  }

  /** Goes to the last landing of a beat before this place. */
  lastBeat(): void {
    const landings = this.#landings((plan, side) => landingBefore(plan, this.#stepBefore(side) + 1));
    if (landings.length === 0) this.back();
    else this.#land(landings, Math.max);
  }

  #landings(find: (plan: Plan, side: Walker) => number | null): [Walker, number][] {
    return this.sides.flatMap((side): [Walker, number][] => {
      const plan = planOf(side);
      const step = plan === null ? null : find(plan, side);
      return step === null ? [] : [[side, step]];
    });
  }

  async forward(): Promise<void> {
    if (this.by === "step") {
      const wanted = this.at + 1;
      await Promise.all(this.sides.map((side) => this.#make(side, this.#stepAt(side, wanted))));
      return this.goTo(Math.min(wanted, this.end));
    }
    const wanted = nextMoment(this.#lines, this.at);
    const short = this.sides.filter(({ store, line }) =>
      store.canGrow && (wanted === null || (line.time(store.newest) ?? 0) < wanted || stepAtTime(line, this.at) >= store.newest));
    await Promise.all(short.map(({ store }) => store.growOnceFree(defaults.ahead)));
    const next = nextMoment(this.#lines, this.at);
    if (next !== null) this.goTo(next);
  }

  back(): void {
    this.goTo(this.by === "step" ? this.#backFrom - 1 : previousMoment(this.#lines, this.at));
  }

  /** Goes to where the runs part. */
  async showFirst(parting: Parting | null): Promise<void> {
    if (parting === null) return;
    const { opens } = this;
    const steps = this.by === "step" ? this.stepsOf(parting) : parting.steps;
    await Promise.all(this.sides.map((side) => this.#make(side, steps[placeOf(side)] ?? 0)));
    // The reader may have moved meanwhile.
    if (opens !== this.opens) return;
    if (this.by === "step") this.goToPair(this.stepsOf(parting));
    else this.#land(this.landingsOf(parting), this.isOfState ? Math.max : Math.min);
  }

  /** Shows a step of one side, which may have to be made first. */
  async showIn(side: Walker, number: number): Promise<void> {
    await this.#make(side, number);
    this.#land([[side, number]], Math.min);
  }

  /** Changes to the other lockstep, at the steps on show. */
  async turn(by: Lockstep): Promise<void> {
    const [left, right] = this.sides;
    if (by === this.by) return;
    if (left === undefined || right === undefined) {
      this.by = by;
      return;
    }
    const [ours, theirs] = [this.stepWithin(left), this.stepWithin(right)];
    if (by === "time") {
      await Promise.all([this.#make(left, ours), this.#make(right, theirs)]);
      // While the time is not known, there is no place to go to.
      if (left.line.time(ours) === undefined && right.line.time(theirs) === undefined) return this.#moved();
    }
    this.by = by;
    if (by === "step") this.goTo(this.moments?.upTo([ours, theirs]) ?? ours);
    else this.#land([[left, ours], [right, theirs]], Math.max);
  }

  #land(landings: readonly [Walker, number][], which: (...of: number[]) => number): void {
    const reached = landings.flatMap(([side, step]) => {
      const at = this.by === "step" ? this.#momentOf(side, step) : side.line.time(step);
      return at === undefined ? [] : [{ side, step, at }];
    });
    if (reached.length === 0) return;
    const at = which(...reached.map((one) => one.at));
    this.goTo(at, new Map(reached.filter((one) => one.at === at).map(({ side, step }) => [side, step])));
  }

  /** Waits until a step is made and its time is known. */
  async #make(side: Walker, step: number): Promise<void> {
    const { store, line } = side;
    for (let before = -1; store.canGrow && store.newest < step && store.newest > before; ) {
      before = store.newest;
      await store.growOnceFree(Math.min(growing.advanceAtMost, step - store.newest));
    }
    // At the last planned step, asking for another one shows that the run has ended there.
    if (store.canGrow && store.newest === this.reach(side)) await store.growOnceFree(1);
    for (let waited = 0; line.time(step) === undefined && waited < defaults.patience; waited += defaults.look) {
      await new Promise((resume) => setTimeout(resume, defaults.look));
    }
  }

  get #lines(): Line[] {
    return this.sides.map((side) => side.line);
  }
}

/** Makes a run's steps until it ends, or until no more can be made. Waits first until the run is open. */
async function finish(store: PlayerStore): Promise<void> {
  while (store.info === null) await new Promise((resume) => store.addEventListener("change", resume, { once: true }));
  for (let before = -1; store.canGrow && store.newest > before; ) {
    before = store.newest;
    await store.growOnceFree(growing.advanceAtMost);
  }
}
