/**
 * What the page has to say beside the run: something failed, a key has nothing to act on, or the link that led here was
 * made for another version.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { JsonObject } from "./frame.ts";
import type { PlayerStore } from "./store.ts";
import { say } from "./text.ts";

/** Something that is told and no fault: a key of the catalogue, and how it is put away. */
export interface Hint {
  key: string;
  params?: JsonObject;
  dismiss: () => void;
}

/** `fault`: words that could not be had. */
export function messages(store: PlayerStore, fault: string | null, hint: Hint | null): TemplateResult | typeof nothing {
  const problem = store.problem;
  if (problem !== null) {
    const remedy = problem.remedyKey === null ? "" : say(problem.remedyKey, problem.params);
    return html`<div class="message" role="alert"><p><b>${say(problem.key, problem.params)}</b> ${remedy}</p>${close(() => store.dismiss())}</div>`;
  }
  if (fault !== null) return html`<div class="message" role="alert"><p>${fault}</p></div>`;
  if (hint === null) return nothing;
  return html`<div class="message hint" role="status"><p>${say(hint.key, hint.params ?? {})}</p>${close(hint.dismiss)}</div>`;
}

function close(act: () => void): TemplateResult {
  return html`<button aria-label=${say("player.close")} @click=${act}>✕</button>`;
}
