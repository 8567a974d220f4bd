/**
 * A client's requests in flight, by broker: their number and its limit, one card per request, and what the Sender waits
 * for.
 *
 *     <eos-in-flight></eos-in-flight>
 *     document.querySelector("eos-in-flight").frame = frame;
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { ClientView, Frame, Selection } from "../player/frame.ts";
import { facts, listed } from "../player/joins.ts";
import { duration, say, words } from "../player/text.ts";
import { batchLabel } from "./batch.ts";
import { hasChanged, isNew } from "./changes.ts";
import { drainedOf } from "./client-batches.ts";
import { DiagramElement, folded, section } from "./element.ts";
import { clientOf } from "./about.ts";
import { batchHue } from "./instance.ts";
import { isPicked } from "./picked.ts";
import { Slots } from "./slots.ts";
import { isOfPicked } from "./transaction-picked.ts";

export const defaults = { cards: 5, slots: 20 };

export interface CardShape {
  key: string;
  hue: string;
  title: string;
  attempt: string | null;
  batches: { partition: string; label: string }[];
  more: number;
  sent: string;
  timeout: string;
  fresh: boolean;
  picked: boolean;
  selection: Selection;
}

export interface NodeShape {
  node: string;
  state: string;
  connected: boolean;
  used: number;
  limit: number;
  /** The number of slots that are drawn: not every possible request gets one, because the limit may be thousands. */
  slots: number;
  changed: boolean;
}

export interface InFlightShape {
  client: string;
  fact: string;
  nodes: NodeShape[];
  cards: CardShape[];
  /** Whether there are so many requests that each has only one line. */
  dense: boolean;
  folded: string | null;
  /** The drained batches that are in no request yet; null if there are none. */
  drained: string | null;
  sender: string;
}

export function layoutInFlight(frame: Frame, name: string, options = defaults): InFlightShape {
  const client = frame.view.clients?.[name] as ClientView;
  const requests = Object.entries(client.requests).sort(([one], [other]) => Number(one) - Number(other));
  const nodes = Object.entries(client.connections)
    .map(([node, connection]): NodeShape => ({
      node: `broker-${node}`,
      state: say(`diagram.in_flight.state.${connection.state}`),
      connected: connection.state === "connected",
      used: connection.in_flight.length,
      limit: connection.limit,
      slots: Math.min(connection.limit, options.slots),
      changed: hasChanged(frame, "clients", name, "connections", node),
    }));
  const used = nodes.reduce((sum, node) => sum + node.used, 0);
  const busy = nodes.filter((node) => node.used > 0 || node.changed || !node.connected);
  const shown = (busy.length > 0 ? busy : nodes.slice(0, 1)).slice(0, 3);
  const cards = requests.slice(0, options.cards).map(([id]) => card(frame, name, client, id));
  const more = requests.length - cards.length;
  const single = shown.length === 1 ? shown[0] : undefined;
  return {
    client: name,
    fact: single === undefined
      ? say("diagram.in_flight.total", { count: used })
      : say("diagram.in_flight.of", { used: single.used, limit: single.limit, node: single.node }),
    nodes: shown,
    cards,
    dense: cards.length > 2,
    folded: more > 0 ? say("diagram.in_flight.more", { count: more }) : null,
    drained: drainedText(client, options.cards),
    sender: senderSentence(client, frame),
  };
}

function drainedText(client: ClientView, most: number): string | null {
  const batches = drainedOf(client).flatMap((id) => client.batches[id] ?? []);
  if (batches.length === 0) return null;
  const named = batches.slice(0, most).map((batch) => `${batch.partition} ${batchLabel(batch)}`);
  const more = batches.length > most ? ` ${say("diagram.and_more", { count: batches.length - most })}` : "";
  return say("diagram.in_flight.drained", { batches: `${listed(named)}${more}` });
}

function card(frame: Frame, name: string, client: ClientView, id: string): CardShape {
  const request = client.requests[id] as ClientView["requests"][string];
  const batches = request.batches.map((batch) => client.batches[batch]).filter((batch) => batch !== undefined);
  const first = batches[0];
  const serials = batches.flatMap((batch) => batch.serials);
  const selection: Selection = first === undefined
    ? { kind: "message", id: messageId(frame, name, request.to, id) ?? `${name}/${id}` }
    : { kind: "batch", id: `${name}/${request.batches[0]}`, partition: first.partition, serials };
  const attempts = Math.max(0, ...batches.map((batch) => batch.attempts));
  const left = Math.max(0, request.deadline - frame.view.time);
  return {
    key: id,
    hue: first === undefined ? "plain" : batchHue(frame, first.producer_id, first.producer_epoch),
    title: say("diagram.in_flight.card", { api: request.api, to: request.to }),
    attempt: attempts > 0 ? say("diagram.in_flight.attempt", { number: attempts + 1 }) : null,
    batches: batches.slice(0, 3).map((batch) => ({ partition: batch.partition, label: batchLabel(batch) })),
    more: Math.max(0, batches.length - 3),
    sent: say("diagram.in_flight.sent", { at: request.sent_at }),
    timeout: say("diagram.in_flight.timeout", { left: duration(left) }),
    fresh: isNew(frame, "clients", name, "requests", id),
    picked: isPicked(frame.selection, selection) || isOfPicked(frame, { transaction: client.transaction_manager?.transactional_id ?? null }),
    selection,
  };
}

/** The id of the message that carries a request or its response; null if neither is in transit. */
function messageId(frame: Frame, client: string, to: string, correlation: string): string | null {
  for (const message of Object.values(frame.view.network?.messages ?? {})) {
    if (String(message.correlation_id) !== correlation) continue;
    const ends = [message.from, message.to];
    if (ends.includes(client) && ends.includes(to)) return String(message.id);
  }
  return null;
}

/**
 * The last action of the Sender, and what it waits for; `poll_timeout` is the virtual time until which its poll lasts.
 */
function senderSentence(client: ClientView, frame: Frame): string {
  const { pass, poll_timeout: until, poll_source: source, waiting_for: waiting } = client.sender;
  const parts = [pass === 0 ? say("diagram.sender.not_yet") : say("diagram.sender.pass", { pass })];
  if (waiting !== null) {
    parts.push(say("diagram.sender.waiting", { reason: waitingWord(waiting) }));
  } else if (until !== null && until > frame.view.time) {
    parts.push(
      source === null
        ? say("diagram.sender.poll", { at: until })
        : say("diagram.sender.poll_source", { at: until, source: sourceWord(source) }),
    );
  }
  return parts.join(" ");
}

function sourceWord(source: string): string {
  const key = `diagram.sender.source.${source}`;
  return words.knows(key) ? say(key) : source.replaceAll("_", " ");
}

function waitingWord(reason: string): string {
  const key = `diagram.sender.reason.${reason}`;
  return words.knows(key) ? say(key) : reason.replaceAll("_", " ");
}

export class InFlight extends DiagramElement {
  static override styles = [
    ...DiagramElement.styles,
    css`
      .slots { display: flex; gap: 4px; margin-top: 4px; align-items: center; }
      .slots i { height: 5px; flex: 1; background: var(--line); border-radius: 1px; }
      .slots i.used { background: var(--ink-2); }
      .slots span { min-width: 118px; color: var(--ink-2); }
      .card { margin-top: 5px; padding: 4px 10px; background: var(--raise); border: 0 solid var(--ink-2);
        border-left-width: 4px; display: grid; grid-template-columns: 1fr auto; gap: 0 8px; width: 100%; }
      .card.dense { padding: 2px 8px; margin-top: 3px; }
      .card.fresh { outline: 2px solid var(--ink); }
      .card span:nth-child(even) { text-align: end; }
      .down { text-decoration: underline dotted; }
    `,
  ];

  #last: string | null = null;
  readonly #cards = new Slots<string>();

  protected override show(frame: Frame): TemplateResult {
    const name = clientOf(frame, this.#last);
    this.#last = name;
    if (name === null) return folded(say("diagram.in_flight.heading"), say("diagram.client.none"));
    const shape = layoutInFlight(frame, name);
    const single = shape.nodes.length === 1;
    const cards = this.#cards.keysFor(shape.cards.map((item) => item.key));
    return section(
      say("diagram.in_flight.heading"),
      shape.fact,
      html`${shape.nodes.map(
        (node) => html`<div class="slots" role="img" aria-label=${say("diagram.in_flight.node_name", {
          node: node.node, used: node.used, limit: node.limit, state: node.state,
        })}>${single && node.connected ? nothing : html`<span class=${node.changed ? "changed" : ""}>${node.node}${
            node.connected ? nothing : html` <span class="down">${node.state}</span>`}</span>`}${Array.from(
          { length: node.slots },
          (_, index) => html`<i class=${index < node.used ? "used" : ""}></i>`,
        )}</div>`,
      )}${repeat(shape.cards, (_, index) => cards[index], (item) => this.#card(item, shape.dense))}${
        shape.folded === null ? nothing : html`<p class="quiet">${shape.folded}</p>`
      }${shape.drained !== null ? html`<p>${shape.drained}</p>` : shape.cards.length === 0 ? html`<p class="quiet">${say("diagram.in_flight.nothing")}</p>` : nothing}<p
        class="quiet">${shape.sender}</p>`,
    );
  }

  #card(item: CardShape, dense: boolean): TemplateResult {
    if (dense) {
      const what = item.batches.length === 0
        ? item.title
        : listed(item.batches.map((batch) => `${batch.partition} ${batch.label}`)) +
          (item.more > 0 ? ` ${say("diagram.and_more", { count: item.more })}` : "");
      return html`<button class="card dense ${item.hue} ${item.fresh ? "fresh" : ""} ${item.picked ? "picked" : ""}" title=${facts([
        item.title, item.timeout])} aria-pressed=${item.picked ? "true" : "false"} @click=${() => this.pick(item.selection)}><b>${what}</b><span>${
        item.attempt === null ? item.sent : facts([item.attempt, item.sent])}</span></button>`;
    }
    return html`<button class="card ${item.hue} ${item.fresh ? "fresh" : ""} ${item.picked ? "picked" : ""}" aria-pressed=${
      item.picked ? "true" : "false"} @click=${() => this.pick(item.selection)}><b>${unbroken(item.title)}</b><span>${
      item.attempt ?? item.sent}</span><span>${item.batches.map(
        (batch) => html`<span class="nb">${batch.partition} <b>${batch.label}</b></span> `,
      )}${item.more > 0 ? say("diagram.and_more", { count: item.more }) : nothing}</span><span class="quiet">${
      item.attempt === null ? item.timeout : item.sent}</span></button>`;
  }
}

/** A text whose lines end between words, and not at the hyphen of a broker's name. */
function unbroken(text: string): TemplateResult[] {
  return text.split(" ").map((word) => html`<span class="nb">${word}</span> `);
}

customElements.define("eos-in-flight", InFlight);
