/** The list of found steps as links, for the dialog and for the text of the run. */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { StepSearch } from "./step-search.ts";
import type { PlayerStore } from "./store.ts";
import { say } from "./text.ts";

/**
 * A line with the number of found steps and the last searched step; then the list, and the number of unlisted steps.
 */
export function searchResults(search: StepSearch, store: PlayerStore, go: (number: number) => void): TemplateResult {
  const { numbers, hits, upTo } = search;
  const unlisted = numbers.length - hits.length;
  return html`<p class="quiet" role="status">${say("player.matches", { count: numbers.length })} · ${say(search.complete ? "search.all" : "search.so_far", { up_to: upTo, newest: store.newest })}</p>
    <ol class="found-steps">${repeat(
      hits,
      (hit) => hit.number,
      (hit) => html`<li aria-current=${hit.number === store.shown ? "step" : nothing}>
        <button @click=${() => go(hit.number)}>
          <span class="num">${hit.number}</span> <span class="num quiet">${say("player.virtual_time", { at: hit.at })}</span>
          <span>${say(hit.key, hit.params)}</span></button></li>`,
    )}</ol>
    ${unlisted > 0 ? html`<p class="quiet">${say("search.not_listed", { count: unlisted })}</p>` : nothing}`;
}
