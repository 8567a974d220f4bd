/**
 * `<eos-compare left-session="…" left-branch="…" right-session="…" right-branch="…">`: two runs in lockstep, by step
 * or by virtual time, with the first step that differs and both verdicts (docs/player.md). By step, equal
 * events stand beside each other.
 */

import type { TemplateResult } from "lit";
import { html, LitElement, nothing } from "lit";
import { live } from "lit/directives/live.js";
import "./player.ts";
import "./references.ts";
import "./sentence.ts";
import "./strip.ts";
import "./term-note.ts";
import type { Alongside } from "../generated/messages.ts";
import type { Spread } from "../diagrams/lanes-plan.ts";
import { NOTHING_FOREMOST } from "../diagrams/spacetime-layout.ts";
import type { Foremost } from "../diagrams/spacetime-layout.ts";
import { INTERNAL } from "../diagrams/internal-partitions.ts";
import { ACTORS_MOST } from "../diagrams/spacetime-heads.ts";
import { logOf, placeIn, readFrom } from "./beside-address.ts";
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
import type { Pair } from "./moments.ts";
import type { SaidText } from "./sentence.ts";
import { apartList, changesOne, defaults as facts, factsApart, holdingApart, nearestFirst, nothingApart, passedApart } from "./compare-facts.ts";
import type { Ahead, Apart, ApartRow, RunNames, Unfolded } from "./compare-facts.ts";
import { listed, named, sentences } from "./joins.ts";
import { linkScrolling } from "./compare-scroll.ts";
import { leavesOf } from "./beats.ts";
import { endsOf, onlyHere } from "./compare-head.ts";
import { databaseLine } from "./compare-database.ts";
import { largeOf, spreadOf } from "./compare-large.ts";
import { twinLogs } from "./compare-logs.ts";
import { decisiveIds, decisiveIn, waitsFor } from "./compare-decisive.ts";
import { columnsOf, shownMiddle, sideMiddle, SIDE_MIDDLES } from "./compare-middle.ts";
import type { SideMiddle } from "./compare-middle.ts";
import { apartRows, apartTable, brokenNames } from "./compare-verdict.ts";
import { standingText, timesText } from "./compare-place.ts";
import { SideNames, titleOf } from "./compare-names.ts";
import { LOCKSTEPS, Walk, placeOf, planOf } from "./compare-walk.ts";
import type { Landmark, Lockstep, Walker } from "./compare-walk.ts";
import { keptArrows } from "./beat-walk.ts";
import type { Arrows } from "./beat-walk.ts";
import { arrowKey, stepTitle } from "./key-words.ts";
import { Permalink, prefersReducedMotion, rememberLanguage } from "./page.ts";
import { sessionAddress, SessionSocket } from "./socket.ts";
import { PlayerStore } from "./store.ts";
import { keeperOf } from "./terms.ts";
import { loadLanguage, say, words } from "./text.ts";
import { Transactions } from "./transactions.ts";
import { unbroken } from "./unbroken.ts";
import { DATABASE_NAME } from "../stage/beside-places.ts";
import { readView } from "./zoom-view.ts";

export const defaults = {
  /** The most differences in one line over a stage, which marks them itself. */
  onStage: 3,
  /** The most letters of a run's name that fit beside its step and time on a phone. */
  name: 16,
  /** The most names of things that begin to differ at a step. */
  begun: 3,
  /** The most rescheduled calls and faults that a side lists; the others are counted. */
  rescheduled: 3,
};

interface Side extends Walker {
  transactions: Transactions;
}

/** The keys that the help lists. */
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
    shown: { state: true },
    unfolded: { state: true },
    allBeats: { state: true },
    fault: { state: true },
  };

  declare leftSession: string;
  declare leftBranch: string;
  declare rightSession: string;
  declare rightBranch: string;
  /** The addresses of the pages on which each run is shown alone. */
  declare leftPage: string;
  declare rightPage: string;
  /** The address at which the server gives the pairs of steps. */
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
  /** The side that a narrow screen shows, as it has room for one. */
  declare shown: Side["name"];
  /**
   * `unfolded`: whether all differences are listed, not only the first ones. `allBeats`: the same for the beats of one
   * run alone.
   */
  declare unfolded: boolean;
  declare allBeats: boolean;
  declare fault: string | null;

  readonly #permalink = new Permalink();
  #sides: Side[] = [];
  /** The partition that both sides draw large. */
  #large: string | null = null;
  /** The content of the two logs of each partition: both are drawn on one scale. */
  #spread: Spread = {};
  /** The differences between the two steps on show, and the frames from which they were computed. */
  #apart: { of: readonly unknown[]; rows: readonly ApartRow[]; abouts: readonly string[]; names: readonly string[]; ahead: readonly Ahead[]; holding: readonly string[]; waits: Partial<Record<Side["name"], string>>; foremost: Partial<Record<Side["name"], Foremost>> } = { of: [], rows: [], abouts: [], names: [], ahead: [], holding: [], waits: {}, foremost: {} };
  /** `most`: how many of these facts each side lists. `hasRoom`: whether it was measured that they have room. */
  #listed = { most: facts.most, hasRoom: false };
  /** The actors with lanes in both space-time diagrams, and those for which each side asks. */
  #columns: readonly string[] = [];
  #wanted = new Map<Side, readonly string[]>();
  #names = new SideNames([], false);
  readonly #walk = new Walk(() => this.requestUpdate());
  #isAsked = false;
  /** Whether the page must still find out which run makes the difference at which it opened. */
  #seeksActing = false;
  /** The two steps that the address names, if no moment has both. */
  #askedPair: Pair | null = null;
  /** The place that was last written into the address. */
  #kept = "";

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
    // The two sides do not share a socket even if both are branches of one session: each requests its own steps.
    this.#sides = [
      this.#open("left", this.leftSession, this.leftBranch),
      this.#open("right", this.rightSession, this.rightBranch),
    ];
    this.#walk.sides = this.#sides;
    this.#names = new SideNames(this.#sides.map(({ store }) => store), this.#isOneSession);
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
      step: (number) => store.lines.step(store.branch, number),
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
    this.#walk.keepUp();
    this.requestUpdate();
    if (!this.#isAsked && this.#sides.every(({ store }) => store.info !== null)) void this.#openAtDifference();
  };

  async #openAtDifference(): Promise<void> {
    const walk = this.#walk;
    this.#isAsked = true;
    if (walk.opens === "asked") walk.opens = "looking";
    await this.#align();
    if (!new URLSearchParams(location.search).has("zoom")) this.middle = this.#best;
    if (walk.opens === "looking") {
      if (walk.moments?.crossed === true || walk.moments?.isOfTime === true) walk.by = "time";
      const parting = walk.moments?.decides ?? walk.parting;
      if (this.#isFromEnd) await walk.toTheEnd();
      else await walk.showFirst(parting);
      this.#seeksActing = parting !== null;
    }
    if (this.#askedPair !== null) walk.goToPair(this.#askedPair);
    walk.opens = "done";
    this.requestUpdate();
  }

  /**
   * Whether the comparison was opened at the end of a run: it then shows both ends first, unless they are alike because
   * the runs differ in time alone.
   */
  get #isFromEnd(): boolean {
    const from = readFrom(location.search, [this.leftBranch, this.rightBranch]);
    const { moments } = this.#walk;
    if (from === null || moments === null || moments.isOfTime) return false;
    return moments.isLast(from.branch === this.leftBranch ? 0 : 1, from.shown);
  }

  /** Chooses for a narrow screen the side whose step makes the difference, if only one of the two does. */
  #showActing(): void {
    if (!this.#seeksActing || this.#sides.some(({ store }) => store.frame?.step?.number !== store.target)) return;
    this.#seeksActing = false;
    const [acting, other] = this.#sides.filter(({ store }) => store.frame !== undefined && changesOne(store.frame, this.#apart.abouts));
    if (acting !== undefined && other === undefined) this.shown = acting.name;
  }

  /** The picture that shows best how the two runs differ. */
  get #best(): SideMiddle {
    return this.#walk.moments?.picture === "messages" ? "spacetime" : "lanes";
  }

  /** The name of the picture with a button for the other one; after another choice, the button back. */
  #picture(): TemplateResult | typeof nothing {
    const { moments } = this.#walk;
    if (moments === null || moments.first === null) return nothing;
    const best = this.#best;
    const isBest = this.middle === best;
    const to: SideMiddle = !isBest ? best : best === "lanes" ? "spacetime" : "lanes";
    const press = say(`player.compare.show_${to === "spacetime" ? "messages" : shownMiddle(to, this.#sides[0]?.store) === "stage" ? "stage" : "logs"}`);
    return html`<p class="compare-picture" title=${say(`player.compare.why_${moments.picture}`)}>${isBest ? say(`player.compare.shows_${moments.picture}`) : nothing} <button @click=${() => { this.middle = to; }}>${press}</button></p>`;
  }

  async #align(): Promise<void> {
    const address = `${this.moments}?${new URLSearchParams({ left: this.leftBranch, right: this.rightBranch })}`;
    const response = await fetch(address, { headers: { Accept: "application/json" } }).catch(() => null);
    const walk = this.#walk;
    if (response?.ok === true) walk.moments = new Moments((await response.json()) as Alongside);
    else this.fault = say("player.compare.not_aligned");
    // The address may name a moment whose steps are still to be made, and the plans may not have arrived yet.
    if (walk.by === "step") walk.at = Math.min(walk.at, Math.max(walk.end, walk.moments?.last ?? 0));
    walk.keepUp();
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

  // Moving both sides

  /** Makes both runs up to their ends, and shows their results. */
  async #toTheEnd(): Promise<void> {
    this.#walk.opens = "done";
    await this.#walk.toTheEnd();
    this.#toTheTop();
  }

  /** Scrolls to the top of the page: a reader who goes to another step reads first what happens there. */
  #toTheTop(): void {
    scrollTo({ top: 0, behavior: "instant" });
  }

  /** Goes to the next place at which the runs part; from the last one, to the first. */
  async #toDifference(): Promise<void> {
    this.#walk.opens = "done";
    if (this.#walk.moments === null) await this.#align();
    await this.#walk.showFirst(this.#walk.landmark?.parting ?? null);
    this.#toTheTop();
    this.requestUpdate();
  }

  /** Whether arrow keys move by beats or by steps: as the reader chose in the player; by steps if no run has beats. */
  get #arrows(): Arrows {
    return this.#sides.some((side) => planOf(side) !== null) ? keptArrows() : "steps";
  }

  /** Zooms one level in (+1) or out (−1), as in the player. */
  #look(nearer: number): void {
    const offered = this.#offered;
    const place = offered.indexOf(this.middle) + nearer;
    this.middle = offered[Math.max(0, Math.min(offered.length - 1, place))] ?? this.middle;
  }

  /** The views to choose from; a site without the code documents has no code to show. */
  get #offered(): readonly SideMiddle[] {
    return SIDE_MIDDLES.filter((middle) => middle !== "code" || this.code !== "");
  }

  readonly #key = (event: KeyboardEvent): void => {
    const target = event.composedPath()[0];
    if (this.querySelector(".term-note:popover-open, dialog[open]") !== null) return;
    if (event.defaultPrevented || belongsToFocus(event, target instanceof Element ? target : null)) return;
    const walk = this.#walk;
    const actions: Record<string, () => void> = {
      forward: () => void (this.#arrows === "beats" ? walk.nextBeat() : walk.forward()),
      back: () => (this.#arrows === "beats" ? walk.lastBeat() : walk.back()),
      step: () => void (this.#arrows === "beats" ? walk.forward() : walk.nextBeat()),
      step_back: () => (this.#arrows === "beats" ? walk.back() : walk.lastBeat()),
      close: () => this.querySelector<HTMLElement>(".compare-head .home")?.click(),
      next_interesting: () => void this.#toDifference(),
      first: () => walk.goTo(0),
      last: () => walk.goTo(walk.end),
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

  /** The keys of this page and what they do. */
  #keyRows(): KeyHelp[] {
    const own: Partial<Record<KeyAction, string>> = { next_interesting: "player.key.compare_difference", close: "player.compare.back" };
    return KEYS.filter(({ action }) => HELPED.includes(action)).map(({ keys, action }) => ({ keys, means: own[action] === undefined ? meaningOf(action, this.#arrows) : say(own[action]) }));
  }

  // Reads the address: `zoom`, `by` (`time` for virtual time) and `at` (the common step or time).

  #readAddress(): void {
    const asked = new URLSearchParams(location.search);
    const view = readView(asked.get("zoom") ?? "");
    this.middle = this.#offered.find((middle) => middle === view?.middle) ?? this.middle;
    if (asked.get("by") === "time" || (!asked.has("by") && view?.spacing === "time")) this.#walk.by = "time";
    const [, left, right] = /^(\d{1,6})-(\d{1,6})$/.exec(asked.get("at") ?? "") ?? [];
    if (left !== undefined && right !== undefined && this.#walk.by === "step") {
      this.#askedPair = [Number(left), Number(right)];
      this.#walk.opens = "there";
      return;
    }
    const at = Number(asked.get("at"));
    if (!asked.has("at") || !Number.isSafeInteger(at) || at < 0) return;
    this.#walk.at = at;
    this.#walk.opens = "there";
  }

  protected override updated(): void {
    this.#showActing();
    this.#fitFacts();
    const { at, by, opens } = this.#walk;
    const place = {
      zoom: this.middle !== "lanes" || opens === "done" ? this.middle : "",
      by: by === "time" ? "time" : "",
      at: opens === "asked" || opens === "looking" ? "" : this.#walk.pair?.join("-") ?? String(at),
    };
    if (this.#kept === (this.#kept = JSON.stringify(place))) return;
    this.#permalink.keep(place);
  }

  // The parts of the page

  protected override render(): TemplateResult {
    if (this.#sides.length === 0) return html`<p class="quiet loading">…</p>`;
    const [one, two] = this.#sides.map(({ store }) => store.frame);
    if (one !== undefined && two !== undefined) this.#large = largeOf(one, two, this.#large, this.#isApart);
    this.#lookApart(one, two);
    const other: Language = words.language === "en" ? "zh-Hans" : "en";
    const [left, right] = this.#sides.map((side) => planOf(side)) as [Plan | null, Plan | null];
    const differences = this.#differences;
    const middle = shownMiddle(this.middle, this.#sides[0]?.store);
    return html`<div class="compare" data-middle=${middle}>
      <header class="compare-head">
        ${this.#home()}
        <h1>${this.#names.isOneScenario ? titleOf((this.#sides[0] as Side).store) : say("player.compare.title")}</h1>
        ${this.difference === "" ? nothing : html`<p class="compare-changed">${say("player.compare.difference", { difference: this.difference })}</p>`}
        ${this.#picture()}
        <span class="spring"></span>
        ${this.#none()}
        <button class="icon text" aria-label=${say("player.help")} title=${`${say("player.help")} (?)`} @click=${() => this.#help()}>?</button>
        <button class="icon text" lang=${other} @click=${() => void this.#speak(other)}>${other === "en" ? "English" : "中文"}</button>
        ${endsOf(left, right, this.#isOneSession, this.#runNames, this.#walk.moments?.verdict)}
        ${this.#standing()}
      </header>
      <div class="compare-apart">${apartTable(this.#apart.rows, this.#sides.map((side) => this.#numberedShort(side)), timesText(this.#times), differences)}</div>
      ${middle === "lanes" ? twinLogs(one, two, this.#apart.names, (partition) => this.#walk.moments?.isEverApart(partition) ?? false) : nothing}
      ${this.#flip()}
      <div class="compare-sides" data-unfolded=${this.unfolded} data-shown=${this.shown} @scroll=${SCROLLS}>${this.#sides.map((side) => this.#side(side, differences))}</div>
      ${this.#loading(one, two)}
      ${this.fault === null ? nothing : html`<div class="message" role="alert"><p>${this.fault}</p></div>`}
      ${this.#transport()}
      <eos-term-note rules=${this.rules} reference=${this.reference}></eos-term-note>
      <eos-help .store=${this.#sides[0]?.store} .rows=${this.#keyRows()}></eos-help>
    </div>`;
  }

  /** A text while a run is being loaded, or while the connection to the server is lost. */
  #loading(left: Frame | undefined, right: Frame | undefined): TemplateResult | typeof nothing {
    if (this.#sides.some(({ store }) => store.problem !== null || store.status === "failed")) return nothing;
    const isLost = this.#sides.some(({ store }) => store.status === "reconnecting");
    return !isLost && left !== undefined && right !== undefined ? nothing : html`<p class="compare-loading" role="status">${say(`player.compare.${isLost ? "reconnecting" : "opening"}`)}</p>`;
  }

  get #differences(): Unfolded {
    return { whole: this.unfolded, turn: () => { this.unfolded = !this.unfolded; }, none: this.#nothingText() };
  }

  /** The text in place of the list of differences, if it is empty. */
  #nothingText(): string {
    const { moments, placeKind } = this.#walk;
    // If the ends are alike, the line over both runs says so.
    if (placeKind === "ends" && this.#lasting?.length === 0) return "";
    if (moments === null && this.fault === null) return say("player.compare.looking");
    if (moments?.isOfTime === true) return say("player.compare.nothing_apart");
    const same = moments?.first == null ? null : moments.same;
    return nothingApart(same, this.#sides.map(({ store }) => store.shown), this.#apart.ahead, this.#runNames, { holding: this.#apart.holding, passed: this.#passed, compared: moments?.same });
  }

  get #passed(): string[] {
    const shown = this.#sides.map(({ store }) => store.shown);
    const [left = 0, right = 0] = shown;
    return passedApart(this.#walk.moments?.apartBefore([left, right]) ?? [], this.#sides.map((side) => planOf(side)), shown, this.#runNames);
  }

  /**
   * Whether the step happens in both runs. If a change costs only time, all steps happen in both, except those that its
   * beats have added.
   */
  #isInBoth(side: Side, step: number): boolean {
    const { moments } = this.#walk;
    if (moments?.isShared(placeOf(side), step) === true) return true;
    return moments?.isOfTime === true && this.#isOneSession && !leavesOf(planOf(side)?.beats ?? []).some(({ lands, added }) => lands === step && added === true);
  }

  /** A line that says where both runs are. It has its place at every step, so that nothing below it moves. */
  #standing(): TemplateResult {
    const { moments, placeKind } = this.#walk;
    const isOfTime = moments?.isOfTime === true;
    const waits = isOfTime ? this.#sides.flatMap(({ name }) => this.#apart.waits[name] ?? []) : [];
    const [place, further] = standingText({ kind: placeKind, isOfTime, since: this.#placeOf(this.#walk.since), lasting: this.#lasting }, this.#times, this.#runNames, waits);
    return html`<p class=${isOfTime ? "compare-place waits" : "compare-place"} title=${sentences([place, further])}><b>${unbroken(place)}</b><span>${unbroken(further)}</span></p>`;
  }

  /** What differs at both ends; null if it is not known, or only numbers may differ. */
  get #lasting(): readonly string[] | null {
    const { moments } = this.#walk;
    if (moments === null || !this.#sides.every((side) => moments.isLast(placeOf(side), side.store.shown))) return null;
    return moments.lasting?.length === 0 && moments.hasNumbers ? null : moments.lasting;
  }

  /** Whether both runs are at their ends, and something differs there. */
  get #isEndApart(): boolean {
    return this.#walk.placeKind === "ends" && (this.#lasting ?? []).length > 0;
  }

  /** The virtual times of both runs. */
  get #times(): readonly [number, number] {
    const [left = 0, right = 0] = this.#sides.map(({ store }) => store.frame?.view.time ?? 0);
    return [left, right];
  }

  #lookApart(left: Frame | undefined, right: Frame | undefined): void {
    // The facts are texts, so the language is one of their inputs.
    const read = [left?.view, right?.view, left?.step, right?.step, words.language, this.#walk.by, this.#walk.moments, ...this.#sides.map(({ store }) => store.arrows.length)];
    if (read.every((one, index) => one === this.#apart.of[index])) return;
    this.#spread = spreadOf([left?.view, right?.view]);
    const all = factsApart(left, right);
    const apart = this.#inOrder(all);
    const states = apart.filter(({ isNumber }) => isNumber !== true);
    const rows = apartRows(apart, left?.view.verdicts ?? {}, right?.view.verdicts ?? {}, this.#isApart);
    const ahead = this.#aheadIn([...new Set(all.map(({ about }) => about))]);
    this.#apart = { of: read, rows, abouts: [...new Set((states.length > 0 ? states : apart).map(({ about }) => about))], names: [...new Set(apart.flatMap(({ about, marks = [], isNumber }) => (isNumber === true ? marks : [about, ...marks])))], ahead, holding: holdingApart(left, right), waits: this.#waiting(ahead), foremost: Object.fromEntries(this.#sides.map((side) => [side.name, this.#foremost(side)])) };
    this.#listed = { most: facts.most, hasRoom: false };
  }

  /** Lists fewer facts on both sides, until no fact is cut on either; the others are counted. */
  #fitFacts(): void {
    if (this.#listed.hasRoom || this.unfolded) return;
    const isCut = [...this.querySelectorAll(".counts")].some(({ scrollHeight, clientHeight }) => scrollHeight > clientHeight + 1);
    const { most } = this.#listed;
    this.#listed = isCut && most > 1 ? { most: most - 1, hasRoom: false } : { most, hasRoom: true };
    if (!this.#listed.hasRoom) this.requestUpdate();
  }

  /**
   * The facts that are listed, in their order. By virtual time, and if the runs differ in time alone, differences in
   * time count.
   */
  #inOrder(all: readonly Apart[]): readonly Apart[] {
    const [moments, [left, right]] = [this.#walk.moments, this.#sides];
    if (this.#walk.by === "time" || moments === null || moments.isOfTime || left === undefined || right === undefined) return all;
    const shown: Pair = [left.store.shown, right.store.shown];
    return nearestFirst(all, (about) => moments.since(about, shown), (about) => moments.aheadSince(about, shown), (about) => moments.numberedSince(about, shown));
  }

  /** For each of these things that is shown in two states: which run is further. */
  #aheadIn(names: readonly string[]): Ahead[] {
    const [left = 0, right = 0] = this.#sides.map(({ store }) => store.shown);
    return names.flatMap((about) => {
      return this.#walk.moments === null ? [] : [{ about, side: this.#walk.moments.ahead(about, [left, right]) ?? "both" }];
    });
  }

  #waiting(ahead: readonly Ahead[]): Partial<Record<Side["name"], string>> {
    const { moments } = this.#walk;
    return moments === null ? {} : Object.fromEntries(this.#sides.flatMap((side) => {
      const said = waitsFor(decisiveIn(side.store.arrows, this.#other(side)?.store.arrows ?? [], moments.same), ahead, side.name, { run: this.#names.short(side.store), most: facts.ahead });
      return said === null ? [] : [[side.name, said]];
    }));
  }

  #foremost(side: Side): Foremost {
    const { moments } = this.#walk;
    return { messages: moments === null ? [] : decisiveIds(side.store.arrows, this.#other(side)?.store.arrows ?? [], moments.same), actors: moments?.later ?? [] };
  }

  get #runNames(): RunNames {
    const [left_run = "", right_run = ""] = this.#sides.map(({ store }) => this.#names.short(store));
    return { left_run, right_run };
  }

  get #isOneSession(): boolean {
    return this.leftSession === this.rightSession;
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

  #side(side: Side, differences: Unfolded): TemplateResult {
    const { store } = side;
    const frame = store.frame;
    const other = this.#other(side);
    const broken = brokenNames([frame, other?.store.frame], this.#sides.map(planOf));
    const name = this.#names.whole(side.store);
    const first = this.#walk.moments?.first ?? null;
    const isFirst = this.#walk.isFirst(side);
    const parts = this.#walk.partsHere(side);
    const isMarked = this.#isEndApart || parts || this.#walk.decidesHere(side) || (isFirst && !this.#walk.isOfState);
    return html`<section class="compare-side ${isMarked ? "differs" : ""}" data-side=${side.name} data-kept-by=${frame == null ? nothing : keeperOf(frame.view)} aria-label=${numbered(side, this.#names.short(store))}>
      <h2><b class="side-name">${unbroken(name)}</b>
        <span class="side-place">${this.#where(side)}<span class="mark">${this.#mark(side, isFirst, parts)}</span>${this.#stage(side)}</span></h2>
      <div class="only-in">${this.#setOtherwise(side)}${other === undefined || first === null ? nothing : onlyHere(planOf(side), planOf(other), first, (step) => this.#isInBoth(side, step), (step) => void this.#walk.showIn(side, step), { whole: this.allBeats, turn: () => { this.allBeats = !this.allBeats; } })}</div>
      ${broken.length === 0 ? html`<div class="no-strip"></div>` : html`<eos-strip .store=${store} .only=${broken}></eos-strip>`}
      <div class="counts">${apartList(this.#apart.rows, side.name, { ...differences, most: Math.min(this.#listed.most, shownMiddle(this.middle, store) === "stage" ? defaults.onStage : facts.most) })}</div>
      <div class="compare-sentence"><p class=${this.#names.short(store).length > defaults.name ? "said-of long" : "said-of"}><b>${isMarked ? "≠ " : ""}${numbered(side, this.#names.short(store))}</b>${this.#where(side)}</p>
        <eos-sentence .store=${store} .isOriginal=${this.difference !== "" && side === this.#sides[1]}></eos-sentence><eos-references .store=${store} rules=${this.rules}></eos-references>
      </div>
      <div class="compare-lanes" data-middle=${shownMiddle(this.middle, store)} tabindex="0" role="group" aria-label=${say(`player.tab.${shownMiddle(this.middle, store)}`)}><p class="log-of">${numbered(side, this.#names.short(side.store))}</p>${shownMiddle(this.middle, store) === "lanes" ? databaseLine(frame, this.#apart.names.includes(DATABASE_NAME)) : nothing}${
        sideMiddle(this.middle, {
          store, other: other?.store.frame?.view, transactions: side.transactions, code: this.code, machines: this.machines, spacing: this.#walk.by, columns: this.#columns, wants: (actors) => this.#want(side, actors), foremost: this.#apart.foremost[side.name] ?? NOTHING_FOREMOST, beside: this.#large, spread: this.#spread, apart: this.#apart.names,
          along: Math.max(...this.#sides.map((one) => this.#walk.reach(one))), go: (step) => void this.#walk.showIn(side, step),
        })}</div>
      ${
        store.problem === null
          ? nothing
          : html`<p class="bad" role="alert">${say(store.problem.key, store.problem.params)}</p>`
      }
    </section>`;
  }

  /** The step and the virtual time of a side. */
  #where(side: Side): TemplateResult {
    const time = timesText(this.#times)[placeOf(side)] ?? "";
    return html`<span class="where num"><b>t = ${time}</b> ${say("player.compare.where", { step: side.store.shown, of: this.#walk.reach(side) })}</span>`;
  }

  /** The number of a side, with its name if that is short: the name stands over the sentence, too. */
  #numberedShort(side: Side): string {
    const name = this.#names.short(side.store);
    return numbered(side, name.length > defaults.name ? "" : name).trim();
  }

  /** The switch between the runs on a narrow screen, which has room for one run. */
  #flip(): TemplateResult {
    return html`<div class="compare-flip choice" role="group" aria-label=${say("player.compare.shown")}>${this.#sides.map((side) =>
      html`<button aria-pressed=${side.name === this.shown} @click=${() => { this.shown = side.name; }}>${numbered(side, this.#names.short(side.store))} <small class="num">${say("player.compare.at_step", { step: side.store.shown })}</small></button>`)}</div>`;
  }

  /** A text that there is no difference, and up to which step this is known; nothing if there is one. */
  #none(): TemplateResult | typeof nothing {
    if (this.#walk.opens !== "done" || this.#walk.moments === null || this.#walk.moments.first !== null) return nothing;
    const { same } = this.#walk.moments;
    const ended = this.#sides.every(({ store }) => store.info !== null && !store.canGrow && store.newest <= same);
    return html`<p class="none-differs">${say(ended ? "player.compare.none" : "player.compare.none_yet", { step: same })}</p>`;
  }

  /** A link to the run alone, on its stage, at this step. */
  #stage({ name, store }: Side): TemplateResult | typeof nothing {
    const page = name === "left" ? this.leftPage : this.rightPage;
    if (page === "" || shownMiddle(this.middle, store) !== "lanes") return nothing;
    return html`<a class="on-stage" title=${say("player.compare.no_stage")} href=${placeIn(page, { branch: store.branch, shown: store.shown, log: logOf(location.search) })}>${say("player.compare.on_stage")}</a>`;
  }

  readonly #chosen = (event: Event): void => {
    const select = event.target as HTMLSelectElement;
    this.middle = this.#offered.find((middle) => middle === select.value) ?? this.middle;
    select.blur(); // Without the focus in the list, the arrow keys move the runs again.
  };

  /** The choice of the lockstep from a list, where two buttons side by side have no room. */
  readonly #choseLockstep = (event: Event): void => {
    const select = event.target as HTMLSelectElement;
    void this.#walk.turn(LOCKSTEPS.find((lockstep) => lockstep === select.value) ?? this.#walk.by);
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

  /**
   * The mark of a side: at its step something differs first, is decided differently, or differs at the end. For a step
   * that only one run has: a text that says so, and on the other side that this run does not move.
   */
  #mark(side: Side, isFirst: boolean, parts: boolean): TemplateResult | typeof nothing {
    if (this.#isEndApart) return html`<b title=${say("player.compare.ends_here")}>≠</b>`;
    if (this.#walk.decidesHere(side)) return html`<b title=${say("player.compare.decides_here")}>≠</b>`;
    if (parts && this.#walk.placeKind === "fault") return html`<b>≠ ${say("player.compare.fault_here")}</b>`;
    if (parts) {
      const own = this.#apart.abouts.filter((about) => !INTERNAL.test(about));
      const names = listed((own.length > 0 ? own : this.#apart.abouts).slice(0, defaults.begun)) || say("player.compare.logs_or_states");
      return html`<b>≠ ${say(this.#walk.placeKind === "times" ? "player.compare.time_differs_here" : "player.compare.state_differs_here", { names })}</b>`;
    }
    // Events that differ before any state or log does are not the first difference.
    if (isFirst) return html`<b>${this.#walk.isOfState ? "" : "≠ "}${say("player.compare.differs_here")}</b>`;
    if (this.#walk.by !== "step" || this.#walk.moments === null || this.#walk.at <= this.#walk.moments.same || this.#walk.isAtEnd) return nothing;
    // A press may pass over several moments.
    const moved = this.#walk.moments.moved(this.#walk.at, Math.min(this.#walk.before, this.#walk.at - 1));
    if (moved[0] === moved[1]) return nothing;
    return moved[placeOf(side)] ? html`<b>${say("player.compare.only_this")}</b>` : html`${say("player.compare.stays")}`;
  }

  /**
   * Whether this actor, partition or transaction differs in more than time; by virtual time, whether it differs at all.
   */
  readonly #isApart = (about: string): boolean => {
    const [left, right] = this.#sides;
    if (this.#walk.by === "time" || this.#walk.moments === null || left === undefined || right === undefined) return true;
    return this.#walk.moments.differs(about, [left.store.shown, right.store.shown]);
  };

  #other(side: Side): Side | undefined {
    return this.#sides.find((one) => one !== side);
  }

  /** The settings and the schedule of this run that differ from those of the other one. */
  #setOtherwise(side: Side): TemplateResult | typeof nothing {
    const set = this.#names.setOtherwise(side.store).map((item) => html`<span title=${item.path}>≠ ${item.of} ${item.kafka || item.name} <b>${item.value}</b></span>`);
    const rows = this.#walk.moments?.rescheduled ?? [];
    const scheduled = rows.slice(0, defaults.rescheduled).map((row) => html`<span>≠ ${whatOf(row)} <b>${whenOf(row, side.name)}</b></span>`);
    const rest = rows.slice(defaults.rescheduled);
    const others = rest.length === 0 ? nothing : html`<span title=${rest.map((row) => named(whatOf(row), whenOf(row, side.name))).join("\n")}>${say("player.compare.rescheduled.more", { count: rest.length })}</span>`;
    return set.length + scheduled.length === 0 ? nothing : html`<p class="set-otherwise">${set}${scheduled}${others}</p>`;
  }

  /** The place in words: by step `105 | 136`, the step of each side; by time, the virtual time. */
  get #place(): string {
    if (this.#walk.by === "time") return say("player.compare.at", { at: this.#walk.at });
    return stepsText(this.#sides.map((side) => this.#walk.stepWithin(side)));
  }

  /**
   * The reader's most useful next action: go to where the runs begin to differ, go on from there, or see the result of
   * the changed run.
   */
  get #mainAct(): "difference" | "onward" | "result" | "none" {
    const first = this.#walk.moments?.first ?? null;
    if (this.#walk.isAtEnd) return this.rightPage === "" ? "none" : "result";
    return first !== null && this.#walk.isBeforeParting ? "difference" : "onward";
  }

  /** A link to the end of the changed run on its stage, which says what the run means. */
  #toResult(): TemplateResult {
    const { store } = this.#sides[1] as Side;
    return html`<a class="to-end main" href=${placeIn(this.rightPage, { branch: store.branch, shown: store.newest, log: logOf(location.search) })}>${say("player.compare.to_result")}</a>`;
  }

  /** The place to which the button leads: `65 | 71`, or the virtual time, in the words that the page has there. */
  get #toPart(): string {
    const { landmark } = this.#walk;
    const place = this.#placeOf(landmark);
    return landmark === null || place === "" ? say("player.compare.go_to_difference") : named(say(`player.compare.to_${landmark.kind}`), place);
  }

  /** The steps of both sides at a landmark, or its virtual time; "" while it is not known. */
  #placeOf(landmark: Landmark | null): string {
    if (landmark === null || landmark.at === null) return "";
    return this.#walk.by === "time" ? say("player.compare.at", { at: landmark.at }) : say("player.compare.at_step", { step: stepsText(this.#walk.stepsOf(landmark.parting)) });
  }

  #transport(): TemplateResult {
    const moments = this.#walk.moments;
    const atEnd = this.#walk.isAtEnd;
    const arrows = this.#arrows;
    const hasBeats = this.#sides.some((side) => planOf(side) !== null);
    const text = moments === null ? say("player.compare.looking")
      : moments.first === null ? say("player.compare.no_difference", { step: moments.same })
        : this.#toPart;
    const main = this.#mainAct;
    const choice = (lockstep: Lockstep): TemplateResult =>
      html`<button aria-pressed=${this.#walk.by === lockstep} @click=${() => void this.#walk.turn(lockstep)}>${say(`player.compare.by_${lockstep}`)}</button>`;
    return html`<footer class="compare-foot">
      <div class="choice" role="group" aria-label=${say("player.compare.lockstep")}>${choice("step")}${choice("time")}</div>
      <select class="by" aria-label=${say("player.compare.lockstep")} @change=${this.#choseLockstep}>
        ${LOCKSTEPS.map((lockstep) => html`<option value=${lockstep} .selected=${lockstep === this.#walk.by}>${say(`player.compare.by_${lockstep}`)}</option>`)}</select>
      <label class="zoom"><span>${say("player.zoom")}</span> <select title=${say("player.compare.zoom.title")} @change=${this.#chosen}>
        ${this.#offered.map((middle) => html`<option value=${middle} .selected=${middle === this.middle}>${say(`player.tab.${shownMiddle(middle, this.#sides[0]?.store)}`)}</option>`)}</select></label>
      <div class="buttons">
        <button class="to-start" aria-label=${say("player.do.first")} title=${say("player.key.first")} ?disabled=${this.#walk.at === 0} @click=${() => this.#walk.goTo(0)}>|◀</button>
        ${hasBeats ? html`<button aria-label=${say("player.do.beat_back")} title=${say("player.key.beat_back")} ?disabled=${this.#walk.at === 0} @click=${() => this.#walk.lastBeat()}>◀</button>
        <button class=${main === "onward" ? "beat-go main" : "beat-go"} title=${say("player.key.forward")} ?disabled=${atEnd} @click=${() => void this.#walk.nextBeat()}>${say("player.do.beat_forward")} <kbd aria-hidden="true">${arrowKey("forward", arrows)}</kbd></button>`
          : html`<button aria-label=${say("player.do.back")} title=${stepTitle("step_back", arrows)} ?disabled=${this.#walk.at === 0} @click=${() => this.#walk.back()}>◀</button>`}
        <button class="go" title=${stepTitle("step", arrows)} ?disabled=${atEnd} @click=${() => void this.#walk.forward()}>${say("player.do.step")} <kbd aria-hidden="true">${arrowKey("step", arrows)}</kbd></button>
      </div>
      <input type="range" aria-label=${say("player.scrubber")} min="0" max=${this.#walk.end} .value=${live(String(this.#walk.at))} data-arrows
        @input=${(event: Event) => this.#walk.goTo(Number((event.target as HTMLInputElement).value))} />
      <output class="num">${this.#place}</output>
      <span class="sr" role="status">${text}</span>
      ${main === "result" ? this.#toResult() : html`<button class="to-end" ?disabled=${atEnd} @click=${() => void this.#toTheEnd()}>${say("player.compare.to_the_end")}</button>`}
      <button class=${main === "difference" ? "to-difference main" : "to-difference"} title=${say("player.compare.go_to_difference")} ?disabled=${moments !== null && (moments.first === null || this.#walk.isAtOnlyLandmark)} @click=${() => void this.#toDifference()}>${text} <kbd aria-hidden="true">⇧ →</kbd></button>
    </footer>`;
  }
}

/** The listener that scrolls one run when the reader scrolls the other. */
const SCROLLS = { handleEvent: linkScrolling(), capture: true, passive: true };

/** `2. Changed run`: the number of a side with its name, because on a phone the runs do not stand side by side. */
function numbered(side: Side, name: string): string {
  return `${placeOf(side) + 1}. ${name}`;
}

/** The steps of both sides: `105 | 136`; once if they are equal. */
function stepsText(steps: readonly number[]): string {
  return [...new Set(steps)].join(" | ");
}

customElements.define("eos-compare", Compare);
