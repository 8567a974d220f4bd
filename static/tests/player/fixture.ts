/**
 * A made-up run for tests: steps with every kind of change (added, altered, removed, nested, arrays), and the views to
 * which they must lead, made by copying the whole view at each step, which is slow and obviously right.
 */

import type { Change, Header, Json, JsonObject, Step, View } from "../../player/frame.ts";
import type { Answer, BranchInfo, Command, Listener, Source, NetChange } from "../../player/source.ts";
import { normalBranch } from "../../player/source.ts";

export const HEADER: Header = {
  scenario: "SC-03",
  variant: null,
  title: { en: "The acknowledgement is lost", "zh-Hans": "确认丢失" },
  profile: "k28",
  version: "2.8",
  switches: {},
  altered: {},
  engine: "1",
  actors: [{ name: "p1", role: "client" }],
  partitions: ["t-0"],
  step_limit: 20000,
};

/** The same numbers every time: a linear congruential generator (Numerical Recipes' constants). */
export function numbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function at(view: JsonObject, path: string[]): Json | undefined {
  let here: Json | undefined = view;
  for (const name of path) {
    if (typeof here !== "object" || here === null || Array.isArray(here)) return undefined;
    here = here[name];
  }
  return here;
}

function put(view: JsonObject, change: Change): void {
  let parent = view;
  for (const name of change.path.slice(0, -1)) {
    const child = parent[name];
    if (typeof child !== "object" || child === null || Array.isArray(child)) parent[name] = {};
    parent = parent[name] as JsonObject;
  }
  const last = change.path[change.path.length - 1] as string;
  if ("after" in change) parent[last] = structuredClone(change.after) as Json;
  else delete parent[last];
}

function changeOf(view: JsonObject, path: string[], after: Json | undefined): Change {
  const before = at(view, path);
  const change: Change = { path };
  if (before !== undefined) change.before = structuredClone(before);
  if (after !== undefined) change.after = after;
  return change;
}

export function step(number: number, at: number, changes: Change[], more: Partial<Step> = {}): Step {
  return {
    number,
    at,
    actor: "p1",
    kind: "timer",
    key: "test.step",
    params: {},
    rules: [],
    notes: [],
    decision: null,
    refusal: null,
    messages: [],
    transition: null,
    interesting: false,
    broken: [],
    changes,
    ...more,
  };
}

export interface Run {
  steps: Step[];
  /** views[n] is the view after step n. */
  views: View[];
}

/** `count` steps after `start`; every `interestingEvery`th is interesting. */
export function makeRun(count: number, seed = 1, start: View = { time: 0 }, first = 1, interestingEvery = 7): Run {
  const next = numbers(seed);
  const view = structuredClone(start) as unknown as JsonObject;
  const steps: Step[] = [];
  const views: View[] = [structuredClone(start)];
  for (let number = first; number < first + count; number += 1) {
    const changes: Change[] = [];
    const make = (path: string[], after: Json | undefined): void => {
      if (after === undefined && at(view, path) === undefined) return;
      const change = changeOf(view, path, after);
      changes.push(change);
      put(view, change);
    };
    make(["time"], number * 5);
    const offset = String(Math.floor(next() * 40));
    make(["partitions", "t-0", "replicas", "1", "batches", offset], { base_offset: Number(offset), serials: [number] });
    make(["partitions", "t-0", "replicas", "1", "batches", offset, "size"], number);
    if (next() < 0.3) make(["partitions", "t-0", "replicas", "1", "batches", String(Math.floor(next() * 40))], undefined);
    make(["clients", "p1", "queues", "t-0", "batches"], [`b${number}`, "x"]);
    if (next() < 0.2) make(["clients", "p1", "queues"], undefined);
    steps.push(step(number, number * 5, changes, { interesting: number % interestingEvery === 0 }));
    views.push(structuredClone(view) as unknown as View);
  }
  return { steps, views };
}

/** The view without its empty objects and without `folded`, which are not part of the contract (docs/frame.md). */
export function withoutEmpty(value: Json | View): Json {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value as Json;
  const result: JsonObject = {};
  for (const [name, child] of Object.entries(value as JsonObject)) {
    if (name === "folded") continue;
    const kept = withoutEmpty(child);
    const isEmpty = typeof kept === "object" && kept !== null && !Array.isArray(kept) && Object.keys(kept).length === 0;
    if (!isEmpty) result[name] = kept;
  }
  return result;
}

export function branch(id: string, newest: number, more: Partial<BranchInfo> = {}): BranchInfo {
  return normalBranch({ id, name: id, parent: null, leaves_at: 0, newest, finished: null, interventions: [], first_broken: {}, ...more });
}

/** A source that holds runs, answers at once, and notes its requests. */
export class StoredSource implements Source {
  readonly live = true;
  readonly asked: Command[] = [];
  /** Cuts a view that is requested as a near view. */
  cut: (view: View, number: number) => View = (view, number) => ({ ...view, folded: { at: number, reaches: 500 } });
  listener: Listener | null = null;
  readonly runs: Record<string, Run>;
  readonly branches: BranchInfo[];

  constructor(runs: Record<string, Run>, branches: BranchInfo[]) {
    this.runs = runs;
    this.branches = branches;
  }

  start(listener: Listener): void {
    this.listener = listener;
    listener.welcomed({
      session: { id: "s", title: null, scenario: "SC-03", variant: null },
      header: HEADER,
      branches: this.branches,
      verified: null,
    });
    listener.statusChanged("live");
  }

  stop(): void {
    this.listener = null;
  }

  async ask(command: Command): Promise<Answer> {
    this.asked.push(command);
    await Promise.resolve();
    const run = "branch" in command ? this.runs[command.branch] : undefined;
    const info = this.branches.find((one) => one.id === command.branch);
    if (run === undefined || info === undefined) throw new Error("unknown branch");
    if (command.type === "window") {
      const steps = run.steps.filter((one) => one.number >= command.from && one.number <= command.to);
      this.listener?.stepsCame(command.branch, steps, undefined);
    }
    const ownerOf = (number: number): Run => (info.parent !== null && number <= info.leaves_at ? (this.runs[info.parent] as Run) : run);
    const stepsOf = (number: number): Step => ownerOf(number).steps.find((one) => one.number === number) as Step;
    if (command.type === "near_view") {
      const { number } = command;
      const owner = ownerOf(number);
      const view = owner.views[owner === run ? number - info.leaves_at : number] as View;
      const near = command.whole === true ? { ...view, folded: { at: number, reaches: 500 } } : this.cut(view, number);
      this.listener?.viewCame(command.branch, number, near, number === 0 ? null : stepsOf(number));
    }
    if (command.type === "difference") {
      const passed: NetChange[] = [];
      if (command.to > command.from) {
        for (let number = command.from + 1; number <= command.to; number += 1) passed.push(...stepsOf(number).changes.map(({ path, ...change }) => ("after" in change ? { path, after: change.after as Json } : { path })));
      } else {
        for (let number = command.from; number > command.to; number -= 1) passed.push(...[...stepsOf(number).changes].reverse().map(({ path, ...change }) => ("before" in change ? { path, after: change.before as Json } : { path })));
      }
      return { branch: command.branch, difference: { changes: passed, step: command.to === 0 ? null : stepsOf(command.to) } };
    }
    if (command.type === "branch") {
      const created = `made-${this.branches.length}`;
      this.runs[created] = run;
      this.branches.push(branch(created, command.at, { name: created, parent: command.branch, leaves_at: command.at }));
      this.listener?.branchesChanged(this.branches);
      return { branch: command.branch, created };
    }
    if (command.type === "advance") {
      const steps = run.steps.filter((one) => one.number > command.after && one.number <= command.after + command.count);
      this.listener?.stepsCame(command.branch, steps, null);
      return { branch: command.branch, newest: command.after + steps.length };
    }
    return { branch: command.branch };
  }
}

/** Draws when the test says so, as a browser does before it paints. */
export class Frames {
  #waiting: (() => void)[] = [];
  readonly schedule = (draw: () => void): void => void this.#waiting.push(draw);

  paint(): number {
    const draws = this.#waiting;
    this.#waiting = [];
    for (const draw of draws) draw();
    return draws.length;
  }

  /** Paints until nothing is waiting and every answer has arrived. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 3; ) {
      quiet = this.paint() === 0 ? quiet + 1 : 0;
      await new Promise((resume) => setImmediate(resume));
    }
  }
}
