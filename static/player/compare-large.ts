/**
 * Chooses the partition that two compared runs draw large: rather one whose logs differ than one whose logs are equal.
 * Pure.
 */

import { leaderLog } from "../diagrams/leader-log.ts";
import { INTERNAL } from "../diagrams/internal-partitions.ts";
import { OFFSETS_MOST } from "../diagrams/lane-cells.ts";
import type { LogsBeside, Spread } from "../diagrams/lanes-plan.ts";
import { partitionIn } from "../diagrams/about.ts";
import type { Frame, View } from "./frame.ts";

type Partition = NonNullable<View["partitions"]>[string];

/**
 * How much the two logs of a partition differ: infinitely if in their batches, offsets or outcomes; else the longest
 * time between the two appends of a batch, in ms. 0: equal.
 */
export function apart(one: Partition, other: Partition): number {
  const [log, counterpart] = [one, other].map((side) => (side.leader === null ? undefined : side.replicas?.[String(side.leader)]));
  if (log === undefined || counterpart === undefined) return log === counterpart ? 0 : Number.POSITIVE_INFINITY;
  if (log.log_end !== counterpart.log_end || log.high_watermark !== counterpart.high_watermark || log.last_stable_offset !== counterpart.last_stable_offset) {
    return Number.POSITIVE_INFINITY;
  }
  let later = 0;
  for (const [offset, batch] of Object.entries(log.batches ?? {})) {
    const twin = counterpart.batches?.[offset];
    if (twin === undefined || twin.control !== batch.control || twin.outcome !== batch.outcome) return Number.POSITIVE_INFINITY;
    later = Math.max(later, Math.abs(twin.appended_at - batch.appended_at));
  }
  return later;
}

/** The weight of a difference: one that exists only because one run is ahead weighs less than any other. */
function weightOf(much: number, isApart: boolean): number {
  if (isApart) return much;
  return much === Number.POSITIVE_INFINITY ? Number.MIN_VALUE : 0;
}

/**
 * The content of each partition's logs in these views. Internal topics are left out: their records are drawn as words,
 * with widths of their own.
 */
export function spreadOf(views: readonly (View | undefined)[]): Spread {
  const spread: Record<string, LogsBeside> = {};
  for (const view of views) {
    for (const [name, partition] of Object.entries(view?.partitions ?? {})) {
      const log = leaderLog(partition)?.batches;
      if (log === undefined || INTERNAL.test(name)) continue;
      const batches = Object.values(log);
      const markers = batches.filter(({ control }) => control !== null).length;
      const records = batches.reduce((sum, { control, base_offset: from, last_offset: to }) => sum + (control === null ? Math.min(to - from + 1, OFFSETS_MOST) : 0), 0);
      const readers = Object.entries(view?.consumers ?? {}).filter(([, { positions }]) => name in positions).map(([reader]) => reader);
      const before = spread[name] ?? { records: 0, markers: 0, logs: [], readers: [] };
      spread[name] = {
        records: Math.max(before.records, records), markers: Math.max(before.markers, markers), logs: [...before.logs, log],
        readers: [...new Set([...before.readers, ...readers])].sort(),
      };
    }
  }
  return spread;
}

/**
 * The partition that both runs draw large: the selected one; else the one whose logs differ most, then one in which a
 * run is only ahead; among equals the one that a step on show is about, or else `last`. Null if the runs have no
 * partition in common. `isApart`: whether the logs differ in more than time.
 */
export function largeOf(left: Frame, right: Frame, last: string | null, isApart: (partition: string) => boolean = () => true): string | null {
  const [ours, theirs] = [left.view.partitions ?? {}, right.view.partitions ?? {}];
  const picked = right.selection?.kind === "partition" ? right.selection.id : right.selection?.partition;
  if (picked !== undefined && picked in ours && picked in theirs) return picked;
  // The changed run is on the right: its step decides first.
  const asked = [partitionIn(right), partitionIn(left), last];
  const ranked = Object.entries(ours).flatMap(([name, one]) => {
    const other = theirs[name];
    const place = asked.indexOf(name);
    return other === undefined ? [] : [{ name, isInternal: INTERNAL.test(name), apart: weightOf(apart(one, other), isApart(name)), place: place < 0 ? asked.length : place }];
  });
  // Internal topics come last: the coordinator's place shows their content, and the consumers do not read them.
  ranked.sort((one, other) =>
    Number(one.isInternal) - Number(other.isInternal)
    || (one.apart === other.apart ? 0 : other.apart - one.apart)
    || one.place - other.place
    || (one.name < other.name ? -1 : 1));
  return ranked[0]?.name ?? null;
}
