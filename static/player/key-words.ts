/** Says in words what a key does. If the reader chose `steps`, ←/→ and ↑/↓ are exchanged (`beat-walk.ts`). */

import type { Arrows } from "./beat-walk.ts";
import type { KeyAction } from "./keys.ts";
import { say } from "./text.ts";

const BY_STEPS: Partial<Record<KeyAction, KeyAction>> = { forward: "step", back: "step_back", step: "forward", step_back: "back" };

/** What a key does, in words, without the key in brackets at the end of the text, which only tooltips need. */
export function meaningOf(action: KeyAction, arrows: Arrows): string {
  const done = arrows === "steps" ? (BY_STEPS[action] ?? action) : action;
  return say(`player.key.${done}`).replace(/\s*[(（][^()（）]*[)）]$/u, "");
}

type Move = "forward" | "back" | "step" | "step_back";

const ARROW_KEYS: Record<Arrows, Record<Move, string>> = {
  beats: { forward: "→", back: "←", step: "↓", step_back: "↑" },
  steps: { forward: "↓", back: "↑", step: "→", step_back: "←" },
};

/** The arrow key that moves by one beat (`forward`, `back`) or by one step (`step`, `step_back`). */
export function arrowKey(move: Move, arrows: Arrows): string {
  return ARROW_KEYS[arrows][move];
}

/** The tooltip of a button that moves by one step: its action, and the key that does the same. */
export function stepTitle(move: "step" | "step_back", arrows: Arrows): string {
  return say("player.key.with", { meaning: say(`player.key.${move}`), key: arrowKey(move, arrows) });
}
