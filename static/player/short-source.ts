/** The name of a place in Kafka's source, shortened to fit in one line. Pure. */

/** The most letters that fit beside the guarantees on a page of 1280 px. */
const ROOM = 52;

/**
 * The first of several places in the source, separated by commas. As long as it has more than `ROOM` letters, its first
 * package or class is left out; the method always stays.
 */
export function shortSource(source: string): string {
  const [first = source] = source.split(", ");
  const names = first.split(".");
  while (names.length > 1 && names.join(".").length > ROOM) names.shift();
  return names.join(".");
}
