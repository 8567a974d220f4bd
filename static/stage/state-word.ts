/** A state of a client or of the middleware, as it stands in running text. Pure, no DOM. */

import { say, words } from "../player/text.ts";

export function stateWord(state: string): string {
  const key = `stage.state.${state}`;
  return words.knows(key) ? say(key) : state.replaceAll("_", " ").toLowerCase();
}
