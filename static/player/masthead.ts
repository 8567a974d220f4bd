/**
 * `<eos-masthead>`: the line at the top of the page. It has the way back, the run's title, scenario, variant and Kafka
 * versions, every switch and setting that differs from its default, the changes of a changed run, and for a follower
 * whether the page follows. Actions on the run are in `<eos-tools>`.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { isPreview } from "../diagrams/log-case.ts";
import type { Altered } from "./altered.ts";
import { alteredOf } from "./altered.ts";
import { toOriginal } from "./as-it-was.ts";
import { branchTitle, isUnchanged } from "./branch-name.ts";
import { doneOnLine, inWords } from "./done.ts";
import type { FollowState } from "./following.ts";
import type { Header } from "./frame.ts";
import { compareWords, lookFrom } from "./look-from.ts";
import { closeLists, PagePresses } from "./page-presses.ts";
import type { PlayerStore } from "./store.ts";
import { Small } from "./small.ts";
import { StoreElement } from "./store-element.ts";
import { aside, listed, named } from "./joins.ts";
import { rerunLink } from "./messages.ts";
import { say, words } from "./text.ts";
import { besideOriginal, posting } from "./posting.ts";
import { withoutVersion } from "./variant-name.ts";

/** The track from which the reader came, and the number of this scenario in it, from 1. */
export interface Course {
  address: string;
  title: string;
  number: number;
  count: number;
}

export class Masthead extends StoreElement {
  static override properties = {
    ...StoreElement.properties,
    library: {},
    assignment: {},
    verdict: {},
    log: {},
    rerun: {},
    open: {},
    named: {},
    beside: {},
    course: { attribute: false },
    followState: { attribute: false },
  };

  declare library: string;
  /** In an attempt: the address of its assignment, to which the learner goes back. */
  declare assignment: string;
  /** In a log case: the address of the page that judges the log; else "". */
  declare verdict: string;
  /** In a lesson that was opened from a log case: the address of the case. */
  declare log: string;
  /** The address at which the engine of this site makes a branch again; empty if there is none. */
  declare rerun: string;
  /** In a frame on another page: the address that opens the player outside the frame. */
  declare open: string;
  /** The title of the run's variant; empty if only its name is known. */
  declare named: string;
  /**
   * The address to which a button posts in order to compare this run of a variant with the scenario's run without a
   * variant. Empty if there is no such comparison or the page does not offer it (files, frames).
   */
  declare beside: string;
  declare course: Course | null;
  declare followState: FollowState | null;
  readonly #small = new Small(this);

  constructor() {
    super();
    this.library = "/";
    this.assignment = "";
    this.verdict = "";
    this.log = "";
    this.rerun = "";
    this.open = "";
    this.named = "";
    this.beside = "";
    this.course = null;
    this.followState = null;
    new PagePresses(this, (event) => closeLists(this, "details", event)); // The list of settings lies over the page.
  }

  protected override render(): TemplateResult | typeof nothing {
    const store = this.store;
    if (store === undefined) return nothing;
    return html`${this.#home()}
      ${store.header === null ? this.#state(store) : this.#title(store.header, store)}
      ${this.#follow()}`;
  }

  /**
   * The way back: out of a frame, to the assignment, to the log case, to the track, else to the library. In a file that
   * plays offline (`library` is ""), only the name of the site.
   */
  #home(): TemplateResult {
    if (this.open !== "") return html`<a class="home" href=${this.open} target="_blank" rel="noopener">${say("player.open_outside")}</a>`;
    if (this.library === "") return html`<span class="home">${say("page.name")}</span>`;
    if (this.assignment !== "") return html`<a class="home" href=${this.assignment}>‹ <span>${say("player.assignment")}</span></a>`;
    if (this.verdict !== "") return html`<a class="home" href=${this.verdict}>‹ <span>${say("player.verdict")}</span></a>`;
    if (this.log !== "") return html`<a class="home" href=${this.log}>‹ <span>${say("player.log")}</span></a>`;
    if (this.course !== null) {
      const { address, title, ...place } = this.course;
      return html`<a class="home of-track" href=${address} title=${title}>‹ <span><b>${title}</b> <small>${say("player.track_place", place)}</small></span></a>`;
    }
    return html`<a class="home" href=${this.library}>‹ <span>${say("player.library")}</span></a>`;
  }

  #title(header: Header, store: PlayerStore): TemplateResult {
    const title = header.title[words.language] || header.title.en || header.scenario;
    const hasBrokers = header.actors.some((actor) => actor.role === "broker");
    const hasKafka = header.version !== "" && (hasBrokers || header.partitions.length > 0);
    // In a run without brokers, their number is not shown as a changed setting.
    const altered = alteredOf(header).filter((item) => hasKafka || item.name !== "brokers");
    const heading = html`<h1 title=${`${header.scenario}${header.variant === null ? "" : `/${header.variant}`}`}>${title}</h1>`;
    const profile = html`<span>${store.verified?.state === "log" ? say("player.log_case") : header.scenario}</span> ${hasKafka ? this.#version(header, store) : header.version ? html`<span>${say("player.no_kafka")}</span>` : nothing}
        ${Object.entries(header.client_versions ?? {}).map(([client, version]) => html`<span class="nb" title=${say("player.client_version_means", { client, version, cluster: header.version })}>${say("player.client_version", { client, version })}</span> `)}${header.variant === null ? nothing : html`<span class="variant" title=${this.named}>${this.named === "" ? header.variant : withoutVersion(this.named)}</span>`}`;
    const defaults = hasKafka && altered.length === 0 ? html`<span>${say("player.all_defaults")}</span>` : nothing;
    if (!this.#small.matches) {
      return html`<div class="what">${heading}
      <p class="rules-in-force">${isAway(store) ? nothing : html`${profile} ${altered.length > 0 ? this.#altered(altered, header.variant !== null && this.named !== "") : defaults}`} ${this.#state(store)}</p></div>${this.#changed(store)}`;
    }
    // On a small page there is no line for the settings, so a press on the title opens them.
    const sign = isAway(store) ? this.#state(store) : isChanged(store) ? html`<b class="changed-run">${branchTitle(store.lines.branches, store.branch)}</b>` : nothing;
    const isWrong = !isAway(store) && store.verified?.state === "differs";
    return html`<div class=${sign === nothing ? "what opens" : "what opens has-sign"}>${heading}${sign}<details class="about"><summary aria-label=${say("player.applies")} title=${say("player.applies")}></summary>
      <div>${sign === nothing ? nothing : html`<p><b>${title}</b></p>`}${this.#changes(store)}${header.profile === "log" ? this.#ofLog(header, store) : html`<p class="rules-in-force">${profile} ${defaults} ${isAway(store) || isWrong ? nothing : this.#state(store)}</p>`}${hasKafka ? this.#whyVersion(header) : nothing}${altered.length > 0 ? this.#settings(altered) : nothing}${header.profile === "log" ? nothing : this.#others(store, compareWords(header))}</div></details></div>
      ${isWrong ? this.#state(store) : nothing}`;
  }

  /**
   * The name of a changed run, which is there at every step. A press on it shows the changes and the way to the
   * original run. For an unchanged variant: `#variant`.
   */
  #changed(store: PlayerStore): TemplateResult | typeof nothing {
    if (!isChanged(store)) return this.beside === "" ? nothing : this.#variant(store);
    return html`<details class="altered-more"><summary class="changed-run">${branchTitle(store.lines.branches, store.branch)}</summary><div>${this.#changes(store)}</div></details>`;
  }

  /**
   * A word that says that the run is a variant. A press on it shows the title and the comparison with the original run.
   */
  #variant(store: PlayerStore): TemplateResult {
    return html`<details class="altered-more"><summary class="changed-run">${say("player.variant")}</summary><div><p>${withoutVersion(this.named)}</p>${
      posting(this.beside, besideOriginal(store), html`<button>${say("undo.compare_original")}</button>`)}</div></details>`;
  }

  #changes(store: PlayerStore): TemplateResult | typeof nothing {
    if (!isChanged(store)) return nothing;
    const done = doneOnLine(store.lines.branches, store.branch);
    return html`<ul>${done.map((one) => html`<li>${say("lesson.changed_at", { what: inWords(one, store.lines), step: one.after })}</li>`)}</ul><p @click=${this.#close}>${toOriginal(store)}</p>`;
  }

  /** In a log case: the partitions, and whether the step on show is from the opened files or from a preview. */
  #ofLog(header: Header, store: PlayerStore): TemplateResult {
    const state = isPreview(store.frame?.step ?? null) ? "preview" : "log";
    return html`<p><b>${listed(header.partitions)}</b></p><p>${say(`player.verified.${state}.means`)}</p>${
      this.verdict === "" ? nothing : html`<p><a href=${this.verdict}>${say("player.verdict")}</a></p>`}`;
  }

  /** The version of Kafka. If there is a reason for it, a press shows the reason and the way to other versions. */
  #version(header: Header, store: PlayerStore): TemplateResult {
    const version = html`<b>Kafka ${header.version}</b>`;
    const why = this.#whyVersion(header);
    if (why === nothing || this.#small.matches) return version;
    return html`<details class="altered-more"><summary>${version}</summary><div>${why}${this.#others(store, say("with.choose_version"))}</div></details>`;
  }

  /** The button that opens the choice of another run. Not in a recording, nor in a frame on another page. */
  #others(store: PlayerStore, called: string): TemplateResult | typeof nothing {
    return store.source.live && this.open === "" ? html`<p><button @click=${this.#choose}>${called} …</button></p>` : nothing;
  }

  #whyVersion({ profile }: Header): TemplateResult | typeof nothing {
    const key = `player.version_why.${profile}`;
    return words.knows(key) ? html`<p>${say(key)}</p>` : nothing;
  }

  readonly #choose = (): void => {
    this.#close();
    lookFrom(this, "compare_with");
  };

  readonly #close = (): void => {
    for (const list of this.querySelectorAll<HTMLDetailsElement>("details[open]")) list.open = false;
  };

  /**
   * The settings that differ from their defaults. `briefly`: only their number, because the variant's title beside them
   * says what differs and needs the room.
   */
  #altered(altered: Altered[], briefly: boolean): TemplateResult {
    const one = (item: Altered): TemplateResult =>
      html`<span class="nb" title=${item.normal === null ? item.path : named(item.path, say("player.default_is", { value: item.normal }))}>${aside(item.kafka || item.name, item.of)} <b>${item.value}</b></span>`;
    if (altered.length === 1 && !briefly) return html`<span>${say("player.given_settings")} ${altered.map(one)}</span>`;
    return html`<details class="altered-more"><summary><span>${briefly ? say("player.given_count", { count: altered.length })
      : html`${say("player.given_settings")} ${one(altered[0] as Altered)}${say("join.comma")}${say("player.more_settings", { count: altered.length - 1 })}`}</span></summary>
      ${this.#settings(altered)}</details>`;
  }

  #settings(altered: Altered[]): TemplateResult {
    const hasDefaults = altered.some(({ normal }) => normal !== null);
    return html`<table><thead><tr><th scope="col">${say("player.setting")}</th><th scope="col">${say("player.value_here")}</th>${hasDefaults ? html`<th scope="col">${say("player.default")}</th>` : nothing}</tr></thead>
      <tbody>${altered.map((item) => html`<tr><td title=${item.path}>${item.kafka === "" ? item.name : html`<code>${item.kafka}</code>`}${item.of === "" ? nothing : html` <small class="quiet">${item.of}</small>`}</td><td><b>${item.value}</b></td>${hasDefaults ? html`<td>${item.normal ?? "–"}</td>` : nothing}</tr>`)}</tbody></table>`;
  }

  #state(store: PlayerStore): TemplateResult | typeof nothing {
    if (isAway(store)) {
      return html`<span class="badge attention ${store.status}" role="status">${say(`player.status.${store.status}`)}</span>`;
    }
    if (store.verified === null) return nothing;
    const { state: found, engine, step } = store.verified;
    const state = found === "log" && isPreview(store.frame?.step ?? null) ? "preview" : found;
    const params = { engine: engine ?? "?", step: step ?? 0 };
    return html`<span class="badge ${state === "differs" ? "wrong" : ""}" title=${say(`player.verified.${state}.means`, params)}>${say(`player.verified.${state}`, params)}</span> ${store.source.live ? rerunLink(store, this.rerun) : nothing}`;
  }

  /** For a follower: a sign that the page follows the presenter, or a button that makes it follow again. */
  #follow(): TemplateResult | typeof nothing {
    if (this.followState === null) return nothing;
    const means = say(`player.follow.${this.followState}.means`);
    if (this.followState === "free") {
      return html`<button class="badge attention follow-again" title=${`${means} (f)`} @click=${() => this.dispatchEvent(new CustomEvent("follow-again", { bubbles: true }))}>${say("player.follow.again")}</button>`;
    }
    return html`<span class="badge" role="status" title=${means}>${say(`player.follow.${this.followState}`)}</span>`;
  }
}

/** Whether the page is still connecting, or has lost the connection. */
function isAway({ status }: PlayerStore): boolean {
  return status === "connecting" || status === "reconnecting";
}

function isChanged({ lines: { branches }, branch }: PlayerStore): boolean {
  return !isUnchanged(branches, branch);
}

customElements.define("eos-masthead", Masthead);
