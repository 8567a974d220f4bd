/**
 * `<eos-transport .store=${store} .play=${play} .walk=${walk}>`: the buttons that move the reader, and the reader's
 * place in words.
 */

import type { TemplateResult } from "lit";
import { html, nothing, svg } from "lit";
import { isLogCase } from "../diagrams/log-case.ts";
import { asItWas, asItWasWords } from "./as-it-was.ts";
import { planOf } from "./axis-of.ts";
import type { BeatWalk } from "./beat-walk.ts";
import { whereIn } from "./beats-bar.ts";
import { besideAddress } from "./beside-address.ts";
import { branchName, branchTitle, countOfSteps, isUnchanged, originalOf, stepsInFiles } from "./branch-name.ts";
import { lastDone } from "./done.ts";
import { arrowKey, stepTitle } from "./key-words.ts";
import { lookFrom } from "./look-from.ts";
import type { Play } from "./play.ts";
import { isReading, SPEEDS } from "./play.ts";
import type { PlayerStore } from "./store.ts";
import { StoreElement } from "./store-element.ts";
import { say, words } from "./text.ts";
import { whenText } from "./when.ts";

const ICONS = {
  first: svg`<svg width="16" height="14" aria-hidden="true"><path d="M2 0h2.5v14H2zM15 0v14L5 7z" /></svg>`,
  back: svg`<svg width="14" height="14" aria-hidden="true"><path d="M11 0v14L2 7z" /></svg>`,
  stepBack: svg`<svg width="10" height="16" aria-hidden="true"><path class="way" d="M8 2 2 8l6 6" /></svg>`,
  play: svg`<svg width="11" height="12" aria-hidden="true"><path d="M1 0v12l9.5-6z" /></svg>`,
  pause: svg`<svg width="11" height="12" aria-hidden="true"><path d="M1 0h3v12H1zM7 0h3v12H7z" /></svg>`,
  /** `next` leads to the next interesting step, not to the end, so its sign has a diamond in place of a bar. */
  undo: svg`<svg width="15" height="14" aria-hidden="true"><path class="way" d="M5 1 1.5 4.5 5 8M2 4.5h7.5a4 4 0 0 1 0 8H6" /></svg>`,
  next: svg`<svg width="21" height="14" aria-hidden="true"><path d="M1 0v14l9-7zM16 2.5 20.5 7 16 11.5 11.5 7z" /></svg>`,
};

export class Transport extends StoreElement {
  static override properties = { ...StoreElement.properties, play: { attribute: false }, walk: { attribute: false }, ends: { type: Boolean }, verdict: {}, compare: {} };

  declare play: Play | undefined;
  declare walk: BeatWalk | undefined;
  /** Whether a card about the meaning of the run follows after the last step. */
  declare ends: boolean;
  /** In a log case: the address of the page with the remedies, to which a button leads after the last step; else "". */
  declare verdict: string;
  /** The address of comparisons; empty on a page without a site. */
  declare compare: string;
  readonly #playChanged = (): void => this.requestUpdate();
  #played: Play | null = null;

  constructor() {
    super();
    this.play = undefined;
    this.walk = undefined;
    this.ends = false;
    this.verdict = "";
    this.compare = "";
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    super.willUpdate(changed);
    if (this.play === undefined || this.#played === this.play) return;
    this.#played?.removeEventListener("change", this.#playChanged);
    this.#played = this.play;
    this.#played.addEventListener("change", this.#playChanged);
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, play } = this;
    if (store === undefined || play === undefined || store.header === null) return nothing;
    const at = store.frame?.view.time ?? 0;
    const atEnd = store.target >= store.newest && !store.canGrow;
    const over = atEnd && store.shown >= store.newest && store.newest > 0 ? overKey(store) : null;
    return html`<div class="buttons" role="group" aria-label=${say("player.transport")}>
        ${this.#beats(store, atEnd, over !== null)}
        ${this.walk?.hasBeats === true ? html`${this.#playing(store, play, atEnd, over)}${this.#steps(store, atEnd)}` : html`${this.#steps(store, atEnd)}${this.#playing(store, play, atEnd, over)}`}
        ${this.#branch(store)}
      </div>
      ${this.#where(store, at, over)}`;
  }

  /**
   * The buttons that move by beats, if the run has beats. After the last step, the one that moves on is that of `#end`.
   */
  #beats(store: PlayerStore, atEnd: boolean, isOver: boolean): TemplateResult | typeof nothing {
    const { walk } = this;
    const end = isOver ? this.#end() : null;
    if (walk === undefined || !walk.hasBeats) return end ?? nothing;
    return html`<button class="beat-back" aria-label=${say("player.do.beat_back")} title=${say("player.key.beat_back")} ?disabled=${store.target === 0} @click=${() => walk.back()}>${ICONS.back}</button>
      ${end ?? html`<button class=${`beat-go primary ${store.target === 0 ? "begins" : ""}`} title=${say("player.key.beat_forward")} ?disabled=${atEnd} @click=${() => void walk.forward()}>${say(walk.leadsToEnd ? "player.do.to_end" : "player.do.beat_forward")} <kbd>${arrowKey("forward", walk.arrows)}</kbd></button>`}`;
  }

  /** The buttons that move by one step, and to the next interesting step. */
  #steps(store: PlayerStore, atEnd: boolean): TemplateResult {
    const hasBeats = this.walk?.hasBeats === true;
    const arrows = hasBeats ? (this.walk?.arrows ?? "beats") : "steps";
    return html`<span class="steps">${this.#button("first", ICONS.first, () => store.moveTo(0), store.target === 0)}
        ${this.#button("back", hasBeats ? ICONS.stepBack : ICONS.back, () => store.back(), store.target === 0, stepTitle("step_back", arrows))}
        <button class="go" title=${stepTitle("step", arrows)} ?disabled=${atEnd} @click=${() => store.forward()}>${say("player.do.step")}${hasBeats ? html` <kbd aria-hidden="true">${arrowKey("step", arrows)}</kbd>` : nothing}</button>
        ${this.#button("next", html`${ICONS.next}<span class="called">${say("player.do.next_brief")}</span>`, () => void store.nextInteresting(), atEnd)}</span>`;
  }

  #playing(store: PlayerStore, play: Play, atEnd: boolean, over: string | null): TemplateResult {
    return html`${over !== null && !play.running
          ? html`<button class="w again" title=${say("player.do.again_means")} @click=${() => store.moveTo(0)}>${say("player.do.again")}</button>`
          : html`<button class="w" title=${say("player.key.play")} aria-pressed=${play.running} ?disabled=${atEnd && !play.running} @click=${() => play.toggle()}>
          ${play.running ? ICONS.pause : ICONS.play}${say(play.running ? "player.do.pause" : "player.do.play")}</button>`}
        ${this.#speed(play)}`;
  }

  /** The button that → presses after the last step: to the meaning of the run or to the remedies; null: to neither. */
  #end(): TemplateResult | null {
    if (!this.ends) return this.verdict === "" ? null : html`<a class="beat-go primary to-verdict" href=${`${this.verdict}#todo`}>${say("player.do.verdict")} <kbd>→</kbd></a>`;
    return html`<button class="beat-go primary to-lesson" @click=${() => this.dispatchEvent(new CustomEvent("open-lesson", { bubbles: true }))}>${say("lesson.open")} <kbd>→</kbd></button>`;
  }

  /** The reader's place: `beat 7 of 8 · step 60 of 87 · 230 ms`. */
  #where(store: PlayerStore, at: number, over: string | null): TemplateResult {
    const plan = planOf(store);
    const place = plan === null ? null : whereIn(plan, store.shown);
    return html`<div class="where num">
        ${place === null ? nothing : html`<span class="in-beats">${say(place.parts === 0 ? "player.beat_of" : "player.beat_part_of", place)}<span class="dot"> ·</span></span>`}
        <span class="in-steps"><b>${say("player.step")} ${store.shown}</b> <span>${countOfSteps(store)}</span><span class="dot"> ·</span></span>
        <span class="virtual">${this.#when(store, at, over)}</span>
        ${this.#branches(store)}
        <span class="sr" role="status">${over === null ? nothing : say(store.source.live ? "player.over.next" : "player.over.again", { at })}</span>
      </div>`;
  }

  /**
   * The button to the list of branches; in a changed run, also the comparison with the run as it was, and the way to
   * it.
   */
  #branches(store: PlayerStore): TemplateResult | typeof nothing {
    const { branches } = store.lines;
    const done = store.source.live ? lastDone(branches, store.branch, store.target) : null;
    if (branches.size < 2 && done === null) return nothing;
    return html`<span class="branches-here">${branches.size < 2 ? nothing : this.#branchHere(store, branches.size)}${
      this.compare === "" ? nothing : done === null ? this.#compareNewest(store) : asItWas(store, done, this.compare, "", asItWasWords(store, done), "c")}${
      done === null ? nothing : html`<button class="undo-last" title=${`${say("undo.undo")} (u)`} aria-label=${say("undo.undo")} @click=${() => lookFrom(this, "undo")}>${ICONS.undo}</button>`}</span>`;
  }

  /** On an unchanged branch: the link that compares it with the newest other branch. */
  #compareNewest(store: PlayerStore): TemplateResult | typeof nothing {
    const newest = [...store.lines.branches.values()].filter(({ id }) => id !== store.branch).pop();
    if (!store.source.live || newest === undefined) return nothing;
    return html`<a class="as-it-was" data-key="c" href=${besideAddress(this.compare, { left: store.branch, right: newest.id }, store)}>${newest.id === originalOf(store.lines.branches) ? say("undo.compare_original") : say("player.compare_with", { name: branchName(store.lines.branches, newest.id) })} <kbd>c</kbd></a>`;
  }

  /**
   * The button that opens the list of branches. It names only an unchanged branch or a log, because the line at the top
   * of the page names a changed run. A long name is cut; the list has it whole.
   */
  #branchHere(store: PlayerStore, count: number): TemplateResult {
    const isLog = store.frame !== undefined && isLogCase(store.frame);
    const { branches } = store.lines;
    // The other branches of a log case are previews of remedies, whose own steps follow those of the files.
    const called = isLog ? say(store.shown > (stepsInFiles(branches, store.branch) ?? Infinity) ? "player.on_preview" : "player.on_log") : branchTitle(branches, store.branch);
    const others = isLog ? say("player.previews", { count: count - 1 }) : say("player.branch_of", { count });
    const name = isLog || isUnchanged(branches, store.branch) ? html`<span class="called">${called}</span><span class="dot"> · </span>` : nothing;
    return html`<button class="all-branches" title=${called} @click=${this.#openBranches}>${name}<span>${others}</span></button>`;
  }

  #when(store: PlayerStore, at: number, over: string | null): string {
    const origin = store.header?.time_origin ?? null;
    if (over !== null && origin !== null) return say("player.over.log", { at: origin + at });
    return over === null ? whenText(store.header, at, store.frame?.previousView?.time ?? null) : say(over, { at });
  }

  #button(name: "first" | "back" | "next", icon: unknown, action: () => void, off: boolean, title = say(`player.key.${name}`)): TemplateResult {
    return html`<button class=${name} aria-label=${say(`player.do.${name}`)} title=${title} ?disabled=${off} @click=${action}>${icon}</button>`;
  }

  #speed(play: Play): TemplateResult {
    return html`<select class="speed" aria-label=${say("player.speed")} title=${say("player.speed")}
      @change=${(event: Event) => play.setSpeed(Number((event.target as HTMLSelectElement).value))}>
      ${SPEEDS.map((speed) => html`<option value=${speed} ?selected=${speed === play.speed}>${isReading(speed) ? `${speed}×` : `${speed}/s`}</option>`)}
    </select>`;
  }

  #branch(store: PlayerStore): TemplateResult | typeof nothing {
    if (!store.source.live) return nothing;
    return html`<button class="w branch" title=${say("player.key.branch")} @click=${this.#askBranch}>${say("player.do.branch")}</button>`;
  }

  readonly #openBranches = (): void => {
    this.dispatchEvent(new CustomEvent("open-dialog", { detail: "eos-branches", bubbles: true }));
  };

  readonly #askBranch = (): void => {
    this.dispatchEvent(new CustomEvent("make-branch", { bubbles: true }));
  };
}

/**
 * The catalogue key of the reason why there are no further steps: the run ended by itself or at a limit, or the
 * recording ended. Null for a follower, because the presenter may still make steps.
 */
function overKey(store: PlayerStore): string | null {
  const finished = store.info?.finished ?? null;
  if (finished === null && !store.source.live && store.status !== "recorded") return null;
  const key = `player.over.${finished ?? "recorded"}`;
  return words.knows(key) ? key : "player.over.recorded";
}

customElements.define("eos-transport", Transport);
