/**
 * Sources of steps: the interface that the store needs. `socket.ts` implements it by a session of the server,
 * `file-source.ts` by a recorded file. Messages are those of docs/websocket.md.
 */

import type {
  Advance, AnswerPoll, AskActions, AskAhead, AskPlan, AskNearView, AskTransactions, AskDifference, AskWhy, Attend, ChangePoll, Done, Header, Hit,
  Intervene, JsonObject, LowerHand, LowerHands, MakeBranch, Offer, OpenPoll, Pause, Plan, PlayedBranch, PlayedSession,
  RaiseHand, Rename, RunUntil, Search, SentStep as Step, TransactionLines, Verified, DifferenceAnswer, NetChange, Window,
} from "../generated/messages.ts";
import type { View } from "./frame.ts";
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
