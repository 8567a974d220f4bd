/** Draws the bar of buttons that choose the view of a run and, on a narrow page, the column of *Inspect*. */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { Frame } from "./frame.ts";
import type { Middle } from "./panels.ts";
import { isShown, MIDDLES, placesOf, tagOf } from "./panels.ts";
import { say } from "./text.ts";

export type Column = "left" | "middle" | "right";

/** The state of the player that the tabs show, and the functions that a press calls. */
export interface ViewTabs {
  middle: Middle;
  column: Column;
  frame: Frame | undefined;
  hasLogs: boolean;
  /** Whether the page has pseudocode to show. */
  hasCode: boolean;
  open: (column: Column, middle: Middle | null) => void;
  why: () => void;
}

/** The view between the columns of *Inspect*: the logs, or messages if the run has no logs. */
export function inspected(hasLogs: boolean): Middle {
  return hasLogs ? "lanes" : "spacetime";
}

/** Whether the run has content for this view. */
export function isThere(middle: Middle, frame: Frame | undefined): boolean {
  return isShown(tagOf(middle), frame);
}

/**
 * The buttons of the views, in the order of the list of panels. *Inspect* replaces the button of the view that is
 * between its columns.
 */
export function viewTabs({ middle, frame, hasLogs, hasCode, open, why }: ViewTabs): TemplateResult {
  const between = inspected(hasLogs);
  const has = (one: Middle): boolean => {
    if (one === "transactions") return middle === one; // This view is reached by zooming out, so it has a button only while it is on show.
    return one === between || (isThere(one, frame) && (one !== "code" || hasCode));
  };
  const tab = (one: Middle): TemplateResult => html`<button class=${one === "transactions" ? "level-tab" : "middle-tab"} data-view=${one} aria-pressed=${middle === one}
    @click=${() => open("middle", one)}>${one === between ? html`${say("player.tab.inspect")} <kbd>i</kbd>` : say(`player.tab.${one}`)}</button>`;
  return html`<nav class="tabs" aria-label=${say("player.views")}><div class="views">${MIDDLES.filter(has).map(tab)}</div>
    <button class="ask-why" title=${say("player.key.why")} @click=${why}>${say("player.why")} <kbd>w</kbd></button></nav>`;
}

/** The catalogue keys of the names of the left and the right column of *Inspect*. */
export function sidesOf(hasLogs: boolean): readonly [string, string] {
  return hasLogs ? ["player.tab.producer", "player.tab.broker"] : ["player.tab.roles", "player.tab.votes"];
}

export function columnTabs({ column, frame, hasLogs, open }: ViewTabs): TemplateResult {
  const places = placesOf(frame);
  const [left, right] = sidesOf(hasLogs);
  const tab = (one: Column, name: string): TemplateResult => html`<button class="side-tab" aria-pressed=${column === one} ?data-about=${places.has(one)}
    title=${places.has(one) ? say("player.tab.about") : nothing} @click=${() => open(one, null)}>${say(name)}</button>`;
  return html`<nav class="columns" aria-label=${say("player.panels")}>${tab("left", left)} ${tab("middle", `player.tab.${inspected(hasLogs)}`)} ${tab("right", right)}</nav>`;
}
