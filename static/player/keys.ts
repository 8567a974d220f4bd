/**
 * The table of the keys, from which the player takes their actions and the help dialog its rows.
 *
 * A key works wherever the focus is, except in a text field, and except if the focused control uses the key itself
 * (space on a button, ↓ where something can be scrolled). Page Down and Page Up are in the table because a presenter's
 * remote control sends them.
 */

export type KeyAction =
  | "back"
  | "forward"
  | "step_back"
  | "step"
  | "inspect"
  | "beat_steps"
  | "previous_interesting"
  | "next_interesting"
  | "first"
  | "last"
  | "play"
  | "branch"
  | "message"
  | "drop"
  | "acts"
  | "why"
  | "projector"
  | "zoom_in"
  | "zoom_out"
  | "share"
  | "export"
  | "follow"
  | "hand"
  | "search"
  | "next_match"
  | "previous_match"
  | "breakpoints"
  | "run_to_breakpoint"
  | "back_to_breakpoint"
  | "undo"
  | "redo"
  | "compare"
  | "number"
  | "stage"
  | "help"
  | "close";

export interface KeyRow {
  keys: string;
  matches: (event: Pressed) => boolean;
  action: KeyAction;
}

/** The part of a KeyboardEvent that decides what a key does. */
export interface Pressed {
  key: string;
  shiftKey: boolean;
  altKey: boolean;
  ctrlKey: boolean;
  metaKey: boolean;
}

const plain = (...keys: string[]) => (event: Pressed) => keys.includes(event.key) && !event.shiftKey;
const shifted = (key: string) => (event: Pressed) => event.key === key && event.shiftKey;
const letter = (key: string) => (event: Pressed) => event.key.toLowerCase() === key;

export const KEYS: readonly KeyRow[] = [
  { keys: "→ PgDn", matches: plain("ArrowRight", "PageDown"), action: "forward" },
  { keys: "← PgUp", matches: plain("ArrowLeft", "PageUp"), action: "back" },
  { keys: "↓", matches: plain("ArrowDown"), action: "step" },
  { keys: "↑", matches: plain("ArrowUp"), action: "step_back" },
  { keys: "⇧ →", matches: shifted("ArrowRight"), action: "next_interesting" },
  { keys: "⇧ ←", matches: shifted("ArrowLeft"), action: "previous_interesting" },
  { keys: "Home", matches: plain("Home"), action: "first" },
  { keys: "End", matches: plain("End"), action: "last" },
  { keys: "1 – 9", matches: (event) => /^[1-9]$/.test(event.key), action: "number" },
  { keys: "0", matches: plain("0"), action: "stage" },
  { keys: "␣", matches: plain(" "), action: "play" },
  { keys: "b", matches: letter("b"), action: "branch" },
  { keys: "m", matches: letter("m"), action: "message" },
  { keys: "d", matches: letter("d"), action: "drop" },
  { keys: "a", matches: letter("a"), action: "acts" },
  { keys: "w", matches: letter("w"), action: "why" },
  { keys: "l", matches: letter("l"), action: "projector" },
  { keys: "i", matches: letter("i"), action: "inspect" },
  { keys: "o", matches: letter("o"), action: "beat_steps" },
  { keys: "+", matches: (event) => event.key === "+" || event.key === "=", action: "zoom_in" },
  { keys: "−", matches: plain("-"), action: "zoom_out" },
  { keys: "u", matches: plain("u"), action: "undo" },
  { keys: "⇧ u", matches: shifted("U"), action: "redo" },
  { keys: "c", matches: letter("c"), action: "compare" },
  { keys: "/", matches: (event) => event.key === "/", action: "search" },
  { keys: "n", matches: letter("n"), action: "next_match" },
  { keys: "p", matches: letter("p"), action: "previous_match" },
  { keys: "k", matches: letter("k"), action: "breakpoints" },
  { keys: "r", matches: plain("r"), action: "run_to_breakpoint" },
  { keys: "⇧ r", matches: shifted("R"), action: "back_to_breakpoint" },
  { keys: "s", matches: letter("s"), action: "share" },
  { keys: "e", matches: letter("e"), action: "export" },
  { keys: "f", matches: letter("f"), action: "follow" },
  { keys: "h", matches: letter("h"), action: "hand" },
  { keys: "?", matches: (event) => event.key === "?", action: "help" },
  { keys: "Esc", matches: plain("Escape"), action: "close" },
];

export function actionOf(event: Pressed): KeyAction | null {
  if (event.altKey || event.ctrlKey || event.metaKey) return null;
  return KEYS.find((row) => row.matches(event))?.action ?? null;
}

const TEXT_FIELDS = "input:not([type=checkbox]):not([type=radio]):not([type=button]), textarea, select, [contenteditable=true]";
const OWN_SPACE = "button, summary, a[href], [role=button], [role=menuitem], [role=tab], input";

/** Whether the focused control uses this key itself. */
export function belongsToFocus(event: Pressed, target: Element | null): boolean {
  if (target === null) return false;
  if (event.key === "Escape") return false;
  if (target.closest(TEXT_FIELDS) !== null) return true;
  const isArrow = event.key.startsWith("Arrow") || event.key === "Home" || event.key === "End";
  if (isArrow && target.closest("[data-arrows], [type=radio]") !== null) return true;
  if ((event.key.startsWith("Page") || event.key === "ArrowUp" || event.key === "ArrowDown") && scrolls(target)) return true;
  return event.key === " " && target.closest(OWN_SPACE) !== null;
}

/** Whether a page key would scroll something around the focus. */
function scrolls(target: Element): boolean {
  for (let around: Element | null = target; around !== null; around = around.parentElement ?? hostOf(around)) {
    if (around.matches(".predict-card")) return false; // A presenter's remote control goes on and back also while a question is on show.
    const isCut = around.scrollHeight > around.clientHeight + 1 && around.clientHeight > 0;
    if (isCut && (around === document.scrollingElement || /auto|scroll/.test(getComputedStyle(around).overflowY))) return true;
  }
  return false;
}

function hostOf(element: Element): Element | null {
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}
