/**
 * Counts of records, and guarantees, of two compared runs at their steps on show: those that differ or are broken.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { Apart, ApartRow, Unfolded } from "./compare-facts.ts";
import type { Frame, Plan, VerdictView } from "./frame.ts";
import { endOf } from "./outcome.ts";
import { facts } from "./joins.ts";
import { say } from "./text.ts";
import { pieces } from "./unbroken.ts";

export const defaults = {
  /**
   * The rows of the common table that are shown over the pictures; a press shows the rest. If only one more row is
   * left, it is shown at once.
   */
  rows: 2,
};

export type Verdicts = Readonly<Record<string, VerdictView>>;
export type Counted = Exclude<keyof VerdictView, "aborted">;

const COUNTED: readonly Counted[] = ["stored", "duplicates", "lost", "failed", "reordered"];
/** Counts that do not mean a broken guarantee. */
const PLAIN = new Set<Counted>(["stored", "failed"]);

/** Whether a partition differs in more than time. */
export type IsApart = (partition: string) => boolean;
const always: IsApart = () => true;

/** The counts that differ in a partition, or that mean a broken guarantee. */
export function shownCounts(left: Verdicts, right: Verdicts, isApart = always): Counted[] {
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return COUNTED.filter((count) => names.some((name) => {
    const [one, other] = [left[name]?.[count] ?? 0, right[name]?.[count] ?? 0];
    return (one !== other && isApart(name)) || (!PLAIN.has(count) && one > 0);
  }));
}

/** The guarantees that a run has broken at its step on show, or at its end if its plan knows the end. */
export function brokenNames(frames: readonly (Frame | null | undefined)[], plans: readonly (Plan | null)[] = []): string[] {
  const atEnd = plans.flatMap((plan) => (plan?.complete === true ? Object.keys(endOf(plan)?.broken ?? {}) : []));
  const names = frames.flatMap((frame) => Object.entries(frame?.view.guarantees ?? {}).filter(([, { count, serials, broken_at }]) => (count ?? serials?.length ?? 0) > 0 || broken_at != null).map(([name]) => name));
  return [...new Set([...names, ...atEnd])];
}

/** The differences between both sides: counts of records first, then facts of the step. */
export function apartRows(apart: readonly Apart[], left: Verdicts, right: Verdicts, isApart = always): ApartRow[] {
  const counts = shownCounts(left, right, isApart);
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
  const counted = names.flatMap((partition) => counts.flatMap((count): ApartRow[] => {
    const [one, other] = [left[partition]?.[count] ?? 0, right[partition]?.[count] ?? 0];
    return one === other || !isApart(partition) ? [] : [{ name: facts([partition, say(`player.compare.${count}`)]), left: String(one), right: String(other) }];
  }));
  return [...counted, ...apart];
}

/**
 * The differences of both sides in one table. `names`: the names of the two runs; `times`: their virtual times;
 * `whole`: whether all rows are shown; `turn` changes this.
 */
export function apartTable(rows: readonly ApartRow[], names: readonly string[], times: readonly string[], { whole, turn, none }: Unfolded): TemplateResult {
  if (rows.length === 0) return html`<p class="apart none">${none}</p>`;
  const shown = whole || rows.length <= defaults.rows + 1 ? rows : rows.slice(0, defaults.rows);
  const rest = rows.length - shown.length;
  return html`<table class="apart-table"><caption class="sr">${say("player.compare.apart")}</caption>
    <thead><tr><td>${say("player.compare.apart_short")}</td>${names.map((name, side) => html`<th scope="col">${name} <small class="num">t = ${times[side]}</small></th>`)}</tr></thead>
    <tbody>${shown.map((row) => html`<tr><th scope="row">${pieces(row.name)}</th><td>${pieces(row.left)}</td><td>${pieces(row.right)}</td></tr>`)}</tbody></table>${
      rest === 0 && !whole ? nothing : html`<button class="apart-more" aria-expanded=${whole ? "true" : "false"} @click=${turn}>${
        whole ? say("player.compare.apart_fewer") : say("player.compare.apart_more", { count: rest })}</button>`}`;
}
