/** The messages of a run that the engine suggests to drop first (docs/frame.md, *Plan*), in words. Pure. */

import type { ShownLoss } from "../generated/messages.ts";
import type { JsonObject } from "./frame.ts";
import { say } from "./text.ts";

/**
 * The catalogue key and parameters of the sentence about a suggested message: its name, the step at which it is in
 * transit, and the consequence of its loss, if the engine knows that.
 */
export function chosenText({ api, from, to, is_response: isAnswer, step, forecast: known }: ShownLoss): { key: string; params: JsonObject } {
  const forecast = known === undefined ? "" : say(known.key, known.params);
  return { key: isAnswer ? "player.chosen.response" : "player.chosen.request", params: { api, from, to, step, forecast } };
}
