/**
 * The event queue: the next events in the order in which the engine will take them, and the state of the fault script.
 *
 *     <eos-pending></eos-pending>
 *     document.querySelector("eos-pending").frame = frame;
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Frame, Selection, View } from "../player/frame.ts";
import { named } from "../player/joins.ts";
import { messageName } from "../player/message-name.ts";
import { say, words } from "../player/text.ts";
import { isNew } from "./changes.ts";
import { DiagramElement } from "./element.ts";
import { isPicked, messageSelection, plainly } from "./picked.ts";

export const defaults = { events: 6 };

type PendingEvent = NonNullable<View["pending"]>[string];

export interface PendingRow {
  key: string;
  at: string;
  kind: string;
  actor: string;
  what: string;
  fresh: boolean;
  picked: boolean;
  selection: Selection;
}

export interface PendingShape {
  rows: PendingRow[];
  folded: number;
  /** The next event in words; null if no event waits, or if the recording does not say in which order they come. */
  next: string | null;
  /** Whether the recording says in which order the events come. */
  isOrdered: boolean;
}

export function layoutPending(frame: Frame, most = defaults.events): PendingShape {
  const waiting = frame.view.pending ?? {};
  const order = frame.view.derived?.pending;
  const entries = (order ?? []).slice(0, most).map((key) => [key, waiting[key]] as const).filter((entry): entry is [string, PendingEvent] => entry[1] !== undefined);
  const rows = entries.map(([key, event]): PendingRow => {
    const message = /message (\d+)/.exec(event.what)?.[1];
    const view = message === undefined ? undefined : frame.view.network?.messages[message];
    const selection = view === undefined ? plainly("actor", event.actor) : messageSelection(frame.view, view);
    return {
      key,
      at: say("diagram.at", { at: event.at }),
      kind: className(event.class),
      actor: event.actor,
      what: view === undefined ? eventName(event.what) : messageName(view),
      fresh: isNew(frame, "pending", key),
      picked: isPicked(frame.selection, selection),
      selection,
    };
  });
  const first = rows[0];
  return {
    rows,
    folded: Object.keys(waiting).length - rows.length,
    next: first === undefined ? null : say("diagram.pending.next", { at: first.at, what: named(first.actor, first.what) }),
    isOrdered: order !== undefined || Object.keys(waiting).length === 0,
  };
}

function className(name: string): string {
  const key = `diagram.pending.class.${name}`;
  return words.knows(key) ? say(key) : name.replaceAll("_", " ");
}

/**
 * An event in words. The engine writes name and subject (`fetch t-0`); the name is translated, but calls keep theirs.
 */
function eventName(what: string): string {
  const [name = "", ...about] = what.split(" ");
  const key = [`diagram.pending.what.${name}`, ...actionKeys(name)].find((one) => words.knows(one));
  return [key === undefined ? name : say(key), ...about].join(" ");
}

/** The catalogue keys for the name of a fault: those of the reader's intervention that does the same. */
function actionKeys(action: string): string[] {
  return [`player.action.${action}`, `player.action.${action}_message`];
}

function faultName(action: string): string {
  const key = [...actionKeys(action), `diagram.pending.action.${action}`].find((one) => words.knows(one));
  return key === undefined ? action.replaceAll("_", " ") : say(key);
}

export class Pending extends DiagramElement {
  static override styles = [...DiagramElement.styles, css`
    td button { line-height: 18px; width: 100%; }
    /* The summary is one line; the opened list has the whole text. */
    details.more:not([open]) > summary { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; max-width: 100%; }
  `];

  protected override show(frame: Frame): TemplateResult {
    const shape = layoutPending(frame);
    return html`<details class="more" @toggle=${this.toggled}><summary><b>${say("diagram.pending.heading")}</b> ${
      shape.next ?? say(shape.isOrdered ? "diagram.pending.none" : "diagram.pending.not_recorded")}</summary>${this.isOpen ? this.#list(frame, shape) : nothing}</details>`;
  }

  #list(frame: Frame, shape: PendingShape): TemplateResult {
    const faults = Object.entries(frame.view.faults ?? {});
    return html`<table><tbody>${repeat(
      shape.rows,
      (row) => row.key,
      (row) => html`<tr class=${row.picked ? "picked" : ""}><td>${row.at}</td><td>${row.kind}</td><td><button aria-pressed=${
        row.picked ? "true" : "false"} @click=${() => this.pick(row.selection)}>${named(row.actor, row.what)}</button></td></tr>`,
    )}</tbody></table>${shape.folded > 0 ? html`<p class="quiet">${say("diagram.pending.folded", { count: shape.folded })}</p>` : nothing}${
      faults.length === 0
        ? nothing
        : html`<h3>${say("diagram.pending.faults")}</h3>${faults.map(
            ([key, fault]) => html`<p>${say("diagram.pending.fault", {
              number: Number(key) + 1, action: faultName(fault.action), seen: fault.seen,
              remaining: fault.remaining ?? say("diagram.pending.for_ever"),
            })}</p>`,
          )}`
    }`;
  }
}

customElements.define("eos-pending", Pending);
