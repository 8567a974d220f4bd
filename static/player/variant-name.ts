/** The title of a variant without the version with which it begins, because the version stands beside it. */
export function withoutVersion(title: string): string {
  return title.replace(/^Kafka [\d.]+(?:[:：] ?|$)/u, "");
}
