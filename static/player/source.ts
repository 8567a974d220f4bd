/**
 * Where steps come from: the surface that the store needs, and the recorded file that offers it without a server.
 *
 * The other implementation is `socket.ts`. Messages are those of docs/websocket.md; a player file is described
 * in docs/player.md.
 */

import { get, linesOf } from "./addressed.ts";
import { parseExactly } from "./exact-json.ts";
import type { Condition } from "./conditions.ts";
import type { FileDerived } from "./derived.ts";
import type { Plan } from "./plan.ts";
import type { TransactionLines } from "./transactions.ts";
import type { Bilingual, Header, Json, JsonObject, Selection, Step, View } from "./frame.ts";
import type { WhyAnswer } from "./why-answer.ts";

export interface BranchInfo {
  id: string;
  name: string;
  /** What it is, where nobody named it. */
  said?: { key: string; params: JsonObject };
  parent: string | null;
  /** The last step this branch shares with its parent. */
  leaves_at: number;
  newest: number;
  /** Why the run ended, or null while it can go on. */
  finished: string | null;
  interventions: Json[];
  /** Guarantee to the step that first broke it. */
  first_broken: Record<string, number>;
}

export interface SessionInfo {
  id: string;
  title: Bilingual | string | null;
  scenario: string | null;
  variant: string | null;
}

export interface Verified {
  state: "verified" | "as_recorded" | "differs" | "log";
  engine?: string;
  step?: number | null;
}

export interface Welcome {
  session: SessionInfo;
  header: Header;
  branches: BranchInfo[];
  verified: Verified | null;
}

export interface Action {
  action: string;
  enabled: boolean;
  key: string;
  params: JsonObject;
  why_key: string | null;
  /** Ready to be sent as it is, when the server made it so. */
  intervention?: JsonObject;
}

/** What the page asks; `type` and fields of docs/websocket.md. The source adds version and id. */
export type Command =
  | { type: "advance"; branch: string; after: number; count: number; ahead?: boolean }
  | { type: "run_until"; branch: string; after: number; until: "interesting" | "end" | "time"; time?: number; limit: number }
  | { type: "run_until"; branch: string; after: number; until: "breakpoint"; conditions: Condition[]; limit: number }
  | { type: "search"; branch: string; from: number; to: number; conditions: Condition[]; any?: boolean }
  | { type: "transactions"; branch: string }
  | { type: "plan"; branch: string }
  | { type: "rename"; branch: string; name: string }
  | { type: "pause"; branch: string }
  | { type: "branch"; branch: string; at: number; name?: string }
  | { type: "intervene"; branch: string; after: number; intervention: JsonObject }
  | { type: "window"; branch: string; from: number; to: number }
  | { type: "sight"; branch: string; number: number; whole?: boolean }
  | { type: "way"; branch: string; from: number; to: number }
  | { type: "ahead"; branch: string; after: number }
  | { type: "actions"; branch: string; number: number; selection: Pick<Selection, "kind" | "id"> }
  | { type: "why"; branch: string; number: number; selection: Pick<Selection, "kind" | "id"> | null; question: string | null; subject: string };

/** A step that a search found, with its sentence. */
export interface Hit {
  number: number;
  at: number;
  actor: string;
  key: string;
  params: JsonObject;
}

/** Without `after` the path is removed. */
export interface WayChange {
  path: string[];
  after?: Json;
}

/** What changes from one view to another, and the step there (null at 0). */
export interface Way {
  changes: WayChange[];
  step: Step | null;
}

export interface Answer {
  branch?: string;
  newest?: number;
  created?: string;
  actions?: Action[];
  why?: WhyAnswer;
  transactions?: TransactionLines;
  /** Where a command got to, why it stopped there, and which of its conditions hold there. */
  reached?: number;
  stopped?: string;
  /** Of a search: what was looked at, and what was found. */
  from?: number;
  to?: number;
  numbers?: number[];
  way?: Way;
  hits?: (Hit | number)[];
}

/** A refused or failed command, in the catalogue's words. */
export class Problem extends Error {
  readonly code: string;
  readonly key: string;
  readonly params: JsonObject;
  readonly remedyKey: string | null;

  constructor(code: string, key: string, params: JsonObject = {}, remedyKey: string | null = null) {
    super(`${code}: ${key}`);
    this.code = code;
    this.key = key;
    this.params = params;
    this.remedyKey = remedyKey;
  }
}

export type Status = "connecting" | "live" | "reconnecting" | "recorded" | "failed";

export interface Listener {
  /** The last step held of each branch, for a connection that begins again. */
  have(): Record<string, number>;
  welcomed(welcome: Welcome): void;
  branchesChanged(branches: BranchInfo[]): void;
  stepsCame(branch: string, steps: Step[], finished: string | null | undefined): void;
  /** The step that will follow `after`, unless something else is done first. */
  aheadCame(branch: string, after: number, step: Step): void;
  /** The view after a step, with the step where it comes with it. */
  viewCame(branch: string, number: number, view: View, step: Step | null): void;
  /** The plan of a branch that was intervened in so many times, apart from its parents. */
  planCame(branch: string, plan: Plan, interventions: number): void;
  statusChanged(status: Status): void;
  failed(problem: Problem): void;
  /** A command cannot be carried out just now and is sent again until it is; null: it has been. */
  delayed(problem: Problem | null): void;
}

export interface Source {
  /** Whether new steps can be made; a recording only plays. */
  readonly live: boolean;
  start(listener: Listener): void;
  stop(): void;
  ask(command: Command): Promise<Answer>;
}

interface PlayerFile {
  v: number;
  kind: "replay" | "log";
  session: SessionInfo;
  header: Header;
  verified: Verified | null;
  branches: BranchInfo[];
  view: View;
  steps: Record<string, Step[]>;
  /** Instead of header, view and steps: where the lines of a replay are that hold them. */
  lines?: string;
  /** Of each branch, where the file has them. */
  plans?: Record<string, Plan>;
  /** Of each branch, likewise. */
  derived?: Record<string, FileDerived | null>;
  /** Of each branch, where whoever made the file told them. */
  transactions?: Record<string, TransactionLines>;
}

/** Ids are compared as text everywhere, whatever the server makes them. */
export function normalBranch(branch: BranchInfo): BranchInfo {
  return {
    ...branch,
    id: String(branch.id),
    parent: branch.parent === null || branch.parent === undefined ? null : String(branch.parent),
    leaves_at: branch.leaves_at ?? 0,
    finished: branch.finished || null,
    interventions: branch.interventions ?? [],
    first_broken: branch.first_broken ?? {},
  };
}

/** Plays one JSON file (docs/player.md). Everything is there at once; nothing can be asked but what it holds. */
export class FileSource implements Source {
  readonly live = false;
  readonly #address: string;
  #listener: Listener | null = null;
  #transactions: Record<string, TransactionLines> | null = null;

  constructor(address: string) {
    this.#address = address;
  }

  start(listener: Listener): void {
    this.#listener = listener;
    listener.statusChanged("connecting");
    this.#load().then(
      (file) => this.#play(file),
      (error: unknown) => {
        listener.statusChanged("failed");
        listener.failed(new Problem("unavailable", "player.file_unavailable", { reason: String(error) }));
      },
    );
  }

  stop(): void {
    this.#listener = null;
  }

  ask(command: Command): Promise<Answer> {
    // All steps were given at the start.
    if (command.type === "window" || command.type === "sight" || command.type === "way") return Promise.resolve({});
    if (command.type === "why") return Promise.reject(new Problem("refused", "player.why.recording", {}, "player.why.recording.remedy"));
    if (command.type === "plan") return Promise.resolve({});
    if (command.type === "ahead") return Promise.resolve({});
    if (command.type === "actions") return Promise.resolve({ actions: [] });
    if (command.type === "transactions") {
      const transactions = this.#transactions?.[command.branch];
      return Promise.resolve(transactions === undefined ? {} : { transactions });
    }
    return Promise.reject(new Problem("refused", "player.recording_cannot_change"));
  }

  async #load(): Promise<PlayerFile> {
    const file = parseExactly(await (await had(this.#address)).text()) as PlayerFile;
    if (file.v !== 1) throw new Error(`player file version ${String(file.v)}`);
    return withDerived(file.lines === undefined ? file : { ...file, ...(await readLines(await had(file.lines))) });
  }

  #play(file: PlayerFile): void {
    const listener = this.#listener;
    if (listener === null) return;
    const branches = file.branches.map(normalBranch);
    this.#transactions = file.transactions ?? null;
    listener.welcomed({ session: file.session, header: file.header, branches, verified: file.verified });
    for (const branch of branches) {
      const plan = file.plans?.[branch.id];
      if (plan !== undefined) listener.planCame(branch.id, plan, branch.interventions.length);
      if (branch.parent === null) listener.viewCame(branch.id, 0, file.view, null);
      listener.stepsCame(branch.id, file.steps[branch.id] ?? [], branch.finished ?? "recorded");
    }
    listener.statusChanged("recorded");
  }
}

/** The file with what is derived of its view and steps in them. The steps are written to. */
function withDerived(file: PlayerFile): PlayerFile {
  let view = file.view;
  for (const [branch, derived] of Object.entries(file.derived ?? {})) {
    derived?.steps.forEach((told, place) => {
      const step = file.steps[branch]?.[place];
      if (step !== undefined) step.derived = told;
    });
    if (derived?.view !== undefined) view = { ...view, derived: derived.view };
  }
  return { ...file, view };
}

async function had(address: string): Promise<Response> {
  const response = await get(address);
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  return response;
}

/** The lines of docs/replay-format.md. Whoever made the file has checked them; a line cut short does not parse. */
async function readLines(response: Response): Promise<Pick<PlayerFile, "header" | "view" | "steps">> {
  const steps: Record<string, Step[]> = {};
  let first: { header: Header; view: View } | null = null;
  for await (const line of linesOf(response)) {
    const read = parseExactly(line) as { type: string; branch: string; step: Step; header: Header; view: View };
    if (read.type === "step") (steps[read.branch] ??= []).push(read.step);
    else if (read.type === "header") first = { header: read.header, view: read.view };
    else if (read.type === "end" && first !== null) return { ...first, steps };
  }
  throw new Error("the recording has no end");
}
