/**
 * Decides where to cut a list that is longer than its place: in the middle of a line, so that the reader sees that it
 * goes on. Pure.
 */

/**
 * px from the list's top at which it is cut. `middles`: px from the list's top to the middle of each of its lines;
 * `height`: px of the place. Null if no line has its middle in the lower half of the place.
 */
export function rowEnd(middles: readonly number[], height: number): number | null {
  const last = Math.max(0, ...middles.filter((middle) => middle <= height));
  return last > height / 2 ? Math.round(last) : null;
}
