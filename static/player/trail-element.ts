/**
 * `<eos-trail address="/sessions/…/trail"></eos-trail>`, beside the player: reports to the server how far the reader
 * looked, and from which steps they went back. Only pages that inform the reader of this contain the element
 * (docs/analytics.md).
 */

import "./player.ts";
import { csrfToken } from "./page.ts";
import type { PlayerStore } from "./store.ts";
import type { TrailReport } from "./trail.ts";
import { Trail, defaults } from "./trail.ts";

interface HasStore extends HTMLElement {
  store?: PlayerStore;
}

export class TrailElement extends HTMLElement {
  readonly #trail = new Trail();
  #store: PlayerStore | undefined;
  #rest = 0;
  #tick = 0;

  connectedCallback(): void {
    this.#tick = window.setInterval(this.#tell, defaults.tellEvery);
    addEventListener("pagehide", this.#tell);
    document.addEventListener("visibilitychange", this.#hidden);
    this.#find();
  }

  disconnectedCallback(): void {
    clearInterval(this.#tick);
    clearTimeout(this.#rest);
    removeEventListener("pagehide", this.#tell);
    document.removeEventListener("visibilitychange", this.#hidden);
    this.#store?.removeEventListener("change", this.#changed);
  }

  /** Waits for the player's store, which exists once its texts are loaded. */
  #find(): void {
    if (!this.isConnected) return;
    this.#store = document.querySelector<HasStore>("eos-player")?.store;
    if (this.#store === undefined) this.#rest = window.setTimeout(() => this.#find(), 250);
    else this.#store.addEventListener("change", this.#changed);
  }

  readonly #changed = (): void => {
    const store = this.#store;
    if (store?.frame === undefined) return;
    this.#post(this.#trail.moved(store.branch, store.shown));
    clearTimeout(this.#rest);
    this.#rest = window.setTimeout(() => this.#trail.rests(), defaults.restAfter);
  };

  readonly #hidden = (): void => {
    if (document.visibilityState === "hidden") this.#tell();
  };

  readonly #tell = (): void => this.#post(this.#trail.take());

  /** Sends a report. If it is lost, it is not sent again. */
  #post(report: TrailReport | null): void {
    const address = this.getAttribute("address");
    if (report === null || address === null) return;
    const headers = { "X-CSRFToken": csrfToken(), "Content-Type": "application/json" };
    void fetch(address, { method: "POST", keepalive: true, headers, body: JSON.stringify(report) }).catch(() => undefined);
  }
}

customElements.define("eos-trail", TrailElement);
