/**
 * Follows a presenter: the page moves with the presenter until the reader moves it, and follows again on request. The
 * class `Presenting` is the other side, which sends the presenter's place.
 *
 * The server sends the presenter's place (`presented` in docs/websocket.md), also after each new connection, so a lost
 * connection needs no handling here.
 */

import type { Selection } from "./frame.ts";
import type { PlayerStore } from "./store.ts";
import type { ShownWhy } from "./why-answer.ts";
import { readZoom } from "./zoom.ts";
import type { Zoom } from "./zoom.ts";
import type { View } from "./zoom-view.ts";

export interface Place {
  branch: string;
  step: number;
  view: View;
  /** The zoom as in the address; empty: steps. */
  zoom: string;
  selection: Selection | null;
  /** The answer to *why* on show, because a follower cannot ask; null: none. */
  why: ShownWhy | null;
}

export interface Presented extends Place {
  number: number;
  ended: boolean;
}

/** `free`: the reader has moved away from the presenter's place; `ended`: the presentation is over. */
export type FollowState = "following" | "free" | "ended";

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The functions by which the page shows what the presenter sees, besides the step and the selection. */
export interface Stage {
  look(view: View): void;
  /** Called with the presenter's zoom, once the presenter's step is on show. */
  zoom(zoom: string): void;
  why(why: ShownWhy | null): void;
}

/** Fires `change` when its state changes. */
export class Following extends EventTarget {
  state: FollowState = "following";
  readonly #store: PlayerStore;
  readonly #stage: Stage;
  #at: Presented | null = null;
  /**
   * The presenter's place to which the page moved last; null before the first one, and while its branch is not known.
   */
  #taken: Presented | null = null;
  /** `number` of the presenter's place whose zoom was applied last. */
  #zoomed = 0;

  constructor(store: PlayerStore, stage: Stage) {
    super();
    this.#store = store;
    this.#stage = stage;
    store.addEventListener("change", () => this.#moved());
  }

  heard(at: Presented): void {
    if (this.#at !== null && at.number < this.#at.number) return;
    this.#at = at;
    if (at.ended) this.#become("ended");
    else if (this.state === "following") this.#take();
  }

  followAgain(): void {
    if (this.state !== "free") return;
    this.#taken = null;
    this.#zoomed = 0;
    this.#become("following");
    this.#take();
  }

  #take(): void {
    const at = this.#at;
    const store = this.#store;
    if (at === null || !store.lines.branches.has(at.branch)) return;
    const before = this.#taken;
    this.#taken = at;
    if (store.branch !== at.branch) store.switchTo(at.branch, at.step);
    // If the step is after the newest one that this page knows, the store shows it as soon as it arrives.
    if (store.target !== at.step) store.moveTo(at.step, at.step === store.shown + 1);
    this.#zoom();
    if (before === null || before.view !== at.view) this.#stage.look(at.view);
    if (before === null || !same(before.selection, at.selection)) store.select(at.selection);
    if (before === null || !same(before.why, at.why)) this.#stage.why(at.why);
  }

  /**
   * Applies the presenter's zoom, once their step is on show: a step that opens later would reset it to its first
   * check.
   */
  #zoom(): void {
    const taken = this.#taken;
    if (taken === null || this.#zoomed === taken.number || this.#store.shown !== taken.step) return;
    this.#zoomed = taken.number;
    this.#stage.zoom(taken.zoom);
    // The zoom level may have changed the view.
    this.#stage.look(taken.view);
  }

  /**
   * The page calls this when its zoom has changed. If it is not the presenter's, the reader changed it and is now free.
   */
  zoomed(zoom: string): void {
    const taken = this.#taken;
    if (this.state !== "following" || taken === null || this.#zoomed !== taken.number) return;
    if (this.#store.shown === taken.step && zoom !== taken.zoom) this.#become("free");
  }

  /** Handles a change of the store: the presenter's branch may have become known, or the reader may have moved. */
  #moved(): void {
    if (this.state !== "following" || this.#at === null) return;
    if (this.#taken === null || this.#taken.branch !== this.#at.branch) this.#take();
    const taken = this.#taken;
    if (taken === null) return;
    if (this.#store.branch !== taken.branch || this.#store.target !== taken.step) this.#become("free");
    else this.#zoom();
  }

  #become(state: FollowState): void {
    if (this.state === state) return;
    this.state = state;
    this.dispatchEvent(new Event("change"));
  }
}

/** A `Following` that also applies the presenter's zoom. */
export function followAlong(store: PlayerStore, zoom: Zoom | undefined, look: Stage["look"], why: Stage["why"]): Following {
  const useZoom = (text: string): void => {
    const { level, at } = readZoom(text);
    zoom?.use(level, at);
  };
  const following = new Following(store, { look, why, zoom: useZoom });
  zoom?.addEventListener("change", () => following.zoomed(zoom.wanted));
  return following;
}

export interface Timers {
  after(milliseconds: number, action: () => void): number;
}

const BROWSER: Timers = { after: (milliseconds, action) => setTimeout(action, milliseconds) as unknown as number };

export const defaults = {
  /** The least milliseconds between two messages with the presenter's place. */
  tellEvery: 120,
};

/** Sends the presenter's place when it has changed, at most every `tellEvery` ms. */
export class Presenting {
  readonly #place: () => Place | null;
  readonly #tell: (place: Place) => boolean;
  readonly #timers: Timers;
  #sent: Place | null = null;
  #waiting = false;
  #resumed: boolean;

  /**
   * `place`: the presenter's place now. `tell`: sends it, and returns whether there was a connection; if not, `again`
   * sends it later. `resumed`: the page was reloaded, so its first step is no move of the presenter.
   */
  constructor(place: () => Place | null, tell: (place: Place) => boolean, resumed = false, timers: Timers = BROWSER) {
    this.#place = place;
    this.#tell = tell;
    this.#resumed = resumed;
    this.#timers = timers;
  }

  changed(): void {
    if (this.#waiting) return;
    const place = this.#place();
    if (place === null || same(place, this.#sent)) return;
    if (this.#resumed) {
      this.#resumed = false;
      this.#sent = place;
      return;
    }
    if (!this.#tell(place)) return;
    this.#sent = place;
    this.#waiting = true;
    this.#timers.after(defaults.tellEvery, () => {
      this.#waiting = false;
      this.changed();
    });
  }

  /** Sends the place again after a lost connection, because the last message may not have arrived. */
  again(): void {
    if (this.#sent !== null) this.#sent = null;
    this.changed();
  }
}
