/**
 * Fetches the documents of the player, such as catalogues and recordings: an address is either one of the server or, as
 * `#id`, an element of the page itself.
 *
 * A file that plays offline holds all documents as `<script type="application/gzip" id="…">`, compressed and in base64;
 * browsers do not run such scripts (docs/replay-format.md, "One HTML file"). All other code handles both cases alike.
 */

/**
 * Letters of base64 that are decoded at once, so that no text of the whole length is copied. Four letters stand for
 * three bytes, so it is a multiple of four.
 */
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

/** Yields the lines of a response one by one, so that a long recording is never held as one text. */
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
