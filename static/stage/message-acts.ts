/**
 * `<eos-stage …></eos-stage><eos-message-acts .store=${store}></eos-message-acts>`: a toolbar beside the selected
 * message or component. It has buttons for what the reader can do to it (drop, delay, duplicate; crash, pause), and one
 * for the list of all actions that the server offers. The actions are those of the selection bar; the key `d` drops.
 *
 * A button beside the network's name, or below an upright stage, and the key `m` select one message after the other and
 * give the focus to the toolbar. While no message is in transit, they go back to the step before the one in which a
 * message arrives, or to the last step at which one was in transit, and the event `say-hint` names the step and the
 * message. After the last step of a run, they go to the message that the engine suggests first (`losses` of the plan),
 * and `say-hint` offers the next one.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { ownBox } from "../diagrams/own-box.ts";
import type { SelectionBar } from "../player/selection-bar.ts";
import { offeredOf } from "../player/offered.ts";
import type { Sent } from "../player/sent-in.ts";
import { planOf } from "../player/axis-of.ts";
import { chosenText } from "../player/losses.ts";
import { messageName } from "../player/message-name.ts";
import { isOver } from "../player/outcome.ts";
import { arriving, lastSent } from "../player/sent-in.ts";
import type { HasPlace } from "../player/sent-in.ts";
import type { ShownLoss } from "../generated/messages.ts";
import { Small } from "../player/small.ts";
import type { HintAct } from "../player/messages.ts";
import type { Action } from "../player/source.ts";
import type { PlayerStore } from "../player/store.ts";
import type { JsonObject, Selection } from "../player/frame.ts";
import { StoreElement } from "../player/store-element.ts";
import { say } from "../player/text.ts";
import { placeBeside, placeNear } from "./acts-place.ts";
import type { Box } from "./contract.ts";
import type { Stage } from "./stage.ts";

export const defaults = {
  /** Milliseconds that a thing must stay selected before its actions are requested. */
  ask: 120,
};

export class MessageActs extends StoreElement {
  static override properties = { ...StoreElement.properties, actions: { state: true } };

  declare actions: Action[] | null;
  readonly #small = new Small(this);
  #player: Element | null = null;
  #askedFor = "";
  /** The id of a message that was reached by keys: its toolbar gets the focus. */
  #byKeys: string | null = null;
  /** The id of the message that the button has selected, until the picture shows it; null: none. */
  #led: string | null = null;

  constructor() {
    super();
    this.actions = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.parentElement?.addEventListener("landed", this.#place);
    this.parentElement?.addEventListener("offer-act", this.#offered);
    this.parentElement?.addEventListener("keydown", this.#pressed, true);
    this.#player = this.closest(".player");
    this.#player?.addEventListener("acts-here", this.#focusActs);
    addEventListener("resize", this.#place);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.parentElement?.removeEventListener("landed", this.#place);
    this.parentElement?.removeEventListener("offer-act", this.#offered);
    this.parentElement?.removeEventListener("keydown", this.#pressed, true);
    this.#player?.removeEventListener("acts-here", this.#focusActs);
    removeEventListener("resize", this.#place);
  }

  /**
   * Selects the next message in transit, or goes back to a step with one, and gives the focus to its toolbar. Returns
   * false if there is none.
   */
  next(): boolean {
    const { store } = this;
    const ids = this.#stage()?.messages() ?? [];
    if (store === undefined) return false;
    if (store.selection?.kind !== "message" && isOver(store) && lossesOf(store).length > 0) return this.#toLoss(store, 0);
    if (ids.length === 0) return this.#whereOneLeft(store);
    const at = store.selection?.kind === "message" ? ids.indexOf(store.selection.id) : -1;
    const id = ids[(at + 1) % ids.length] as string;
    this.#byKeys = id;
    this.#stage()?.focusMessage(id);
    if (store.selection?.kind !== "message" || store.selection.id !== id) store.select({ kind: "message", id });
    else this.#focusActs();
    return true;
  }

  /** Goes back to the step at which a message was last in transit, and selects it; false if there is none. */
  #whereOneLeft(store: PlayerStore): boolean {
    const sent = this.#leftAt(store);
    if (sent === null) return false;
    const { shown } = store;
    this.#byKeys = this.#led = String(sent.id);
    store.moveTo(sent.step);
    store.select({ kind: "message", id: String(sent.id) });
    this.#hint(sent.step === shown ? "" : "player.went_back", { message: nameOf(sent), step: sent.step });
    return true;
  }

  /**
   * Goes to the message with index `place` among those that the engine suggests to drop, and selects it; false: none.
   */
  #toLoss(store: PlayerStore, place: number): boolean {
    const losses = lossesOf(store);
    const loss = losses[place % Math.max(1, losses.length)];
    if (loss === undefined) return false;
    this.#byKeys = this.#led = String(loss.message);
    store.moveTo(loss.step);
    store.select({ kind: "message", id: String(loss.message) });
    const more = losses.length > 1 ? { key: "player.chosen.other", act: () => void this.#toLoss(store, place + 1) } : null;
    const { key, params } = chosenText(loss);
    this.#hint(key, params, more);
    return true;
  }

  /**
   * The message that was last in transit, with a step at which it was: one for which the picture has a place, else any.
   * Null if there was none.
   */
  #leftAt(store: PlayerStore): Sent | null {
    const { lines, branch, shown } = store;
    const losses = lossesOf(store);
    const hasPlace: HasPlace = (message) => this.#stage()?.hasPlaceFor(message) ?? true;
    return arriving(lines, branch, shown, hasPlace) ?? lastSent(lines, branch, shown, losses, hasPlace) ?? arriving(lines, branch, shown) ?? lastSent(lines, branch, shown, losses);
  }

  #hint(key: string, params: JsonObject = {}, more: HintAct | null = null): void {
    this.dispatchEvent(new CustomEvent("say-hint", { detail: { key, params, more }, bubbles: true }));
  }

  readonly #offered = (): void => {
    if (!this.next()) this.#hint("player.nothing_to.message");
  };

  /** Selects the message that has the focus. */
  atFocus(): void {
    const id = this.#stage()?.focusedMessage ?? null;
    if (id !== null && this.store?.selection?.id !== id) this.store?.select({ kind: "message", id });
  }

  /** The box of a component of the picture, in px of the page; null if the component has no box. */
  placeOfActor(name: string): { left: number; right: number; top: number; bottom: number } | null {
    const stage = this.#stage();
    const at = stage?.boxOfActor(name) ?? null;
    if (stage === null || at === null) return null;
    const { left, top } = ownBox(stage);
    return { left: left + at.x, right: left + at.x + at.width, top: top + at.y, bottom: top + at.y + at.height };
  }

  #stage(): Stage | null {
    return this.parentElement?.querySelector<Stage>("eos-stage") ?? null;
  }

  /** Enter on a message gives the focus to its toolbar as soon as that exists. */
  readonly #pressed = (event: KeyboardEvent): void => {
    if (event.key === "Enter") this.#byKeys = this.#stage()?.focusedMessage ?? null;
  };

  readonly #focusActs = (): void => {
    if (this.#byKeys === null || this.#byKeys !== this.store?.selection?.id) return;
    const first = this.querySelector<HTMLElement>(".message-acts:not([hidden]) button") ?? this.#bar()?.querySelector<HTMLElement>(".acts button");
    if (first == null) return;
    this.#byKeys = null;
    first.focus();
  };

  /** The keys of the toolbar: arrows move from action to action; Escape goes back to the message and deselects it. */
  readonly #actKey = (event: KeyboardEvent): void => {
    const far = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const acts = [...this.querySelectorAll<HTMLElement>(".message-acts button")];
    if (far !== undefined) acts[(acts.indexOf(event.target as HTMLElement) + far + acts.length) % acts.length]?.focus();
    else if (event.key !== "Escape") return;
    else {
      this.#stage()?.focusMessage(this.store?.selection?.id ?? "");
      this.store?.select(null);
    }
    event.preventDefault();
    event.stopPropagation();
  };

  /**
   * A key of the present request for actions: branch, step, and the selected message or component; "" while neither is
   * selected, and in a recording.
   */
  get #question(): string {
    const { store } = this;
    const selection = store?.selection ?? null;
    return store === undefined || !store.source.live || selection === null || keyOf(selection) === null ? "" : `${store.branch} ${store.shown} ${keyOf(selection)}`;
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    super.willUpdate(changed);
    const question = this.#question;
    if (question === this.#askedFor) return;
    this.#askedFor = question;
    this.actions = null;
    if (question !== "") setTimeout(() => void this.#ask(question), defaults.ask);
  }

  async #ask(question: string): Promise<void> {
    const { store } = this;
    if (question !== this.#askedFor || store === undefined || store.selection === null) return;
    const actions = await store.actions(store.selection);
    if (question === this.#askedFor) this.actions = actions;
  }

  protected override render(): TemplateResult | typeof nothing {
    const { actions } = this;
    const offered = this.#askedFor === "" || actions === null ? [] : offeredOf(actions);
    // A small picture has no room for the toolbar: the selection bar has the same actions.
    return html`${this.#offer()}${offered.length === 0 || this.#small.matches ? nothing : this.#toolbar(offered)}`;
  }

  #toolbar(offered: readonly Action[]): TemplateResult {
    return html`<div class="message-acts" role="toolbar" aria-label=${this.store?.selection?.kind === "actor" ? say("stage.act.heading_of", { name: this.store.selection.id }) : say("stage.act.heading")} data-arrows @keydown=${this.#actKey} hidden>${offered.map(
      (action) => html`<button title=${say(action.key, action.params)} @click=${() => void this.#bar()?.perform(action.action)}>${
        say(action.action === "drop_message" && this.#isResponse() ? "stage.act.drop_response" : `stage.act.${action.action}`)}${action.action === "drop_message" ? html` <kbd>d</kbd>` : nothing}</button>`,
    )}<button class="more" aria-haspopup="true" title=${say("stage.act.more_means")} @click=${this.#more}>${say("stage.act.more")}</button></div>`;
  }

  /** Whether the selected message is a response. The toolbar says whether it drops a request or a response. */
  #isResponse(): boolean {
    const { frame, selection } = this.store ?? {};
    return selection?.kind === "message" && frame?.view.network?.messages[selection.id]?.is_response === true;
  }

  /** The button beside the network's name, which has the same place during the whole run. */
  #offer(): TemplateResult | typeof nothing {
    if (this.store?.source.live !== true) return nothing;
    return html`<button class="break-offer" title=${say("player.key.message")} hidden @click=${this.#offered}>${say("stage.act.offer")} <kbd>m</kbd></button>`;
  }

  protected override updated(): void {
    void this.#place();
  }

  /**
   * Places the toolbar below or above the message, or beside the component, inside the picture and where it covers
   * least. It is hidden while its thing is not in the picture.
   */
  readonly #place = async (): Promise<void> => {
    const bar = this.querySelector<HTMLElement>(".message-acts");
    const offer = this.querySelector<HTMLElement>(".break-offer");
    const stage = this.#stage();
    if ((bar === null && offer === null) || stage === null) return;
    await stage.updateComplete;
    this.#bringLed(stage);
    const { store } = this;
    if (offer !== null) this.#placeOffer(offer, stage, stage.messages().length > 0 || (store !== undefined && this.#leftAt(store) !== null));
    if (bar === null) return;
    const selection = store?.selection ?? null;
    const isActor = selection?.kind === "actor";
    const at: Box | null = selection === null ? null : isActor ? stage.boxOfActor(selection.id) : stage.boxOf(keyOf(selection) ?? "");
    bar.hidden = at === null;
    if (at === null) return;
    const own = ownBox(bar);
    const room = { width: stage.clientWidth, height: stage.clientHeight };
    const standing = [...stage.standing(), ...(offer === null || offer.hidden ? [] : [{ x: offer.offsetLeft - stage.offsetLeft, y: offer.offsetTop - stage.offsetTop, width: offer.offsetWidth, height: offer.offsetHeight + 4 }])];
    const place = (isActor ? placeBeside(own, at, room, standing) : null) ?? placeNear(own, at, room, standing);
    bar.style.left = `${Math.round(stage.offsetLeft + place.x)}px`;
    bar.style.top = `${Math.round(stage.offsetTop + place.y)}px`;
    this.#focusActs();
  };

  /**
   * Makes the stage show the message that the button has selected, even if the step's own picture would leave it out.
   */
  #bringLed(stage: Stage): void {
    const { frame } = stage;
    const selection = frame?.selection ?? null;
    if (this.#led === null || frame === undefined || selection === null || selection.id !== this.#led || !(selection.id in (frame.view.network?.messages ?? {}))) return;
    this.#led = null;
    if (stage.boxOf(`m:${selection.id}`) === null) stage.bring(selection);
  }

  /**
   * Places the button, or hides it while there is no message to drop. Measuring costs a layout of the page, so the
   * place is measured only once for each size: the network's name keeps its place during a run.
   */
  #placeOffer(offer: HTMLElement, stage: Stage, hasMessage: boolean): void {
    const at = stage.besideNetwork;
    offer.hidden = at === null || !hasMessage;
    if (at === null) return;
    const placed = `${at.x} ${at.y} ${at.width} ${stage.size?.height}`;
    if (offer.dataset["placed"] === placed) return;
    offer.dataset["placed"] = placed;
    this.requestUpdate();
    offer.style.maxWidth = `${Math.floor(at.width)}px`;
    offer.style.left = `${Math.round(stage.offsetLeft + at.x)}px`;
    offer.style.top = `${Math.round(stage.offsetTop + at.y)}px`;
  }

  #bar(): SelectionBar | null {
    return this.closest(".player")?.querySelector<SelectionBar>("eos-selection-bar") ?? null;
  }

  readonly #more = (event: Event): void => {
    const selection = this.store?.selection ?? null;
    const { left, bottom } = (event.currentTarget as HTMLElement).getBoundingClientRect();
    if (selection !== null) this.#bar()?.openAt(selection, { x: left, y: bottom + 4 });
  };
}

function lossesOf(store: PlayerStore): readonly ShownLoss[] {
  return planOf(store)?.losses ?? [];
}

function nameOf(sent: Sent | ShownLoss): string {
  const message = "api" in sent ? sent : sent.message;
  return message === null ? say("done.a_message") : messageName(message);
}

/** The key of the selected object in the picture, if it is a message or component; null for other things. */
function keyOf({ kind, id }: Selection): string | null {
  return kind === "message" ? `m:${id}` : kind === "actor" ? `actor:${id}` : null;
}

customElements.define("eos-message-acts", MessageActs);
