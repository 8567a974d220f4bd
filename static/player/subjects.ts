import type { PlayerStore } from "./store.ts";

/**
 * The names that conditions may give as the subject of a step in this run, by kind: actors, partitions, transactions.
 */
export function subjectsOf(store: PlayerStore): { kind: "actor" | "partition" | "transaction"; ids: string[] }[] {
  const view = store.frame?.view;
  const partitions = new Set([...(store.header?.partitions ?? []), ...Object.keys(view?.partitions ?? {})]);
  const transactions = new Set<string>();
  for (const broker of Object.values(view?.brokers ?? {})) for (const id of Object.keys(broker.transactions ?? {})) transactions.add(id);
  for (const client of Object.values(view?.clients ?? {})) {
    const id = client.configuration?.["transactional_id"]?.value;
    if (typeof id === "string") transactions.add(id);
  }
  return [
    { kind: "actor" as const, ids: (store.header?.actors ?? []).map((actor) => actor.name) },
    { kind: "partition" as const, ids: [...partitions] },
    { kind: "transaction" as const, ids: [...transactions].sort() },
  ].filter((group) => group.ids.length > 0);
}
