/** Stores in this browser where the reader left each session; a page whose address names no place opens there. */

import { KeptBySession } from "./kept-by-session.ts";

export interface Place {
  branch: string;
  step: number;
}

const kept = new KeptBySession<unknown[]>("eosviz-places");

/** The place where the reader left a session; null if none is stored, or if the address names a place. */
export function placeLeft(session: string, search: string): Place | null {
  const asked = new URLSearchParams(search);
  if (session === "" || asked.has("step") || asked.has("branch")) return null;
  const [branch, step] = kept.read(session) ?? [];
  return typeof branch === "string" && typeof step === "number" ? { branch, step } : null;
}

export function keepPlace(session: string, { branch, step }: Place): void {
  kept.write(session, [branch, step]);
}
