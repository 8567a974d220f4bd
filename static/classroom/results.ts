/** Keeps a class's results up to date while its instructor looks at them.
 *
 *  <eos-results socket="/ws/classes/…/?lang=en"><div class="results-table"><table>…</table></div>
 *    <p data-when="live">…</p><p data-when="away">…</p></eos-results>
 *
 *  The server sends the table whenever it is another one; it is the same template that made the page, so nothing is
 *  drawn here. Without a connection the page stays as it is, says so, and tries again. */

const FIRST_PAUSE_MS = 500;
const PAUSE_MS_MAX = 15_000;

export class Results extends HTMLElement {
  #socket: WebSocket | undefined;
  #pause = FIRST_PAUSE_MS;
  #timer = 0;

  connectedCallback(): void {
    this.#show("away");
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
      this.#show("live");
      this.#replace((JSON.parse(message.data) as { table: string }).table);
    });
    socket.addEventListener("close", () => {
      if (this.#socket !== socket) return;
      this.#show("away");
      this.#timer = window.setTimeout(() => this.#open(), this.#pause);
      this.#pause = Math.min(this.#pause * 2, PAUSE_MS_MAX);
    });
  }

  /** A link in the table that has the focus keeps it. */
  #replace(table: string): void {
    const place = this.querySelector(".results-table");
    if (place === null) return;
    const focused = place.contains(document.activeElement) ? document.activeElement?.getAttribute("href") : null;
    place.replaceChildren(...new DOMParser().parseFromString(table, "text/html").body.childNodes);
    if (focused) place.querySelector<HTMLElement>(`a[href="${CSS.escape(focused)}"]`)?.focus();
  }

  #show(state: "live" | "away"): void {
    for (const said of this.querySelectorAll<HTMLElement>("[data-when]")) said.hidden = said.dataset["when"] !== state;
  }
}

customElements.define("eos-results", Results);
