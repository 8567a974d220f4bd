/**
 * The state of the page: branches, the loaded steps, the reader's place, the selection, and the current frame.
 *
 * At most one frame is made per animation frame, however often the reader moves or messages arrive. The store requests
 * missing steps from its source and holds no rule of the protocol. It fires `change` when anything has changed, and
 * `foreseen` with the next frame, if that is known.
 */

import type { Arrow, Frame, Header, Language, Mark, Selection, Step, View } from "./frame.ts";
import { Ahead } from "./ahead.ts";
import { ArrowReach } from "./arrows.ts";
import type { Condition } from "./conditions.ts";
import { changedPaths } from "./fold.ts";
import { isFoldedAway } from "./folded.ts";
import { Lines, defaults as held, whole } from "./lines.ts";
import type { Gate, Motion, Pace, Stops } from "./moving.ts";
import { Paints } from "./paints.ts";
import type { Intervention, Plan, Verified } from "../generated/messages.ts";
import { Plans } from "./plans.ts";
import type { Action, Answer, BranchInfo, Command, Listener, SessionInfo, Source, Status, Welcome } from "./source.ts";
import { Problem } from "./source.ts";
import { wholeView } from "./whole.ts";
import { ROOT_ONLY, type Choice } from "./store-choice.ts";
import { Supply } from "./supply.ts";
import type { Asked, WhyAnswer } from "./why-answer.ts";
import { MARK_INTERESTING, WINDOW_SIZE, windowOf } from "./windows.ts";

export const defaults = {
  /** The most steps that "run to the next interesting step" makes. */
  runAtMost: 5000,
  /** The most steps that one `advance` requests. */
  advanceAtMost: 500,
  /** Milliseconds that a frame must stay on show before the old parts that its view leaves out are fetched. */
  lookBackAfter: 200,
  /**
   * Milliseconds that a frame must have been on show for the next one to be animated. If the reader goes on before a
   * motion has ended (`--m-travel` and `--m-land`), the next step is shown without motion.
   */
  stillFor: 400,
};

export class PlayerStore extends EventTarget implements Listener {
  readonly source: Source;
  readonly lines: Lines;
  readonly plans: Plans;
  session: SessionInfo | null = null;
  header: Header | null = null;
  verified: Verified | null = null;
  status: Status = "connecting";
  problem: Problem | null = null;
  /** The problem that is shown while a command waits for the server; null: none waits. */
  #delay: Problem | null = null;
  branch = "";
  /** The step that the reader wants to see. The frame follows as soon as it can be made. */
  target = 0;
  frame: Frame | undefined;
  /** Whether a command that makes steps is waiting for its answer. */
  busy = false;
  /** The answer to the last command that makes steps. */
  #running: Promise<Answer | null> = Promise.resolve(null);
  /** The number of requests that wait because the connection is lost. */
  waiting = 0;
  /**
   * A part that moves the reader by more or less than one step, such as the zoom; it is asked before each such move.
   */
  pace: Pace | null = null;
  gate: Gate | null = null;
  stops: Stops | null = null;
  /** Whether the reader holds the knob of the scrubber. Work that can wait then waits until they release it. */
  isDragged = false;
  #selection: Selection | null = null;
  #language: Language = "en";
  #choice: Choice;
  #scheduled = false;
  /** Whether the scheduled drawing can be left out if no new frame can be made. */
  #onlyWhenMade = false;
  #animate: Motion = false;
  /** When the step on show appeared, in ms of the choice's `now`. */
  #shownAt = Number.NEGATIVE_INFINITY;
  readonly #supply: Supply;
  /** The step whose view was fetched last by a difference or near view, until it is shown or passed; null: none. */
  #landed: { branch: string; number: number } | null = null;
  readonly #arrows: ArrowReach;
  readonly #ahead: Ahead;
  #started = false;
  /** Whether the frame on show must be made again although the reader has not moved. */
  #isRenewed = false;

  constructor(source: Source, choice: Partial<Choice> = {}) {
    super();
    this.source = source;
    this.lines = choice.lines ?? new Lines(source.live ? held : whole);
    this.plans = new Plans(this.lines, source);
    this.#arrows = new ArrowReach(this.lines);
    this.#ahead = new Ahead(this.lines);
    const { schedule, alone, pass } = new Paints();
    this.#choice = { ...ROOT_ONLY, schedule, alone, pass, lines: this.lines, ...choice };
    this.#supply = new Supply({
      lines: this.lines,
      ahead: this.#ahead,
      ask: (command) => this.#ask(command),
      later: this.#choice.later,
      landed: (branch, number) => {
        this.#landed = { branch, number };
        // Reading a fetched view takes as long as drawing it. With both before one paint, the knob would stutter.
        if (this.isDragged) this.#choice.pass();
        this.#drawWhenMade(false);
      },
      resting: () => (this.source.live && this.status === "live" ? { branch: this.branch, shown: this.shown, isDragged: this.isDragged } : null),
    });
  }

  start(): void {
    this.source.start(this);
  }

  stop(): void {
    this.source.stop();
  }

  // The present state

  get newest(): number {
    return this.lines.newest(this.branch);
  }

  get info(): BranchInfo | null {
    return this.lines.branches.get(this.branch) ?? null;
  }

  /** The number of the step on show; it lags behind `target` while something is being fetched. */
  get shown(): number {
    return this.frame?.step?.number ?? 0;
  }

  get selection(): Selection | null {
    return this.#selection;
  }

  /** Whether a further step can be made at the end of this branch. */
  get canGrow(): boolean {
    return this.source.live && this.info !== null && this.info.finished === null;
  }

  get arrows(): Arrow[] {
    return this.#arrows.at(this.branch, this.shown).arrows;
  }

  get marks(): Mark[] {
    return this.#arrows.at(this.branch, this.shown).marks;
  }

  /** Calls `draw` before a paint for which nothing else is drawn; the next frame is drawn for the paint after it. */
  drawAlone(draw: () => void): void {
    this.#choice.alone(draw);
  }

  // Actions of the reader

  select(selection: Selection | null): void {
    this.#selection = selection;
    this.#draw();
  }

  speak(language: Language): void {
    this.#language = language;
    this.#draw();
  }

  dismiss(): void {
    this.problem = null;
    this.#draw();
  }

  /** Goes to the newest step; if a question comes before a step on the way, to the last step before it. */
  toNewest(): void {
    this.#moveUpTo(Math.min(this.target, this.newest), this.newest, false);
  }

  moveTo(number: number, animate: Motion = false): void {
    this.target = Math.max(0, number);
    this.#animate = animate;
    // A dragged knob may move several times between two paints, so a drawing made at once would have to be made again.
    this.#drawWhenMade(!this.isDragged);
  }

  switchTo(branch: string, number: number | null = null, animate = false): void {
    if (!this.lines.branches.has(branch)) return;
    this.branch = branch;
    this.moveTo(Math.min(number ?? this.target, this.newest), animate);
  }

  back(): void {
    if (this.pace?.back() === true) return;
    this.moveTo(Math.min(this.target, this.newest) - 1);
  }

  /** Goes one step forward; at the end of the branch, the server makes the step. */
  forward(): void {
    if (this.#later(() => this.forward())) return;
    if (this.pace?.forward() === true) return;
    const next = Math.min(this.target, this.newest + defaults.advanceAtMost - 1) + 1;
    if (this.mustWait(next)) return;
    if (next <= this.newest) {
      this.moveTo(next, true);
    } else if (this.canGrow) {
      // Nothing is drawn before the step arrives, because this would delay the drawing of the step.
      this.target = next;
      this.#animate = true;
      this.asks();
      if (!this.busy && this.#ahead.show(this.branch, next)) this.moveTo(next, true);
      void this.grow(1);
    }
  }

  /** Returns whether an action has to wait until the questions of the branch are loaded; it is then carried out. */
  #later(act: () => void): boolean {
    const { branch } = this;
    const coming = this.gate?.coming(branch) ?? null;
    void coming?.then(() => (this.branch === branch ? act() : undefined));
    return coming !== null;
  }

  /** Returns whether the reader has to answer a question before this step; if so, points them to it. */
  mustWait(number: number): boolean {
    if (this.gate === null || this.gate.waitsIn(this.branch, number, number) === null) return false;
    this.gate.blocked();
    return true;
  }

  /** Moves to a step that is made; if a question comes before a step on the way, to the last step before it. */
  moveUpTo(number: number): void {
    if (this.#later(() => this.moveUpTo(number))) return;
    this.#moveUpTo(Math.min(this.target, this.newest), number, false);
  }

  #moveUpTo(from: number, number: number, animate: boolean): void {
    const waits = this.gate?.waitsIn(this.branch, from + 1, number) ?? null;
    if (waits === null) this.moveTo(number, animate);
    else if (waits === from + 1) this.gate?.blocked();
    else this.moveTo(waits - 1);
  }

  /**
   * Makes the server make `count` steps after the newest stored one, or all up to the reader's target if these are more
   * (at most `advanceAtMost`). Does nothing while another command makes steps, or if the run cannot go on. Playing calls
   * this early, so that it need not wait.
   */
  async grow(count: number): Promise<void> {
    if (this.busy || !this.canGrow) return;
    const branch = this.branch;
    const after = this.#ahead.storedOf(branch, this.newest);
    const wanted = Math.max(count, Math.min(this.target - after, defaults.advanceAtMost));
    this.busy = true;
    const answer = await this.#work({ type: "advance", branch, after, count: wanted, ahead: wanted === 1 });
    await this.#settleAhead(branch, answer);
    // The reader may have gone on while the request was running.
    if (this.branch === branch && this.target > this.newest && this.canGrow && this.newest > after) await this.grow(1);
    else this.#stopAtEnd();
  }

  /** As `grow`, but waits first while another command makes steps. */
  async growOnceFree(count: number): Promise<void> {
    while (this.busy) await this.#running;
    await this.grow(count);
  }

  /** If the run has ended before the reader's target, makes its last step the target. */
  #stopAtEnd(): void {
    if (this.info !== null && this.info.finished !== null && this.target > this.newest) this.target = this.newest;
  }

  /**
   * After `answer` (null: refused) to the command that stores the step shown in advance: finds out whether it was
   * stored, and removes it if it was refused or if another one was stored instead.
   */
  async #settleAhead(branch: string, answer: Answer | null): Promise<void> {
    const number = this.#ahead.shown;
    if (number === null) return;
    if (answer !== null) await this.#ask({ type: "window", branch, from: number, to: number });
    const last = this.#ahead.takeBack();
    if (last !== null && this.branch === branch && this.target > last) this.moveTo(last);
  }

  /**
   * Moves to the next interesting step. If no later step that is made is one, the server makes steps until there is.
   */
  async nextInteresting(): Promise<void> {
    if (this.#later(() => void this.nextInteresting())) return;
    const branch = this.branch;
    const from = Math.min(this.target, this.newest);
    const known = await this.#findInteresting(from, 1);
    if (known !== null) {
      this.#moveUpTo(from, known, known === from + 1);
      return;
    }
    if (!this.canGrow) {
      this.#moveUpTo(from, this.newest, false);
      return;
    }
    const after = this.newest;
    await this.#work({ type: "run_until", branch, after, until: "interesting", limit: defaults.runAtMost });
    const found = await this.#findInteresting(from, 1);
    if (this.branch === branch) this.#moveUpTo(from, found ?? this.newest, false);
  }

  /** Makes steps, at most `runAtMost`, up to the next one at which one of the conditions holds, and moves there. */
  async runToBreakpoint(conditions: Condition[]): Promise<Answer | null> {
    const branch = this.branch;
    const after = Math.min(this.target, this.newest);
    const answer = await this.#work({ type: "run_until", branch, after, until: "breakpoint", conditions, limit: defaults.runAtMost });
    if (answer?.reached !== undefined && this.branch === branch) this.#moveUpTo(after, answer.reached, false);
    return answer;
  }

  /** Makes the server make steps after step `after`, up to the first one at virtual time `time` (ms) or later. */
  growToTime(time: number, after = this.newest): Promise<Answer | null> {
    return this.#work({ type: "run_until", branch: this.branch, after, until: "time", time, limit: defaults.runAtMost });
  }

  /** Makes steps up to this virtual time, and goes there. */
  async runToTime(time: number): Promise<void> {
    const branch = this.branch;
    const after = Math.min(this.target, this.newest);
    const answer = await this.growToTime(time, after);
    if (answer?.reached !== undefined && this.branch === branch) this.#moveUpTo(after, answer.reached, false);
  }

  /** Sends a command that makes no steps. Resolves to null if it was refused, which the page shows. */
  question(command: Command): Promise<Answer | null> {
    return this.#ask(command);
  }

  /** Fetches the old parts that the view on show leaves out. Resolves to false if this was refused. */
  async lookBack(): Promise<boolean> {
    const folded = this.frame?.view.folded;
    if (folded === undefined || (folded.records === undefined && folded.logs === undefined && folded.batches === undefined)) return true;
    if ((await this.#ask({ type: "near_view", branch: this.branch, number: this.shown, whole: true })) === null) return false;
    this.#isRenewed = true;
    this.#makeFrame();
    this.#draw();
    return true;
  }

  /** Calls `lookBack` after `lookBackAfter` ms, unless another frame is on show by then. */
  lookBackAtRest(): void {
    const frame = this.frame;
    if (frame === undefined) return;
    this.#choice.later(defaults.lookBackAfter, () => {
      if (this.frame === frame) void this.lookBack();
    });
  }

  async previousInteresting(): Promise<void> {
    const found = await this.#findInteresting(Math.min(this.target, this.newest), -1);
    this.moveTo(found ?? 0);
  }

  async pause(): Promise<void> {
    if (this.busy) await this.#ask({ type: "pause", branch: this.branch });
  }

  /** Makes a branch that leaves `branch` after step `at`, and switches to it. Resolves to false if it was refused. */
  async branchHere(branch = this.branch, at = this.shown): Promise<boolean> {
    const answer = await this.#work({ type: "branch", branch, at });
    if (answer?.created === undefined) return false;
    await this.#whenKnown(answer.created);
    this.switchTo(answer.created, at);
    return true;
  }

  /**
   * Carries out an intervention after the step on show: in this branch if that is its newest step, else in a new
   * branch. Resolves to false if it was refused.
   */
  async intervene(intervention: Intervention): Promise<boolean> {
    const after = this.shown;
    const answer = await this.#work({ type: "intervene", branch: this.branch, after, intervention });
    if (answer === null) return false;
    const branch = answer.created ?? answer.branch ?? this.branch;
    await this.#whenKnown(branch);
    // The effect of the intervention is animated.
    this.switchTo(branch, answer.newest ?? after, true);
    return true;
  }

  async actions({ kind, id }: Selection): Promise<Action[]> {
    const answer = await this.#ask({ type: "actions", branch: this.branch, number: this.shown, selection: { kind, id } });
    return answer?.actions ?? [];
  }

  /** The engine's answer to *why*; rejects with the Problem that states the reason. */
  async why({ selection, question, subject }: Asked): Promise<WhyAnswer> {
    const about = selection === null ? null : { kind: selection.kind, id: selection.id };
    if (this.#ahead.holds({ type: "why" })) await this.#ahead.settled();
    const answer = await this.source.ask({ type: "why", branch: this.branch, number: this.shown, selection: about, question, subject });
    if (answer.why === undefined) throw new Problem("unavailable", "player.why.failed");
    return answer.why;
  }

  // Reports of the source

  have(): Record<string, number> {
    const have: Record<string, number> = {};
    for (const [id, info] of this.lines.branches) {
      have[id] = this.#ahead.storedOf(id, this.lines.windows(id).seenUpTo(info.parent === null ? 0 : info.leaves_at));
    }
    return have;
  }

  welcomed(welcome: Welcome): void {
    this.session = welcome.session;
    this.header = welcome.header;
    this.verified = welcome.verified;
    this.branchesChanged(welcome.branches);
    if (!this.#started) this.#open();
    this.#supply.reconnected();
    this.#draw();
  }

  #open(): void {
    this.#started = true;
    const { branch, step } = this.#choice.startAt;
    const root = [...this.lines.branches.values()].find((info) => info.parent === null);
    this.branch = branch !== null && this.lines.branches.has(branch) ? branch : (root?.id ?? "");
    this.target = Math.min(step ?? this.newest, this.newest);
  }

  branchesChanged(branches: BranchInfo[]): void {
    for (const info of branches) {
      const known = this.lines.branches.get(info.id);
      this.lines.branches.set(info.id, { ...info, newest: Math.max(info.newest, known?.newest ?? 0) });
    }
    this.#stopAtEnd();
    this.#draw();
  }

  aheadCame(branch: string, after: number, step: Step): void {
    this.#ahead.came(branch, after, step);
    this.#choice.idle(() => this.#foresee());
  }

  /**
   * Fires `foreseen` with the next frame, if it is known, so that panels prepare it while the reader looks at this one.
   */
  #foresee(): void {
    const frame = this.frame;
    const next = this.#ahead.foreseen(this.branch) ?? this.#storedNext();
    if (frame === undefined || next === null || this.shown !== next.step.number - 1) return;
    const { step, view } = next;
    const foreseen: Frame = { ...frame, view: wholeView(view), step, previousView: frame.view, changed: changedPaths(step), animate: !this.#choice.reducedMotion() };
    this.dispatchEvent(new CustomEvent<Frame>("foreseen", { detail: foreseen }));
  }

  /** The stored step after the one on show, and the view after it; null if either is missing. */
  #storedNext(): { step: Step; view: View } | null {
    const number = this.shown + 1;
    const step = number > this.newest ? undefined : this.lines.step(this.branch, number);
    const view = step === undefined ? null : this.lines.view(this.branch, number);
    return step === undefined || view === null ? null : { step, view };
  }

  stepsCame(branch: string, stored: Step[], finished: string | null | undefined): void {
    const steps = this.#ahead.settle(branch, stored);
    this.lines.windows(branch).put(steps, this.target);
    const info = this.lines.branches.get(branch);
    const last = steps[steps.length - 1];
    const wereStored = info !== undefined && last !== undefined && last.number <= info.newest && steps.length > 1;
    if (info !== undefined) {
      const newest = Math.max(info.newest, last?.number ?? 0);
      // `finished` says whether the run has ended. It counts only in a message that reaches the newest step.
      const reason = finished === undefined || (last?.number ?? 0) < newest ? info.finished : finished || null;
      const isOnShow = steps !== stored && newest === info.newest && reason === info.finished;
      if (isOnShow) return;
      this.lines.branches.set(branch, { ...info, newest, finished: reason });
      this.#stopAtEnd();
    }
    if (wereStored) this.#drawWhenMade(false);
    else this.#draw();
  }

  viewCame(branch: string, number: number, view: View, step: Step | null): void {
    this.lines.keep(branch, number, view);
    if (step !== null) this.lines.windows(this.lines.owner(branch, number)).put([step], this.target);
    this.#drawWhenMade(false);
  }

  planCame(branch: string, plan: Plan, interventions: number): void {
    this.plans.put(branch, plan, interventions);
    this.#draw();
  }

  /**
   * Other parts call this when the reader requests something that only the server can do: without a connection, it
   * waits.
   */
  asks(): void {
    if (this.status !== "reconnecting") return;
    this.waiting += 1;
    this.#draw();
  }

  statusChanged(status: Status): void {
    this.status = status;
    if (status === "live") this.waiting = 0;
    this.#draw();
  }

  failed(problem: Problem): void {
    this.problem = problem;
    this.#draw();
  }

  delayed(problem: Problem | null): void {
    if (problem === null && this.problem !== this.#delay) return; // The page shows another message by now.
    this.problem = this.#delay = problem;
    this.#draw();
  }

  // Drawing

  #draw(): void {
    this.#onlyWhenMade = false;
    this.#schedule(true);
  }

  /**
   * Schedules a drawing that is left out if no new frame can be made yet: until then, nothing on show changes.
   */
  #drawWhenMade(atOnce: boolean): void {
    if (!this.#scheduled) this.#onlyWhenMade = true;
    this.#schedule(atOnce);
  }

  #schedule(atOnce: boolean): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#choice.schedule(() => {
      this.#scheduled = false;
      const before = this.frame;
      this.#makeFrame();
      if (this.frame !== undefined) this.#supply.rest();
      const waits = this.frame === before && this.shown !== Math.min(this.target, this.newest);
      if (!this.#onlyWhenMade || !waits) this.dispatchEvent(new Event("change"));
    }, atOnce);
  }

  #makeFrame(): void {
    if (this.header === null || this.branch === "") return;
    this.plans.look(this.branch);
    // If the target is not made yet, the newest step is shown until it is.
    const number = Math.min(this.target, this.newest);
    if (this.frame !== undefined && this.#isSame(this.frame, number)) return;
    if (this.#showFrame(number)) return;
    this.#supply.need({ branch: this.branch, shown: this.shown }, number);
    // The target cannot be shown yet. During a drag, the step whose view was fetched last is nearer to it than the step
    // on show.
    const landed = this.#landed;
    this.#landed = null;
    if (landed !== null && landed.branch === this.branch) this.#showFrame(landed.number);
  }

  /** Makes the frame at a step the frame on show. Returns false if a step or view that it needs is missing. */
  #showFrame(number: number): boolean {
    const old = this.frame;
    if (this.header === null) return false;
    const step = number === 0 ? null : this.lines.step(this.branch, number);
    const previousView = number === 0 ? null : this.lines.view(this.branch, number - 1);
    const view = this.lines.view(this.branch, number);
    if (view === null || step === undefined || (number > 0 && previousView === null)) return false;
    const moved = old === undefined || old.step !== step;
    const isNext = moved && step !== null && (old?.step?.number ?? 0) === step.number - 1;
    const isRead = isNext && this.#moves();
    this.frame = {
      header: this.header,
      view: wholeView(view),
      step,
      previousView: previousView === null ? null : wholeView(previousView),
      plan: this.plans.of(this.branch),
      selection: this.#selection,
      language: this.#language,
      changed: moved ? changedPaths(step) : old.changed,
      delayed: this.#arrows.at(this.branch, number).delayed,
      animate: isRead && !this.#choice.reducedMotion(),
    };
    if (moved) this.#shownAt = this.#choice.now();
    if (isRead) this.#choice.idle(() => this.#foresee());
    this.#supply.drew({ branch: this.branch, shown: number }, isNext);
    if (isFoldedAway(view, this.#selection)) this.lookBackAtRest();
    return true;
  }

  #moves(): boolean {
    return this.#animate === "surely" || (this.#animate && this.#choice.now() - this.#shownAt >= defaults.stillFor);
  }

  #isSame(frame: Frame, number: number): boolean {
    if (this.#isRenewed) {
      this.#isRenewed = false;
      return false;
    }
    const step = number === 0 ? null : this.lines.step(this.branch, number);
    return (
      step !== undefined &&
      frame.step === step &&
      frame.plan === this.plans.of(this.branch) &&
      frame.selection === this.#selection &&
      frame.language === this.#language &&
      frame.header === this.header
    );
  }

  async #ask(command: Command): Promise<Answer | null> {
    if (this.#ahead.holds(command)) await this.#ahead.settled();
    try {
      return await this.source.ask(command);
    } catch (error) {
      this.problem = error instanceof Problem ? error : new Problem("unavailable", "player.failed", { reason: String(error) });
      this.#draw();
      return null;
    }
  }

  async #work(command: Command): Promise<Answer | null> {
    this.busy = true;
    if (command.type !== "advance") this.asks();
    if (this.problem !== null) this.dismiss();
    this.#running = this.#ask(command);
    const answer = await this.#running;
    this.busy = false;
    this.#noteNewest(answer);
    return answer;
  }

  #noteNewest(answer: Answer | null): void {
    if (answer?.branch === undefined || answer.newest === undefined) return;
    const info = this.lines.branches.get(answer.branch);
    if (info !== undefined && info.newest < answer.newest) {
      this.lines.reach(info.id, answer.newest);
      this.#draw();
    }
  }

  /** Waits until a new branch is known. The message that announces it may arrive after the answer to the command. */
  async #whenKnown(branch: string): Promise<void> {
    for (let turn = 0; turn < 200 && !this.lines.branches.has(branch); turn += 1) {
      await new Promise<void>((resume) => this.#choice.schedule(resume));
    }
  }

  async #findInteresting(from: number, direction: 1 | -1): Promise<number | null> {
    const branch = this.branch;
    for (let number = from + direction; number >= 1 && number <= this.newest; number += direction) {
      if (this.lines.mark(branch, number) === 0) await this.#loadWindowOf(number);
      if (this.branch !== branch || this.lines.mark(branch, number) === 0) return null;
      if ((this.lines.mark(branch, number) & MARK_INTERESTING) !== 0) return number;
    }
    return null;
  }

  async #loadWindowOf(number: number): Promise<void> {
    const owner = this.lines.owner(this.branch, number);
    const from = windowOf(number) * WINDOW_SIZE + 1;
    const to = Math.min(from + WINDOW_SIZE - 1, this.lines.newest(owner));
    await this.#ask({ type: "window", branch: owner, from, to });
  }
}
