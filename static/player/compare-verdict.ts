/** What two runs beside each other have of records and guarantees at their steps on show: where they differ or something is broken. */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { Apart } from "./compare-facts.ts";
import type { Frame, VerdictView } from "./frame.ts";
import { facts } from "./joins.ts";
import { say } from "./text.ts";

export const defaults = {
  /** Rows of the table of both sides, before the rest is counted. */
  rows: 6,
};

export type Verdicts = Readonly<Record<string, VerdictView>>;
export type Counted = Exclude<keyof VerdictView, "aborted">;

const COUNTED: readonly Counted[] = ["stored", "duplicates", "lost", "failed", "reordered"];
/** Counts that do not belong to a broken guarantee. */
const PLAIN = new Set<Counted>(["stored", "failed"]);

/** Counts that differ in a partition, or that say of a broken guarantee. */
export function toldCounts(left: Verdicts, right: Verdicts): Counted[] {
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])];
  return COUNTED.filter((count) => names.some((name) => {
    const [one, other] = [left[name]?.[count] ?? 0, right[name]?.[count] ?? 0];
    return one !== other || (!PLAIN.has(count) && one > 0);
  }));
}

/** Guarantees that are broken in one of the runs as far as it is known, whether that is shown yet or not. */
export function brokenNames(...frames: (Frame | null | undefined)[]): string[] {
  const names = frames.flatMap((frame) => Object.entries(frame?.view.guarantees ?? {}).filter(([, { count, serials, broken_at }]) => (count ?? serials?.length ?? 0) > 0 || broken_at != null).map(([name]) => name));
  return [...new Set(names)];
}

/** One side's counts; nothing where both have the same and nothing is broken. */
export function verdictTable(own: Verdicts, others: Verdicts): TemplateResult | typeof nothing {
  const counts = toldCounts(own, others);
  if (counts.length === 0) return nothing;
  const rows = Object.entries(own)
    .filter(([name, verdict]) => counts.some((count) => verdict[count] > 0 || verdict[count] !== others[name]?.[count]))
    .sort(([one], [two]) => (one < two ? -1 : 1));
  return html`<table class="verdict"><caption class="sr">${say("player.compare.verdict")}</caption>
    <thead><tr><th scope="col">${say("player.compare.partition")}</th>${counts.map((count) => html`<th scope="col">${say(`player.compare.${count}`)}</th>`)}</tr></thead>
    <tbody>${rows.map(([partition, verdict]) => rowOf(partition, verdict, others[partition], counts))}</tbody></table>`;
}

type ApartRow = Pick<Apart, "name" | "left" | "right">;

/** What differs between both sides: counts of records first, then facts of the step. */
export function apartRows(apart: readonly Apart[], left: Verdicts, right: Verdicts): ApartRow[] {
  const counts = toldCounts(left, right);
  const names = [...new Set([...Object.keys(left), ...Object.keys(right)])].sort();
  const counted = names.flatMap((partition) => counts.flatMap((count): ApartRow[] => {
    const [one, other] = [left[partition]?.[count] ?? 0, right[partition]?.[count] ?? 0];
    return one === other ? [] : [{ name: facts([partition, say(`player.compare.${count}`)]), left: String(one), right: String(other) }];
  }));
  return [...counted, ...apart];
}

/** Both sides in one table. */
export function apartTable(apart: readonly Apart[], left: Verdicts, right: Verdicts): TemplateResult | typeof nothing {
  const rows = apartRows(apart, left, right);
  if (rows.length === 0) return nothing;
  const shown = rows.slice(0, defaults.rows);
  return html`<table class="apart-table"><caption>${say("player.compare.apart")}</caption>
    <thead><tr><td></td><th scope="col">${say("player.compare.upper")}</th><th scope="col">${say("player.compare.lower")}</th></tr></thead>
    <tbody>${shown.map((row) => html`<tr><th scope="row">${row.name}</th><td>${row.left}</td><td>${row.right}</td></tr>`)}${
      rows.length === shown.length ? nothing : html`<tr><th scope="row" class="num">+${rows.length - shown.length}</th><td></td><td></td></tr>`}</tbody></table>`;
}

/** The sentence that nothing differs, once for both sides. */
export function alikeText(left: Frame | null | undefined, right: Frame | null | undefined): TemplateResult | typeof nothing {
  if (left == null || right == null) return nothing;
  const isUnbroken = brokenNames(left, right).length === 0;
  // Without records there is nothing to count.
  if (Object.keys(left.view.verdicts ?? {}).length + Object.keys(right.view.verdicts ?? {}).length === 0) {
    return isUnbroken ? html`<p class="compare-alike">${say("player.compare.alike_unbroken")}</p>` : nothing;
  }
  const same = toldCounts(left.view.verdicts ?? {}, right.view.verdicts ?? {}).length === 0;
  return same ? html`<p class="compare-alike">${say(isUnbroken ? "player.compare.alike" : "player.compare.alike_counts")}</p>` : nothing;
}

/** A number that differs on the other side has a sign, besides its bold type. */
function rowOf(partition: string, verdict: VerdictView, other: VerdictView | undefined, counts: readonly Counted[]): TemplateResult {
  const isBad = (count: Counted): boolean => !PLAIN.has(count) && verdict[count] > 0;
  const differs = (count: Counted): boolean => other !== undefined && other[count] !== verdict[count];
  return html`<tr><th scope="row">${partition}</th>${counts.map((count) =>
    html`<td class=${`${isBad(count) ? "bad" : ""} ${differs(count) ? "otherwise" : ""}`}>${differs(count) ? html`<span aria-label=${say("player.compare.otherwise")}>≠</span> ` : nothing}${verdict[count]}</td>`)}</tr>`;
}
