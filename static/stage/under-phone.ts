/**
 * Draws what is below an upright picture: a line with the components that are not in the picture and with the meaning
 * of the numbers in its cells (its legend is in a dialog); and a card over the picture's foot, with the rule that
 * decided if the network has no room for it (decided.ts), else with what a client cannot know from now on.
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { isAbsent } from "../diagrams/batch.ts";
import { messageSelection, plainly } from "../diagrams/picked.ts";
import type { Frame, Selection, View } from "../player/frame.ts";
import { listed, sentences } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { unbroken } from "../player/unbroken.ts";
import type { Focus, Places, Size, StageObject } from "./contract.ts";
import type { Decided } from "./decided.ts";
import { decidedBy, sideOf } from "./decided.ts";
import { batchesIn } from "./legend.ts";
import type { Network } from "./network.ts";
import { awayNames, nextAway } from "./offer.ts";
import { readersText } from "./readers.ts";

type Offer = TemplateResult | typeof nothing;

/** px of height of the line below an upright picture. */
const UNDER = 30;

/**
 * The line with the components that have no place in the picture, and with the meaning of the numbers in cells.
 * `bring`: called with a pressed component, to bring it into the picture.
 */
export function under(here: Places, network: Network, frame: Frame, selection: Frame["selection"] | undefined, bring: (selection: Selection) => void): TemplateResult {
  return html`${awayOf(here, network, frame, selection, bring)}<span class="cells">${cellsText(frame.view)}</span>`;
}

function awayOf({ away }: Places, network: Network, frame: Frame, selection: Frame["selection"] | undefined, bring: (selection: Selection) => void): Offer {
  const next = nextAway(network.away, selection);
  const named = [...[...away.clients, ...away.brokers].map((name) => plainly("actor", name)), ...away.lanes.map((name) => plainly("partition", name))];
  if (named.length === 0 && next === undefined) return nothing;
  return html`<p class="away"><span>${say("stage.not_here_short")}</span>${named.map((one) =>
    html`<button class="link" @click=${() => bring(one)}>${one.id}</button>`)}${next === undefined ? nothing
    : html`<button class="link" @click=${() => bring(messageSelection(frame.view, next))}>${listed(awayNames(network.away, selection))}</button>`}</p>`;
}

/** The text that explains the numbers in cells; "" as long as no batch has sequence numbers. */
export function cellsText(view: View): string {
  const queued = Object.values(view.clients ?? {}).flatMap(({ batches }) => Object.values(batches));
  const isNumbered = [...batchesIn(view).filter(({ control }) => control === null), ...queued].some(({ first_sequence: first }) => !isAbsent(first));
  return isNumbered ? say("stage.cells") : "";
}

/** The card over the picture's foot; null: none. It covers the line's button, so it has that button itself. */
export function footOf(frame: Frame, { here, focus, objects }: { here: Places; focus: Focus; objects: readonly StageObject[] }, size: Size, offer: Offer): TemplateResult | null {
  const decided = objects.some(({ key }) => key === "compare") ? null : decidedBy(frame, focus);
  if (decided !== null) return decidedCard(decided, covered(here, size), readersText(frame, here), offer);
  return focus.doubt === null ? null : doubtLine(focus.doubt, UNDER, offer);
}

/**
 * px from the upper edge of the lowest row of strips or, without such rows, of the consumers, to the foot of the stage:
 * the least height of a card, so that it covers them wholly and not in part.
 */
function covered(here: Places, { width }: Size): number {
  const tops = [...(here.rows ?? []).slice(-1), ...Object.values(here.readers).flatMap((rows) => Object.values(rows).map(({ box: own }) => own))].map(({ y }) => y);
  const top = (here.rows ?? []).length > 0 ? Math.max(...tops) : Math.min(...tops);
  return tops.length === 0 ? 0 : UNDER + (here.height - top) * (width / here.width);
}

/**
 * The card with the rule that decided: `Is epoch 0 lower than the known epoch 2? Yes.` and `epoch 0 ≠ 2`. `least`: its
 * least height in px; `readers`: how much each consumer read, if the card covers their rows; `offer`: the button at its
 * end.
 */
function decidedCard(decided: Decided, least: number, readers: readonly string[], offer: Offer): TemplateResult {
  const { by, sentence, answer, fields, off } = decided;
  return html`<section class="decides" .style=${`min-height:${least.toFixed(0)}px`} aria-label=${say("diagram.decision.by", { by })}><p><b>${unbroken(sentences([sentence, answer]))}</b></p>
    <p class="fields"><span>${say("diagram.decision.arrived")} | ${say("diagram.decision.stored")}</span>${fields.map((field) =>
      html`<span class=${field.arrived === field.stored ? "equal" : "unequal"}>${field.name} <b>${sideOf(field)}</b></span>`)}</p>${off.map((one) => html`<p>${unbroken(one)}</p>`)}${readers.length === 0 ? nothing : html`<p class="fields reads">${readers.map((reader) => html`<span>${reader}</span>`)}</p>`}${offer}</section>`;
}

/** The card with what a client cannot know from now on. */
function doubtLine({ key, params }: NonNullable<Focus["doubt"]>, least: number, offer: Offer): TemplateResult {
  return html`<section class="decides doubt" .style=${`min-height:${least.toFixed(0)}px`}><p><b>${unbroken(say(key, params))}</b></p>${offer}</section>`;
}
