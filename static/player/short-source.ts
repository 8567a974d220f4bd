/** The name of a place in Kafka's source, shortened to fit in one line. Pure. */

/** The most letters that fit beside the guarantees on a page of 1280 px. */
const ROOM = 52;

/**
 * The first of several places; if it is too long, without its outer classes, or without all classes; the method is
 * always kept.
 */
export function shortSource(source: string): string {
  const [first = source] = source.split(", ");
  const names = first.split(".");
  while (names.length > 1 && names.join(".").length > ROOM) names.shift();
  return names.join(".");
}
