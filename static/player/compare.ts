/**
 * `<eos-compare left-session="…" left-branch="…" right-session="…" right-branch="…">`: two runs in lockstep, by step
 * or by virtual time, with the first step that differs and both verdicts (docs/player.md). By step, equal
 * events stand beside each other.
 */

import type { PropertyValues, TemplateResult } from "lit";
import { html, LitElement, nothing } from "lit";
import { live } from "lit/directives/live.js";
import "./player.ts";
import "./references.ts";
import "./sentence.ts";
import "./strip.ts";
import "./term-note.ts";
import type { Alongside } from "../generated/messages.ts";
import type { Spread } from "../diagrams/lanes-plan.ts";
import { ACTORS_MOST } from "../diagrams/spacetime-heads.ts";
import type { Altered } from "./altered.ts";
import { differing } from "./altered.ts";
import { logOf, placeIn, readFrom } from "./beside-address.ts";
import type { Done } from "./done.ts";
import { doneOnLine, inWords } from "./done.ts";
import type { Frame, Language, Plan, SelectEvent } from "./frame.ts";
import "./help.ts";
import type { Help, KeyHelp } from "./help.ts";
import { meaningOf } from "./key-words.ts";
import type { KeyAction } from "./keys.ts";
import { actionOf, belongsToFocus, KEYS } from "./keys.ts";
import { Lines, wide } from "./lines.ts";
import type { Line } from "./lockstep.ts";
import { Moments } from "./moments.ts";
import { whatOf, whenOf } from "./compare-schedule.ts";
import type { Pair, Parting } from "./moments.ts";
import type { SaidText } from "./sentence.ts";
import { apartList, defaults as facts, factsApart, holdingApart, nearestFirst, nothingApart } from "./compare-facts.ts";
import type { Ahead, Apart, ApartRow, Unfolded } from "./compare-facts.ts";
import { facts as joined, listed, named } from "./joins.ts";
import { linkScrolling } from "./compare-scroll.ts";
import { endsOf, onlyHere } from "./compare-head.ts";
import { databaseLine } from "./compare-database.ts";
import { largeOf, spreadOf } from "./compare-large.ts";
import { columnsOf, shownMiddle, sideMiddle, SIDE_MIDDLES } from "./compare-middle.ts";
import type { SideMiddle } from "./compare-middle.ts";
import { apartRows, apartTable, brokenNames } from "./compare-verdict.ts";
import { branchTitle } from "./branch-name.ts";
import { keptArrows } from "./beat-walk.ts";
import type { Arrows } from "./beat-walk.ts";
import { arrowKey, stepTitle } from "./key-words.ts";
import { landingAfter, landingBefore } from "./beats.ts";
import { nextMoment, previousMoment, stepAtTime } from "./lockstep.ts";
import { Permalink, prefersReducedMotion, rememberLanguage } from "./page.ts";
import { sessionAddress, SessionSocket } from "./socket.ts";
import { defaults as growing, PlayerStore } from "./store.ts";
import { keeperOf } from "./terms.ts";
import { loadLanguage, say, words } from "./text.ts";
import { Transactions } from "./transactions.ts";
import { unbroken } from "./unbroken.ts";
import { DATABASE_NAME } from "../stage/beside-places.ts";
import { readView } from "./zoom-view.ts";
import { endOf } from "./outcome.ts";

export const defaults = {
  /** Differences that stand in one line over a stage, which marks them itself. */
  onStage: 3,
  /** Calls and faults at other times that a side lists, before the rest is counted. */
  rescheduled: 3,
  /** Steps asked for when lockstep comes to the end of a run that can go on. */
  ahead: 20,
  /** ms after which a step that is being fetched is no longer waited for, and between two looks. */
  patience: 4000,
  look: 60,
};

const LOCKSTEPS = ["step", "time"] as const;
export type Lockstep = (typeof LOCKSTEPS)[number];

interface Side {
  name: "left" | "right";
  store: PlayerStore;
  line: Line;
  transactions: Transactions;
}

/** The keys that help names. */
const HELPED: readonly KeyAction[] = ["forward", "back", "step", "step_back", "next_interesting", "first", "last", "help", "close"];

export class Compare extends LitElement {
  static override properties = {
    leftSession: { attribute: "left-session" },
    leftBranch: { attribute: "left-branch" },
    rightSession: { attribute: "right-session" },
    rightBranch: { attribute: "right-branch" },
    leftPage: { attribute: "left-page" },
    rightPage: { attribute: "right-page" },
    moments: {},
    difference: {},
    catalogueEn: { attribute: "catalogue-en" },
    catalogueZhHans: { attribute: "catalogue-zh-hans" },
    language: {},
    library: {},
    rules: {},
    reference: {},
    machines: {},
    code: {},
    middle: { state: true },
    lockstep: { state: true },
    at: { state: true },
    shown: { state: true },
    unfolded: { state: true },
    allBeats: { state: true },
    fault: { state: true },
  };

  declare leftSession: string;
  declare leftBranch: string;
  declare rightSession: string;
  declare rightBranch: string;
  /** Addresses of each run alone. */
  declare leftPage: string;
  declare rightPage: string;
  /** Where the server gives the pairs of steps. */
  declare moments: string;
  declare difference: string;
  declare catalogueEn: string;
  declare catalogueZhHans: string;
  declare language: Language;
  declare library: string;
  declare rules: string;
  declare reference: string;
  declare machines: string;
  declare code: string;
  /** The zoom level of both sides. */
  declare middle: SideMiddle;
  declare lockstep: Lockstep;
  /** The side that a narrow screen shows. */
  declare shown: Side["name"];
  /** The moment of both runs (`moments.ts`), or the common virtual time. */
  declare at: number;
  /** Whether all differences and all beats of one run alone are listed, not only the first ones. */
  declare unfolded: boolean;
  declare allBeats: boolean;
  declare fault: string | null;

  readonly #permalink = new Permalink();
  #sides: Side[] = [];
  /** The partition that both sides draw large. */
  #large: string | null = null;
  /** What the two logs of each partition hold: both are drawn by one scale. */
  #spread: Spread = {};
  /** What differs between the two steps on show, and the frames that it was computed from. */
  #apart: { of: readonly unknown[]; rows: readonly ApartRow[]; names: readonly string[]; ahead: readonly Ahead[]; holding: readonly string[] } = { of: [], rows: [], names: [], ahead: [], holding: [] };
  /** The actors with lanes in both space-time diagrams, and those that each side asks for. */
  #columns: readonly string[] = [];
  #wanted = new Map<Side, readonly string[]>();
  /** Which steps belong together; null until the server has answered. */
  #moments: Moments | null = null;
  #isAsked = false;
  /** By virtual time, many steps share a moment: on these sides a particular step is meant, not the last. */
  #exact = new Map<Side, number>();
  /** The moment that was on show before. */
  #before = 0;
  /** Whether both sides are moving to the landing of a beat. */
  #goes = false;
  /**
   * At the place that the address names; without one, where the runs first differ, unless the reader moves before that.
   */
  #opens: "there" | "asked" | "looking" | "done" = "asked";

  constructor() {
    super();
    this.leftSession = this.leftBranch = this.rightSession = this.rightBranch = "";
    this.leftPage = this.rightPage = "";
    this.moments = "moments.json";
    this.difference = "";
    this.catalogueEn = this.catalogueZhHans = "";
    this.language = "en";
    this.library = "/";
    this.rules = "";
    this.reference = "";
    this.machines = "";
    this.code = "";
    this.middle = "lanes";
    this.lockstep = "step";
    this.at = 0;
    this.shown = "right";
    this.unfolded = this.allBeats = false;
    this.fault = null;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#readAddress();
    addEventListener("keydown", this.#key);
    this.addEventListener("select", this.#select as EventListener);
    this.addEventListener("fitted", this.#fitted);
    void this.#begin();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener("keydown", this.#key);
    for (const side of this.#sides) side.store.stop();
  }

  async #begin(): Promise<void> {
    await this.#speak(this.language);
    // Two branches of one session share a socket's address, not the socket: each side asks for its own steps.
    this.#sides = [
      this.#open("left", this.leftSession, this.leftBranch),
      this.#open("right", this.rightSession, this.rightBranch),
    ];
    for (const side of this.#sides) side.store.start();
    this.requestUpdate();
  }

  #open(name: Side["name"], session: string, branch: string): Side {
    const startAt = { branch, step: 0 };
    const store = new PlayerStore(new SessionSocket(sessionAddress(session)), { reducedMotion: prefersReducedMotion, startAt, lines: new Lines(wide) });
    store.speak(words.language);
    store.addEventListener("change", this.#changed);
    const line: Line = {
      get newest(): number {
        return store.newest;
      },
      step: (number) => store.lines.peek(store.branch, number),
      time: (number) => store.lines.time(store.branch, number),
    };
    return { name, store, line, transactions: new Transactions(store) };
  }

  async #speak(language: Language): Promise<void> {
    try {
      await loadLanguage(language, language === "en" ? this.catalogueEn : this.catalogueZhHans);
      rememberLanguage(language);
      this.language = language;
      for (const side of this.#sides) side.store.speak(language);
    } catch (error) {
      this.fault = String(error);
    }
    this.requestUpdate();
  }

  readonly #changed = (): void => {
    this.#catchUp();
    this.#follow();
    this.requestUpdate();
    if (!this.#isAsked && this.#sides.every(({ store }) => store.info !== null)) void this.#openAtDifference();
  };

  async #openAtDifference(): Promise<void> {
    this.#isAsked = true;
    if (this.#opens === "asked") this.#opens = "looking";
    await this.#align();
    if (this.#opens === "looking" && this.#moments?.crossed === true) this.lockstep = "time";
    const parting = this.#opens === "looking" ? (this.#moments?.decides ?? this.#parting) : null;
    if (!new URLSearchParams(location.search).has("zoom")) this.middle = this.#shows(parting?.moment ?? this.at);
    await this.#showFirst(parting);
    this.#opens = "done";
    this.requestUpdate();
  }

  /**
   * The view that shows the difference at a moment: the logs, which also show the decisions of a leader, or else the
   * messages.
   */
  #shows(moment: number): SideMiddle {
    const [moments, header] = [this.#moments, this.#sides[0]?.store.header];
    const isOfLogs = moments?.first == null || this.lockstep === "time" || header == null || header.partitions.length === 0 || moments.decides?.moment === moment;
    const isApart = (name: string): boolean => moments?.since(name, moments.at(moment)) != null || moments?.numberedSince(name, moments.at(moment)) != null;
    return isOfLogs || [...header.partitions, DATABASE_NAME].some(isApart) ? "lanes" : "spacetime";
  }

  async #align(): Promise<void> {
    const address = `${this.moments}?${new URLSearchParams({ left: this.leftBranch, right: this.rightBranch })}`;
    const response = await fetch(address, { headers: { Accept: "application/json" } }).catch(() => null);
    if (response?.ok === true) this.#moments = new Moments((await response.json()) as Alongside);
    else this.fault = say("player.compare.not_aligned");
    // An address may name a moment whose steps are still to be made, and the plans may not have come yet.
    if (this.lockstep === "step") this.at = Math.min(this.at, Math.max(this.#end, this.#moments?.last ?? 0));
    this.#catchUp();
    this.#follow();
  }

  readonly #select = (event: SelectEvent): void => {
    if (event.detail === undefined) return;
    for (const side of this.#sides) side.store.select(event.detail);
  };

  /** The sentences of both sides have letters of one size. */
  readonly #fitted = (): void => {
    const said = [...this.querySelectorAll<SaidText>("eos-said")];
    const largest = Math.min(...said.map(({ fits }) => fits));
    for (const one of said) one.largest = largest;
  };

  // Moving both

  /** Moves both sides to the common step or time, or to their ends. */
  #follow(): void {
    for (const side of this.#sides) {
      const { store, line } = side;
      const target = this.lockstep === "step" ? Math.min(this.#stepsAt(this.at)[placeOf(side)], store.newest) : this.#stepNow(line, this.#exact.get(side));
      if (store.target !== target) store.moveTo(target, Math.abs(target - store.target) === 1);
    }
  }

  /** The step of a side at the common time: the particular one, if there is one, else the last of that moment. */
  #stepNow(line: Line, exact: number | undefined): number {
    return exact !== undefined && line.time(exact) === this.at ? exact : stepAtTime(line, this.at);
  }

  #goTo(at: number, exact = new Map<Side, number>()): void {
    this.#opens = "done";
    this.#before = this.at;
    this.#exact = exact;
    this.at = Math.max(0, at);
    this.#catchUp();
    this.#follow();
  }

  /** If a run can go on and is behind the other, its steps up to there are made. */
  #catchUp(): void {
    for (const side of this.#sides) {
      const { store, line } = side;
      if (!store.canGrow || store.busy || store.problem !== null || this.at === 0) continue;
      if (this.lockstep === "step") {
        const wanted = this.#stepsAt(this.at)[placeOf(side)];
        if (store.newest < wanted) void store.grow(Math.min(growing.advanceAtMost, wanted - store.newest));
        continue;
      }
      // Makes everything that happens at this moment: the steps up to the first one after it.
      const reached = line.time(store.newest);
      if (reached !== undefined ? reached <= this.at : store.newest === 0) void store.growToTime(this.at + 1);
    }
  }

  /** Makes both runs up to their ends, and shows their results. */
  async #toTheEnd(): Promise<void> {
    await Promise.all(this.#sides.map(({ store }) => finish(store)));
    this.#goTo(this.#end);
    this.#toTheTop();
  }

  /** A reader who goes to another step reads first what happens there, so the page scrolls back to the top. */
  #toTheTop(): void {
    scrollTo({ top: 0, behavior: "instant" });
  }

  get #end(): number {
    const ends = this.#sides.map((side) => (this.lockstep === "step" ? this.#momentOf(side, this.#reach(side)) : this.#lasts(side)));
    return Math.max(0, ...ends);
  }

  /** Virtual time of its last step, or of its end as far as its plan knows. */
  #lasts(side: Side): number {
    const plan = planOf(side);
    return Math.max(side.line.time(side.store.newest) ?? 0, plan?.complete === true ? (endOf(plan)?.time ?? 0) : 0);
  }

  get #isAtEnd(): boolean {
    return this.at >= this.#end && this.#sides.every(({ store }) => !store.canGrow);
  }

  /** How many steps a run has, including those still to be made, as far as its plan knows. */
  #reach(side: Side): number {
    const plan = planOf(side);
    return Math.max(side.store.newest, plan?.complete === true ? plan.steps : 0);
  }

  /** To the next landing of a beat in either run; without beats, by one step or moment. */
  async #nextBeat(): Promise<void> {
    if (this.#goes) return;
    this.#goes = true;
    try {
      const landings = this.#landings((plan, side) => landingAfter(plan, this.#stepOf(side)));
      if (landings.length === 0) return await this.#forward();
      for (const [side, step] of landings) await this.#make(side, step);
      this.#land(landings, Math.min);
    } finally {
      this.#goes = false;
    }
  }

  /** To the landing of the beat before. */
  #lastBeat(): void {
    const landings = this.#landings((plan, side) => landingBefore(plan, this.#stepBefore(side) + 1));
    if (landings.length === 0) this.#back();
    else this.#land(landings, Math.max);
  }

  #landings(find: (plan: Plan, side: Side) => number | null): [Side, number][] {
    return this.#sides.flatMap((side): [Side, number][] => {
      const plan = planOf(side);
      const step = plan === null ? null : find(plan, side);
      return step === null ? [] : [[side, step]];
    });
  }

  /** The step of a side that is on show, or will be. */
  #stepOf(side: Side): number {
    return this.lockstep === "step" ? this.#stepsAt(this.at)[placeOf(side)] : Math.min(side.store.target, side.store.newest);
  }

  /** The step of a side at the moment or time before. */
  #stepBefore(side: Side): number {
    return this.lockstep === "step" ? this.#stepsAt(Math.max(0, this.at - 1))[placeOf(side)] : stepAtTime(side.line, this.at - 1);
  }

  /** Until the server has said which steps belong together, equal numbers stand beside each other. */
  #stepsAt(moment: number): Pair {
    return this.#moments?.at(moment) ?? [moment, moment];
  }

  #momentOf(side: Side, step: number): number {
    return this.#moments?.of(placeOf(side), step) ?? step;
  }

  #land(landings: readonly [Side, number][], which: (...of: number[]) => number): void {
    const reached = landings.flatMap(([side, step]) => {
      const at = this.lockstep === "step" ? this.#momentOf(side, step) : side.line.time(step);
      return at === undefined ? [] : [{ side, step, at }];
    });
    if (reached.length === 0) return;
    const at = which(...reached.map((one) => one.at));
    this.#goTo(at, new Map(reached.filter((one) => one.at === at).map(({ side, step }) => [side, step])));
  }

  /** Waits until this step is made and its time known. */
  async #make(side: Side, step: number): Promise<void> {
    const { store, line } = side;
    for (let before = -1; store.canGrow && store.newest < step && store.newest > before; ) {
      before = store.newest;
      await store.grow(Math.min(growing.advanceAtMost, step - store.newest));
    }
    // At the last planned step, asking for another one shows that the run has ended there.
    if (store.canGrow && store.newest === this.#reach(side)) await store.grow(1);
    for (let waited = 0; line.time(step) === undefined && waited < defaults.patience; waited += defaults.look) {
      await new Promise((resume) => setTimeout(resume, defaults.look));
    }
  }

  async #forward(): Promise<void> {
    if (this.lockstep === "step") {
      const wanted = this.at + 1;
      await Promise.all(this.#sides.map((side) => this.#make(side, this.#stepsAt(wanted)[placeOf(side)])));
      return this.#goTo(Math.min(wanted, this.#end));
    }
    const wanted = nextMoment(this.#lines, this.at);
    const growing = this.#sides.filter(({ store, line }) =>
      store.canGrow && (wanted === null || (line.time(store.newest) ?? 0) < wanted || stepAtTime(line, this.at) >= store.newest));
    await Promise.all(growing.map(({ store }) => store.grow(defaults.ahead)));
    const next = nextMoment(this.#lines, this.at);
    if (next !== null) this.#goTo(next);
  }

  #back(): void {
    this.#goTo(this.lockstep === "step" ? this.at - 1 : previousMoment(this.#lines, this.at));
  }

  /** To the first step that differs. */
  async #toDifference(): Promise<void> {
    this.#opens = "done";
    if (this.#moments === null) await this.#align();
    await this.#showFirst(this.#parting);
    this.#toTheTop();
    this.requestUpdate();
  }

  /** Shows where both runs part. */
  async #showFirst(parting: Parting | null): Promise<void> {
    if (parting === null) return;
    const opens = this.#opens;
    const steps = this.lockstep === "step" ? this.#stepsAt(parting.moment) : parting.steps;
    await Promise.all(this.#sides.map((side) => this.#make(side, steps[placeOf(side)] ?? 0)));
    // The reader may have moved meanwhile.
    if (opens !== this.#opens) return;
    if (this.lockstep === "step") this.#goTo(parting.moment);
    else this.#land(this.#landingsOf(parting), this.#isOfState ? Math.max : Math.min);
  }

  /** Whether any state or log differs, not only events. */
  get #isOfState(): boolean {
    const parting = this.#parting;
    return parting !== null && (this.lockstep === "time" && this.#moments?.timed != null || parting.moment !== this.#moments?.first);
  }

  /**
   * The first moment at which a state or a log differs or a leader decides differently; else the first at which an
   * event differs. By virtual time, a difference in time alone counts, too.
   */
  get #parting(): Parting | null {
    return (this.lockstep === "time" ? this.#moments?.timed : null) ?? this.#moments?.parting ?? null;
  }

  #landingsOf(parting: Parting | null): [Side, number][] {
    return this.#sides.flatMap((side): [Side, number][] => {
      const step = parting?.steps[placeOf(side)] ?? null;
      return step === null ? [] : [[side, step]];
    });
  }

  /** Whether a side shows a step here that makes a state or a log differ first. */
  #partsHere(side: Side): boolean {
    const parting = this.#parting;
    if (parting === null || this.#moments === null || !this.#isOfState) return false;
    if (this.lockstep === "time") return side.store.shown === parting.steps[placeOf(side)];
    return this.at === parting.moment && this.#moments.moved(parting.moment)[placeOf(side)];
  }

  /** Whether a side shows the first step that differs and takes it at this moment or time. */
  #isFirst({ store, line, ...side }: Side): boolean {
    const { first = null, same = 0 } = this.#moments ?? {};
    if (first === null || this.#moments === null) return false;
    if (this.lockstep === "step") return this.#stepsAt(first)[placeOf(side)] === store.shown && this.#moments.moved(first)[placeOf(side)];
    const times = this.#sides.map((one) => one.line.time(same + 1) ?? Infinity);
    return store.shown === same + 1 && line.time(same + 1) === Math.min(...times);
  }

  /** A step of one side, which may still have to be made. */
  async #showIn(side: Side, number: number): Promise<void> {
    await this.#make(side, number);
    this.#land([[side, number]], Math.min);
  }

  /** The choice that the player keeps; runs without beats are moved by steps. */
  get #arrows(): Arrows {
    return this.#sides.some((side) => planOf(side) !== null) ? keptArrows() : "steps";
  }

  get #lines(): Line[] {
    return this.#sides.map((side) => side.line);
  }

  /** Swaps the sides, at the steps on show. */
  async #by(lockstep: Lockstep): Promise<void> {
    const [left, right] = this.#sides;
    if (left === undefined || right === undefined || lockstep === this.lockstep) return;
    const [ours, theirs] = [this.#stepOf(left), this.#stepOf(right)];
    if (lockstep === "time") await Promise.all([this.#make(left, ours), this.#make(right, theirs)]);
    this.lockstep = lockstep;
    if (lockstep === "step") this.#goTo(this.#moments?.upTo([ours, theirs]) ?? ours);
    else this.#land([[left, ours], [right, theirs]], Math.max);
  }

  /** Zooms one level in (+1) or out (−1), as in the player. */
  #look(nearer: number): void {
    const offered = this.#offered;
    const place = offered.indexOf(this.middle) + nearer;
    this.middle = offered[Math.max(0, Math.min(offered.length - 1, place))] ?? this.middle;
  }

  /** A site without the documents has no code to show. */
  get #offered(): readonly SideMiddle[] {
    return SIDE_MIDDLES.filter((middle) => middle !== "code" || this.code !== "");
  }

  readonly #key = (event: KeyboardEvent): void => {
    const target = event.composedPath()[0];
    if (this.querySelector(".term-note:popover-open, dialog[open]") !== null) return;
    if (event.defaultPrevented || belongsToFocus(event, target instanceof Element ? target : null)) return;
    const actions: Record<string, () => void> = {
      forward: () => void (this.#arrows === "beats" ? this.#nextBeat() : this.#forward()),
      back: () => (this.#arrows === "beats" ? this.#lastBeat() : this.#back()),
      step: () => void (this.#arrows === "beats" ? this.#forward() : this.#nextBeat()),
      step_back: () => (this.#arrows === "beats" ? this.#back() : this.#lastBeat()),
      close: () => this.querySelector<HTMLElement>(".compare-head .home")?.click(),
      next_interesting: () => void this.#toDifference(),
      first: () => this.#goTo(0),
      last: () => this.#goTo(this.#end),
      zoom_in: () => this.#look(1),
      zoom_out: () => this.#look(-1),
      help: () => this.#help(),
    };
    const action = actions[actionOf(event) ?? ""];
    if (action === undefined) return;
    event.preventDefault();
    action();
  };

  #help(): void {
    this.querySelector<Help>("eos-help")?.open();
  }

  /** What the keys do here. */
  #keyRows(): KeyHelp[] {
    const own: Partial<Record<KeyAction, string>> = { next_interesting: "player.key.compare_difference", close: "player.compare.back" };
    return KEYS.filter(({ action }) => HELPED.includes(action)).map(({ keys, action }) => ({ keys, means: own[action] === undefined ? meaningOf(action, this.#arrows) : say(own[action]) }));
  }

  // What the address says: `zoom`, `by` (virtual time) and `at` (the common step or time)

  #readAddress(): void {
    const asked = new URLSearchParams(location.search);
    const view = readView(asked.get("zoom") ?? "");
    this.middle = this.#offered.find((middle) => middle === view?.middle) ?? this.middle;
    if (asked.get("by") === "time" || (!asked.has("by") && view?.spacing === "time")) this.lockstep = "time";
    const at = Number(asked.get("at"));
    if (!asked.has("at") || !Number.isSafeInteger(at) || at < 0) return;
    this.at = at;
    this.#opens = "there";
  }

  protected override updated(changed: PropertyValues): void {
    if (!["middle", "lockstep", "at"].some((name) => changed.has(name))) return;
    this.#permalink.keep({
      zoom: this.middle !== "lanes" || this.#opens === "done" ? this.middle : "",
      by: this.lockstep === "time" ? "time" : "",
      at: this.#opens === "asked" || this.#opens === "looking" ? "" : String(this.at),
    });
  }

  // What is shown

  protected override render(): TemplateResult {
    if (this.#sides.length === 0) return html`<p class="quiet loading">…</p>`;
    const [one, two] = this.#sides.map(({ store }) => store.frame);
    if (one !== undefined && two !== undefined) this.#large = largeOf(one, two, this.#large, this.#isApart);
    this.#lookApart(one, two);
    const other: Language = words.language === "en" ? "zh-Hans" : "en";
    const [left, right] = this.#sides.map((side) => planOf(side)) as [Plan | null, Plan | null];
    return html`<div class="compare">
      <header class="compare-head">
        ${this.#home()}
        <h1>${this.#isOneScenario ? titleOf(this.#sides[0] as Side) : say("player.compare.title")}</h1>
        ${this.difference === "" ? nothing : html`<p class="compare-changed">${say("player.compare.difference", { difference: this.difference })}</p>`}
        <span class="spring"></span>
        ${this.#none()}
        <button class="icon text" aria-label=${say("player.help")} title=${`${say("player.help")} (?)`} @click=${() => this.#help()}>?</button>
        <button class="icon text" lang=${other} @click=${() => void this.#speak(other)}>${other === "en" ? "English" : "中文"}</button>
        ${endsOf(left, right, this.#isOneSession, this.#moments?.verdict)}
      </header>
      <div class="compare-apart">${apartTable(this.#apart.rows, this.#sides.map((side) => this.#shortName(side)), this.#differences)}</div>
      ${this.#flip()}
      <div class="compare-sides" data-unfolded=${this.unfolded} data-shown=${this.shown} @scroll=${SCROLLS}>${this.#sides.map((side) => this.#side(side))}</div>
      ${this.fault === null ? nothing : html`<div class="message" role="alert"><p>${this.fault}</p></div>`}
      ${this.#transport()}
      <eos-term-note rules=${this.rules} reference=${this.reference}></eos-term-note>
      <eos-help .store=${this.#sides[0]?.store} .rows=${this.#keyRows()}></eos-help>
    </div>`;
  }

  get #differences(): Unfolded {
    const same = this.#moments?.first == null ? null : this.#moments.same;
    return { whole: this.unfolded, turn: () => { this.unfolded = !this.unfolded; }, none: nothingApart(same, this.#sides.map(({ store }) => store.shown), this.#apart.ahead, this.#apart.holding, this.#moments?.same) };
  }

  #lookApart(left: Frame | undefined, right: Frame | undefined): void {
    // The language is part of what is said.
    const read = [left?.view, right?.view, left?.step, right?.step, words.language, this.lockstep, this.#moments];
    if (read.every((one, index) => one === this.#apart.of[index])) return;
    this.#spread = spreadOf([left?.view, right?.view]);
    const all = factsApart(left, right);
    const apart = this.#inOrder(all);
    const rows = apartRows(apart, left?.view.verdicts ?? {}, right?.view.verdicts ?? {}, this.#isApart);
    this.#apart = { of: read, rows, names: [...new Set(apart.flatMap(({ about, marks = [] }) => [about, ...marks]))], ahead: this.#aheadIn([...new Set(all.map(({ about }) => about))]), holding: holdingApart(left, right) };
  }

  /** The part of it that is listed. By virtual time, differences in time count. */
  #inOrder(all: readonly Apart[]): readonly Apart[] {
    const [moments, [left, right]] = [this.#moments, this.#sides];
    if (this.lockstep === "time" || moments === null || left === undefined || right === undefined) return all;
    const shown: Pair = [left.store.shown, right.store.shown];
    return nearestFirst(all, (about) => moments.since(about, shown), (about) => moments.aheadSince(about, shown), (about) => moments.numberedSince(about, shown));
  }

  /** For each thing that is shown in two states: which run is further. */
  #aheadIn(names: readonly string[]): Ahead[] {
    const [left = 0, right = 0] = this.#sides.map(({ store }) => store.shown);
    return names.flatMap((about) => {
      return this.#moments === null ? [] : [{ about, side: this.#moments.ahead(about, [left, right]) ?? "both" }];
    });
  }

  get #isOneSession(): boolean {
    return this.leftSession === this.rightSession;
  }

  /** Branches of one session, two variants, or one run with different settings: each side is named by the difference. */
  get #isOneScenario(): boolean {
    const [left, right] = this.#sides;
    if (this.#isOneSession || left === undefined || right === undefined) return this.#isOneSession;
    return left.store.header?.scenario === right.store.header?.scenario && this.#runName(left) !== this.#runName(right);
  }

  /** What a side is called beside another run of its scenario: its variant, or else the first setting that differs. */
  #runName(side: Side): string {
    const [setting] = this.#naming(side);
    return setting === undefined ? variantOf(side) : settingWords(setting);
  }

  /** The setting that names a side. */
  #naming(side: Side): Altered[] {
    return side.store.header?.variant === this.#other(side)?.store.header?.variant ? this.#only(side).slice(0, 1) : [];
  }

  /**
   * The way back to where the comparison was opened; if that is unknown, for two branches of one run, to the step on
   * show.
   */
  #home(): TemplateResult {
    const [, side] = this.#sides;
    const from = readFrom(location.search, [this.leftBranch, this.rightBranch]);
    const page = from?.branch === this.leftBranch ? this.leftPage : this.rightPage;
    if (side === undefined || page === "" || (from === null && !this.#isOneSession)) return html`<a class="home" href=${this.library}>‹ <span>${say("player.library")}</span></a>`;
    return html`<a class="home" href=${placeIn(page, from ?? { branch: side.store.branch, shown: side.store.shown, log: logOf(location.search) })}>‹ <span>${say("player.compare.back")}</span></a>`;
  }

  #side(side: Side): TemplateResult {
    const { store } = side;
    const frame = store.frame;
    const other = this.#other(side);
    const broken = brokenNames(frame, other?.store.frame);
    const name = this.#isOneSession ? this.#called(side) : this.#withDone(side, this.#isOneScenario ? this.#runName(side) : titleOf(side));
    const first = this.#moments?.first ?? null;
    const isFirstDifference = this.#isFirst(side);
    const parts = this.#partsHere(side);
    return html`<section class="compare-side ${isFirstDifference || parts ? "differs" : ""}" data-side=${side.name} data-kept-by=${frame == null ? nothing : keeperOf(frame.view)} aria-label=${say(`player.compare.${side.name}`)}>
      <h2><b class="side-name">${unbroken(name)}</b>
        <span class="side-place">${this.#stage(side)}<span class="mark">${this.#mark(side, isFirstDifference, parts)}</span>
          <span class="where num">${say("player.compare.where", { step: store.shown, of: this.#reach(side), at: frame?.view.time ?? 0 })}</span></span></h2>
      <div class="only-in">${this.#setOtherwise(side)}${other === undefined || first === null ? nothing : onlyHere(planOf(side), planOf(other), first, (step) => this.#moments?.isShared(placeOf(side), step) === true, (step) => void this.#showIn(side, step), { whole: this.allBeats, turn: () => { this.allBeats = !this.allBeats; } })}</div>
      ${broken.length === 0 ? html`<div class="no-strip"></div>` : html`<eos-strip .store=${store} .only=${broken}></eos-strip>`}
      <div class="counts">${apartList(this.#apart.rows, side.name, { ...this.#differences, most: shownMiddle(this.middle, store) === "stage" ? defaults.onStage : facts.most })}</div>
      <div class="compare-sentence">
        <eos-sentence .store=${store} .isOriginal=${this.difference !== "" && side === this.#sides[1]}></eos-sentence><eos-references .store=${store} rules=${this.rules}></eos-references>
      </div>
      <div class="compare-lanes" data-middle=${shownMiddle(this.middle, store)} tabindex="0" role="group" aria-label=${say(`player.tab.${shownMiddle(this.middle, store)}`)}><p class="log-of">${numbered(side, this.#shortName(side))}</p>${shownMiddle(this.middle, store) === "lanes" ? databaseLine(frame, this.#apart.names.includes(DATABASE_NAME)) : nothing}${
        sideMiddle(this.middle, {
          store, other: other?.store.frame?.view, transactions: side.transactions, code: this.code, machines: this.machines, spacing: this.lockstep, columns: this.#columns, wants: (actors) => this.#want(side, actors), beside: this.#large, spread: this.#spread, apart: this.#apart.names,
          along: Math.max(...this.#sides.map((one) => this.#reach(one))), go: (step) => void this.#showIn(side, step),
        })}</div>
      ${
        store.problem === null
          ? nothing
          : html`<p class="bad" role="alert">${say(store.problem.key, store.problem.params)}</p>`
      }
    </section>`;
  }

  /** The switch between the runs on a narrow screen, which has room for one run. */
  #flip(): TemplateResult {
    return html`<div class="compare-flip choice" role="group" aria-label=${say("player.compare.shown")}>${this.#sides.map((side) =>
      html`<button aria-pressed=${side.name === this.shown} @click=${() => { this.shown = side.name; }}>${numbered(side, this.#shortName(side))} <small class="num">${say("player.compare.at_step", { step: side.store.shown })}</small></button>`)}</div>`;
  }

  /** What a side is called where there is room for a few words. */
  #shortName(side: Side): string {
    if (!this.#isOneSession) return this.#isOneScenario ? this.#runName(side) : (side.store.header?.scenario ?? "…");
    return this.#ownDone(side).length > 0 ? branchTitle(side.store.lines.branches, side.store.branch) : this.#called(side);
  }

  /** What was done to this run and not to the other one. */
  #ownDone(side: Side): Done[] {
    const other = this.#other(side);
    const others = new Set((other?.store.lines.branches.size ?? 0) === 0 ? [] : this.#doneTo(other).map(({ after, branch }) => `${branch}/${after}`));
    return this.#doneTo(side).filter(({ after, branch }) => !others.has(`${branch}/${after}`));
  }

  /** Two branches of one session have one title: what was done to this one and not to the other. */
  #called(side: Side): string {
    const own = this.#ownDone(side);
    if (own.length === 0) return say(this.#doneTo(side).length === 0 ? "player.compare.original" : "player.compare.as_before");
    return named(branchTitle(side.store.lines.branches, side.store.branch), doneWords(side, own));
  }

  /** Of another session: its name, and what was done to its run. */
  #withDone(side: Side, name: string): string {
    const done = this.#doneTo(side);
    return done.length === 0 ? name : joined([name, say("player.compare.changed", { done: doneWords(side, done) })]);
  }

  #doneTo(side: Side | undefined): Done[] {
    return side === undefined ? [] : doneOnLine(side.store.lines.branches, side.store.branch);
  }

  /** If there is no difference to show: a text that says so, and up to which step this is known. */
  #none(): TemplateResult | typeof nothing {
    if (this.#opens !== "done" || this.#moments === null || this.#moments.first !== null) return nothing;
    const { same } = this.#moments;
    const ended = this.#sides.every(({ store }) => store.info !== null && !store.canGrow && store.newest <= same);
    return html`<p class="none-differs">${say(ended ? "player.compare.none" : "player.compare.none_yet", { step: same })}</p>`;
  }

  /** The run alone, on its stage, at this step. */
  #stage({ name, store }: Side): TemplateResult | typeof nothing {
    const page = name === "left" ? this.leftPage : this.rightPage;
    if (page === "" || shownMiddle(this.middle, store) !== "lanes") return nothing;
    return html`<a class="on-stage" title=${say("player.compare.no_stage")} href=${placeIn(page, { branch: store.branch, shown: store.shown, log: logOf(location.search) })}>${say("player.compare.on_stage")}</a>`;
  }

  readonly #chosen = (event: Event): void => {
    const select = event.target as HTMLSelectElement;
    this.middle = this.#offered.find((middle) => middle === select.value) ?? this.middle;
    select.blur(); // The arrow keys belong to the page again.
  };

  /** The choice of the lockstep from a list, where two buttons side by side have no room. */
  readonly #choseLockstep = (event: Event): void => {
    const select = event.target as HTMLSelectElement;
    void this.#by(LOCKSTEPS.find((lockstep) => lockstep === select.value) ?? this.lockstep);
    select.blur();
  };

  #want(side: Side, actors: readonly string[]): void {
    this.#wanted.set(side, actors);
    const [left = [], right = []] = this.#sides.map((one) => this.#wanted.get(one) ?? []);
    const columns = columnsOf(left, right, ACTORS_MOST);
    if (columns.length === this.#columns.length && columns.every((name) => this.#columns.includes(name))) return;
    this.#columns = columns;
    this.requestUpdate();
  }

  /** For a step that only one run has: which run it is, and that the other one does not move. */
  #mark(side: Side, isFirst: boolean, parts: boolean): TemplateResult | typeof nothing {
    if (this.#moments?.decides?.steps[placeOf(side)] === side.store.shown) return html`<b>≠ ${say("player.compare.decides_here")}</b>`;
    if (parts) return html`<b>≠ ${say("player.compare.state_differs_here")}</b>`;
    if (isFirst) return html`<b>≠ ${say("player.compare.differs_here")}</b>`;
    if (this.lockstep !== "step" || this.#moments === null || this.at <= this.#moments.same || this.#isAtEnd) return nothing;
    // A press may pass several moments.
    const moved = this.#moments.moved(this.at, Math.min(this.#before, this.at - 1));
    if (moved[0] === moved[1]) return nothing;
    return moved[placeOf(side)] ? html`<b>${say("player.compare.only_this")}</b>` : html`${say("player.compare.stays")}`;
  }

  /**
   * Whether this actor, partition or transaction differs in more than time. By virtual time, differences in time count,
   * too.
   */
  readonly #isApart = (about: string): boolean => {
    const [left, right] = this.#sides;
    if (this.lockstep === "time" || this.#moments === null || left === undefined || right === undefined) return true;
    return this.#moments.differs(about, [left.store.shown, right.store.shown]);
  };

  #other(side: Side): Side | undefined {
    return this.#sides.find((one) => one !== side);
  }

  /** The settings and the schedule of this run that differ from the other one. */
  #setOtherwise(side: Side): TemplateResult | typeof nothing {
    const set = this.#only(side).slice(this.#naming(side).length).map((item) => html`<span title=${item.path}>≠ ${item.of} ${item.kafka || item.name} <b>${item.value}</b></span>`);
    const rows = this.#moments?.rescheduled ?? [];
    const scheduled = rows.slice(0, defaults.rescheduled).map((row) => html`<span>≠ ${whatOf(row)} <b>${whenOf(row, side.name)}</b></span>`);
    const rest = rows.slice(defaults.rescheduled);
    const others = rest.length === 0 ? nothing : html`<span title=${rest.map((row) => named(whatOf(row), whenOf(row, side.name))).join("\n")}>${say("player.compare.rescheduled.more", { count: rest.length })}</span>`;
    return set.length + scheduled.length === 0 ? nothing : html`<p class="set-otherwise">${set}${scheduled}${others}</p>`;
  }

  /** What differs on this side from the other one. */
  #only(side: Side): Altered[] {
    const other = this.#other(side)?.store.header ?? null;
    return side.store.header === null || other === null ? [] : differing(side.store.header, other);
  }

  /** `105 | 136`: the step of each side; by time, when. */
  get #place(): string {
    if (this.lockstep === "time") return `${this.at} ms`;
    return stepsText(this.#sides.map((side) => Math.min(this.#stepOf(side), this.#reach(side))));
  }

  /**
   * What a reader does next: go to where the runs begin to differ, go on from there, or see what the changed run came
   * to.
   */
  get #mainAct(): "difference" | "onward" | "result" | "none" {
    const first = this.#moments?.first ?? null;
    if (this.#isAtEnd) return this.rightPage === "" ? "none" : "result";
    const parting = this.#parting;
    const isBefore = parting !== null && (this.lockstep === "step" ? this.at < parting.moment : this.#sides.every((side) => side.store.shown < (parting.steps[placeOf(side)] ?? Infinity)));
    return first !== null && isBefore ? "difference" : "onward";
  }

  /** The end of the changed run on its stage, which says what it means. */
  #toResult(): TemplateResult {
    const { store } = this.#sides[1] as Side;
    return html`<a class="to-end main" href=${placeIn(this.rightPage, { branch: store.branch, shown: store.newest, log: logOf(location.search) })}>${say("player.compare.to_result")}</a>`;
  }

  /**
   * The target of the button: `65 | 71`, the steps of both runs there. A difference that exists before the first step
   * is shown with the first events that differ.
   */
  get #firstStep(): string {
    const same = this.#moments?.same ?? 0;
    return stepsText(this.#landingsOf(this.#parting).map(([, step]) => Math.max(step, same + 1)));
  }

  /** By virtual time, when that is, once it is known. */
  get #firstTime(): number | null {
    if (this.lockstep !== "time") return null;
    const times = this.#landingsOf(this.#parting).map(([{ line }, step]) => line.time(step));
    const known = times.filter((time) => time !== undefined);
    return known.length === 0 || known.length < times.length ? null : Math.max(...known);
  }

  #transport(): TemplateResult {
    const moments = this.#moments;
    const atEnd = this.#isAtEnd;
    const arrows = this.#arrows;
    const hasBeats = this.#sides.some((side) => planOf(side) !== null);
    const text = moments === null ? say("player.compare.looking")
      : moments.first === null ? say("player.compare.no_difference", { step: moments.same })
        : this.#firstTime === null ? say(this.#isOfState ? "player.compare.first_state" : "player.compare.first_difference", { step: this.#firstStep }) : say("player.compare.first_difference_at", { at: this.#firstTime });
    const main = this.#mainAct;
    const choice = (lockstep: Lockstep): TemplateResult =>
      html`<button aria-pressed=${this.lockstep === lockstep} @click=${() => void this.#by(lockstep)}>${say(`player.compare.by_${lockstep}`)}</button>`;
    return html`<footer class="compare-foot">
      <div class="choice" role="group" aria-label=${say("player.compare.lockstep")}>${choice("step")}${choice("time")}</div>
      <select class="by" aria-label=${say("player.compare.lockstep")} @change=${this.#choseLockstep}>
        ${LOCKSTEPS.map((lockstep) => html`<option value=${lockstep} .selected=${lockstep === this.lockstep}>${say(`player.compare.by_${lockstep}`)}</option>`)}</select>
      <label class="zoom"><span>${say("player.zoom")}</span> <select title=${say("player.compare.zoom.title")} @change=${this.#chosen}>
        ${this.#offered.map((middle) => html`<option value=${middle} .selected=${middle === this.middle}>${say(`player.tab.${shownMiddle(middle, this.#sides[0]?.store)}`)}</option>`)}</select></label>
      <div class="buttons">
        <button class="to-start" aria-label=${say("player.do.first")} title=${say("player.key.first")} ?disabled=${this.at === 0} @click=${() => this.#goTo(0)}>|◀</button>
        ${hasBeats ? html`<button aria-label=${say("player.do.beat_back")} title=${say("player.key.beat_back")} ?disabled=${this.at === 0} @click=${() => this.#lastBeat()}>◀</button>
        <button class=${main === "onward" ? "beat-go main" : "beat-go"} title=${say("player.key.forward")} ?disabled=${atEnd} @click=${() => void this.#nextBeat()}>${say("player.do.beat_forward")} <kbd aria-hidden="true">${arrowKey("forward", arrows)}</kbd></button>`
          : html`<button aria-label=${say("player.do.back")} title=${stepTitle("step_back", arrows)} ?disabled=${this.at === 0} @click=${() => this.#back()}>◀</button>`}
        <button class="go" title=${stepTitle("step", arrows)} ?disabled=${atEnd} @click=${() => void this.#forward()}>${say("player.do.step")} <kbd aria-hidden="true">${arrowKey("step", arrows)}</kbd></button>
      </div>
      <input type="range" aria-label=${say("player.scrubber")} min="0" max=${this.#end} .value=${live(String(this.at))} data-arrows
        @input=${(event: Event) => this.#goTo(Number((event.target as HTMLInputElement).value))} />
      <output class="num">${this.#place}</output>
      <span class="sr" role="status">${text}</span>
      ${main === "result" ? this.#toResult() : html`<button class="to-end" ?disabled=${atEnd} @click=${() => void this.#toTheEnd()}>${say("player.compare.to_the_end")}</button>`}
      <button class=${main === "difference" ? "to-difference main" : "to-difference"} title=${say("player.compare.go_to_difference")} ?disabled=${moments !== null && moments.first === null} @click=${() => void this.#toDifference()}>${text} <kbd aria-hidden="true">⇧ →</kbd></button>
    </footer>`;
  }
}

/** What a reader scrolls in one run is scrolled in the other. */
const SCROLLS = { handleEvent: linkScrolling(), capture: true, passive: true };

/** `2. Changed run`: on a telephone, on which runs do not stand side by side, it says which is the second one. */
function numbered(side: Side, name: string): string {
  return `${placeOf(side) + 1}. ${name}`;
}

function placeOf({ name }: Pick<Side, "name">): 0 | 1 {
  return name === "left" ? 0 : 1;
}

function titleOf({ store }: Side): string {
  return store.header === null ? "…" : store.header.title[words.language] || store.header.scenario;
}

/** `105 | 136`; where both are the same, once. */
function stepsText(steps: readonly number[]): string {
  return [...new Set(steps)].join(" | ");
}

/** `Kafka 3.9`, `p1 retries 3`. */
function settingWords({ of, kafka, name, value }: Altered): string {
  return [of, kafka || name, value].filter((one) => one !== "").join(" ");
}

/** The variant that a side is of. */
function variantOf(side: Side): string {
  return side.store.header?.variant_title?.[words.language] ?? say("player.compare.original");
}

/** What was done to a side's run. */
function doneWords({ store }: Side, done: readonly Done[]): string {
  return listed(done.map((one) => say("lesson.changed_at", { what: inWords(one, store.lines), step: one.after })));
}

/** The side's own plan, which says how the run ends. */
function planOf({ store }: Side): Plan | null {
  return store.plans.own(store.branch);
}

/** Makes a run's steps until it ends, or until no more can be made. */
async function finish(store: PlayerStore): Promise<void> {
  for (let before = -1; store.canGrow && store.newest > before; ) {
    before = store.newest;
    await store.grow(growing.advanceAtMost);
  }
}

customElements.define("eos-compare", Compare);
