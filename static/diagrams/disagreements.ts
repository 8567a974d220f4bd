/**
 * Sentences about differences between the state of a client and that of the leader to which it writes; the engine finds
 * the differences. Pure.
 */

import type { Disagreement } from "../generated/messages.ts";
import type { Frame } from "../player/frame.ts";
import { say } from "../player/text.ts";

/** The disagreement about the numbering of one partition; null if both agree. */
export function disagreement({ view }: Frame, client: string, partition: string): string | null {
  const found = view.derived?.disagreements[client]?.[partition];
  return found === undefined ? null : sentence(client, found);
}

/** The disagreements of one client with the brokers, in the order of the partitions' names. */
export function disagreementsOf({ view }: Frame, client: string): string[] {
  const found = view.derived?.disagreements[client] ?? {};
  return Object.keys(found).sort().map((partition) => sentence(client, found[partition] as Disagreement));
}

/** The disagreements with the leader of one partition, in the order of the clients' names. */
export function disagreementsAt({ view }: Frame, partition: string): string[] {
  const found = view.derived?.disagreements ?? {};
  return Object.keys(found).sort().flatMap((client) => {
    const one = found[client]?.[partition];
    return one === undefined ? [] : [sentence(client, one)];
  });
}

/** Why a client's state is outdated: a leader has a higher epoch of its id. Null if it is not. */
export function outdatedBy({ view }: Frame, client: string): string | null {
  const newer = Object.values(view.derived?.disagreements[client] ?? {}).find(({ what, own, known }) => what === "epoch" && (known ?? 0) > (own ?? 0));
  return newer === undefined ? null : sentence(client, newer);
}

function sentence(client: string, { what, leader, own, known }: Disagreement): string {
  return say(`diagram.disagree.${what}`, { client, broker: `broker-${leader}`, own, known });
}
