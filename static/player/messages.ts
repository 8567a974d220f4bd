/**
 * Draws the messages of the page itself: a failure, a key that has nothing to act on, or a link that was made for
 * another version of a scenario.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { JsonObject } from "./frame.ts";
import type { PlayerStore } from "./store.ts";
import { say } from "./text.ts";
import { unbroken } from "./unbroken.ts";

/** A message that is no error: a key of the catalogue with its parameters, how it is closed, and a button. */
export interface Hint {
  key: string;
  params?: JsonObject;
  dismiss: () => void;
  more?: HintAct | null;
}

/** The button of a hint: a key of the catalogue, and the action. */
export interface HintAct {
  key: string;
  act: () => void;
}

/** Key of a problem: another version of the engine made the steps, so this one cannot go on with the run. */
const OTHER_ENGINE = "problem.engine_differs";

/** A link by which this engine makes the run again, up to the step on show. `address`: "" if it cannot. */
export function rerunLink(store: PlayerStore, address: string): TemplateResult | typeof nothing {
  if (address === "") return nothing;
  const place = new URLSearchParams({ branch: store.branch, step: String(store.shown) });
  return html`<a class="rerun" href=${`${address}?${place}`} title=${say("player.rerun.means")}>${say("player.rerun")}</a>`;
}

/**
 * The message on show: the store's problem, else a fault, else a hint. `fault`: why a catalogue could not be loaded;
 * `rerun`: the address at which this engine makes a branch again.
 */
export function messages(store: PlayerStore, fault: string | null, rerun: string, hint: Hint | null): TemplateResult | typeof nothing {
  const problem = store.problem;
  if (problem !== null) {
    const remedy = problem.remedyKey === null ? "" : say(problem.remedyKey, problem.params);
    return html`<div class="message" role="alert"><p><b>${say(problem.key, problem.params)}</b> ${remedy}${problem.key === OTHER_ENGINE ? html` ${rerunLink(store, rerun)}` : nothing}</p>${close(() => store.dismiss())}</div>`;
  }
  if (fault !== null) return html`<div class="message" role="alert"><p>${fault}</p></div>`;
  if (hint === null) return nothing;
  return html`<div class="message hint" role="status"><p>${unbroken(say(hint.key, hint.params ?? {}))}</p>${hint.more == null ? nothing : html`<button class="more" @click=${hint.more.act}>${say(hint.more.key)}</button>`}${close(hint.dismiss)}</div>`;
}

function close(act: () => void): TemplateResult {
  return html`<button aria-label=${say("player.close")} @click=${act}>✕</button>`;
}
