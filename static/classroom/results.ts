/**
 * Keeps a part of a page up to date while the page is open: a class's results, or the progress of a job.
 *
 * <eos-results socket="/ws/classes/…/?lang=en"><div class="results-table"><table>…</table></div>
 *    <p data-when="live">…</p><p data-when="away">…</p><p data-when="over">…</p></eos-results>
 *
 * The server sends HTML whenever the content changes, made from the same template as the page, so this script draws
 * nothing itself. An element sent with `data-part` replaces the element of the page with the same `data-part`. Of the
 * `data-when` texts, *live* is shown after a message; *away* while the connection is lost, in which time the page keeps
 * its content and connects again; *over* if the server closed the socket for good (codes 4401, 4403 and 4404 of
 * docs/websocket.md).
 */

const FIRST_PAUSE_MS = 500;
const PAUSE_MS_MAX = 15_000;
const SIGNED_OUT = 4401;
const CLOSED_FOR_GOOD = [SIGNED_OUT, 4403, 4404];

export class Results extends HTMLElement {
  #socket: WebSocket | undefined;
  #pause = FIRST_PAUSE_MS;
  #timer = 0;
  #wasSignedOut = false;

  connectedCallback(): void {
    this.#open();
  }

  disconnectedCallback(): void {
    window.clearTimeout(this.#timer);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #open(): void {
    const address = new URL(this.getAttribute("socket") ?? "", location.href);
    address.protocol = address.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.addEventListener("message", (message: MessageEvent<string>) => {
      this.#pause = FIRST_PAUSE_MS;
      this.#wasSignedOut = false;
      this.#show("live");
      this.#replace((JSON.parse(message.data) as { table: string }).table);
    });
    socket.addEventListener("close", ({ code }) => {
      if (this.#socket !== socket) return;
      // After a sign-out, another person may have signed in in this browser. The page tries one more socket, which
      // carries the new cookie.
      if (CLOSED_FOR_GOOD.includes(code) && (code !== SIGNED_OUT || this.#wasSignedOut)) {
        this.#show("over");
        return;
      }
      this.#wasSignedOut ||= code === SIGNED_OUT;
      this.#show("away");
      this.#timer = window.setTimeout(() => this.#open(), this.#pause);
      this.#pause = Math.min(this.#pause * 2, PAUSE_MS_MAX);
    });
  }

  #replace(table: string): void {
    const place = this.querySelector<HTMLElement>(".results-table");
    if (place === null) return;
    const sent = new DOMParser().parseFromString(table, "text/html").body;
    const parts = sent.querySelectorAll<HTMLElement>(":scope > [data-part]");
    if (parts.length === 0) exchange(place, sent);
    for (const part of parts) {
      const there = place.querySelector<HTMLElement>(`:scope > [data-part="${part.dataset["part"]}"]`);
      // A part in which the reader is choosing from a list is not replaced, because the list would close.
      const inUse = there?.querySelector("select:focus, input:focus") ?? null;
      if (there !== null && inUse === null && there.innerHTML !== part.innerHTML) exchange(there, part);
    }
  }

  #show(state: "live" | "away" | "over"): void {
    for (const said of this.querySelectorAll<HTMLElement>("[data-when]")) said.hidden = said.dataset["when"] !== state;
  }
}

/** Replaces the content of an element; a link that had the focus gets it again. */
function exchange(place: HTMLElement, sent: HTMLElement): void {
  const focused = place.contains(document.activeElement) ? document.activeElement?.getAttribute("href") : null;
  place.replaceChildren(...sent.childNodes);
  if (focused) place.querySelector<HTMLElement>(`a[href="${CSS.escape(focused)}"]`)?.focus();
}

customElements.define("eos-results", Results);
