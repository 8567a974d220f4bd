/**
 * Following a presenter: the page moves with the presenter until the reader moves by themselves, and follows again on
 * request. The presenter's side, which sends the presenter's place, is here, too.
 *
 * The server sends the presenter's place (`presented` in docs/websocket.md), also after every connection, so nothing
 * further is needed here after a lost one.
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

/** Whether the page follows; `free`: the reader moved by themselves. */
export type FollowState = "following" | "free" | "ended";

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The parts of the page that follow the presenter besides the store. */
export interface Stage {
  look(view: View): void;
  /** Called when the step with the presenter's zoom is on show. */
  zoom(zoom: string): void;
  why(why: ShownWhy | null): void;
}

/** Fires `change` when its state changes. */
export class Following extends EventTarget {
  state: FollowState = "following";
  readonly #store: PlayerStore;
  readonly #stage: Stage;
  #at: Presented | null = null;
  /** The place to which the reader was moved last; null while the branch of `#at` is not known yet. */
  #taken: Presented | null = null;
  /** The number of the presenter's place whose zoom is on show. */
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
    // For a step beyond the newest one, the frame waits until the step has arrived.
    if (store.target !== at.step) store.moveTo(at.step, at.step === store.shown + 1);
    this.#zoom();
    if (before === null || before.view !== at.view) this.#stage.look(at.view);
    if (before === null || !same(before.selection, at.selection)) store.select(at.selection);
    if (before === null || !same(before.why, at.why)) this.#stage.why(at.why);
  }

  /** Zooms to the presenter's check; called after the step, because a step opens at its first check. */
  #zoom(): void {
    const taken = this.#taken;
    if (taken === null || this.#zoomed === taken.number || this.#store.shown !== taken.step) return;
    this.#zoomed = taken.number;
    this.#stage.zoom(taken.zoom);
    // The zoom level may have changed the view.
    this.#stage.look(taken.view);
  }

  /** To be called when the zoom has changed. If it differs from the presenter's, the reader changed it themselves. */
  zoomed(zoom: string): void {
    const taken = this.#taken;
    if (this.state !== "following" || taken === null || this.#zoomed !== taken.number) return;
    if (this.#store.shown === taken.step && zoom !== taken.zoom) this.#become("free");
  }

  /** The store changed: a branch became known, or the reader moved. */
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

/** A follower whose zoom follows as well. */
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
  /** Milliseconds between two messages of a presenter who scrubs. */
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
   * `tell` returns whether the message was sent; if not, `again` sends it later. `resumed`: the page was reloaded, and
   * its first step is no move of the presenter.
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
