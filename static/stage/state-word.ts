/** Names a state of a client or of the middleware in words. Pure, no DOM. */

import { say, words } from "../player/text.ts";

export function stateWord(state: string): string {
  const key = [`stage.state.${state}`, `word.state.${state}`].find((one) => words.knows(one));
  return key !== undefined ? say(key) : state.replaceAll("_", " ").toLowerCase();
}
