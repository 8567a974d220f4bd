/**
 * Where a list ends that is longer than its place: in the middle of a row, so that the reader sees that it goes on.
 * Pure.
 */

/**
 * `middles`: of its rows, px from its top; `height`: px of its place. Null where no row's middle is in its lower half.
 */
export function rowEnd(middles: readonly number[], height: number): number | null {
  const last = Math.max(0, ...middles.filter((middle) => middle <= height));
  return last > height / 2 ? Math.round(last) : null;
}
