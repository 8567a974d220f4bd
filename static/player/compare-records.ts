/**
 * One name for one record in both compared runs: the serials of the right run's records are replaced by those that the
 * same records have in the left run, in everything that the server says about the right run. Pure.
 */

import { listed } from "./joins.ts";
import type { Listener, Source } from "./source.ts";

/** Serial of a record in the right run → its serial in the left run, for the records that change it. */
export type Names = ReadonlyMap<number, number>;

/**
 * `pairs`: [serial in the left run, serial in the right run] of the same record. A record that only the right run has
 * gets a free serial if another record takes its own.
 */
export function namesOf(pairs: readonly (readonly [left: number, right: number])[]): Names {
  const names = new Map(pairs.map(([left, right]) => [right, left]));
  const taken = new Set(names.values());
  const free = [...names.keys()].filter((serial) => !taken.has(serial));
  for (const [place, serial] of [...taken].filter((one) => !names.has(one)).entries()) names.set(serial, free[place] ?? serial);
  return names;
}

/** The names of fields whose numbers are serials. */
const SERIALS = new Set(["serial", "serials", "delivered"]);
/** The names of fields whose keys are serials. */
const BY_SERIAL = new Set(["records", "rows", "outbox", "work"]);
const RECORDS = /\br(\d+)(?:–r(\d+))?\b/g;

/** A value that the server sent, with the serials of the left run. `within`: the fields in which it lies. */
export function renamed(value: unknown, names: Names, within: readonly string[] = []): unknown {
  const map = (serial: number): number => names.get(serial) ?? serial;
  if (typeof value === "number") return within.some((field) => SERIALS.has(field)) ? map(value) : value;
  if (typeof value === "string") return within.includes("params") ? value.replace(RECORDS, (_, first: string, last?: string) => rangeOf(Number(first), Number(last ?? first), map)) : value;
  if (Array.isArray(value)) return value.map((one) => renamed(one, names, within));
  if (typeof value !== "object" || value === null) return value;
  const { path } = value as { path?: unknown };
  const inside = Array.isArray(path) ? path.map(String) : [];
  return Object.fromEntries(Object.entries(value).map(([key, one]) => {
    if (key === "path" && Array.isArray(one)) return [key, one.map((field: unknown, place) => (BY_SERIAL.has(inside[place - 1] ?? "") ? keyOf(String(field), map) : field))];
    return [BY_SERIAL.has(within.at(-1) ?? "") ? keyOf(key, map) : key, renamed(one, names, [...within, ...(key === "after" || key === "before" ? inside : [key])])];
  }));
}

function keyOf(key: string, map: (serial: number) => number): string {
  return /^\d+$/.test(key) ? String(map(Number(key))) : key;
}

/** `r2–r4` with other serials: a range if they follow each other, else all of them. */
function rangeOf(first: number, last: number, map: (serial: number) => number): string {
  const serials = Array.from({ length: last - first + 1 }, (_, place) => map(first + place)).sort((one, other) => one - other);
  const [least = first, most = last] = [serials[0], serials.at(-1)];
  if (most - least !== serials.length - 1) return listed(serials.map((serial) => `r${serial}`));
  return least === most ? `r${least}` : `r${least}–r${most}`;
}

/** The source of the right run. `names` is read when something arrives. */
export class RenamedSource implements Source {
  readonly live: boolean;
  readonly #source: Source;
  readonly #names: () => Names;

  constructor(source: Source, names: () => Names) {
    this.live = source.live;
    this.#source = source;
    this.#names = names;
  }

  start(to: Listener): void {
    this.#source.start({
      have: () => to.have(),
      welcomed: (welcome) => to.welcomed(welcome),
      branchesChanged: (branches) => to.branchesChanged(branches),
      stepsCame: (branch, steps, finished) => to.stepsCame(branch, this.#said(steps), finished),
      aheadCame: (branch, after, step) => to.aheadCame(branch, after, this.#said(step)),
      viewCame: (branch, number, view, step) => to.viewCame(branch, number, this.#said(view), this.#said(step)),
      planCame: (branch, plan, interventions) => to.planCame(branch, this.#said(plan), interventions),
      statusChanged: (status) => to.statusChanged(status),
      failed: (problem) => to.failed(problem),
      delayed: (problem) => to.delayed(problem),
    });
  }

  stop(): void {
    this.#source.stop();
  }

  async ask(command: Parameters<Source["ask"]>[0]): ReturnType<Source["ask"]> {
    return this.#said(await this.#source.ask(command));
  }

  #said<Said>(said: Said): Said {
    const names = this.#names();
    return names.size === 0 ? said : (renamed(said, names) as Said);
  }
}
