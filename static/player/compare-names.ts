/** The names of two compared runs: each is called by what distinguishes it from the other. */

import type { Altered } from "./altered.ts";
import { differing } from "./altered.ts";
import { branchTitle } from "./branch-name.ts";
import type { Done } from "./done.ts";
import { doneOnLine, inWords } from "./done.ts";
import { facts as joined, listed, named } from "./joins.ts";
import type { PlayerStore } from "./store.ts";
import { say, words } from "./text.ts";

export class SideNames {
  readonly #stores: readonly PlayerStore[];
  /** Whether both are branches of one run. */
  readonly #isOneSession: boolean;

  constructor(stores: readonly PlayerStore[], isOneSession: boolean) {
    this.#stores = stores;
    this.#isOneSession = isOneSession;
  }

  /**
   * Whether both runs are branches of one session, variants of one scenario, or one run with different settings: each
   * side is then named by the difference.
   */
  get isOneScenario(): boolean {
    const [left, right] = this.#stores;
    if (this.#isOneSession || left === undefined || right === undefined) return this.#isOneSession;
    return left.header?.scenario === right.header?.scenario && this.#runName(left) !== this.#runName(right);
  }

  /** The long name, which stands over a side. */
  whole(store: PlayerStore): string {
    if (this.#isOneSession) return this.#called(store);
    const name = this.isOneScenario ? this.#runName(store) : titleOf(store);
    const done = doneTo(store);
    return done.length === 0 ? name : joined([name, say("player.compare.changed", { done: doneWords(store, done) })]);
  }

  /** The short name, for a place with room for a few words. */
  short(store: PlayerStore): string {
    if (!this.#isOneSession) return this.isOneScenario ? this.#runHead(store) : (store.header?.scenario ?? "…");
    return this.#ownDone(store).length > 0 ? branchTitle(store.lines.branches, store.branch) : this.#called(store);
  }

  /** The settings in which this run differs from the other one, without the setting that names it. */
  setOtherwise(store: PlayerStore): Altered[] {
    return this.#only(store).slice(this.#naming(store).length);
  }

  /** The name of a run beside another run of its scenario: its variant, or else the first setting that differs. */
  #runName(store: PlayerStore): string {
    const [setting] = this.#naming(store);
    return setting === undefined ? variantOf(store) : settingWords(setting);
  }

  /** The part before the colon of the name, if it differs in the two names: `Kafka 2.8`. */
  #runHead(store: PlayerStore): string {
    const [own, other] = [store, this.#other(store)].map((one) => (one === undefined ? "" : this.#runName(one)));
    const [head = "", otherHead] = [own, other].map((name) => name?.split(/[:：]/)[0]);
    return head === otherHead ? (own ?? "") : head;
  }

  /** The setting that names a side. */
  #naming(store: PlayerStore): Altered[] {
    return store.header?.variant === this.#other(store)?.header?.variant ? this.#only(store).slice(0, 1) : [];
  }

  /** The settings in which this run differs from the other one. */
  #only(store: PlayerStore): Altered[] {
    const other = this.#other(store)?.header ?? null;
    return store.header === null || other === null ? [] : differing(store.header, other);
  }

  /**
   * The name of a branch beside another one of its session, as both have the same title: the changes that only this one
   * has.
   */
  #called(store: PlayerStore): string {
    const own = this.#ownDone(store);
    if (own.length === 0) return say(doneTo(store).length === 0 ? "player.compare.original" : "player.compare.as_before");
    return named(branchTitle(store.lines.branches, store.branch), doneWords(store, own));
  }

  /** The interventions in this run that the other one does not have. */
  #ownDone(store: PlayerStore): Done[] {
    const other = this.#other(store);
    const others = new Set((other === undefined ? [] : doneTo(other)).map(({ after, branch }) => `${branch}/${after}`));
    return doneTo(store).filter(({ after, branch }) => !others.has(`${branch}/${after}`));
  }

  #other(store: PlayerStore): PlayerStore | undefined {
    return this.#stores.find((one) => one !== store);
  }
}

/** The title of a run's scenario. */
export function titleOf({ header }: PlayerStore): string {
  return header === null ? "…" : header.title[words.language] || header.scenario;
}

/** A setting in words: `Kafka 3.9`, `p1 retries 3`. */
function settingWords({ of, kafka, name, value }: Altered): string {
  return [of, kafka || name, value].filter((one) => one !== "").join(" ");
}

function variantOf({ header }: PlayerStore): string {
  return header?.variant_title?.[words.language] ?? say("player.compare.original");
}

function doneTo({ lines, branch }: PlayerStore): Done[] {
  return doneOnLine(lines.branches, branch);
}

function doneWords({ lines }: PlayerStore, done: readonly Done[]): string {
  return listed(done.map((one) => say("lesson.changed_at", { what: inWords(one, lines), step: one.after })));
}
