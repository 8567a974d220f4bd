/** Stores in this browser where the reader left each session; a page whose address names no place opens there. */

export const defaults = {
  /** The number of sessions, newest first, whose place is stored. */
  sessions: 50,
};

const KEPT_AS = "eosviz-places";

export interface Place {
  branch: string;
  step: number;
}

/** The place where the reader left a session; null if none is stored, or if the address names a place. */
export function placeLeft(session: string, search: string): Place | null {
  const asked = new URLSearchParams(search);
  if (session === "" || asked.has("step") || asked.has("branch")) return null;
  const [branch, step] = kept()[session] ?? [];
  return typeof branch === "string" && typeof step === "number" ? { branch, step } : null;
}

export function keepPlace(session: string, { branch, step }: Place): void {
  const { [session]: _, ...others } = kept();
  const newest = Object.entries(others).slice(-(defaults.sessions - 1));
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify(Object.fromEntries([...newest, [session, [branch, step]]])));
  } catch {
    // The browser stores nothing.
  }
}

function kept(): Record<string, unknown[]> {
  try {
    return JSON.parse(localStorage.getItem(KEPT_AS) ?? "{}") as Record<string, unknown[]>;
  } catch {
    return {}; // The browser stores nothing, or something else under this name.
  }
}
