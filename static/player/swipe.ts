/** Recognises swipes: to the left means on, to the right back. Knows nothing of the player. */

export const defaults = {
  /**
   * A touch is a swipe if it moves at least `least` px to a side, by at most the share `across` of these up or down, in
   * at most `ms` milliseconds.
   */
  least: 56,
  across: 0.5,
  ms: 700,
  /** px at the left and right edge of the screen: a touch that begins there is the browser's own gesture. */
  edge: 24,
};

interface Touched {
  x: number;
  y: number;
  at: number;
}

/** The direction of a touch: 1 on, −1 back, null if it is no swipe. */
export function swipeOf(from: Touched, to: Touched, width: number): 1 | -1 | null {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const isAlong = Math.abs(dx) >= defaults.least && Math.abs(dy) <= Math.abs(dx) * defaults.across;
  const isInside = from.x >= defaults.edge && from.x <= width - defaults.edge;
  return isAlong && isInside && to.at - from.at <= defaults.ms ? (dx < 0 ? 1 : -1) : null;
}

/** Listeners for the touches of one finger; with two fingers, the reader zooms. */
export class Swipe {
  #from: Touched | null = null;
  readonly #go: (way: 1 | -1) => void;

  constructor(go: (way: 1 | -1) => void) {
    this.#go = go;
  }

  /** The listener is passive, so a scroll does not wait for it. */
  readonly start = {
    handleEvent: (event: TouchEvent): void => {
      this.#from = event.touches.length === 1 ? touchedAt(event) : null;
    },
    passive: true,
  };

  readonly end = (event: TouchEvent): void => {
    const way = this.#from === null || event.touches.length > 0 ? null : swipeOf(this.#from, touchedAt(event), innerWidth);
    this.#from = null;
    if (way !== null) this.#go(way);
  };
}

function touchedAt({ changedTouches: [touch], timeStamp }: TouchEvent): Touched {
  return { x: touch?.clientX ?? 0, y: touch?.clientY ?? 0, at: timeStamp };
}
