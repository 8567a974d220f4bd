/** Sends the builder's requests to the server. */

import { parseToBigint, stringifyWithBigint } from "../player/exact-json.ts";
import { csrfToken } from "../player/page.ts";
import { say } from "../player/text.ts";
import type { JsonObject } from "../player/frame.ts";

export interface Answer<T> {
  status: number;
  /** Undefined if the server could not be reached or its answer could not be read. */
  content: T | undefined;
  /** Why there is no content: the server's own sentence, if there is one. */
  refused: string | null;
  /** All fields of the server's answer. */
  fields: JsonObject;
}

const SIGNED_OUT = 401;
const FORBIDDEN = 403;
/** The most bytes of a request that a browser still sends after its page has been left. */
const KEPT_ALIVE_MAX = 60_000;

/**
 * Sends a request and returns the server's answer. `leaving`: the browser completes the request even if the reader
 * leaves the page meanwhile, provided that it is shorter than `KEPT_ALIVE_MAX`.
 */
export async function ask<T extends object>(address: string, asked: unknown, leaving = false): Promise<Answer<T>> {
  const body = stringifyWithBigint(asked);
  const keepalive = leaving && new Blob([body]).size < KEPT_ALIVE_MAX;
  let response = await post(address, body, keepalive);
  // A sign-in in another window replaces the token, so the page fetches the new one and tries once more.
  if (response?.status === FORBIDDEN && (await learnToken())) response = await post(address, body, keepalive);
  if (response === null) return { status: 0, content: undefined, refused: say("builder.unreachable"), fields: {} };
  // A signed-out author is sent to the sign-in page.
  if (response.redirected || response.status === FORBIDDEN) {
    return { status: SIGNED_OUT, content: undefined, refused: say("builder.signed_out"), fields: {} };
  }
  const content = (await response.text().then(parseToBigint).catch(() => undefined)) as T | undefined;
  const fields = (content ?? {}) as JsonObject;
  const refused = typeof fields["refused"] === "string" ? fields["refused"] : null;
  if (response.ok && content !== undefined) return { status: response.status, content, refused, fields };
  return { status: response.status, content: undefined, refused: refused ?? say("builder.unreachable"), fields };
}

function post(address: string, body: string, keepalive: boolean): Promise<Response | null> {
  const headers = { "Content-Type": "application/json", Accept: "application/json", "X-CSRFToken": csrfToken() };
  return fetch(address, { method: "POST", headers, body, keepalive }).catch(() => null);
}

/**
 * Fetches the page again and takes over its CSRF token. Resolves to whether it has one: it has none if no account is
 * signed in.
 */
async function learnToken(): Promise<boolean> {
  const page = await fetch(location.href).catch(() => null);
  if (page === null || page.redirected || !page.ok) return false;
  const read = new DOMParser().parseFromString(await page.text(), "text/html");
  const found = read.querySelector<HTMLMetaElement>("meta[name=csrf-token]");
  const held = document.querySelector<HTMLMetaElement>("meta[name=csrf-token]");
  if (found === null || held === null) return false;
  held.content = found.content;
  return true;
}
