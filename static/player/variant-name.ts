/** The title of a variant without the version of Kafka at its beginning, which the page shows beside it. */
export function withoutVersion(title: string): string {
  return title.replace(/^Kafka [\d.]+(?:[:：] ?|$)/u, "");
}
