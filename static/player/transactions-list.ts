/**
 * `<eos-transactions .store=${store} .transactions=${transactions}>`: the list of transactions. Each line has the
 * identity of a transaction, a bar from its first to its last step, its outcome, its duration, and the partitions to
 * which it wrote. A press goes to one of its steps.
 *
 * `.along=${steps}`: for one of two compared runs, the number of steps of the longer one. The bars of both runs then
 * have this scale, the list shows only what is known at the step on show, and a press fires the event `go`.
 */

import type { SVGTemplateResult, TemplateResult } from "lit";
import { html, nothing, svg } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { PlayerStore } from "./store.ts";
import { StoreElement } from "./store-element.ts";
import { listed } from "./joins.ts";
import { say } from "./text.ts";
import { lineAt } from "./transactions.ts";
import type { TransactionLine, Transactions } from "./transactions.ts";

const BAR = { width: 1000, height: 14 };

export class TransactionsList extends StoreElement {
  static override properties = { ...StoreElement.properties, transactions: { attribute: false }, along: { attribute: false } };

  declare transactions: Transactions | undefined;
  declare along: number | null;
  #heard: Transactions | null = null;
  readonly #changed = (): void => this.requestUpdate();

  constructor() {
    super();
    this.transactions = undefined;
    this.along = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#heard?.watch(true);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#heard?.watch(false);
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    super.willUpdate(changed);
    const { transactions } = this;
    if (transactions === undefined || this.#heard === transactions) return;
    this.#heard?.removeEventListener("change", this.#changed);
    this.#heard = transactions;
    transactions.addEventListener("change", this.#changed);
    transactions.watch(true);
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store } = this;
    const found = this.transactions?.lines ?? null;
    if (store === undefined || store.header === null) return nothing;
    if (found === null) {
      const text = this.transactions?.isUnknown === true ? say("player.transactions.unknown") : "…";
      return html`<div class="transactions"><p class="quiet">${text}</p></div>`;
    }
    const { along } = this;
    const lines = along === null ? found.lines : found.lines.flatMap((line) => lineAt(line, store.shown, store.frame?.view.time ?? line.last_at) ?? []);
    const step = along === null ? found.through : Math.min(found.through, store.shown);
    return html`<div class="transactions">
      <h2>${say("player.transactions")} <small class="quiet">${say("player.transactions.through", { count: lines.length, step })}</small></h2>
      ${found.folded === 0 ? nothing : html`<p class="quiet">${say("player.transactions.folded", { count: found.folded })}</p>`}
      ${lines.length === 0 ? html`<p class="quiet">${say("player.transactions.none")}</p>` : this.#list(lines, store)}
    </div>`;
  }

  #list(lines: readonly TransactionLine[], store: PlayerStore): TemplateResult {
    const end = Math.max(store.newest, this.along ?? 0, 1);
    return html`<ol>${repeat(lines, (line) => `${line.id}/${line.first_step}`, (line) => this.#line(line, store, end))}</ol>`;
  }

  #line(line: TransactionLine, store: PlayerStore, end: number): TemplateResult {
    const isHere = line.first_step <= store.shown && (store.shown <= line.last_step || !line.over);
    const isPicked = store.selection?.kind === "transaction" && store.selection.id === line.id;
    return html`<li class="${line.result}${isPicked ? " picked" : ""}" aria-current=${isHere ? "true" : nothing}>
      <button class="row" aria-label=${sentenceOf(line)} title=${sentenceOf(line)} @click=${() => this.#go(store, line, line.first_step)}>
        <span class="who"><b>${line.id}</b> <span class="num">${identityOf(line)}</span></span>
        ${bar(line, this.along === null ? end : store.shown, end, store.shown)}
        <span class="result">${say(`player.transactions.${line.result}`)}</span>
        <span class="num quiet">${durationOf(line)}</span>
      </button>
      <span class="more quiet">${line.client === null ? nothing : html`<span>${line.client}</span>`}
        <span>${placesOf(line)}</span><span class="state">${line.state}</span></span>
      <span class="steps">${steps(line).filter(([name]) => this.along === null || name !== "last_at").map(([name, step]) => html`<button class="num" title=${say(`player.transactions.${name}`, { step })}
        aria-label=${say(`player.transactions.${name}`, { step })} aria-current=${step === store.shown ? "step" : nothing} @click=${() => this.#go(store, line, step)}>${step}</button>`)}</span>
    </li>`;
  }

  /**
   * Goes to a step of a transaction. A transaction of Kafka is also selected; one of the middleware cannot be selected.
   */
  #go(store: PlayerStore, line: TransactionLine, step: number): void {
    if (line.producer_id !== null) store.select({ kind: "transaction", id: line.id });
    if (this.along === null) store.moveTo(step);
    else this.dispatchEvent(new CustomEvent<number>("go", { detail: step }));
  }
}

function steps(line: TransactionLine): [string, number][] {
  const decided: [string, number][] = line.decided_step === null ? [] : [["decided_at", line.decided_step]];
  return [["begins_at", line.first_step], ...decided, [line.over ? "ends_at" : "last_at", line.last_step]];
}

export function identityOf(line: TransactionLine): string {
  return line.producer_id === null ? "" : `${line.producer_id}·${line.producer_epoch ?? "–"}`;
}

function placesOf(line: TransactionLine): string {
  if (line.places.length === 0) return say("player.transactions.nowhere");
  const more = line.more_places === 0 ? "" : ` ${say("player.transactions.more_places", { count: line.more_places })}`;
  return `${listed(line.places)}${more}`;
}

/** How long a transaction took; if it is open, how long it has lasted so far. */
function durationOf(line: TransactionLine): string {
  return say(line.over ? "player.transactions.took" : "player.transactions.so_far", { ms: line.last_at - line.first_at });
}

export function sentenceOf(line: TransactionLine): string {
  return say("player.transactions.sentence", {
    id: line.id, identity: identityOf(line) || "–", client: line.client ?? "–", places: placesOf(line), first: line.first_step, last: line.last_step,
    result: say(`player.transactions.${line.result}`), state: line.state, time: durationOf(line),
  });
}

/**
 * The bar of a transaction, from its first to its last step: dashed up to the step at which its outcome is decided,
 * where it has a tick, and solid after it. The bar of an open transaction ends at step `now`. `end`: the scale, in
 * steps.
 */
function bar(line: TransactionLine, now: number, end: number, shown: number): SVGTemplateResult {
  const x = (step: number): number => Math.round((step / end) * BAR.width);
  const decided = line.decided_step ?? (line.over ? line.last_step : null);
  const last = line.over ? line.last_step : now;
  return svg`<svg class="bar" viewBox="0 0 ${BAR.width} ${BAR.height}" preserveAspectRatio="none" aria-hidden="true">
    <path class="axis" d="M0 7H${BAR.width}" />
    <path class="open" d="M${x(line.first_step)} 7H${x(decided ?? last)}" />
    ${decided === null ? nothing : svg`<path class="kept" d="M${x(decided)} 7H${x(last)}" /><path class="tick" d="M${x(decided)} 1V13" />`}
    <path class="playhead" d="M${x(shown)} 0V14" />
  </svg>`;
}

customElements.define("eos-transactions", TransactionsList);
