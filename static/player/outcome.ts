/** Puts the outcome of a run in words, and its difference from the run as its author wrote it. Pure, no DOM. */

import type { Cost, Outcome, Plan } from "../generated/messages.ts";
import { serialsText } from "../diagrams/batch.ts";
import { planOf } from "./axis-of.ts";
import { landsAt } from "./beats.ts";
import type { Done } from "./done.ts";
import { doneOnLine } from "./done.ts";
import { foldedRecords } from "./folded.ts";
import type { Frame, JsonObject } from "./frame.ts";
import { clauses, facts, sentences } from "./joins.ts";
import { breaksIn } from "./leading.ts";
import type { PlayerStore } from "./store.ts";
import type { StripRow } from "./strip-rows.ts";
import { stripRows } from "./strip-rows.ts";
import { say } from "./text.ts";

export const defaults = {
  /** If read_committed consumers had to wait at least so many ms for records, the end of the run says so. */
  held: 1000,
};

/** Name of a guarantee → how often it is broken; guarantees that hold are missing. */
export type Broken = Readonly<Record<string, number>>;

/** The guarantees that are judged at the step on show. */
export function judgedRows(store: PlayerStore): StripRow[] {
  return stripRows(store.frame?.view.guarantees ?? {}, store.info, []).filter((row) => row.isJudged);
}

export function brokenIn(rows: readonly StripRow[]): Broken {
  return Object.fromEntries(rows.filter(({ count, brokenAt }) => count > 0 && brokenAt !== null).map(({ name, count }) => [name, count]));
}

/**
 * How often each guarantee is broken, in words: `2 records are lost`; or that none is broken. `mended`: the words for
 * guarantees that were broken only for a time; "" for the others.
 */
export function brokenWords(broken: Broken, mended: Readonly<Record<string, string>> = {}): string[] {
  const named = Object.entries(broken).map(([name, count]) => mended[name] || say(`outcome.count.${name}`, { count }));
  return named.length === 0 ? [say("outcome.none")] : named;
}

/**
 * The broken guarantees of the run on show, in words. If none is broken, but not all guarantees are judged in this run:
 * a text with the number of the judged ones.
 */
function heldWords(store: PlayerStore, rows: readonly StripRow[]): string[] {
  const broken = brokenIn(rows);
  const isPart = Object.keys(store.frame?.view.guarantees ?? {}).length > rows.length;
  if (isPart && Object.keys(broken).length === 0) return [say("outcome.none_judged", { count: rows.length })];
  return brokenWords(broken, Object.fromEntries(Object.entries(broken).map(([name, count]) => [name, mendedText(store, name, count)])));
}

/** Whether the run is over and its last step is on show. */
export function isOver(store: PlayerStore): boolean {
  return !store.canGrow && store.newest > 0 && store.target >= store.newest && store.shown === store.newest;
}

/** Whether a beat lands at the step on show: its sentence is then shown even at the end of a run. */
export function endsInBeat(store: PlayerStore): boolean {
  const plan = planOf(store);
  return plan !== null && landsAt(plan, store.shown);
}

/** Whether the sentence on show sums up the whole run, as it does after the end, or describes the last step. */
export function isAboutWhole(store: PlayerStore): boolean {
  const step = store.frame?.step ?? null;
  return isOver(store) && step !== null && breaksIn(step).length === 0 && !endsInBeat(store) && planOf(store) !== null && overText(store, undefined) !== "";
}

/** The interventions before the step on show, oldest first; empty for the run as written. */
export function changesOf(store: PlayerStore): Done[] {
  return doneOnLine(store.lines.branches, store.branch).filter(({ after }) => after < store.shown);
}

/**
 * The text at the end of a run. "" before the end, if no guarantee is judged, and for a recording that ends before its
 * run. `written`: what is broken in the run as written, if that is known. `isBeside`: the run is compared with another
 * one, and the page states the cost once for both: what a changed run has later is part of it.
 */
export function overText(store: PlayerStore, written: Broken | undefined, isBeside = false): string {
  const rows = judgedRows(store);
  const finished = store.info?.finished ?? null;
  if (rows.length === 0 || finished === null) return "";
  const broken = heldWords(store, rows);
  const isChanged = changesOf(store).length > 0;
  if (isBeside || !isChanged) {
    const results = store.frame === undefined ? null : resultsOf(store.frame);
    const { still, released } = heldText(store);
    const parts = [still, say("outcome.over", { broken }), unjudgedText(store, rows), endedText(store, rows), isChanged ? "" : released, results === null ? "" : resultsText(results)];
    return sentences(parts);
  }
  const said = changesText(store, broken, rows, written);
  return sentences([said, unjudgedText(store, rows), endedText(store, rows)]);
}

function changesText(store: PlayerStore, broken: string[], rows: readonly StripRow[], written: Broken | undefined): string {
  // The result says why numbers cannot be compared; here, what is left open comes first.
  const found = costOf(store);
  const cost = found === undefined ? "" : found.short === true ? costParts(found)[0] : planCost(found);
  if (cost !== "" && (written === undefined || isSame(brokenIn(rows), written))) return say("outcome.over_cost", { broken, cost });
  if (written === undefined) return say("outcome.over", { broken });
  const said = say("outcome.over_changed", { broken, written: brokenWords(written) });
  return sentences([said, cost]);
}

/**
 * Texts that say how long read_committed consumers had to wait for replicated records. `still`: they still wait at the
 * end of the run; `released`: they waited for a long time and got them. Each is "" if it does not apply.
 */
function heldText(store: PlayerStore): { still: string; released: string } {
  const plan = store.frame?.plan ?? null;
  const held = plan === null ? undefined : endOf(plan)?.held;
  if (held === undefined || held.ms === 0) return { still: "", released: "" };
  const { partition, ms } = held;
  if (!held.released) return { still: say("outcome.still_held", { partition, ms }), released: "" };
  return { still: "", released: ms < defaults.held ? "" : say("outcome.held", { partition, ms }) };
}

/**
 * A text about the only transaction that hangs at the end of the run; "" if none does.
 */
function endedText(store: PlayerStore, rows: readonly StripRow[]): string {
  const plan = store.frame?.plan ?? null;
  const end = plan === null ? undefined : endOf(plan);
  if (end?.hanging === undefined || (brokenIn(rows)["hanging"] ?? 0) === 0) return "";
  return end.hanging === 0 || end.hangs === undefined ? "" : hangsText(end.hangs);
}

/**
 * How long a guarantee was broken and what mended it, in words: `a transaction hung for 16 min, until an operator aborted
 * it`. "" if it is still broken at the end of the run. Of the guarantees, only that no transaction hangs can be mended.
 */
function mendedText(store: PlayerStore, name: string, count: number): string {
  const plan = store.frame?.plan ?? null;
  const { hanging, hung, by_hand: byHand = 0 } = (plan === null ? undefined : endOf(plan)) ?? {};
  if (name !== "hanging" || hanging !== 0 || hung === undefined) return "";
  return say(byHand > 0 ? "outcome.mended.by_hand" : "outcome.mended.hanging", { count, ms: hung });
}

/**
 * The text about the only transaction that still hangs: at which last stable offset it holds back a partition, and
 * which of its records were reported as failed.
 */
function hangsText({ partition, last_stable_offset: lso, failed }: NonNullable<Outcome["hangs"]>): string {
  return sentences([say("outcome.still_hangs", { partition, lso }), failed.length === 0 ? "" : say("outcome.failed_hangs", { records: serialsText(failed) })]);
}

/**
 * A text on what the guarantees do not judge: skipped inputs, if nothing is broken in a run that consumes; and records
 * that a leader stored with the old epoch while no producer had the coordinator's newer one.
 */
export function unjudgedText(store: PlayerStore, rows: readonly StripRow[]): string {
  const plan = store.frame?.plan ?? null;
  const { consumes, uncounted: count = 0 } = (plan === null ? undefined : endOf(plan)) ?? {};
  const broken = brokenIn(rows);
  const isUnseen = consumes === true && Object.keys(broken).length === 0;
  return sentences([isUnseen ? say("outcome.inputs_not_judged") : "", count === 0 || broken["fenced"] !== undefined ? "" : say("outcome.uncounted", { count })]);
}

/** The outcome of the run itself. In the plan of a changed run, `outcome` is that of the run as written. */
export function endOf({ outcome, cost, end }: Plan): Outcome | undefined {
  // A plan stored by an earlier release does not know the end of a changed run.
  return cost === undefined ? outcome : end;
}

/** The cost of the changes to the run, compared with the run as written; undefined while it is not known. */
function costOf(store: PlayerStore): Cost | undefined {
  const plan = store.frame?.plan ?? null;
  return plan?.steps !== store.newest || changesOf(store).length === 0 ? undefined : plan.cost;
}

/** The cost of the changes in one text; "" while it is not known. */
export function costText(store: PlayerStore): string {
  const cost = costOf(store);
  return cost === undefined ? "" : planCost(cost);
}

/** Why a guarantee broke or held in the changed run; "" while that is not known. */
export function moralText(store: PlayerStore): string {
  const moral = costOf(store)?.moral;
  return moral === undefined ? "" : say(moral.key, moral.params);
}

/** The cost as a text: its meaning first, then the numbers. */
export function planCost(cost: Cost): string {
  return sentences(costParts(cost));
}

export function costParts({ what, dearer, costs, kept, although, short = false }: Cost): [meaning: string, numbers: string] {
  const tell = ({ key: of, params }: { key: string; params: JsonObject }): string => say(of, params);
  const rest = clauses(kept.map(tell));
  const meaning = although === undefined
    ? say("outcome.after", { what: tell(what), kept: rest })
    : say(rest === "" ? "outcome.although" : "outcome.although_kept", { outcome: tell(although.outcome), fault: tell(although.fault), kept: rest });
  const numbers = say(costs.length === 0 ? (short ? "outcome.cost_short" : "outcome.cost_none") : dearer ? "outcome.cost" : "outcome.cost_mixed", { costs: facts(costs.map(tell)) });
  return [meaning, numbers];
}

export function isSame(one: Broken, other: Broken): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => one[name] === other[name]);
}

export interface Results {
  total: number;
  /** Records whose success was reported to the application. */
  stored: number;
  /** Records whose failure, abort or refusal was reported. */
  failed: number;
  /** Records without a report, or with one that does not settle their outcome. */
  open: number;
  /** Records that the logs hold. */
  kept: number;
  /**
   * Those of the records in the logs that belong to aborted transactions: read_committed consumers never receive them.
   */
  aborted: number;
  /** Records whose success was reported, although their transaction is aborted. */
  undone: number;
  /** Further copies of records in the logs. */
  twice: number;
}

/** Counts the records by what was reported to applications, and those in the logs; null if there are no records. */
export function resultsOf(frame: Frame): Results | null {
  const counts = new Map<string, number>();
  const add = (status: string, count: number): void => void counts.set(status, (counts.get(status) ?? 0) + count);
  for (const { status } of Object.values(frame.view.records ?? {})) add(status, 1);
  for (const far of Object.values(foldedRecords(frame.view).counts)) for (const [status, count] of Object.entries(far)) add(status, count);
  const of = (...names: string[]): number => names.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
  const total = [...counts.values()].reduce((sum, one) => sum + one, 0);
  if (total === 0) return null;
  const [stored, failed] = [of("ok"), of("failed", "refused", "aborted")];
  const verdicts = Object.values(frame.view.verdicts ?? {});
  const sum = (name: "stored" | "duplicates" | "aborted"): number => verdicts.reduce((all, one) => all + (one[name] ?? 0), 0);
  return { total, stored, failed, open: total - stored - failed, kept: sum("stored"), twice: sum("duplicates"), aborted: sum("aborted"), undone: undoneIn(frame) };
}

/** The engine's count for `Results.undone` at the end of the run; 0 before the end. */
function undoneIn({ plan, step }: Frame): number {
  return plan?.complete === true && plan.steps === step?.number ? (endOf(plan)?.undone ?? 0) : 0;
}

/** A sentence that compares what was reported to applications with what the logs hold. */
export function resultsText(results: Results): string {
  const parts = (["stored", "failed", "open"] as const).filter((part) => part === "stored" || results[part] > 0);
  const words = parts.map((part) => say(`lesson.results_${part}`, { ...results }));
  const twice = results.twice === 0 ? "" : "_twice";
  const said = say(`lesson.results${twice}${results.aborted > 0 ? "_aborted" : ""}`, { results: words, kept: results.kept, twice: results.twice, aborted: results.aborted });
  return results.undone === 0 ? said : sentences([said, say("lesson.results_undone", { count: results.undone })]);
}
