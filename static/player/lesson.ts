/**
 * `<eos-lesson .store .lesson .walk>`: the frame of a run. Before the first step the sentence says what to watch for;
 * behind the last one stands here what came of it, what it means, the bridge to the next scenario, and one thing to
 * try. The texts are those of the scenario's document and of the track, however the reader came.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { titleOf } from "./beats.ts";
import { planOf } from "./axis-of.ts";
import type { BeatWalk } from "./beat-walk.ts";
import type { Bilingual } from "./frame.ts";
import { csrfToken } from "./page.ts";
import type { PlayerStore } from "./store.ts";
import { StoreElement } from "./store-element.ts";
import { stripRows } from "./strip-rows.ts";
import { say, words } from "./text.ts";

/** What the page is told of a scenario's document and its track. */
export interface LessonTexts {
  watch_for?: Bilingual;
  lesson?: Bilingual;
  /** What comes next in the track that the reader is in, or in the first that has this scenario. */
  next?: { track: Bilingual; why: Bilingual; title: Bilingual; address: string; posts: boolean };
  /** Another variant of the scenario. */
  variant?: { title: Bilingual; address: string };
}

/** Of an attribute's JSON; what cannot be read has nothing to say. */
export function readLesson(text: string): LessonTexts {
  try {
    return text === "" ? {} : (JSON.parse(text) as LessonTexts);
  } catch {
    return {};
  }
}

export function inLanguage(text: Bilingual | undefined): string {
  return text === undefined ? "" : (text[words.language] ?? text.en);
}

export class Lesson extends StoreElement {
  static override properties = { ...StoreElement.properties, lesson: { attribute: false }, walk: { attribute: false }, isOpen: { state: true } };

  declare lesson: LessonTexts;
  declare walk: BeatWalk | undefined;
  declare isOpen: boolean;
  #opener: HTMLElement | null = null;

  constructor() {
    super();
    this.lesson = {};
    this.walk = undefined;
    this.isOpen = false;
  }

  open(): void {
    if (this.isOpen) return;
    this.#opener = document.activeElement instanceof HTMLElement ? document.activeElement : null;
    this.isOpen = true;
    void this.updateComplete.then(() => this.querySelector<HTMLElement>(".lesson-card")?.focus());
  }

  /** False when it is not open. */
  close(): boolean {
    if (!this.isOpen) return false;
    this.isOpen = false;
    this.#opener?.focus();
    return true;
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, lesson } = this;
    if (store === undefined || !this.isOpen) return nothing;
    return html`<section class="lesson-card" tabindex="-1" role="group" aria-labelledby="lesson-heading">
      <header><h2 id="lesson-heading">${say("lesson.heading")}</h2><button class="close" aria-label=${say("player.close")} @click=${() => this.close()}>✕</button></header>
      <div class="lesson-verdict">${verdict(store)}</div>
      ${lesson.lesson === undefined ? nothing : html`<h3>${say("lesson.means")}</h3><p class="lesson-text">${inLanguage(lesson.lesson)}</p>`}
      ${this.#next()} ${this.#try(store)}
    </section>`;
  }

  #next(): TemplateResult | typeof nothing {
    const { next } = this.lesson;
    if (next === undefined) return nothing;
    const name = say("lesson.go_next", { title: inLanguage(next.title) });
    return html`<h3>${say("lesson.next", { track: inLanguage(next.track) })}</h3><p>${inLanguage(next.why)}</p>
      ${next.posts
        ? html`<form method="post" action=${next.address}><input type="hidden" name="csrfmiddlewaretoken" .value=${csrfToken()}><button class="primary">${name}</button></form>`
        : html`<p><a class="button primary" href=${next.address}>${name}</a></p>`}`;
  }

  /** A variant where the scenario has one; else to break it by hand where its first telling beat is. */
  #try(store: PlayerStore): TemplateResult | typeof nothing {
    const { variant } = this.lesson;
    if (variant !== undefined) {
      return html`<h3>${say("lesson.try")}</h3><p>${say("lesson.try_variant", { title: inLanguage(variant.title) })} <a href=${variant.address}>${say("lesson.try_it")}</a></p>`;
    }
    const beat = store.source.live ? planOf(store)?.beats.find(({ lands }) => lands > 1) : undefined;
    if (beat === undefined) return nothing;
    return html`<h3>${say("lesson.try")}</h3><p>${say("lesson.try_break", { title: titleOf(beat) })}
      <button @click=${() => this.#goBack(beat.first)}>${say("lesson.go_there", { step: beat.first })}</button></p>`;
  }

  #goBack(step: number): void {
    this.close();
    this.store?.moveTo(step);
  }
}

/** Each guarantee of the run with how it came out; those that are broken first. */
function verdict(store: PlayerStore): TemplateResult {
  const rows = stripRows(store.frame?.view.guarantees ?? {}, store.info, []).filter((row) => row.isJudged);
  const broken = rows.filter(({ count, brokenAt }) => count > 0 && brokenAt !== null);
  const held = rows.filter(({ count }) => count === 0);
  return html`${broken.map(({ name, count, brokenAt }) => html`<p class="bad">✕ ${say("lesson.broken", { name: say(`player.guarantee.${name}`), count, step: brokenAt ?? 0 })}</p>`)}
    ${held.length === 0 ? nothing : html`<p>${say("lesson.held", { names: held.map(({ name }) => say(`player.guarantee.${name}`)) })}</p>`}
    ${rows.length === 0 ? html`<p class="quiet">${say("lesson.not_judged")}</p>` : nothing}`;
}

customElements.define("eos-lesson", Lesson);
