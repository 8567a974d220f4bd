/** A place in Kafka's source, as short as one line has room for. Pure. */

/** Letters that fit beside the guarantees on a page of 1280 px. */
const ROOM = 52;

/**
 * The first of several places; if too long, without its outer classes, then without its class; the method is always
 * kept.
 */
export function shortSource(source: string): string {
  const [first = source] = source.split(", ");
  const names = first.split(".");
  while (names.length > 1 && names.join(".").length > ROOM) names.shift();
  return names.join(".");
}
