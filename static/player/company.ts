/**
 * Connects this page with others that look at the same run: with the presenter whom it follows, or with its followers.
 * A page follows, presents, or does neither.
 */

import { Audience, isOfAudience } from "./audience.ts";
import { followAlong, Presenting } from "./following.ts";
import type { Following, Place, Stage } from "./following.ts";
import type { SessionSocket } from "./socket.ts";
import { Problem } from "./source.ts";
import type { AudienceCommand } from "./source.ts";
import type { PlayerStore } from "./store.ts";
import type { Zoom } from "./zoom.ts";

/** The functions of the page that this part calls. */
export interface Seat {
  look: Stage["look"];
  why: Stage["why"];
  /** The reader's place; null while nothing is on show. */
  place(): Place | null;
}

/** Fires `change` when `following`, the presentation or `audience` changes. */
export class Company extends EventTarget {
  following: Following | null = null;
  audience: Audience | null = null;
  readonly #socket: SessionSocket;
  readonly #store: PlayerStore;
  readonly #seat: Seat;
  #presenter: Presenting | null = null;

  constructor(socket: SessionSocket, store: PlayerStore, zoom: Zoom | undefined, seat: Seat) {
    super();
    this.#socket = socket;
    this.#store = store;
    this.#seat = seat;
    socket.onSaid = (message) => {
      if (isOfAudience(message)) this.audience?.heard(message);
    };
    if (socket.live) {
      socket.onWelcome = () => this.#welcomed();
      return;
    }
    const following = followAlong(store, zoom, seat.look, seat.why);
    following.addEventListener("change", () => {
      if (following.state === "ended") this.audience = null; // No presenter is there to see a hand.
      this.#changed();
    });
    socket.onPresented = (at) => following.heard(at);
    this.following = following;
    this.#meet(false);
  }

  /** Makes this page present from now on. `resumed`: it presented before it was reloaded. */
  present(resumed: boolean): void {
    const place = (): Place | null => this.#seat.place();
    this.#presenter = new Presenting(place, (at) => this.#socket.present(at), resumed);
    this.#socket.presenter = place;
    this.#presenter.changed();
    this.#meet(true);
    if (this.#socket.isWelcomed) void this.audience?.attend();
  }

  endPresenting(): void {
    this.#presenter = null;
    this.#socket.presenter = null;
    this.audience = null;
    this.#changed();
  }

  /** The page calls this when its step, view, zoom, selection or answer to *why* may have changed. */
  moved(): void {
    this.#presenter?.changed();
  }

  #welcomed(): void {
    if (this.#presenter === null) return;
    this.#presenter.again();
    void this.audience?.attend();
  }

  #meet(presents: boolean): void {
    this.audience = new Audience(presents, (command) => this.#ask(command));
    this.audience.addEventListener("change", () => this.#changed());
    this.#changed();
  }

  /** Sends a command; a refusal is shown where the page shows all its messages. */
  async #ask(command: AudienceCommand): Promise<void> {
    try {
      await this.#socket.ask(command);
    } catch (problem) {
      if (!(problem instanceof Problem)) throw problem;
      this.#store.failed(problem);
    }
  }

  #changed(): void {
    this.dispatchEvent(new Event("change"));
  }
}
