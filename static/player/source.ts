/**
 * Sources of steps: the interface that the store needs. `socket.ts` implements it with a session of the server,
 * `file-source.ts` with a recorded file. Messages are those of docs/websocket.md.
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

/** An action on a thing; without an intervention that is ready to be sent if the page makes it itself. */
export type Action = Omit<Offer, "intervention"> & Partial<Pick<Offer, "intervention">>;

/** A message without version and id, which the source adds. */
type Unsent<Message> = Message extends unknown ? Omit<Message, "v" | "id"> : never;

/** Requests of a page. */
export type Command = Unsent<
  | Advance | RunUntil | Search | AskTransactions | AskPlan | Rename | Pause | MakeBranch | Intervene | Window | AskNearView | AskDifference | AskAhead
  | AskActions | AskWhy
>;

/** Requests of presenters and followers. */
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
  /** The step that a command reached, why it stopped there, and which of its conditions hold there. */
  reached?: number;
  stopped?: Done["stopped"];
  /** After a search: the first and last step that were searched, and the steps found. */
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
  /** Called with the step that will follow `after`, unless something else happens first. */
  aheadCame(branch: string, after: number, step: Step): void;
  /** Called with the view after a step, and with the step if the message has it. */
  viewCame(branch: string, number: number, view: View, step: Step | null): void;
  /** Called with the plan of a branch that has so many interventions of its own. */
  planCame(branch: string, plan: Plan, interventions: number): void;
  statusChanged(status: Status): void;
  failed(problem: Problem): void;
  /** Called when a command cannot be carried out now and is sent again until it is; null: it was carried out. */
  delayed(problem: Problem | null): void;
}

export interface Source {
  /** Whether new steps can be made: not with a recording. */
  readonly live: boolean;
  start(listener: Listener): void;
  stop(): void;
  ask(command: Command): Promise<Answer>;
}

/** A branch in the form that the page uses: ids are text everywhere, whatever the server sends. */
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
