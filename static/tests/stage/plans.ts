/** Plans of made-up runs for the tests of the stage. */

import "../../stage/phone-placed.ts";
import type { StagePlan } from "../../stage/contract.ts";

export const DESK = { width: 1280, height: 412, form: "desk" } as const;
export const LARGE = { width: 1920, height: 700, form: "desk" } as const;
export const PHONE = { width: 390, height: 520, form: "phone" } as const;

/**
 * A plan of so many brokers that lead so many partitions in turn, clients, and consumers of both isolation levels; the
 * second broker coordinates.
 */
export function planOf(brokers: number, partitions: number, clients: number, consumers = 2, end = 6): StagePlan {
  const lanes = Array.from({ length: partitions }, (_, index) => `t-${index}`);
  return {
    hues: { 1000: 0, 0: 1 },
    clients: Array.from({ length: clients }, (_, index) => ({ name: `p${index + 1}`, applications: [`app-${index + 1}`], transactional_id: null, partitions: lanes })),
    brokers: Array.from({ length: brokers }, (_, index) => ({
      name: `broker-${index + 1}`, lanes: lanes.filter((_lane, at) => at % brokers === index), transactional_ids: index === 1 ? ["txn-1"] : [], groups: [],
    })),
    lanes: Object.fromEntries(lanes.map((name, index) => [name, { first: 0, end, internal: false, leaders: [(index % brokers) + 1] }])),
    consumers: Array.from({ length: consumers }, (_, index) => ({ name: `c${index + 1}`, isolation: index % 2 === 0 ? "read_committed" : "read_uncommitted", lanes })),
    controller: false,
    middleware: null,
  };
}
