/**
 * The roles of the message middleware, side by side: the state of each, and the data of each participant.
 *
 *     <eos-middleware-roles machines="/reference/machines/{machine}.json"></eos-middleware-roles>
 *     document.querySelector("eos-middleware-roles").frame = frame;
 *
 * The middleware's own machine is drawn from the engine's table. A participant's row has its own state and the state
 * that the middleware assumes for it; if the two differ, the row says so.
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { WindowView } from "../generated/messages.ts";
import type { Frame } from "../player/frame.ts";
import { sentences } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { hasChanged } from "./changes.ts";
import { section } from "./element.ts";
import { stateWord } from "../stage/state-word.ts";
import { EVERYTHING } from "../player/in-force.ts";
import { MachineElement } from "./machine-element.ts";
import { MIDDLEWARE_PLACES } from "./machine-layout.ts";
import { shownTransaction, transactionIds } from "./middleware-shown.ts";
import { isPicked, plainly } from "./picked.ts";

export const defaults = { width: 272, transactions: 4, participants: 6 };
const MACHINE = "middleware_transaction";

export interface RoleRow {
  key: string;
  node: string;
  state: string;
  /** For a participant: the state that the middleware assumes from its responses, in words; for other roles null. */
  believed: string | null;
  /** A participant's value, and the amount that it has reserved. */
  holds: string;
  alive: boolean;
  changed: boolean;
}

export function layoutRoles(frame: Frame, tid: string | null = shownTransaction(frame)): { rows: RoleRow[]; folded: number } {
  const middleware = frame.view.middleware;
  if (middleware === undefined || tid === null) return { rows: [], folded: 0 };
  const rows: RoleRow[] = [];
  const business = middleware.business?.transactions?.[tid];
  const plain = { believed: null, holds: "" };
  if (business !== undefined) {
    rows.push({
      ...plain, key: "business", node: "business", state: business.state, alive: middleware.business?.alive !== false,
      holds: say("diagram.roles.stored", { stored: business.stored ?? say("diagram.none") }),
      changed: hasChanged(frame, "middleware", "business"),
    });
  }
  const own = middleware.transactions?.[tid];
  if (own !== undefined) {
    rows.push({
      ...plain, key: "middleware", node: "middleware", state: own.state, alive: middleware.middleware?.alive !== false,
      holds: say("diagram.roles.message", { message: messageWord(own.message) }), changed: hasChanged(frame, "middleware", "transactions", tid),
    });
  }
  const manager = middleware.manager?.transactions?.[tid];
  if (manager !== undefined) {
    rows.push({
      ...plain, key: "manager", node: "manager", state: manager.state, alive: middleware.manager?.alive !== false,
      changed: hasChanged(frame, "middleware", "manager"),
    });
  }
  const participants = Object.entries(middleware.participants ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  for (const [name, participant] of participants.slice(0, defaults.participants)) {
    const state = participant.transactions?.[tid]?.state ?? "IDLE";
    const vote = own?.votes?.[name] ?? null;
    rows.push({
      key: name, node: name, state, alive: participant.alive !== false, believed: vote !== null && vote !== state ? vote : null,
      holds: holdsText(participant.value, participant.reserved),
      changed: hasChanged(frame, "middleware", "participants", name),
    });
  }
  return { rows, folded: Math.max(0, participants.length - defaults.participants) };
}

function holdsText(value: number | undefined, reserved: number | undefined): string {
  const held = value ?? say("diagram.none");
  return reserved === undefined || reserved === 0 ? String(held) : say("diagram.roles.reserved", { value: held, reserved });
}

function messageWord(message: string): string {
  const known: Record<string, string> = {
    none: "diagram.roles.message_none", prepared: "diagram.roles.message_prepared", delivered: "diagram.roles.message_delivered",
    withdrawn: "diagram.roles.message_withdrawn",
  };
  const key = known[message];
  return key === undefined ? message : say(key);
}

/** In words, how long the participants differed, and how long as far as the middleware knows; null if they did not. */
export function windowText(frame: Frame, tid: string): string | null {
  const of = frame.view.middleware;
  const texts = [differText(of?.differ?.[tid]), knownText(of?.transactions?.[tid]?.window)].filter((one) => one !== null);
  return texts.length === 0 ? null : sentences(texts);
}

function differText(span: WindowView | undefined): string | null {
  if (span === undefined || span.since === null || span.since === span.until) return null;
  const { since, until } = span;
  return until === null ? say("diagram.roles.differ_open", { since }) : say("diagram.roles.differ_closed", { since, until });
}

function knownText(span: WindowView | undefined): string | null {
  if (span === undefined || span.since === null || span.since === span.until) return null;
  const { since, until } = span;
  return until === null ? say("diagram.roles.window_open", { since }) : say("diagram.roles.window_closed", { since, until });
}

export class MiddlewareRoles extends MachineElement {
  static override styles = [
    ...MachineElement.styles,
    css`
      svg { margin-top: 4px; }
      td:first-child { white-space: nowrap; }
      td:nth-child(2) { font-size: var(--t-mark); }
      td button { line-height: 18px; }
    `,
  ];

  protected readonly machine = MACHINE;

  protected override show(frame: Frame): TemplateResult | typeof nothing {
    const tid = shownTransaction(frame);
    const { rows, folded } = layoutRoles(frame, tid);
    if (tid === null || rows.length === 0) return nothing;
    const span = windowText(frame, tid);
    return section(
      say("diagram.roles.heading", { tid }),
      say("diagram.roles.fact", { count: transactionIds(frame).length }),
      html`<table><thead><tr><th>${say("diagram.roles.node")}</th><th>${say("diagram.roles.state")}</th><th>${say("diagram.roles.holds")}</th></tr></thead><tbody>${repeat(
        rows, (row) => row.key, (row) => html`<tr class="${row.changed ? "hit" : ""} ${isPicked(frame.selection, plainly("actor", row.node)) ? "picked" : ""}"><td><button
          @click=${() => this.pick(plainly("actor", row.node))}>${row.node}</button>${row.alive ? nothing : html` <span class="bad">${say("diagram.roles.down")}</span>`}</td><td>${
          stateWord(row.state)}${row.believed === null ? nothing : html`<div class="bad">${say("diagram.roles.believed", { state: stateWord(row.believed) })}</div>`}</td><td>${row.holds}</td></tr>`,
      )}</tbody></table>${folded > 0 ? html`<p class="quiet">${say("diagram.roles.folded", { count: folded })}</p>` : nothing}${
        span === null ? nothing : html`<p>${span}</p>`}${this.#machine(frame, tid)}`,
    );
  }

  #machine(frame: Frame, tid: string) {
    const state = frame.view.middleware?.transactions?.[tid]?.state;
    if (state === undefined) return nothing;
    const transition = frame.step?.transition;
    const stepped = transition?.machine === MACHINE && transition.of === `middleware ${tid}`;
    const lastEdge: [string, string, string] | null = stepped ? [transition.from, transition.to, transition.on] : null;
    const options = { width: defaults.width, places: MIDDLEWARE_PLACES, only: null };
    return this.drawn({ state, lastEdge, stepped, sentence: say("diagram.roles.machine", { tid, state: stateWord(state) }), there: EVERYTHING }, () => options)?.picture ?? nothing;
  }
}

customElements.define("eos-middleware-roles", MiddlewareRoles);
