/**
 * `<eos-player session="…" catalogue-en="…" catalogue-zh-hans="…" language="en">`: the whole page of a run
 * (docs/player.md).
 *
 * It places the panels, gives each of them the store's frame, and turns keys and buttons into actions of the store.
 */

import type { LitElement, PropertyValues, TemplateResult } from "lit";
import { html, nothing } from "lit";
import { goToAsked } from "./asked-step.ts";
import { planOf } from "./axis-of.ts";
import { branchTitle } from "./branch-name.ts";
import { BeatWalk } from "./beat-walk.ts";
import type { BeatsBar } from "./beats-bar.ts";
import "./beats-bar.ts";
import type { Beat } from "./beats.ts";
import { countOf, stepNumbered } from "./beats.ts";
import type { Lesson } from "./lesson.ts";
import { hasEnd, inLanguage, readLesson } from "./lesson-texts.ts";
import { isOver } from "./outcome.ts";
import type { Course } from "./masthead.ts";
import "./masthead.ts";
import "./references.ts";
import "./scrubber.ts";
import "./sentence.ts";
import type { GuaranteeStrip } from "./strip.ts";
import "./strip.ts";
import "./tools.ts";
import "./transport.ts";
import type { LookingElement } from "./looking.ts";
import type { LookingKey } from "./look-from.ts";
import { LOOKING_KEYS } from "./look-from.ts";
import "./zoom-bar.ts";
import type { DialogElement } from "./dialogs.ts";
import type { Company } from "./company.ts";
import type { Place } from "./following.ts";
import type { Hands } from "./hands.ts";
import type { DiagramElement } from "../diagrams/element.ts";
import type { Frame, JsonObject, Language, LookBack, SelectEvent } from "./frame.ts";
import type { KeyAction } from "./keys.ts";
import { actionOf, belongsToFocus } from "./keys.ts";
import { PageKeeper } from "./kept-breakpoints.ts";
import { placeLeft } from "./kept-places.ts";
import { lacks } from "./needs.ts";
import { Permalink, prefersReducedMotion, rememberLanguage } from "./page.ts";
import type { Part } from "./fetched.ts";
import { atHand, besideStage, fromFile, phonePlaced, withOthers, withQuestions } from "./fetched.ts";
import { LaterFrame } from "./later-frame.ts";
import type { HintAct } from "./messages.ts";
import { messages } from "./messages.ts";
import type { Middle, PanelParts } from "./panels.ts";
import { middlePanel, opensOn, PANELS, tagOf } from "./panels.ts";
import type { TermNote } from "./term-note.ts";
import { keeperOf, meaningHere, pressedTerm } from "./terms.ts";
import { Play } from "./play.ts";
import { Pointing } from "./pointing.ts";
import type { SelectionBar } from "./selection-bar.ts";
import type { MessageActs } from "../stage/message-acts.ts";
import { UPRIGHT } from "../stage/places.ts";
import type { Why } from "./why.ts";
import type { AskWhyEvent, ShownWhy } from "./why-answer.ts";
import { selectionOf } from "./selection-of.ts";
import { DROP } from "./offered.ts";
import type { SideColumns } from "./side-columns.ts";
import type { Source, Status } from "./source.ts";
import { followAddress, sessionAddress, SessionSocket } from "./socket.ts";
import { PlayerAttributes } from "./player-attributes.ts";
import { PlayerStore } from "./store.ts";
import { Swipe } from "./swipe.ts";
import { loadLanguage, say, words } from "./text.ts";
import { readZoom, Zoom, zoomText } from "./zoom.ts";
import type { Column, ViewTabs } from "./view-tabs.ts";
import { columnTabs, inspected, isThere, sidesOf, viewTabs } from "./view-tabs.ts";
import { addressOf, readView, viewOf, ZoomView } from "./zoom-view.ts";
import { stopsOf, Transactions } from "./transactions.ts";

export const defaults = {
  /** px of the page's width below which the side columns become tabs. */
  folds: 1100,
  /** Milliseconds from the reader's first press until the parts that open over the page are loaded in advance. */
  rests: 1000,
  /** Milliseconds after which the part for presenting and following is requested again, if it could not be loaded. */
  again: 3000,
};

/** The catalogue keys of hints about one step: they disappear when the reader leaves that step. */
const ABOUT_A_STEP: ReadonlySet<string> = new Set(["player.went_back", "player.chosen.request", "player.chosen.response", "player.asked.over", "player.asked.far"]);

export class Player extends PlayerAttributes {
  store: PlayerStore | undefined;
  play: Play | undefined;
  walk: BeatWalk | undefined;
  zoom: Zoom | undefined;
  transactions: Transactions | undefined;
  company: Company | undefined;
  /** Whether the view in the middle is chosen: by the reader, by the address, or by the header once it has arrived. */
  #hasChosen = false;
  /** The view in the middle before the key for *Inspect* was pressed. */
  #before: Middle | null = null;
  /** The step at which the page has to open; null once the page has gone there, or if the address names none. */
  #asked: number | null = null;
  #status: Status = "connecting";
  /** The number of waiting requests that was last announced to screen readers. */
  #waiting = 0;
  /** The columns of *Inspect*; null: not loaded yet. */
  #columns: SideColumns | null = null;
  readonly #later = new LaterFrame(() => this.requestUpdate(), (action) => this.store?.drawAlone(action));
  readonly #permalink = new Permalink();
  #pointing: Pointing | null = null;
  readonly #width = matchMedia(`screen and (max-width: ${defaults.folds - 1}px)`);

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.isNarrow = this.#width.matches;
    addEventListener("keydown", this.#key);
    this.addEventListener("select", this.#select as EventListener);
    this.#width.addEventListener("change", this.#fold);
    this.#pointing = new Pointing(this, (selection, at) => void this.#with<SelectionBar>("eos-selection-bar", (bar) => bar.openAt(selection, at)));
    this.addEventListener("click", this.#explain);
    for (const sign of ["keydown", "pointerdown"]) this.addEventListener(sign, this.#getReady, { once: true });
    if (innerWidth < UPRIGHT) void this.#fetch(phonePlaced); // Not awaited, because the first picture should not wait for it.
    this.#begin();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    removeEventListener("keydown", this.#key);
    this.#width.removeEventListener("change", this.#fold);
    this.#pointing?.stop();
    this.#columns?.stop();
    this.play?.stop();
    this.store?.stop();
  }

  /**
   * Loads the catalogue, the steps and the part for questions at the same time, so that no reader passes a question
   * before it can be asked.
   */
  #begin(): void {
    void Promise.all([this.#speak(this.language), this.#bringQuestions()]).then(() => { this.hasWords = true; });
    if (this.file === "") this.#playFrom(new SessionSocket(this.follow === "" ? sessionAddress(this.session) : followAddress(this.follow)));
    else fromFile.come().then(({ FileSource }) => { if (this.isConnected) this.#playFrom(new FileSource(this.file)); }, () => { this.hint = "player.part_missing"; });
  }

  #playFrom(source: Source): void {
    const startAt = placeLeft(this.session, location.search) ?? { branch: this.branch, step: this.step };
    const store = new PlayerStore(source, { reducedMotion: prefersReducedMotion, startAt });
    store.addEventListener("change", this.#changed);
    store.addEventListener("foreseen", this.#foresee);
    store.select(selectionOf(this.select, this.selectIn, this.selectSerials));
    this.#openView(this.view);
    this.#look(store);
    this.store = store;
    this.#hasStops = null;
    this.#asked = this.follow === "" ? startAt.step : null;
    this.play = new Play(store);
    this.walk = new BeatWalk(store);
    this.walk.addEventListener("change", () => this.requestUpdate());
    if (source instanceof SessionSocket && this.follow + this.presenting !== "") {
      void this.#accompany(source, store).then((company) => {
        if (this.presenting !== "") company.present(true);
        store.start();
      });
    } else store.start();
    this.requestUpdate();
  }

  #look(store: PlayerStore): void {
    const player = this;
    const stage = { get middle() { return player.middle; }, show: (middle: Middle) => this.#open("middle", middle) };
    const view = new ZoomView(stage);
    const zoom = new Zoom(store);
    zoom.addEventListener("change", () => {
      view.follow(zoom.level);
      this.#remember();
      this.requestUpdate();
    });
    const transactions = new Transactions(store);
    transactions.addEventListener("change", () => { zoom.stops = stopsOf(transactions.lines?.lines ?? []); });
    store.pace = zoom;
    this.zoom = zoom;
    this.transactions = transactions;
    const { level, at } = readZoom(this.zoomed);
    zoom.use(level, at);
  }

  #remember(): void {
    const { store, zoom } = this;
    if (store?.frame === undefined || zoom === undefined) return;
    this.#permalink.show(store.branch, store.shown, addressOf(zoom, viewOf(this.middle, this.spacing), opensOn(store.header)), this.session);
  }

  /** Loads the part for presenting and following, as often as needed, and connects it with the page. */
  async #accompany(socket: SessionSocket, store: PlayerStore): Promise<Company> {
    const seat = { look: (view: string) => this.#openView(view), why: (why: ShownWhy | null) => { if (why !== null || atHand.isWanted) void this.#with<Why>("eos-why", (panel) => panel.present(why)); }, place: () => this.#whereabouts() };
    for (await this.#fetch(withOthers); !withOthers.isHere; await this.#fetch(withOthers)) await new Promise((resume) => setTimeout(resume, defaults.again));
    const { Company } = await withOthers.come();
    if (this.company !== undefined) return this.company;
    this.company = new Company(socket, store, this.zoom, seat);
    this.company.addEventListener("change", () => this.requestUpdate());
    this.requestUpdate();
    return this.company;
  }

  #whereabouts(): Place | null {
    const store = this.store;
    if (store?.frame === undefined) return null;
    const zoom = this.zoom?.wanted ?? "";
    const why = this.#why()?.shown ?? null;
    return { branch: store.branch, step: store.shown, view: viewOf(this.middle, this.spacing), zoom, selection: store.selection, why };
  }

  readonly #presentingChanged = (event: CustomEvent<string>): void => {
    this.presenting = event.detail;
    const { store } = this;
    if (event.detail === "") this.company?.endPresenting();
    else if (store?.source instanceof SessionSocket) void this.#accompany(store.source, store).then((company) => { if (this.presenting !== "") company.present(false); });
  };

  async #speak(language: Language): Promise<void> {
    try {
      await loadLanguage(language, language === "en" ? this.catalogueEn : this.catalogueZhHans);
      this.language = language;
      rememberLanguage(language);
      this.store?.speak(language);
      this.fault = null;
    } catch (error) {
      // Without a catalogue, the page shows the keys of texts, and a message says that it could not be loaded.
      this.fault = String(error);
    }
    this.requestUpdate();
  }

  /** Tells screen readers when the connection is lost, when a further request waits for it, and when it is back. */
  #tellStatus({ status, waiting }: PlayerStore): void {
    const before = this.#status;
    const waited = this.#waiting;
    this.#status = status;
    this.#waiting = waiting;
    if (waiting > waited) {
      this.hintParams = { count: waiting };
      this.hint = "player.offline.asked";
    } else if (status === "reconnecting" && before === "live") this.hint = "player.offline";
    else if (status === "live" && before === "reconnecting") this.hint = "player.online";
  }

  readonly #changed = (): void => {
    const store = this.store;
    if (store !== undefined) this.#tellStatus(store);
    void this.#bringQuestions();
    if (store !== undefined && !atHand.isWanted && this.#wantsAtHand(store)) void this.#fetch(atHand);
    if (store?.frame !== undefined) {
      this.#remember();
      void this.#goToAsked(store);
      this.#playOnce();
      // The reader has left the step that the hint is about.
      if (ABOUT_A_STEP.has(this.hint) && store.target !== this.hintParams["step"]) this.hint = "";
    }
    const header = store?.header ?? null;
    if (header !== null && (!this.#hasChosen || !isThere(this.middle, store?.frame))) this.middle = opensOn(header);
    this.#hasChosen ||= header !== null;
    this.requestUpdate();
  };

  readonly #foresee = (event: Event): void => {
    for (const panel of this.querySelectorAll<Partial<DiagramElement> & Element>(".panel > *")) panel.foresee?.((event as CustomEvent<Frame>).detail);
  };

  /** Goes to the step at which the page has to open. Called once the run has been loaded; does so only once. */
  async #goToAsked(store: PlayerStore): Promise<void> {
    const asked = this.#asked;
    this.#asked = null;
    if (asked === null || this.walk === undefined) return;
    const notice = await goToAsked(store, this.walk, asked);
    if (notice === null) return;
    this.hintParams = notice.params;
    this.hintMore = null;
    this.hint = notice.key;
  }

  #playOnce(): void {
    if (!this.plays) return;
    this.plays = false;
    if (!prefersReducedMotion()) this.play?.start();
  }

  readonly #fold = (): void => {
    this.isNarrow = this.#width.matches;
  };

  readonly #select = (event: SelectEvent): void => {
    this.hint = "";
    if (event.detail !== undefined) this.store?.select(event.detail);
  };

  // The page (the element of a panel must have no tabindex: a negative one would hide its content from the Tab key)

  /** Resolves once the step on show can be drawn. */
  protected override async getUpdateComplete(): Promise<boolean> {
    const isDone = await super.getUpdateComplete();
    if (this.middle === "stage") await this.querySelector<LitElement>(tagOf(this.middle))?.updateComplete;
    else await this.#fetchBeside();
    return this.isUpdatePending ? await super.getUpdateComplete() : isDone;
  }

  protected override willUpdate(changed: PropertyValues): void {
    super.willUpdate(changed);
    if (changed.has("middle") && this.middle !== "stage") void this.#fetchBeside();
  }

  async #fetchBeside(): Promise<void> {
    await this.#fetch(besideStage);
    if (!besideStage.isHere || this.#columns !== null) return;
    const parts = await besideStage.come();
    this.#columns ??= new parts.SideColumns(this, () => this.requestUpdate());
    this.requestUpdate();
  }

  async #fetch(part: Pick<Part, "come">): Promise<void> {
    try {
      await part.come();
      if (this.hint === "player.part_missing") this.hint = "";
    } catch {
      this.hint = "player.part_missing";
    }
  }

  /** Whether this browser stores breakpoints of the session; null: not read yet. */
  #hasStops: boolean | null = null;

  /**
   * Whether the parts that open over the page are needed now: if something is selected, if this browser stores
   * breakpoints of the session, or if there is an intervention, which the reader may undo.
   */
  #wantsAtHand(store: PlayerStore): boolean {
    if (this.#hasStops === null && store.session !== null) {
      this.#hasStops = new PageKeeper(store.session.id).read().length > 0;
      // Until the breakpoints are loaded, the answer at each step is "not known yet", so that playing waits.
      if (this.#hasStops) store.stops ??= { holdsAt: () => null };
    }
    return store.selection !== null || this.#hasStops === true || [...store.lines.branches.values()].some(({ interventions }) => interventions.length > 0);
  }

  async #bringQuestions(): Promise<void> {
    if (this.questions !== "" && !withQuestions.isWanted) await this.#fetch(withQuestions);
  }

  /** Calls a function with an element that opens over the page, once it is loaded. */
  async #with<Opened extends LitElement>(tag: string, act: (element: Opened) => void): Promise<void> {
    await this.#fetch(atHand);
    const element = this.querySelector<Opened>(tag);
    if (customElements.get(tag) === undefined || element === null) return;
    if (!element.hasUpdated) await element.updateComplete;
    act(element);
  }

  /**
   * Loads the parts that open over the page a moment after the reader's first press: a reader who has begun to press
   * keys or buttons may soon need them.
   */
  readonly #getReady = (): void => {
    setTimeout(() => void atHand.come().catch(() => undefined), defaults.rests);
  };

  /** Explains a pressed term as long as the code of `<eos-term-note>`, which does so itself, is not loaded. */
  readonly #explain = (event: MouseEvent): void => {
    const pressed = atHand.isHere ? null : pressedTerm(event);
    if (pressed === null || meaningHere(pressed, this) === null) return;
    event.preventDefault();
    void this.#with<TermNote>("eos-term-note", (note) => note.explain(pressed));
  };

  protected override updated(changed: PropertyValues): void {
    // All views scroll in the same element: a new view begins at its top, and then scrolls the step into view.
    if (changed.has("middle")) this.querySelector(".mid")?.scrollTo({ top: 0, left: 0, behavior: "instant" });
    this.#entitle(this.store?.header?.title[words.language] ?? "");
    if (this.#inspects) this.#columns?.drawn(this.isNarrow);
    this.company?.moved();
  }

  /** Sets the document's title, if it differs: setting it to the same text would count as a change of the document. */
  #entitle(title: string): void {
    const whole = `${title} · eosviz`;
    if (title !== "" && document.title !== whole) document.title = whole;
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, play } = this;
    if (store === undefined || play === undefined || !this.hasWords || isOpening(store)) return html`<p class="quiet loading">…</p>${!this.hasWords || this.hint === "" ? nothing : store === undefined ? html`<p role="alert">${say(this.hint)}</p>` : this.#messages(store)}`;
    const frame = store.frame;
    const lesson = readLesson(this.lesson);
    // The transport comes before the picture in the document, so that Tab reaches it first; the page draws it below.
    return html`<div class="player" data-column=${this.column} data-middle=${this.middle} ?data-inspects=${this.#inspects} ?data-beats=${planOf(store) !== null} ?data-projector=${this.projector} data-kept-by=${frame == null ? nothing : keeperOf(frame.view)}
        @make-branch=${this.#makeBranch} @look-back=${({ detail }: CustomEvent<LookBack>) => void (detail === "now" ? store.lookBack() : store.lookBackAtRest())} @open-dialog=${(event: CustomEvent<string>) => void this.#dialog(event.detail)}
        @ask-why=${({ detail }: AskWhyEvent) => void this.#with<Why>("eos-why", (why) => why.ask(detail))} @presenting=${this.#presentingChanged} @follow-again=${() => this.company?.following?.followAgain()}
        @use-language=${(event: CustomEvent<Language>) => void this.#speak(event.detail)} @open-lesson=${() => this.#openLesson()}
        @open-link=${({ detail }: CustomEvent<number>) => void this.#with<Why>("eos-why", (why) => why.showLink(detail))} @use-projector=${() => void this.#present()} @say-hint=${this.#hinted} @covers=${() => this.#uncover()} @look-for=${({ detail }: CustomEvent<LookingKey>) => void this.#lookFor(detail)}>
      <button class="skip" @click=${() => this.#toControls()}>${say("player.to_controls")}</button>
      <button class="skip" @click=${() => this.#toPicture()}>${say("player.to_picture")}</button>
      <header class="top">
        <eos-masthead class="title" .store=${store} library=${this.library} assignment=${this.assignment} verdict=${this.verdict} log=${this.log} rerun=${this.rerun} open=${this.open} .course=${this.#course} named=${inLanguage(lesson.named)} beside=${lesson.has_original === true && store.source.live && this.open === "" && this.compare !== "" ? `${this.compare}new` : ""} .followState=${this.company?.following?.state ?? null}></eos-masthead>
        ${viewTabs(this.#views(store))}
        <eos-tools class="tools" .store=${store} .walk=${this.walk} .zoom=${this.zoom} library=${this.library} compare=${this.open === "" ? this.compare : ""} share=${this.share} workshop=${this.workshop.replace(/0$/, "")} open=${this.open} ?lesson=${lesson.lesson !== undefined} ?presenting=${this.presenting !== ""} ?projector=${this.projector}></eos-tools>
      </header>
      <section class="say" aria-label=${say("player.what_happened")}><eos-sentence .store=${store} .beside=${this.#later.of(store.frame)} .walk=${this.walk} .zoom=${this.zoom} .check=${this.zoom?.check ?? null} watch=${inLanguage(lesson.watch_for)} .isOriginal=${lesson.of_original === true} .written=${lesson.written?.broken}></eos-sentence>${this.isNarrow ? this.#references(store) : nothing}</section>
      <footer class="time" aria-label=${say("player.time")}>
        <div class="foot">
          <eos-transport class="transport" .store=${store} .play=${play} .walk=${this.walk} ?ends=${hasEnd(store, lesson)} verdict=${this.verdict} compare=${this.open === "" ? this.compare : ""}></eos-transport>
          ${this.#predict(store)}
          <eos-hands .store=${store} .audience=${this.company?.audience ?? null}></eos-hands>
          <eos-poll .store=${store} .audience=${this.company?.audience ?? null}></eos-poll>
          <eos-selection-bar .store=${store}></eos-selection-bar>
        </div>
        <eos-beats .store=${store} .walk=${this.walk}></eos-beats>
        <div class="line"><eos-scrubber .store=${store} .walk=${this.walk}></eos-scrubber><eos-looking-marks .store=${store}></eos-looking-marks></div>
        <div class="held"><eos-strip .store=${store}></eos-strip>${this.isNarrow ? nothing : this.#references(store)}</div>
      </footer>
      ${this.isNarrow && this.#inspects ? columnTabs(this.#views(store)) : nothing}
      ${this.#side("left", store, frame)} ${this.#middle(store, frame)} ${this.#side("right", store, frame)}
      <eos-why class="why" .store=${store} rules=${this.rules} @shown-why=${this.#shownWhy}></eos-why>
      <eos-lesson .store=${store} .walk=${this.walk} .lesson=${lesson} compare=${this.open === "" ? this.compare : ""} submit=${this.submits ? this.assignment : ""}></eos-lesson>
      ${this.#messages(store)}
      <eos-looking .store=${store}></eos-looking>
      <eos-term-note rules=${this.rules} reference=${this.reference}></eos-term-note>
      <eos-help .store=${store}></eos-help>
      ${this.share === "" ? nothing : html`<eos-share .store=${store} address=${this.share} view=${viewOf(this.middle, this.spacing)} opens=${opensOn(store.header)} zoom=${this.zoom === undefined ? "" : zoomText(this.zoom)} present=${this.present} presenting=${this.presenting}></eos-share>`}
      <eos-export .store=${store} .spacing=${this.spacing} address=${this.exportAddress} missing=${this.noExport} replay=${this.replay} published=${this.published}></eos-export>
      <eos-branches .store=${store} compare=${store.source.live ? this.compare : ""}></eos-branches>
    </div>`;
  }

  #references(store: PlayerStore): TemplateResult {
    return html`<eos-references .store=${store} .check=${this.zoom?.check ?? null} rules=${this.rules}></eos-references>`;
  }

  get #hasLogs(): boolean {
    return this.store?.header?.partitions.length !== 0;
  }

  get #inspects(): boolean {
    return this.middle === inspected(this.#hasLogs);
  }

  #views(store: PlayerStore): ViewTabs {
    const { middle, column, code } = this;
    return { middle, column, frame: store.frame, hasLogs: this.#hasLogs, hasCode: code !== "", open: (...to) => this.#open(...to), why: () => this.#askWhy() };
  }

  #predict(store: PlayerStore): TemplateResult | typeof nothing {
    if (this.questions === "") return nothing;
    return html`<eos-predict .store=${store} .play=${this.play} .audience=${this.company?.audience ?? null} .poll=${this.company?.audience?.poll ?? null} ?asks=${this.trackFinish !== "" || this.assignment !== ""} address=${this.questions} predictions=${this.predictions}
      finish=${this.trackFinish} place=${this.trackPlace}></eos-predict>`;
  }

  get #course(): Course | null {
    const [number = 0, count = 0] = this.trackPlace.split("/").map(Number);
    const title = words.language === "en" ? this.trackTitleEn : this.trackTitleZhHans;
    return this.track === "" ? null : { address: this.track, title, number, count };
  }

  #open(column: Column, middle: Middle | null): void {
    this.#hasChosen = true;
    this.column = column;
    if (middle !== null) this.middle = middle;
    this.#remember();
  }

  #openView(word: string): void {
    const view = readView(word);
    if (view === null) return;
    this.spacing = view.spacing;
    this.#open("middle", view.middle);
  }

  readonly #hinted = ({ detail: { key, params, more } }: CustomEvent<{ key: string; params: JsonObject; more?: HintAct | null }>): void => {
    this.hintParams = params;
    this.hintMore = more ?? null;
    this.hint = key;
  };

  readonly #shownWhy = (): void => {
    this.chain = this.#why()?.links?.map(({ subject }) => subject) ?? [];
    this.company?.moved();
  };

  /**
   * The frame that a column draws; undefined for a column that is not visible. In *Inspect* the side columns, elsewhere
   * the middle one, get it one paint later (`LaterFrame`).
   */
  #frameFor(column: Column, frame: Frame | undefined): Frame | undefined {
    if (column !== "middle" && !this.#inspects) return undefined;
    if (this.isNarrow && this.column !== column) return undefined;
    return column === "middle" && this.#inspects ? frame : this.#later.of(frame);
  }

  #parts(store: PlayerStore, frame: Frame | undefined): PanelParts {
    const { zoom, transactions, code, machines, spacing, chain, projector } = this;
    return { frame, store, zoom, transactions, code, machines, spacing, chain, projector, space: (wanted) => this.#openView(viewOf("spacetime", wanted)) };
  }

  #side(column: "left" | "right", store: PlayerStore, whole: Frame | undefined): TemplateResult {
    const name = say(sidesOf(this.#hasLogs)[column === "left" ? 0 : 1]);
    return html`<aside class=${column} aria-label=${name} tabindex="0"><p class="column-name" aria-hidden="true">${name}</p>
      ${this.#columns?.column(column, this.#parts(store, this.#frameFor(column, whole)))}
    </aside>`;
  }

  #middle(store: PlayerStore, whole: Frame | undefined): TemplateResult {
    const name = say(`player.tab.${this.middle}`);
    return html`<main class="mid" aria-label=${name} tabindex="0" @keydown=${this.#enterPicture} @touchstart=${this.#swipe.start} @touchend=${this.#swipe.end}>${this.#inspects && !this.isNarrow ? html`<p class="column-name" aria-hidden="true">${name}</p>` : nothing}
      ${middlePanel(this.middle, this.#parts(store, this.#frameFor("middle", whole)))}
    </main>`;
  }

  #messages(store: PlayerStore): TemplateResult | typeof nothing {
    if (this.hint !== "") return messages(store, this.fault, this.rerun, { key: this.hint, params: this.hintParams, more: ABOUT_A_STEP.has(this.hint) ? this.hintMore : null, dismiss: () => (this.hint = "") });
    return messages(store, this.fault, this.rerun, this.changed ? { key: "player.link_changed", dismiss: () => (this.changed = false) } : null);
  }

  // Keys

  readonly #key = (event: KeyboardEvent): void => {
    const target = event.composedPath()[0];
    if (this.querySelector("dialog[open], .term-note:popover-open") !== null) return; // A dialog handles its own keys.
    if (event.defaultPrevented || belongsToFocus(event, target instanceof Element ? target : null)) return;
    if (this.#typed !== null && event.key.length === 1) {
      event.preventDefault();
      this.#typed += event.key;
      return;
    }
    const action = actionOf(event);
    if (action === null) return;
    event.preventDefault();
    this.#do(action, event.key);
  };

  #do(action: KeyAction, key: string): void {
    const { store, play, walk } = this;
    if (store === undefined || play === undefined || walk === undefined) return;
    if (action === "drop") this.#acts()?.atFocus();
    const beats = this.#inspects ? [] : (planOf(store)?.beats ?? []);
    const count = countOf(beats);
    if (action === "number") this.hintParams = { number: Number(key), count };
    this.hint = lacks(action, key, { beats: count, live: store.source.live, follows: this.follow !== "", meets: (this.company?.audience ?? null) !== null, share: this.share, selection: store.selection, frame: store.frame }) ?? "";
    if (this.hint !== "") return;
    if (store.status === "reconnecting") this.hint = "player.offline"; // The request is not lost: the store keeps it until the connection is back.
    if ((LOOKING_KEYS as readonly string[]).includes(action)) {
      void this.#lookFor(action as LookingKey);
      return;
    }
    const actions: Record<Exclude<KeyAction, LookingKey>, () => void> = {
      back: () => this.#onward(-1, true),
      forward: () => this.#onward(1, true),
      step_back: () => this.#onward(-1, false),
      step: () => this.#onward(1, false),
      inspect: () => this.#inspect(),
      beat_steps: () => { if (this.#beats()?.toggle() !== true) this.hint = "player.nothing_to.beats"; },
      previous_interesting: () => void store.previousInteresting(),
      next_interesting: () => void store.nextInteresting(),
      first: () => store.moveTo(0),
      last: () => void walk.toEnd(),
      play: () => play.toggle(),
      branch: () => void this.#makeBranch(),
      message: () => { if (this.#acts()?.next() !== true) this.hint = "player.nothing_to.message"; },
      drop: () => void this.#drop(),
      acts: () => this.#listActs(),
      why: () => this.#askWhy(),
      projector: () => void this.#present(),
      number: () => void this.#number(key, beats),
      stage: () => void this.#panel(key),
      zoom_in: () => this.zoom?.by(1),
      zoom_out: () => this.zoom?.by(-1),
      share: () => void this.#dialog("eos-share"),
      export: () => void this.#dialog("eos-export"),
      follow: () => this.company?.following?.followAgain(),
      hand: () => this.querySelector<Partial<Hands> & Element>("eos-hands")?.toggle?.(),
      help: () => void this.#dialog("eos-help"),
      close: () => this.#close(),
    };
    actions[action as Exclude<KeyAction, LookingKey>]();
  }

  /** Letters typed while the search is being loaded; null: it is not being loaded. */
  #typed: string | null = null;

  async #lookFor(key: LookingKey): Promise<void> {
    if (key === "search" && !atHand.isHere) this.#typed = "";
    await this.#with<LookingElement>("eos-looking", (looking) => { this.hint = looking.does(key, this.#typed ?? "") ?? ""; });
    this.#typed = null;
  }

  /** Closes the parts that are open over the page, because only one of them may be open. */
  #uncover(): void {
    this.#lesson()?.close?.();
    this.#beats()?.close();
    this.#why()?.close?.();
  }

  /** Asks *why*, and closes everything over the picture, because the answer marks things in it. */
  #askWhy(): void {
    this.#lesson()?.close?.();
    void this.#with<Why>("eos-why", (why) => why.toggle());
  }

  /**
   * Moves on (1) or back (−1). `isLong`: whether → or ← was pressed, else ↓ or ↑; the reader chooses which of these
   * pairs moves by beats (`Arrows`). At the end of the run, opens the card about its meaning. Other zoom levels move by
   * their own unit.
   */
  #onward(direction: 1 | -1, isLong: boolean): void {
    const { store, walk } = this;
    if (store === undefined || walk === undefined) return;
    if (direction > 0 && isOver(store) && hasEnd(store, readLesson(this.lesson))) {
      this.#openLesson();
      return;
    }
    const remedies = direction > 0 && isOver(store) ? this.querySelector<HTMLAnchorElement>(".transport .to-verdict") : null;
    if (remedies !== null) return remedies.click();
    if (direction > 0 ? isOver(store) : store.target === 0) {
      this.hint = direction > 0 ? "player.nothing_to.forward" : "player.nothing_to.back";
      return;
    }
    const byBeats = isLong === (walk.arrows === "beats") && walk.hasBeats && (this.zoom?.level ?? "message") === "message";
    if (byBeats && direction > 0) void walk.forward();
    else if (byBeats) walk.back();
    else if (direction > 0) store.forward();
    else store.back();
  }

  /** A swipe moves by beats, but only on the stage and on a phone, where there is nothing to scroll. */
  readonly #swipe = new Swipe((way) => {
    if (this.middle === "stage" && innerWidth < UPRIGHT && this.querySelector("dialog[open]") === null) this.#onward(way, this.walk?.arrows === "beats");
  });

  /** Opens *Inspect* or, if it is open, the view that was on show before it. */
  #inspect(): void {
    if (this.#inspects) this.#open("middle", this.#before ?? opensOn(this.store?.header ?? null));
    else {
      this.#before = this.middle;
      this.#open("middle", inspected(this.#hasLogs));
    }
  }

  /** Switches the page to the view for a projector or back. The projector's camera is loaded first. */
  async #present(): Promise<void> {
    await this.#fetch(atHand);
    this.projector = !this.projector;
    if (this.projector) this.#open("middle", "stage");
  }

  /**
   * Moves the focus to the button that moves on; if it is disabled, as at the end of a run, to the first enabled
   * button.
   */
  #toControls(): void {
    const first = (which: string) => this.querySelector<HTMLElement>(`.transport ${which}:not(:disabled)`);
    (first(":is(.beat-go, .go)") ?? first("button"))?.focus();
  }

  get #picture(): (Partial<DiagramElement> & Element) | null {
    return this.querySelector(".mid > .panel > *");
  }

  /** Moves the focus to the first thing in the picture that can be pressed; without one, to the view. */
  #toPicture(): void {
    if (this.#picture?.enter?.() !== true) this.querySelector<HTMLElement>(".mid")?.focus();
  }

  readonly #enterPicture = (event: KeyboardEvent): void => {
    if (event.key === "Enter" && event.target === event.currentTarget) this.#toPicture();
  };

  /**
   * Opens the list of actions on the selected thing, else on the thing that has the focus, which is then selected. If
   * there is neither, moves the focus into the picture.
   */
  #listActs(): void {
    const { store } = this;
    const focused = store?.selection == null ? (this.#picture?.focused ?? null) : null;
    if (focused !== null) store?.select(focused);
    if (store?.selection != null) void this.#with<SelectionBar>("eos-selection-bar", (bar) => bar.openHere());
    else this.hint = this.#picture?.enter?.() === true ? "player.nothing_to.acts_yet" : "player.nothing_to.acts";
  }

  #beats(): BeatsBar | null {
    return this.querySelector<BeatsBar>("eos-beats");
  }

  #acts(): MessageActs | null {
    return this.querySelector<MessageActs>("eos-message-acts");
  }

  /** The element of the lesson, which has no methods until its code is loaded. */
  #lesson(): Partial<Lesson> | null {
    return this.querySelector<Lesson>("eos-lesson");
  }

  #openLesson(): void {
    void this.#with<Lesson>("eos-lesson", (lesson) => lesson.open());
  }

  async #drop(): Promise<void> {
    await this.#with<SelectionBar>("eos-selection-bar", (bar) => void bar.perform(DROP));
  }

  readonly #makeBranch = async (): Promise<void> => {
    const { store } = this;
    if (store?.source.live !== true || !(await store.branchHere())) return;
    this.hintParams = { branch: branchTitle(store.lines.branches, store.branch), step: store.shown };
    this.hint = "player.branched";
  };

  /** Opens the dialog with this tag; loads its code first if needed. */
  async #dialog(tag: string): Promise<void> {
    const dialog = this.querySelector<DialogElement>(tag);
    for (const part of [atHand, besideStage]) if (dialog?.open === undefined) await this.#fetch(part);
    await dialog?.updateComplete;
    dialog?.open?.();
  }

  /** The element of *why*, which has no methods until its code is loaded. */
  #why(): Partial<Why> | null {
    return this.querySelector<Why>("eos-why");
  }

  /**
   * Closes the topmost part first. If the focus was in it, the focus moves to the forward button: a focus ring in the
   * picture would look like the mark of the step.
   */
  #close(): void {
    if (this.#closeTop()) requestAnimationFrame(() => { if (document.activeElement === document.body) this.#toControls(); });
  }

  /** Closes the topmost part over the page; returns whether there was one. */
  #closeTop(): boolean {
    if (this.#lesson()?.close?.() === true || this.#beats()?.close() === true || this.querySelector<GuaranteeStrip>("eos-strip")?.close() === true) return true;
    const why = this.#why();
    if (why?.isOpen === true) {
      why.close?.();
      return true;
    }
    const open = this.querySelectorAll("details.menu[open], details.altered-more[open], details.about[open], details.notes[open]");
    for (const menu of open) menu.removeAttribute("open");
    if (open.length > 0 || this.querySelector<Partial<LookingElement> & Element>("eos-looking")?.close?.() === true) return true;
    this.store?.dismiss();
    if (this.store?.selection === null || this.store === undefined) this.#columns?.release();
    this.store?.select(null);
    return false;
  }

  /** Goes to the stop whose number was pressed; if there is none, the key opens a panel. */
  async #number(key: string, beats: readonly Beat[]): Promise<void> {
    const step = stepNumbered(beats, Number(key));
    await (step === null ? this.#panel(key) : this.walk?.goTo(step));
  }

  async #panel(key: string): Promise<void> {
    const panel = PANELS.find((row) => row.key === key);
    if (panel === undefined) return;
    if (panel.view !== undefined) this.#openView(panel.view);
    else this.#open(panel.place, inspected(this.#hasLogs));
    await this.updateComplete;
    if (panel.place !== "middle") this.#columns?.keepOpen(panel.tag);
    const element = this.querySelector<HTMLElement>(`#panel-${panel.tag}`);
    element?.focus();
    element?.scrollIntoView({ block: "nearest" });
  }
}

/** Whether the page is still empty, because the first frame has not arrived and there is no failure to show. */
function isOpening({ frame, problem, status }: PlayerStore): boolean {
  return frame === undefined && problem === null && status !== "failed" && status !== "reconnecting";
}

customElements.define("eos-player", Player);
