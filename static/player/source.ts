/**
 * Sources of steps: the interface that the store needs, and its implementation by a recorded file, without a server.
 *
 * The other implementation is `socket.ts`. Messages are those of docs/websocket.md; a player file is described
 * in docs/player.md.
 */

import type {
  Advance, AnswerPoll, AskActions, AskAhead, AskPlan, AskNearView, AskTransactions, AskDifference, AskWhy, Attend, ChangePoll, Done, Header, Hit,
  Intervene, JsonObject, LowerHand, LowerHands, MakeBranch, Offer, OpenPoll, Pause, Plan, PlayedBranch, PlayedSession, PlayerFile,
  RaiseHand, Rename, RunUntil, Search, SentStep as Step, NearView, TransactionLines, Verified, DifferenceAnswer, NetChange, Window,
} from "../generated/messages.ts";
import { get, linesOf } from "./addressed.ts";
import { parseExactly } from "./exact-json.ts";
import type { View } from "./frame.ts";
import type { AskedWhy, LogAnswers } from "./log-why.ts";
import { whyInLog } from "./log-why.ts";
import type { WhyAnswer } from "./why-answer.ts";

/** A branch, as a session or a player file describes it. */
export type BranchInfo = PlayedBranch & Required<Pick<PlayedBranch, "said">>;

export type SessionInfo = PlayedSession;

export interface Welcome {
  session: SessionInfo;
  header: Header;
  branches: BranchInfo[];
  verified: Verified | null;
}

/** An action; a page makes some of them itself, without an intervention that is ready to be sent. */
export type Action = Omit<Offer, "intervention"> & Partial<Pick<Offer, "intervention">>;

/** A message without version and id, which the source adds. */
type Unsent<Message> = Message extends unknown ? Omit<Message, "v" | "id"> : never;

/** What the page asks. */
export type Command = Unsent<
  | Advance | RunUntil | Search | AskTransactions | AskPlan | Rename | Pause | MakeBranch | Intervene | Window | AskNearView | AskDifference | AskAhead
  | AskActions | AskWhy
>;

/** Requests of presenters and followers. */
export type AudienceCommand = Unsent<RaiseHand | LowerHand | AnswerPoll | Attend | LowerHands | OpenPoll | ChangePoll>;

export type { Hit, NetChange };

/** What changes from one view to another, and the step there (null at 0). */
export type Difference = Pick<DifferenceAnswer, "changes" | "step">;

export interface Answer {
  branch?: string;
  newest?: number;
  created?: string;
  actions?: Action[];
  why?: WhyAnswer;
  transactions?: TransactionLines;
  /** The step that a command reached, why it stopped there, and which of its conditions hold there. */
  reached?: number;
  stopped?: Done["stopped"];
  /** After a search: the steps that were searched, and what was found. */
  from?: number;
  to?: number;
  numbers?: number[];
  difference?: Difference;
  hits?: (Hit | number)[];
}

/** A refused or failed command, as a key of the catalogue with parameters. */
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
  /** The last held step of each branch, for a new connection. */
  have(): Record<string, number>;
  welcomed(welcome: Welcome): void;
  branchesChanged(branches: BranchInfo[]): void;
  stepsCame(branch: string, steps: Step[], finished: string | null | undefined): void;
  /** The step that will follow `after`, unless something else is done first. */
  aheadCame(branch: string, after: number, step: Step): void;
  /** The view after a step, with the step where it comes with it. */
  viewCame(branch: string, number: number, view: View, step: Step | null): void;
  /** The plan of a branch with so many interventions of its own. */
  planCame(branch: string, plan: Plan, interventions: number): void;
  statusChanged(status: Status): void;
  failed(problem: Problem): void;
  /** A command cannot be carried out now and is sent again until it is; null: it was carried out. */
  delayed(problem: Problem | null): void;
}

export interface Source {
  /** Whether new steps can be made; not in a recording. */
  readonly live: boolean;
  start(listener: Listener): void;
  stop(): void;
  ask(command: Command): Promise<Answer>;
}

/** First with the content of `lines`, then with the derived parts in their places. */
type Played = Omit<PlayerFile, "header" | "view" | "steps"> & { header: Header; view: NearView; steps: Record<string, Step[]> };

/** Ids are compared as text everywhere, whatever the server makes them. */
export function normalBranch(branch: PlayedBranch): BranchInfo {
  const interventions = branch.interventions ?? [];
  return {
    ...branch,
    // A file of an earlier release does not say it.
    said: branch.said ?? { key: branch.parent == null && interventions.length === 0 ? "branch.original" : "branch.changed", params: { name: branch.name } },
    id: String(branch.id),
    parent: branch.parent === null || branch.parent === undefined ? null : String(branch.parent),
    leaves_at: branch.leaves_at ?? 0,
    finished: branch.finished || null,
    interventions,
    first_broken: branch.first_broken ?? {},
  };
}

/**
 * Plays one JSON file (docs/player.md). Everything is there at once; only questions whose answers it holds can be
 * asked.
 */
export class FileSource implements Source {
  readonly live = false;
  readonly #address: string;
  #listener: Listener | null = null;
  #transactions: Record<string, TransactionLines> | null = null;
  #answers: LogAnswers | null = null;

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
    if (command.type === "window" || command.type === "near_view" || command.type === "difference") return Promise.resolve({});
    if (command.type === "why") return this.#why(command);
    if (command.type === "plan") return Promise.resolve({});
    if (command.type === "ahead") return Promise.resolve({});
    if (command.type === "actions") return Promise.resolve({ actions: [] });
    if (command.type === "transactions") {
      const transactions = this.#transactions?.[command.branch];
      return Promise.resolve(transactions === undefined ? {} : { transactions });
    }
    return Promise.reject(new Problem("refused", "player.recording_cannot_change"));
  }

  /** A log case holds its answers; other recordings have no engine to answer. */
  #why(command: AskedWhy): Promise<Answer> {
    if (this.#answers === null) return Promise.reject(new Problem("refused", "player.why.recording", {}, "player.why.recording.remedy"));
    return Promise.resolve({ why: whyInLog(this.#answers, command) });
  }

  async #load(): Promise<Played> {
    const file = parseExactly(await (await had(this.#address)).text()) as Played;
    if (file.v !== 1) throw new Error(`player file version ${String(file.v)}`);
    return withDerived(file.lines === undefined ? file : { ...file, ...(await readLines(await had(file.lines))) });
  }

  #play(file: Played): void {
    const listener = this.#listener;
    if (listener === null) return;
    const branches = file.branches.map(normalBranch);
    this.#transactions = file.transactions ?? null;
    this.#answers = file.why === undefined ? null : { why: file.why, written: branches.find(({ parent }) => parent === null) ?? null, steps: file.steps };
    listener.welcomed({ session: file.session, header: file.header, branches, verified: file.verified });
    for (const branch of branches) {
      const plan = file.plans?.[branch.id];
      if (plan !== undefined) listener.planCame(branch.id, plan, branch.interventions.length);
      if (branch.parent === null) listener.viewCame(branch.id, 0, file.view as View, null); // Panels get it whole (`whole.ts`).
      listener.stepsCame(branch.id, file.steps[branch.id] ?? [], branch.finished ?? "recorded");
    }
    listener.statusChanged("recorded");
  }
}

/** The file, with the derived parts added to its view and steps. Modifies the steps. */
function withDerived(file: Played): Played {
  let view = file.view;
  for (const [branch, derived] of Object.entries(file.derived ?? {})) {
    derived?.steps.forEach((known, place) => {
      const step = file.steps[branch]?.[place];
      if (step !== undefined) step.derived = known;
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

/** The lines of docs/replay-format.md. The maker of the file has checked them; a line cut short does not parse. */
async function readLines(response: Response): Promise<Pick<Played, "header" | "view" | "steps">> {
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
