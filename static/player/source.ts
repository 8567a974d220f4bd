/**
 * The interface between the store and a source of steps. `socket.ts` implements it with a session of the server,
 * `file-source.ts` with a recorded file. The messages are those of docs/websocket.md.
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

/** An action on a thing. `intervention` is missing if the page composes it from the reader's input. */
export type Action = Omit<Offer, "intervention"> & Partial<Pick<Offer, "intervention">>;

/** A message without version and id, which the source adds. */
type Unsent<Message> = Message extends unknown ? Omit<Message, "v" | "id"> : never;

/** The requests that a page sends to its source. */
export type Command = Unsent<
  | Advance | RunUntil | Search | AskTransactions | AskPlan | Rename | Pause | MakeBranch | Intervene | Window | AskNearView | AskDifference | AskAhead
  | AskActions | AskWhy
>;

/** The requests that only pages of presenters and followers send. */
export type AudienceCommand = Unsent<RaiseHand | LowerHand | AnswerPoll | Attend | LowerHands | OpenPoll | ChangePoll>;

export type { Hit, NetChange };

/** The changes from one view to another, and the step of the latter (null at 0). */
export type Difference = Pick<DifferenceAnswer, "changes" | "step">;

export interface Answer {
  branch?: string;
  newest?: number;
  created?: string;
  actions?: Action[];
  why?: WhyAnswer;
  transactions?: TransactionLines;
  /** `reached`: the step that a command reached; `stopped`: why it stopped there. */
  reached?: number;
  stopped?: Done["stopped"];
  /** After a search: the first and last step that were searched, and the steps found. */
  from?: number;
  to?: number;
  numbers?: number[];
  difference?: Difference;
  hits?: (Hit | number)[];
}

/** Why a command was refused or failed: a code, and a key of the catalogue with parameters. */
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
  /** Branch → the last step that the page holds, which a new connection tells the server. */
  have(): Record<string, number>;
  welcomed(welcome: Welcome): void;
  branchesChanged(branches: BranchInfo[]): void;
  stepsCame(branch: string, steps: Step[], finished: string | null | undefined): void;
  /** Called with the step that follows `after` if the reader steps on without an intervention. */
  aheadCame(branch: string, after: number, step: Step): void;
  /** Called with the view after a step, and with the step if the message has it. */
  viewCame(branch: string, number: number, view: View, step: Step | null): void;
  /**
   * Called with the plan of a branch. `interventions`: how many of its own interventions the plan takes into account.
   */
  planCame(branch: string, plan: Plan, interventions: number): void;
  statusChanged(status: Status): void;
  failed(problem: Problem): void;
  /** Called with the reason why a command has to be sent again until it is carried out; null: it has been. */
  delayed(problem: Problem | null): void;
}

export interface Source {
  /** Whether the source can make new steps. False for a recording and for a follower. */
  readonly live: boolean;
  start(listener: Listener): void;
  stop(): void;
  ask(command: Command): Promise<Answer>;
}

/** A branch in the form that the page uses: its id and its parent's id are strings, and no field is missing. */
export function normalBranch(branch: PlayedBranch): BranchInfo {
  const interventions = branch.interventions ?? [];
  return {
    ...branch,
    // A file of an earlier release does not name its branches.
    said: branch.said ?? { key: branch.parent == null && interventions.length === 0 ? "branch.original" : "branch.changed", params: { name: branch.name } },
    id: String(branch.id),
    parent: branch.parent === null || branch.parent === undefined ? null : String(branch.parent),
    leaves_at: branch.leaves_at ?? 0,
    finished: branch.finished || null,
    interventions,
    first_broken: branch.first_broken ?? {},
  };
}
