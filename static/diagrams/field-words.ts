/**
 * Names of fields and compared numbers in the reader's language. Names that Kafka gives stay as they are; a name that
 * the catalogue does not know is shown with spaces for its underscores.
 */

import type { Json } from "../player/frame.ts";
import { formatValue, say, words } from "../player/text.ts";

function slug(name: string): string {
  return name.trim().toLowerCase().replace(/[^a-z0-9]+/g, "_");
}

/** A name such as `expected first sequence` or `producer_epoch`, in words. */
export function fieldName(name: string): string {
  const key = `diagram.field.${slug(name)}`;
  return words.knows(key) ? say(key) : name.replaceAll("_", " ");
}

/** A value as text in the reader's language: words for true, false, "" and null, else the value itself. */
export function valueText(value: Json | undefined): string {
  if (value === true) return say("diagram.yes");
  if (value === false) return say("diagram.no");
  if (value === "") return say("diagram.empty_value");
  if (value === null || value === undefined || value === "none") return say("diagram.none");
  return formatValue(value);
}

/** One compared pair: `expected first sequence 13`. */
export function errorText(name: Json, value: Json): string {
  return say("diagram.compared", { name: fieldName(String(name)), value: valueText(value) });
}
