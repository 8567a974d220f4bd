/**
 * Fetches what the player gets by an address: from the server or, if the address is `#id`, from the page itself.
 *
 * A file that plays offline holds everything as `<script type="application/gzip" id="…">` with base64 of gzip, which no
 * browser runs; the rest of the player does not know the difference (docs/replay-format.md, "One HTML file").
 */

/** Base64 is decoded in pieces of whole groups of four letters, so that no text of the whole length is copied. */
const LETTERS_AT_ONCE = 1 << 20;

/** The response for an address; rejects if the request fails. */
export function get(address: string): Promise<Response> {
  if (!isInPage(address)) return fetch(address, { headers: { Accept: "application/json" } });
  const held = document.getElementById(address.slice(1))?.textContent ?? null;
  if (held === null) return Promise.resolve(new Response(null, { status: 404, statusText: "not in this file" }));
  return Promise.resolve(new Response(unpacked(held.trim())));
}

/** Whether the page itself holds the content of this address. */
export function isInPage(address: string): boolean {
  return address.startsWith("#");
}

function unpacked(base64: string): ReadableStream<Uint8Array> {
  return new Blob(decoded(base64)).stream().pipeThrough(new DecompressionStream("gzip")) as ReadableStream<Uint8Array>;
}

export function decoded(base64: string): Uint8Array<ArrayBuffer>[] {
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  for (let from = 0; from < base64.length; from += LETTERS_AT_ONCE) {
    const letters = atob(base64.slice(from, from + LETTERS_AT_ONCE));
    pieces.push(Uint8Array.from(letters, (letter) => letter.charCodeAt(0)));
  }
  return pieces;
}

/** The lines of a response, one by one, so that a long recording is never one text. */
export async function* linesOf(response: Response): AsyncGenerator<string> {
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const lines = (rest + value).split("\n");
    rest = lines.pop() ?? "";
    yield* lines;
  }
  if (rest !== "") yield rest;
}
