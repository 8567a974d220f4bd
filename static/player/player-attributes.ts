/**
 * The attributes that a page sets on its player (docs/player.md, *The page*), and the player's properties beside its
 * store.
 */

import type { Chain } from "../stage/chain.ts";
import type { JsonObject } from "./frame.ts";
import { LitElement } from "lit";
import type { Spacing } from "../diagrams/spacetime-rows.ts";
import type { Language } from "./frame.ts";
import type { HintAct } from "./messages.ts";
import type { Middle } from "./panels.ts";
import type { Column } from "./view-tabs.ts";

export abstract class PlayerAttributes extends LitElement {
  static override properties = {
    session: {},
    file: {},
    branch: {},
    step: { type: Number },
    language: {},
    catalogueEn: { attribute: "catalogue-en" },
    catalogueZhHans: { attribute: "catalogue-zh-hans" },
    exportAddress: { attribute: "export" },
    noExport: { attribute: "no-export" },
    replay: {},
    published: {},
    rules: {},
    reference: {},
    machines: {},
    code: {},
    zoomed: { attribute: "zoom" },
    compare: {},
    library: {},
    share: {},
    rerun: {},
    workshop: {},
    assignment: {},
    submits: { type: Boolean },
    verdict: {},
    log: {},
    questions: {},
    predictions: {},
    lesson: {},
    track: {},
    trackFinish: { attribute: "track-finish" },
    trackPlace: { attribute: "track-place" },
    trackTitleEn: { attribute: "track-title-en" },
    trackTitleZhHans: { attribute: "track-title-zh-hans" },
    open: {},
    plays: { type: Boolean },
    follow: {},
    present: {},
    presenting: {},
    view: {},
    select: {},
    selectIn: { attribute: "select-in" },
    selectSerials: { attribute: "select-serials" },
    changed: { type: Boolean },
    middle: { state: true },
    spacing: { state: true },
    column: { state: true },
    isNarrow: { state: true },
    projector: { state: true },
    chain: { state: true },
    fault: { state: true },
    hasWords: { state: true },
    hint: { state: true },
  };

  declare session: string;
  declare file: string;
  declare branch: string | null;
  declare step: number | null;
  declare language: Language;
  declare catalogueEn: string;
  declare catalogueZhHans: string;
  /** The address of a session's exports. */
  declare exportAddress: string;
  /** Why there are no exports: a key of the catalogue, whose text is shown instead of them. */
  declare noExport: string;
  /** If the replay is published: the address of its file. */
  declare replay: string;
  declare published: string;
  declare rules: string;
  /** Address of the reference. */
  declare reference: string;
  declare machines: string;
  /** The address of the pseudocode of the components. */
  declare code: string;
  /** The zoom when the page opens: `transaction`, `decision` or `decision:3`. */
  declare zoomed: string;
  declare compare: string;
  declare library: string;
  declare share: string;
  /** The address at which the engine of this site makes a branch again, as a session of its own. */
  declare rerun: string;
  /** The address that makes a scenario of branch 0; for another branch, its number replaces the 0. */
  declare workshop: string;
  declare assignment: string;
  /** Whether the run is an attempt that can be submitted. */
  declare submits: boolean;
  declare verdict: string;
  declare log: string;
  /** The address from which the questions of the run come; "": this run has none. */
  declare questions: string;
  declare predictions: string;
  /** The texts of the scenario's document and its track, as JSON (`lesson.ts`). */
  declare lesson: string;
  /** The page of the track from which the reader came; empty if there is none. */
  declare track: string;
  declare trackFinish: string;
  declare trackPlace: string;
  declare trackTitleEn: string;
  declare trackTitleZhHans: string;
  /** In a frame on another page: the address that opens the player outside of the frame. */
  declare open: string;
  /** Whether playing begins by itself, unless the reader wants less motion. */
  declare plays: boolean;
  /** The token of a presentation, on the page of a follower. */
  declare follow: string;
  /** Address that starts a presentation. */
  declare present: string;
  /** The address at which others follow; empty while this session is not presented. */
  declare presenting: string;
  declare view: string;
  declare select: string;
  declare selectIn: string;
  declare selectSerials: string;
  /** Whether the link to this page was made for another version of the scenario. */
  declare changed: boolean;
  declare middle: Middle;
  /** Whether the space-time diagram is spaced by step or by time. */
  declare spacing: Spacing;
  declare column: Column;
  declare isNarrow: boolean;
  /** Whether the page is shown by a projector: with larger letters, and a picture that zooms in. */
  declare projector: boolean;
  /** The subjects of the sentences in the answer to *why* that is on show. */
  declare chain: Chain;
  declare fault: string | null;
  declare hasWords: boolean;
  /** The catalogue key of the hint on show, for example what a pressed key needs; "": no hint. */
  declare hint: string;
  hintParams: JsonObject = {};
  hintMore: HintAct | null = null;

  constructor() {
    super();
    this.session = "";
    this.file = "";
    this.branch = null;
    this.step = null;
    this.language = "en";
    this.catalogueEn = "";
    this.catalogueZhHans = "";
    this.exportAddress = "";
    this.noExport = "";
    this.replay = "";
    this.published = "";
    this.rules = "";
    this.reference = "";
    this.machines = "";
    this.code = "";
    this.zoomed = "";
    this.compare = "/compare/";
    this.library = "/";
    this.share = "";
    this.rerun = "";
    this.workshop = "";
    this.assignment = "";
    this.submits = false;
    this.verdict = "";
    this.log = "";
    this.questions = "";
    this.predictions = "";
    this.lesson = "";
    this.track = "";
    this.trackFinish = "";
    this.trackPlace = "";
    this.trackTitleEn = "";
    this.trackTitleZhHans = "";
    this.open = "";
    this.plays = false;
    this.follow = "";
    this.present = "";
    this.presenting = "";
    this.view = "";
    this.select = "";
    this.selectIn = "";
    this.selectSerials = "";
    this.changed = false;
    this.middle = "stage";
    this.spacing = "step";
    this.column = "middle";
    this.isNarrow = false;
    this.projector = false;
    this.chain = [];
    this.fault = null;
    this.hasWords = false;
    this.hint = "";
  }
}
