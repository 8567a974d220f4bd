/**
 * `<eos-poll .store .audience>`: a poll, in which all followers answer a question of the engine. The presenter sees the
 * number of each answer as bars while they arrive; followers see the bars once the presenter shows them. The next step
 * of the run shows the right answer.
 */

import type { PropertyValues, TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { Audience, Heard, Poll as Asked } from "./audience.ts";
import { percentOf } from "./audience.ts";
import { AudienceElement } from "./audience-element.ts";
import type { QuestionChoice } from "./questions.ts";
import { reasonList } from "./reasons.ts";
import type { PlayerStore } from "./store.ts";
import { listed, named } from "./joins.ts";
import { say } from "./text.ts";

export class Poll extends AudienceElement {
  static override properties = { ...AudienceElement.properties, chosen: { state: true }, again: { state: true }, away: { state: true } };

  /** A follower's choice before it is sent. */
  declare chosen: string;
  /** Whether a follower who has answered is changing the answer. */
  declare again: boolean;
  /** The poll that the reader closed and its state at that time, as a text; the card appears again in another state. */
  declare away: string;
  #on = 0;

  constructor() {
    super();
    this.chosen = "";
    this.again = false;
    this.away = "";
  }

  protected override sentenceOf(heard: Heard): string | null {
    if (heard.kind === "over") return say("poll.was_ended");
    if (heard.kind !== "poll") return null;
    const { poll } = heard;
    if (poll.state === "closed") return say("poll.is_closed");
    if (poll.state === "revealed") return say("poll.what_happens", { right: rightOf(poll) });
    return named(say(this.audience?.presents === true ? "poll.heading" : "poll.asked"), say(poll.key, poll.params));
  }

  protected override willUpdate(changed: PropertyValues): void {
    super.willUpdate(changed);
    const poll = this.audience?.poll ?? null;
    if (poll === null || poll.id === this.#on) return;
    this.#on = poll.id;
    this.chosen = "";
    this.again = false;
  }

  protected override updated(): void {
    this.markPlayer("poll", this.querySelector(".poll-card") !== null);
    const poll = this.audience?.poll ?? null;
    // The button by which the presenter opened the poll is gone, so the focus moves into the card; a follower's stays.
    if (poll !== null && this.audience?.presents === true && document.activeElement === document.body) this.focusCard();
  }

  focusCard(): void {
    this.querySelector<HTMLElement>(".poll-card")?.focus({ preventScroll: true });
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, audience } = this;
    if (store === undefined || audience === null) return nothing;
    const { poll } = audience;
    const isAway = poll !== null && this.away === `${poll.id} ${poll.state}`;
    return html`${poll === null || isAway ? nothing : this.#card(store, audience, poll)}<p class="unseen" role="status">${this.said}</p>`;
  }

  #card(store: PlayerStore, audience: Audience, poll: Asked): TemplateResult {
    const body = audience.presents || poll.state !== "open" ? this.#results(audience, poll) : this.#asked(audience, poll);
    return html`<section class="predict-card poll-card" tabindex="-1" role="group" aria-labelledby="poll-heading">
      <h2 id="poll-heading">${say(audience.presents ? "poll.heading" : "poll.asked")}
        ${poll.answers === null ? nothing : html`<small class="quiet num">${say("poll.answers", { count: poll.answers })}</small>`}</h2>
      <p id="poll-question">${say(poll.key, poll.params)}</p>${body}
      ${audience.presents ? this.#deeds(store, audience, poll) : this.#putAway(poll)}</section>`;
  }

  // The question, for a follower

  #asked(audience: Audience, poll: Asked): TemplateResult {
    const { choice } = audience;
    if (choice !== null && !this.again) {
      const mine = poll.choices.find((one) => one.id === choice);
      return html`<p><b>${say("poll.yours", { choice: mine === undefined ? choice : say(mine.key, mine.params) })}</b></p>
        ${poll.counts === null ? nothing : this.#bars(audience, poll)}
        <div class="row"><button @click=${() => this.#think(choice)}>${say("poll.change")}</button></div>`;
    }
    return html`<form @submit=${(event: Event) => this.#send(event, audience)}>
      <div role="radiogroup" aria-labelledby="poll-question">${poll.choices.map(
        (one) => html`<label class="predict-choice"><input type="radio" name="poll-choice" value=${one.id} .checked=${this.chosen === one.id}
          @change=${() => (this.chosen = one.id)}> <span>${say(one.key, one.params)}</span></label>`,
      )}</div>
      <div class="row"><button class="primary" ?disabled=${this.chosen === ""}>${say("poll.send")}</button></div></form>`;
  }

  #think(choice: string): void {
    this.chosen = choice;
    this.again = true;
  }

  #send(event: Event, audience: Audience): void {
    event.preventDefault();
    if (this.chosen === "") return;
    void audience.answer(this.chosen).then(() => { this.again = false; });
  }

  #putAway(poll: Asked): TemplateResult {
    return html`<div class="row"><button class="put-away" @click=${() => (this.away = `${poll.id} ${poll.state}`)}>${say("poll.put_away")}</button></div>`;
  }

  // The results, for the presenter and for followers

  #results(audience: Audience, poll: Asked): TemplateResult {
    const closed = poll.state === "closed" && !audience.presents ? html`<p>${say("poll.is_closed")}</p>` : nothing;
    const bars = poll.counts === null ? this.#own(audience, poll) : this.#bars(audience, poll);
    return html`${closed}${bars}${poll.state === "revealed" && poll.right !== null ? this.#why(audience, poll) : nothing}`;
  }

  #own(audience: Audience, poll: Asked): TemplateResult | typeof nothing {
    const mine = poll.choices.find((one) => one.id === audience.choice);
    return mine === undefined ? nothing : html`<p>${say("poll.your_answer")}${say("join.colon")}<b>${say(mine.key, mine.params)}</b></p>`;
  }

  #bars(audience: Audience, poll: Asked): TemplateResult {
    return html`<ul class="poll-bars">${poll.choices.map((one) => this.#bar(audience, poll, one))}</ul>`;
  }

  #bar(audience: Audience, poll: Asked, one: QuestionChoice): TemplateResult {
    const count = poll.counts?.[one.id] ?? 0;
    const all = poll.answers ?? 0;
    const percent = percentOf(count, all);
    const isRight = poll.state === "revealed" && one.id === poll.right;
    const isMine = !audience.presents && one.id === audience.choice;
    const names = audience.names[one.id] ?? [];
    const choice = say(one.key, one.params);
    return html`<li class=${isRight ? "is-right" : ""} aria-label=${say("poll.bar", { choice, count, all, percent })}>
      <span class="poll-choice">${isRight ? "✓ " : nothing}${choice}${isMine ? html` <small>${say("poll.your_answer")}</small>` : nothing}</span>
      <svg class="poll-bar" aria-hidden="true"><rect height="100%" width="${percent}%" /></svg>
      <span class="num">${count} · ${percent} %</span>
      ${names.length === 0 ? nothing : html`<details><summary>${say("poll.who", { count: names.length })}</summary>${listed(names)}</details>`}</li>`;
  }

  #why(audience: Audience, poll: Asked): TemplateResult {
    const others = poll.choices.filter((one) => one.id !== poll.right);
    // The wrong answers, in this order: a follower's own one first; then, as for a presenter, the most frequent ones.
    const weight = (one: QuestionChoice): number => (one.id === audience.choice ? Infinity : (poll.counts?.[one.id] ?? 0));
    others.sort((one, other) => weight(other) - weight(one));
    const reasons = poll.reasons ?? {};
    return html`<p><b>${say("poll.what_happens", { right: rightOf(poll) })}</b></p>
      <h3>${say("predict.why_right")}</h3>${reasonList(reasons[poll.right ?? ""] ?? [])}
      ${others.map((one, index) => html`<details ?open=${index === 0 && weight(one) > 0}><summary>${say("predict.why_not", { choice: say(one.key, one.params) })}</summary>
        ${reasonList(reasons[one.id] ?? [])}</details>`)}`;
  }

  // The buttons of the presenter

  #deeds(store: PlayerStore, audience: Audience, poll: Asked): TemplateResult {
    const button = (change: "show" | "hide" | "close" | "end", kind: string): TemplateResult =>
      html`<button class=${kind} @click=${() => void audience.changePoll(change)}>${say(`poll.${change}`)}</button>`;
    if (poll.state === "revealed") return html`<div class="row">${button("end", "primary")}</div>`;
    return html`<div class="row"><button class="primary" @click=${() => void this.#reveal(store, audience, poll)}>${say("poll.reveal")}</button>
      ${poll.state === "open" ? button("close", "") : nothing}${button(poll.shown ? "hide" : "show", "")}${button("end", "")}</div>`;
  }

  /** Ends the poll and goes to the next step, which shows the right answer. All followers move along. */
  async #reveal(store: PlayerStore, audience: Audience, poll: Asked): Promise<void> {
    await audience.changePoll("reveal");
    if (audience.poll?.state !== "revealed") return; // The server refused, and the page shows that.
    if (store.branch !== poll.branch) store.switchTo(poll.branch, poll.at);
    store.moveTo(poll.at);
    store.forward();
  }
}

function rightOf(poll: Asked): string {
  const right = poll.choices.find((one) => one.id === poll.right);
  return right === undefined ? "" : say(right.key, right.params);
}

customElements.define("eos-poll", Poll);
