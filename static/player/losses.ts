/** The messages of a run that the engine suggests to drop first (docs/frame.md, *Plan*), in words. Pure. */

import type { ShownLoss } from "../generated/messages.ts";
import { carriedBy } from "./done.ts";
import type { JsonObject, MessageView } from "./frame.ts";
import { say } from "./text.ts";

type Named = Pick<ShownLoss, "api" | "is_response" | "from" | "to"> & Partial<Pick<MessageView, "fields" | "partitions">>;

/** The name of a message: `Produce response (t-0, offset 4), broker-1 to p1`. */
export function lossName(loss: Named, form = "player.selection"): string {
  return say(`${form}.${loss.is_response ? "response" : "request"}`, { ...paramsOf(loss), carried: carriedBy(loss) });
}

/**
 * The catalogue key and parameters of the sentence about a suggested message: its name, the step at which it is in
 * transit, and the consequence of its loss, if the engine knows that.
 */
export function chosenText(loss: ShownLoss): { key: string; params: JsonObject } {
  const forecast = loss.forecast === undefined ? "" : say(loss.forecast.key, loss.forecast.params);
  return { key: loss.is_response ? "player.chosen.response" : "player.chosen.request", params: { ...paramsOf(loss), step: loss.step, forecast } };
}

function paramsOf({ api, from, to }: Named): JsonObject {
  return { api, from, to };
}
