/** What the builder asks the server, one request after the other. */

import { csrfToken } from "../player/page.ts";
import type { Json } from "../player/frame.ts";

export interface Answer<T> {
  status: number;
  /** Undefined when the server could not be reached or said nothing readable. */
  content: T | undefined;
  /** The server's own sentence where it refused. */
  refused: string | null;
}

export async function ask<T>(address: string, asked: unknown): Promise<Answer<T>> {
  const response = await fetch(address, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": csrfToken() },
    body: JSON.stringify(asked),
  }).catch(() => null);
  if (response === null) return { status: 0, content: undefined, refused: null };
  const content = (await response.json().catch(() => undefined)) as ({ refused?: Json } & T) | undefined;
  const refused = typeof content?.refused === "string" ? content.refused : null;
  return { status: response.status, content: response.ok ? content : undefined, refused };
}
