// Made by `make schema` from docs/messages.schema.json. Change the types of the server (eosviz/contract/README.md).

/**
 * What goes between server and page of eosviz, version 1.
 */
export type Sent = FromPage | FromServer | Question | PlayerFile | Alongside;
export type FromPage =
  | Advance
  | RunUntil
  | MakeBranch
  | Intervene
  | Hello
  | Pause
  | Window
  | AskKeyframe
  | AskNearView
  | AskDifference
  | Search
  | Rename
  | AskTransactions
  | AskPlan
  | AskAhead
  | AskActions
  | AskWhy
  | Present
  | Ping
  | RaiseHand
  | LowerHand
  | AnswerPoll
  | Attend
  | LowerHands
  | OpenPoll
  | ChangePoll;
export type Condition = OnKind | OnInteresting | OnBroken | OnState | OnError | OnSubject | OnRule | OnText;
export type Intervention =
  | DropMessage
  | DuplicateMessage
  | DelayMessage
  | ReorderMessage
  | Crash
  | Restart
  | PauseActor
  | ResumeActor
  | ChangeSetting
  | DisconnectMessage
  | HoldMessages
  | ChangeLeader
  | ShrinkIsr
  | RestoreIsr
  | DeleteHead
  | Compact
  | ExpireProducers
  | MakeUnavailable
  | MakeAvailable
  | ListTransactions
  | DescribeTransaction
  | DescribeProducers
  | FindHanging
  | AbortHanging;
/**
 * Any value of JSON.
 */
export type Json = (null | boolean | number | string) | Json[] | JsonObject;
export type FromServer =
  | Welcome
  | Branches
  | Steps
  | Ahead
  | KeyframeAnswer
  | NearViewAnswer
  | DifferenceAnswer
  | Done
  | FoundSteps
  | Transactions
  | PlanAnswer
  | Renamed
  | Actions
  | Why
  | ErrorMessage
  | Pong
  | Presented
  | OwnHand
  | CurrentPoll
  | Answered
  | Audience;

export interface Advance {
  type: "advance";
  v: 1;
  id: string;
  branch: string;
  after: number;
  count: number;
  /**
   * Used only by the WebSocket. True: also send the step after the last step of this command, before the page asks for it. It is not stored.
   */
  ahead?: boolean;
  /**
   * Used only by the WebSocket: what the presenter looks at. If the step was made ahead and the presenter's socket stores it, the `steps` message also moves the followers to the step. Otherwise this field has no effect, and the page sends `present`.
   */
  present?: Look | null;
}
/**
 * How the presenter looks at the step that a command makes.
 */
export interface Look {
  view?: "code" | "lanes" | "spacetime" | "spacetime:time" | "stage" | "text" | "transactions";
  selection?: Selection | null;
}
/**
 * The object that the reader selected. It does not need to exist.
 */
export interface Selection {
  kind: "actor" | "batch" | "message" | "partition" | "record" | "timer" | "transaction";
  id: string;
  partition?: string | null;
  serials?: number[] | null;
}
export interface RunUntil {
  type: "run_until";
  v: 1;
  id: string;
  branch: string;
  after: number;
  until: "breakpoint" | "end" | "interesting" | "time";
  time?: number | null;
  /**
   * With `breakpoint`: the run stops at a step at which any of these conditions holds.
   */
  conditions?: Condition[];
  limit?: number;
}
export interface OnKind {
  on: "kind";
  kind: "api_call" | "delivery" | "fault" | "log" | "replication" | "sender_phase" | "timer" | "zookeeper";
}
/**
 * The step is one at which a learner should stop (`engine.step.Step.interesting`).
 */
export interface OnInteresting {
  on: "interesting";
}
/**
 * The step breaks a guarantee, or adds records that break a guarantee that was already broken. Without a
 *     name: any guarantee.
 */
export interface OnBroken {
  on: "broken";
  guarantee?: string | null;
}
/**
 * A state machine of the engine's tables enters a state. `of`: the owner of the machine; without it, the
 *     machine of any owner.
 */
export interface OnState {
  on: "state";
  machine: string;
  state: string;
  of?: string | null;
}
/**
 * The step's refusal, one of its sentences, or a message that it sends or removes contains this error.
 *     Without a name: any error.
 */
export interface OnError {
  on: "error";
  error?: string | null;
}
/**
 * The step is about this actor, partition, transactional id or message.
 */
export interface OnSubject {
  on: "subject";
  kind: "actor" | "message" | "partition" | "transaction";
  id: string;
}
/**
 * The step exercised a requirement. `rule`: the letters of a group (`SEQ`: any requirement of the group),
 *     or the ID of one requirement (`SEQ-10`).
 */
export interface OnRule {
  on: "rule";
  rule: string;
}
/**
 * The step's text in this language contains every word. Case is ignored.
 */
export interface OnText {
  on: "text";
  text: string;
  language: "en" | "zh-Hans";
}
export interface MakeBranch {
  type: "branch";
  v: 1;
  id: string;
  branch: string;
  at: number;
  name?: string | null;
}
export interface Intervene {
  type: "intervene";
  v: 1;
  id: string;
  branch: string;
  after: number;
  intervention: Intervention;
}
/**
 * Drops the message. If a message can be lost only when its connection closes (GEN-11), the connection is
 *     closed, too.
 */
export interface DropMessage {
  action: "drop_message";
  message: number;
  taken?: number;
}
export interface DuplicateMessage {
  action: "duplicate_message";
  message: number;
}
export interface DelayMessage {
  action: "delay_message";
  message: number;
  by: number;
}
export interface ReorderMessage {
  action: "reorder_message";
  message: number;
}
export interface Crash {
  action: "crash";
  actor: string;
}
export interface Restart {
  action: "restart";
  actor: string;
}
export interface PauseActor {
  action: "pause";
  actor: string;
}
export interface ResumeActor {
  action: "resume";
  actor: string;
}
export interface ChangeSetting {
  action: "set";
  path: string;
  value: number | boolean | string;
}
/**
 * Closes the connection that carries the message.
 */
export interface DisconnectMessage {
  action: "disconnect_message";
  message: number;
  taken?: number;
}
/**
 * The messages that are in flight from or to the actor arrive after the virtual time `until` (ms).
 *     Messages that have already reached their broker and wait there are not held.
 */
export interface HoldMessages {
  action: "hold_messages";
  actor: string;
  until: number;
}
export interface ChangeLeader {
  action: "change_leader";
  partition: string;
  broker?: number | null;
}
export interface ShrinkIsr {
  action: "shrink_isr";
  partition: string;
  broker?: number | null;
}
export interface RestoreIsr {
  action: "restore_isr";
  partition: string;
  broker?: number | null;
}
/**
 * Deletes the records with offsets below `to`. Without `to`, deletes all records below the high
 *     watermark.
 */
export interface DeleteHead {
  action: "delete_head";
  partition: string;
  to?: number | null;
}
export interface Compact {
  action: "compact";
  partition: string;
}
export interface ExpireProducers {
  action: "expire_producers";
  partition: string;
}
export interface MakeUnavailable {
  action: "make_unavailable";
  actor: string;
}
export interface MakeAvailable {
  action: "make_available";
  actor: string;
}
/**
 * `list`. With `duration_ms`, the transactions that began at most that long ago are not listed.
 */
export interface ListTransactions {
  action: "list_transactions";
  duration_ms?: number | null;
}
export interface DescribeTransaction {
  action: "describe_transaction";
  transactional_id: string;
}
/**
 * `describe-producers`, at the leader of the partition or at `broker`.
 */
export interface DescribeProducers {
  action: "describe_producers";
  partition: string;
  broker?: number | null;
}
/**
 * `find-hanging`, in the replicas of a broker, a topic or a partition.
 */
export interface FindHanging {
  action: "find_hanging";
  broker?: number | null;
  topic?: string | null;
  partition?: string | null;
  timeout_minutes?: number | null;
}
/**
 * `abort`. The transaction is named by its first offset or by its producer.
 */
export interface AbortHanging {
  action: "abort_hanging";
  partition: string;
  start_offset?: number | null;
  producer_id?: number | null;
  producer_epoch?: number | null;
  coordinator_epoch?: number | null;
}
export interface Hello {
  type: "hello";
  v: 1;
  id: string;
  have?: {
    [k: string]: number;
  };
  /**
   * The token of a follower's page. The page creates it once and keeps it, so that a follower who comes back is recognised.
   */
  follower?: string | null;
}
export interface Pause {
  type: "pause";
  v: 1;
  id: string;
  branch: string;
}
export interface Window {
  type: "window";
  v: 1;
  id: string;
  branch: string;
  from: number;
  to: number;
}
export interface AskKeyframe {
  type: "keyframe";
  v: 1;
  id: string;
  branch: string;
  number: number;
}
/**
 * Asks for the view after exactly this step: the parts that a page draws or, with `whole`, the whole
 *     view.
 */
export interface AskNearView {
  type: "near_view";
  v: 1;
  id: string;
  branch: string;
  number: number;
  whole?: boolean;
}
/**
 * Asks what changes from the view after step `from` to the view after step `to`, which may be earlier or
 *     later.
 */
export interface AskDifference {
  type: "difference";
  v: 1;
  id: string;
  branch: string;
  from: number;
  to: number;
}
/**
 * Asks which of the stored steps `from` to `to` of a branch and its ancestors fulfil all conditions or,
 *     with `any`, at least one.
 */
export interface Search {
  type: "search";
  v: 1;
  id: string;
  branch: string;
  from: number;
  to: number;
  conditions: Condition[];
  any?: boolean;
}
export interface Rename {
  type: "rename";
  v: 1;
  id: string;
  branch: string;
  name: string;
}
export interface AskTransactions {
  type: "transactions";
  v: 1;
  id: string;
  branch: string;
}
/**
 * Asks for the plan of a branch's run: the position of each drawn object, and the beats (docs/frame.md,
 *     *Plan*).
 */
export interface AskPlan {
  type: "plan";
  v: 1;
  id: string;
  branch: string;
}
/**
 * Asks for the step that follows the newest step, `after`, if there is no intervention before it.
 */
export interface AskAhead {
  type: "ahead";
  v: 1;
  id: string;
  branch: string;
  after: number;
}
export interface AskActions {
  type: "actions";
  v: 1;
  id: string;
  branch: string;
  number: number;
  selection: Selection;
}
/**
 * Asks for the questions about a selected object (null: about what is remarkable at the step), and for
 *     the answer to `question` or, without it, to the first of them.
 */
export interface AskWhy {
  type: "why";
  v: 1;
  id: string;
  branch: string;
  number: number;
  selection?: Selection | null;
  question?: string | null;
  subject?: string;
}
/**
 * The presenter's current position. All followers move there.
 */
export interface Present {
  type: "present";
  v: 1;
  id: string;
  branch: string;
  step: number;
  view?: "code" | "lanes" | "spacetime" | "spacetime:time" | "stage" | "text" | "transactions";
  zoom?: string;
  selection?: Selection | null;
  why?: ShownWhy | null;
}
/**
 * The question that the presenter asked, and the engine's answer. Followers cannot ask questions.
 */
export interface ShownWhy {
  key: string;
  params: JsonObject;
  links: ShownLink[];
}
export interface JsonObject {
  [k: string]: Json;
}
/**
 * One sentence of an answer that the presenter shows.
 */
export interface ShownLink {
  key: string;
  params: JsonObject;
  rules: string[];
  subject: Selection | null;
  compared: [Json, Json][];
  step: number | null;
  answers?: boolean;
}
export interface Ping {
  type: "ping";
  v: 1;
  id: string;
}
/**
 * Raises a hand at the step that the follower sees. A hand that is already raised moves to this step and
 *     gets the new text.
 */
export interface RaiseHand {
  type: "raise_hand";
  v: 1;
  id: string;
  branch: string;
  step: number;
  text?: string;
}
export interface LowerHand {
  type: "lower_hand";
  v: 1;
  id: string;
}
/**
 * `poll`: the number that was sent with the question. A further choice replaces the earlier one.
 */
export interface AnswerPoll {
  type: "answer_poll";
  v: 1;
  id: string;
  poll: number;
  choice: string;
}
/**
 * Asks that this page gets hands and answers from now on.
 */
export interface Attend {
  type: "attend";
  v: 1;
  id: string;
}
/**
 * Lowers the hands of these followers; without a list, all hands.
 */
export interface LowerHands {
  type: "lower_hands";
  v: 1;
  id: string;
  followers?: number[] | null;
}
/**
 * Asks the engine's question after step `at`. If a poll on this question is already open, nothing
 *     changes. Otherwise a new poll replaces the current poll and its answers.
 */
export interface OpenPoll {
  type: "open_poll";
  v: 1;
  id: string;
  branch: string;
  at: number;
}
/**
 * Changes the poll. A change that `POLL_CHANGES` (`eosviz/audience/models.py`) does not allow in the
 *     poll's state is refused.
 */
export interface ChangePoll {
  type: "change_poll";
  v: 1;
  id: string;
  poll: number;
  change: "close" | "end" | "hide" | "reveal" | "show";
}
export interface Welcome {
  type: "welcome";
  v: number;
  re: string;
  session: SessionSummary;
  header: Header;
  branches: BranchSummary[];
  limits: Limits;
  /**
   * The version of the engine that made the session, if it is not the version of this server. The steps are then shown as they were recorded, and the server may refuse to make more (`problem.engine_differs`).
   */
  other_engine: string | null;
}
export interface SessionSummary {
  id: string;
  title: Bilingual;
  scenario: string;
  variant: string | null;
  continues: boolean;
}
export interface Bilingual {
  en: string;
  "zh-Hans": string;
}
/**
 * The constant part of a run.
 */
export interface Header {
  scenario: string;
  variant: string | null;
  title: Bilingual;
  variant_title?: Bilingual | null;
  /**
   * The scenario's summary, if it has one; absent in a log case, like the next two fields.
   */
  summary?: Bilingual | null;
  watch_for?: Bilingual | null;
  lesson?: Bilingual | null;
  profile: string;
  version: string;
  /**
   * Dict of client → its Kafka version, for each client whose version differs from the cluster's. Absent if no version differs.
   */
  client_versions?: {
    [k: string]: string;
  };
  /**
   * The switches that the scenario sets, also those that it sets to their default.
   */
  switches: JsonObject;
  /**
   * Dict of path of a setting → its values.
   */
  altered: {
    [k: string]: Json[];
  };
  engine: string;
  actors: Actor[];
  partitions: string[];
  step_limit: number;
  /**
   * The panel that the page opens with, if the scenario names one.
   */
  opens_on?: "lanes" | "spacetime" | "stage";
  /**
   * The author's names of beats, if the scenario has any.
   */
  beats?: NamedBeat[];
  /**
   * Only in a log case: the time that is 0 in the steps, in milliseconds since 1970. Null when no batch has a time.
   */
  time_origin?: number | null;
}
/**
 * An actor with a lane. Actors are listed in the order in which they are drawn.
 */
export interface Actor {
  name: string;
  role: string;
}
/**
 * A name that the scenario's author gives to a beat.
 */
export interface NamedBeat {
  /**
   * The kind of step that opens the beat (engine/view/openers.py).
   */
  kind: string;
  /**
   * The number of the beat among the beats of this kind, from 1.
   */
  nth: number;
  title: Bilingual;
}
export interface BranchSummary {
  id: string;
  name: string;
  /**
   * How pages name the branch.
   */
  said: BranchName;
  parent: string | null;
  leaves_at: number;
  newest: number;
  finished: string | null;
  interventions: MadeIntervention[];
  first_broken: {
    [k: string]: number;
  };
}
/**
 * How a sentence names a branch: the key in the catalogue, and the parameters.
 */
export interface BranchName {
  key: string;
  params: JsonObject;
}
/**
 * An intervention on a branch. `after`: the number of the step after which it was made.
 */
export interface MadeIntervention {
  after: number;
  intervention: Intervention;
}
/**
 * The limits in `welcome` and `GET /api/limits` (docs/websocket.md, *Limits*).
 */
export interface Limits {
  message_bytes: number;
  /**
   * How many messages per second the sockets of one user may send without a pause.
   */
  messages_per_second: number;
  messages_burst: number;
  advance_steps: number;
  run_steps: number;
  window_steps: number;
  /**
   * The numbers of two steps between whose views a page asks for the difference may differ by at most this.
   */
  difference_steps: number;
  /**
   * One search reads at most this many steps. A page that searches more steps sends several searches.
   */
  search_steps: number;
  /**
   * The answer to a search contains the numbers of all steps found, and the sentences of at most this many.
   */
  search_hits: number;
  breakpoints: number;
  steps_per_session: number;
  branches_per_session: number;
  interventions_per_branch: number;
  sessions_per_browser: number;
  name_characters: number;
  /**
   * At most this many followers of a presentation may answer and raise their hands. More may watch.
   */
  followers_heard: number;
  hand_characters: number;
  /**
   * How often per minute one follower may raise a hand, lower it or answer, all together. After a pause, a follower may do this many at once.
   */
  follower_deeds_per_minute: number;
  keyframe_every: number;
}
export interface Branches {
  type: "branches";
  v: number;
  branches: BranchSummary[];
}
/**
 * `steps`: each step is JSON with derived facts (docs/frame.md, *Derived*).
 */
export interface Steps {
  type: "steps";
  v: number;
  branch: string;
  from: number;
  steps: SentStep[];
  finished: string | null;
  newest: number;
  re: string | null;
  /**
   * Set if the presenter went to the last of these steps.
   */
  presented: Presented | null;
}
/**
 * A step in the form that pages get.
 */
export interface SentStep {
  key: string;
  params: JsonObject;
  rules: string[];
  number: number;
  at: number;
  actor: string;
  kind: "api_call" | "delivery" | "fault" | "log" | "replication" | "sender_phase" | "timer" | "zookeeper";
  /**
   * Further sentences of the same step.
   */
  notes: Said[];
  decision: Decision | null;
  refusal: Refusal | null;
  messages: MessageFate[];
  transition: Transition | null;
  /**
   * Transitions of the same step before `transition`, oldest first.
   */
  earlier_transitions?: Transition[];
  /**
   * Whether a learner should stop here: at a fault, a refusal, a broken guarantee, a transition, or a decision that a row before the last one of its table made.
   */
  interesting: boolean;
  broken: Broken[];
  changes: Change[];
  /**
   * Absent in recordings, which hold these facts beside the steps (`FileDerived`).
   */
  derived?: StepDerived;
}
/**
 * A sentence of the catalogue, with the requirements that were applied.
 */
export interface Said {
  key: string;
  params: JsonObject;
  rules: string[];
}
/**
 * The tests of a message by its receiver, in order, also those that were not reached or are switched off.
 */
export interface Decision {
  by: string;
  subject: string;
  machine: string;
  arrived: JsonObject;
  stored: JsonObject | null;
  rows: DecisionRow[];
}
/**
 * One test of a message by its receiver, with its result (`outcome`).
 */
export interface DecisionRow {
  rule: string;
  key: string;
  params: JsonObject;
  outcome: "decided" | "not_reached" | "off" | "passed";
}
/**
 * A refusal by a receiver.
 */
export interface Refusal {
  rule: string;
  error: string;
  compared: [Json, Json][];
  /**
   * The catalogue key of the sentence about the next action: that of the sender, or of the node that refused.
   */
  next: string;
  next_params: JsonObject;
}
/**
 * An event of a message in this step.
 */
export interface MessageFate {
  id: number;
  event: "delayed" | "delivered" | "dropped" | "duplicated" | "lost" | "sent";
}
/**
 * A state machine took a row of its table.
 */
export interface Transition {
  from: string;
  to: string;
  machine: string;
  of: string;
  on: string;
  row: number;
}
/**
 * A guarantee that this step broke, possibly not for the first time. `serials`: the records that broke it
 *     in this step.
 */
export interface Broken {
  guarantee: string;
  partition: string | null;
  serials: number[];
  /**
   * The transaction that is not atomic; only for the guarantee `atomic`, like `producer`, which began it.
   */
  transaction?: string;
  producer?: string;
  /**
   * For `atomic`: the marker (COMMIT or ABORT) that covers the records and contradicts the transaction's outcome. For `visible_early`: COMMIT, if a COMMIT marker covers the records although no coordinator has decided to commit their transaction.
   */
  marker?: string;
  /**
   * Only with `marker` for `atomic`. True: the marker contradicts the outcome that the application learned. False: the application has not learned the outcome, and the marker contradicts the coordinator's decision.
   */
  reported?: boolean;
  /**
   * The producer of the hanging transaction, which begins at `first_offset`; only for the guarantee `hanging`.
   */
  producer_id?: number;
  first_offset?: number;
  /**
   * The nodes that broke the guarantee; only for guarantees of two-phase commit over middleware.
   */
  nodes?: string[];
}
/**
 * A change at a path. `before` is missing when the path did not exist, `after` when it no longer exists.
 */
export interface Change {
  path: string[];
  before?: Json;
  after?: Json;
}
/**
 * Facts that follow from a step; empty ones are left out.
 */
export interface StepDerived {
  /**
   * The changes of the table `derived` in the view.
   */
  changes?: Change[];
  arrivals?: Arrival[];
  /**
   * The index of a note that is more informative than the step's own sentence; pages show it first.
   */
  leads?: number;
  /**
   * The index of a note that completes the step's own sentence; pages show the note after the sentence.
   */
  follows?: number;
  /**
   * The broker whose action the step's own sentence describes, if it is not the step's actor. For example, the leader raises the high watermark at a follower's fetch.
   */
  by?: string;
  leap?: Leap;
}
/**
 * A batch that reached a log.
 */
export interface Arrival {
  partition: string;
  broker: string;
  fate: "appended" | "duplicate" | "not_stored" | "refused";
  /**
   * The base offset of the appended batch. For a duplicate: the base offset of the stored batch with the same producer id, epoch and sequence numbers. Null if the batch was refused or not stored.
   */
  at: number | null;
  /**
   * For a refused batch: the base offset of the producer's newest batch with the epoch that the broker compared. A marker is named only if no batch of records has this epoch.
   */
  compared?: number;
  /**
   * COMMIT or ABORT of a refused marker.
   */
  control?: string;
  /**
   * The numbers of a batch that the leader refused before the checks of its log, so that the step has no decision about it.
   */
  batch?: ArrivedBatch;
}
export interface ArrivedBatch {
  producer_id: number | string | null;
  producer_epoch: number | null;
  first_sequence: number | null;
  /**
   * Null in recordings of earlier versions.
   */
  last_sequence: number | null;
}
/**
 * A wait of at least a second of virtual time before a step.
 */
export interface Leap {
  ms: number;
  /**
   * What ends the wait: the kind of a timer of the step's actor, or `call` if an application makes its next call. Absent if this is not known.
   */
  ends?: string;
}
/**
 * To followers: the presenter's position. `number` grows with each move, so that an older message that
 *     arrives late is ignored.
 */
export interface Presented {
  type: "presented";
  v: number;
  number: number;
  branch: string;
  step: number;
  view: "code" | "lanes" | "spacetime" | "spacetime:time" | "stage" | "text" | "transactions";
  selection: Selection | null;
  zoom: string;
  why: ShownWhy | null;
  ended: boolean;
}
/**
 * The step that follows step `after` if there is no intervention before it; null if none was made. It is
 *     not stored.
 */
export interface Ahead {
  type: "ahead";
  v: number;
  re: string | null;
  branch: string;
  after: number;
  step: SentStep | null;
}
export interface KeyframeAnswer {
  type: "keyframe";
  v: number;
  re: string;
  branch: string;
  number: number;
  view: View;
}
/**
 * The state after a step. A log case has only the time, partitions and guarantees; with files of an
 *     internal topic also brokers, and in its previews also consumers.
 */
export interface View {
  time: number;
  applications?: {
    [k: string]: ApplicationView;
  };
  /**
   * Dict of serial → record.
   */
  records?: {
    [k: string]: RecordView;
  };
  clients?: {
    [k: string]: ClientView;
  };
  consumers?: {
    [k: string]: ConsumerView;
  };
  /**
   * Dict of broker id → broker.
   */
  brokers?: {
    [k: string]: BrokerView;
  };
  partitions?: {
    [k: string]: PartitionView;
  };
  middleware?: MiddlewareView;
  /**
   * Present only in runs with services.
   */
  database?: DatabaseView;
  services?: {
    [k: string]: ServiceView;
  };
  zookeeper?: ZooKeeperView;
  /**
   * Present only in runs without ZooKeeper.
   */
  quorum?: QuorumView;
  /**
   * ``kafka-transactions.sh``, from its first command on.
   */
  tool?: ToolView;
  network?: NetworkView;
  pending?: {
    [k: string]: PendingView;
  };
  faults?: {
    [k: string]: FaultView;
  };
  guarantees?: {
    [k: string]: GuaranteeView;
  };
  verdicts?: {
    [k: string]: VerdictView;
  };
  /**
   * An operator's counters since the beginning of the run; absent while all are 0.
   */
  counters?: {
    [k: string]: number;
  };
}
/**
 * An application and its one client.
 */
export interface ApplicationView {
  client: string;
  next_call: number;
  calls: number;
  next_at: number | null;
  blocked_by: string | null;
  finished: boolean;
  last_result: string | null;
  /**
   * Only for an application loop; then `next_call` and `calls` count rounds.
   */
  loop?: LoopView;
}
/**
 * The state of an application loop in the table `application_loop`, the number of its round, and the records of
 *     this round.
 */
export interface LoopView {
  consumer: string;
  state: string;
  round: number;
  /**
   * The records that the loop has taken and has not finished.
   */
  hand: [string, number][];
  sent: number;
  in_transaction: boolean;
}
/**
 * A record that an application sent, and its result.
 */
export interface RecordView {
  partition: string;
  producer: string;
  size: number;
  sent_at: number;
  status: string;
  offset: number | null;
  error: string | null;
  finished_at: number | null;
}
/**
 * A producer client.
 */
export interface ClientView {
  alive: boolean;
  paused: boolean;
  incarnation: number;
  closed: boolean;
  flush_in_progress: boolean;
  configuration: {
    [k: string]: SettingView;
  };
  metadata: MetadataView;
  queues?: {
    [k: string]: QueueView;
  };
  batches?: {
    [k: string]: ClientBatchView;
  };
  pool: PoolView;
  ready: ReadyView;
  sender: SenderView;
  connections?: {
    [k: string]: ConnectionView;
  };
  requests?: {
    [k: string]: RequestView;
  };
  /**
   * Absent without idempotence.
   */
  transaction_manager?: TransactionManagerView | null;
  timers: {
    [k: string]: TimerView;
  };
}
/**
 * The effective value of a setting, and where the value comes from (CFG-6).
 */
export interface SettingView {
  value: Json;
  reason: string | null;
  rule: string | null;
  default: Json;
}
/**
 * A client's metadata of the cluster.
 */
export interface MetadataView {
  updated_at: number | null;
  update_requested: boolean;
  leaders: {
    [k: string]: number | null;
  };
}
/**
 * A partition's queue of batches, the head first.
 */
export interface QueueView {
  batches: string[];
  muted: boolean;
}
/**
 * A batch in a producer.
 */
export interface ClientBatchView {
  partition: string;
  state: string;
  serials: number[];
  record_count: number;
  bytes: number;
  capacity: number;
  full: boolean;
  created_at: number;
  last_append_at: number;
  last_attempt_at: number;
  drained_at: number | null;
  attempts: number;
  producer_id: number | null;
  producer_epoch: number | null;
  first_sequence: number | null;
  last_sequence: number | null;
  resequenced: boolean;
  error: string | null;
}
/**
 * A producer's memory.
 */
export interface PoolView {
  total: number;
  free: number;
  waiters: WaiterView[];
}
/**
 * A `send()` that waits for memory.
 */
export interface WaiterView {
  serial: number | null;
  size: number;
  since: number;
  until: number;
}
/**
 * The result of the accumulator's last `ready()` (ACC-23).
 */
export interface ReadyView {
  /**
   * Dict of broker id → the first partition that is ready there, once for each reason.
   */
  nodes: {
    [k: string]: [string, string][];
  };
  unknown_leader_topics: string[];
  next_check_delay: number | null;
}
/**
 * The state of the Sender's thread.
 */
export interface SenderView {
  pass: number;
  phase: string;
  drain_index: number;
  poll_timeout: number | null;
  poll_source: string | null;
  waiting_for: string | null;
}
/**
 * A client's connection to a broker. `in_flight`: the correlation ids of the requests without a response.
 *     `limit`: the highest number of such requests.
 */
export interface ConnectionView {
  state: string;
  in_flight: number[];
  limit: number;
}
/**
 * A request without a response. `deadline`: the virtual time in ms at which it times out.
 */
export interface RequestView {
  api: string;
  to: string;
  batches: string[];
  sent_at: number;
  deadline: number;
}
/**
 * An idempotent producer's identity, state and sequence numbers.
 */
export interface TransactionManagerView {
  state: string;
  last_edge: [string, string, string] | null;
  last_error: string | null;
  transactional_id: string | null;
  producer_id: number | null;
  producer_epoch: number | null;
  bump_required: boolean;
  partitions?: {
    [k: string]: SequencesView;
  };
  requests: QueuedRequestView[];
  in_flight_request: string | null;
  transaction: ClientTransactionView | null;
}
/**
 * A producer's sequence numbers for one partition.
 */
export interface SequencesView {
  next_sequence: number;
  last_acked_sequence: number | null;
  last_acked_offset: number | null;
  in_flight: string[];
  /**
   * The sequence after the newest batch whose fate is unknown; null if there is no such batch.
   */
  unresolved: number | null;
}
/**
 * A request of the transaction manager that is still queued.
 */
export interface QueuedRequestView {
  api: string;
  priority: number;
}
/**
 * A transactional producer's open transaction, as the client sees it.
 */
export interface ClientTransactionView {
  started: boolean;
  new_partitions: string[];
  pending_partitions: string[];
  added_partitions: string[];
  pending_offsets: {
    [k: string]: number;
  };
  coordinator: number | null;
  group_coordinator: number | null;
  /**
   * 2 if each transaction has an epoch of its own and leaders add its partitions (KIP-890); absent for lower versions.
   */
  transaction_version?: number;
}
/**
 * A wait of a client that is limited in time; it may be over. `since` and `until` are virtual milliseconds.
 */
export interface TimerView {
  kind: string;
  subject: string;
  since: number;
  until: number;
}
/**
 * A consumer.
 */
export interface ConsumerView {
  isolation: string;
  alive: boolean;
  paused: boolean;
  positions: {
    [k: string]: number;
  };
  delivered: {
    [k: string]: number[];
  };
  delivered_count: number;
  applied_count: number;
  skipped_duplicates: number;
  /**
   * Number of fetched records that the application has not taken. Absent in a log case.
   */
  buffered?: number;
  /**
   * True while the consumer waits for its group's offsets, and fetches nothing, or for the end of a partition without a committed offset, and does not fetch that partition. Absent in a log case.
   */
  rewinding?: boolean;
  metadata?: MetadataView;
  connections?: {
    [k: string]: ConnectionView;
  };
  requests?: {
    [k: string]: RequestView;
  };
  lanes?: {
    [k: string]: ReaderLaneView;
  };
  group?: GroupSessionView;
}
/**
 * As ``SeenLane``, for pages. In a log case: the view that a read_committed consumer would have
 *     (``engine/view/possible.py``).
 */
export interface ReaderLaneView {
  position: number | null;
  stretches: [number, number, string][];
  folded: number;
  ahead: [number, number, string][];
  /**
   * The consumer may read the offsets below this one.
   */
  bound: number | null;
  held_by: HeldBy | null;
  /**
   * In a log case: the number of records that the consumer got.
   */
  read?: number;
}
/**
 * The transaction that holds back a read_committed consumer.
 */
export interface HeldBy {
  producer_id: number | string;
  first_offset: number;
}
/**
 * A consumer's requests to its group coordinator.
 */
export interface GroupSessionView {
  group_id: string;
  coordinator: number | null;
  committed: {
    [k: string]: number | null;
  };
  waiting: string[];
  in_flight: string | null;
  last_error: string | null;
  /**
   * When the application got the records that it is processing (virtual ms). This key and the next two exist if the time between two polls is limited (``max.poll.interval.ms``).
   */
  polled_at?: number | null;
  leaves_at?: number | null;
  left?: boolean;
  /**
   * True once the application has closed the consumer.
   */
  closed?: boolean;
}
/**
 * A broker. The fields of its coordinators are absent while they are empty.
 */
export interface BrokerView {
  alive: boolean;
  paused: boolean;
  starting: boolean;
  producer_id_block: ProducerIdBlock | null;
  denied: string[];
  /**
   * With KRaft: the state of the broker's own lifecycle (Kafka's `BrokerState`).
   */
  lifecycle?: string;
  broker_epoch?: number | null;
  /**
   * With KRaft: the offset after the last record of the metadata log that the broker has applied.
   */
  metadata_offset?: number;
  /**
   * With KRaft: the block that the broker has received and from which it has issued no id yet.
   */
  next_block?: ProducerIdBlock | null;
  coordinator?: CoordinatorView;
  lookups?: {
    [k: string]: LookupView;
  };
  /**
   * Dict of transactional id → its entry.
   */
  transactions?: {
    [k: string]: TransactionView;
  };
  markers?: MarkerBoardView;
  groups?: {
    [k: string]: GroupView;
  };
}
/**
 * A broker's block of producer ids: `start` to `end`, both inclusive. `next` is the id that the broker
 *     assigns next.
 */
export interface ProducerIdBlock {
  start: number;
  end: number;
  next: number;
}
/**
 * A broker as coordinator. `coordinator_epochs`: dict of log partition that it coordinates → coordinator epoch.
 *     `loading`: dict of log partition that it still reads → the virtual time in ms at which it has read it.
 */
export interface CoordinatorView {
  coordinator_epochs?: {
    [k: string]: number;
  };
  loading?: {
    [k: string]: number;
  };
}
/**
 * The newest FindCoordinator request for a key: the key, its hash, its partition and the leader.
 */
export interface LookupView {
  key: string;
  topic: string;
  hash: number;
  partition: number | null;
  leader: number | null;
}
/**
 * A transactional id at its coordinator. `state` is the durable state, `pending_state` the one that is
 *     being written.
 */
export interface TransactionView {
  state: string;
  pending_state: string | null;
  producer_id: number;
  last_producer_id: number | null;
  producer_epoch: number;
  last_producer_epoch: number | null;
  timeout_ms: number;
  partitions: string[];
  started_at: number | null;
  /**
   * The virtual time in ms after which the coordinator's next scan aborts the transaction; null unless the state is `Ongoing`.
   */
  times_out_at: number | null;
  last_update: number;
  failed_epoch_fence: boolean;
  coordinator_epoch: number;
  log_partition: number;
}
/**
 * The markers that a coordinator still has to send.
 */
export interface MarkerBoardView {
  /**
   * Dict of broker id of a leader → the markers that wait to be sent to it.
   */
  queues?: {
    [k: string]: MarkerView[];
  };
  unknown_broker?: MarkerView[];
  /**
   * Dict of broker id → the markers of the only request in flight to this broker.
   */
  in_flight?: {
    [k: string]: MarkerView[];
  };
  waiting?: {
    [k: string]: WaitingMarkersView;
  };
  /**
   * Only in runs of the first version of the engine, in which a response could end the sender of markers: whether this coordinator sends no more markers until it restarts.
   */
  stopped?: boolean;
}
/**
 * A marker that waits or is in flight.
 */
export interface MarkerView {
  transactional_id: string;
  producer_id: number;
  producer_epoch: number;
  coordinator_epoch: number;
  result: string;
  partitions: string[];
  /**
   * The partition of the transaction log that holds the transactional id. Queues are ordered by it.
   */
  log_partition?: number;
}
/**
 * A decided transaction that still waits for markers. `remaining`: the partitions that still need a marker.
 *     `retries`: how often markers were sent again.
 */
export interface WaitingMarkersView {
  result: string;
  remaining: string[];
  retries: number;
  /**
   * Partitions whose response was discarded, so that their markers are not sent before another coordinator is elected.
   */
  passed_over?: string[];
}
/**
 * A consumer group at its coordinator.
 */
export interface GroupView {
  log_partition: number;
  generation?: number;
  members?: JsonObject;
  committed?: {
    [k: string]: PlacedOffset;
  };
  /**
   * Dict of topic-partition → offset, for commits outside transactions that are not in the log yet.
   */
  committing?: {
    [k: string]: number;
  };
  /**
   * Dict of producer id → topic-partition → pending offset of the producer's open transaction.
   */
  pending?: {
    [k: string]: {
      [k: string]: PlacedOffset;
    };
  };
}
/**
 * A committed offset, with the position of its record in the group's log (null: not replicated yet).
 */
export interface PlacedOffset {
  offset: number;
  position: number | null;
}
/**
 * A partition, as the controller knows it, and its replicas.
 */
export interface PartitionView {
  leader: number | null;
  leader_epoch: number;
  isr: number[];
  replica_order: number[];
  min_isr: number;
  deleted: boolean;
  /**
   * Kafka's *message format*; absent when it is 2.
   */
  record_version?: number;
  /**
   * Increases with every change of the leader or of the in-sync replicas; only with KRaft.
   */
  partition_epoch?: number;
  /**
   * Dict of broker id → replica; a log case has its file under 0.
   */
  replicas?: {
    [k: string]: ReplicaView;
  };
}
/**
 * A replica of a partition. `aborted_index` lists the newest lines of its index of aborted transactions;
 *     `aborted_folded` counts the others.
 */
export interface ReplicaView {
  log_start: number;
  log_end: number;
  high_watermark: number;
  last_stable_offset: number;
  segments: number[];
  waiting: WaitingAppendView[];
  /**
   * Dict of base offset → batch.
   */
  batches?: {
    [k: string]: LogBatchView;
  };
  /**
   * Absent in a log case, like the next field.
   */
  aborted_index?: [number, number, number, number][];
  aborted_folded?: number;
  producers?: {
    [k: string]: ProducerStateView;
  };
}
/**
 * An append with acks=all that is not replicated yet.
 */
export interface WaitingAppendView {
  partition: string;
  until_offset: number;
  client: string;
  deadline: number;
}
/**
 * A batch in a replica's log.
 */
export interface LogBatchView {
  base_offset: number;
  last_offset: number;
  record_count: number;
  /**
   * A text when it is too large for a JSON number.
   */
  producer_id: number | string | null;
  producer_epoch: number | null;
  first_sequence: number | null;
  last_sequence: number | null;
  transactional: boolean;
  control: string | null;
  coordinator_epoch: number;
  leader_epoch: number;
  serials: number[];
  appended_at: number;
  size: number;
  /**
   * Only for a transaction's batch: `open`, `committed` or `aborted`. In a log case also `ended`: the transaction has ended, but its outcome is unknown.
   */
  outcome?: string;
  content?: ContentView;
  /**
   * Only in a log case: the compression codec.
   */
  codec?: string;
  damaged?: boolean;
}
/**
 * The records of a batch: for internal topics, and for batches from which compaction removed some.
 */
export interface ContentView {
  keys: Json[];
  values: Json[];
  offset_deltas: number[] | null;
}
/**
 * The state of one producer in a replica's log.
 */
export interface ProducerStateView {
  producer_epoch: number;
  coordinator_epoch: number;
  last_timestamp: number | null;
  transaction_first_offset: number | null;
  batches: [number, number, number, number, number][];
}
/**
 * All nodes of the middleware. Nodes that the scenario does not have are absent.
 */
export interface MiddlewareView {
  initiator?: InitiatorView;
  business?: BusinessView;
  middleware?: StrategyView;
  transactions?: {
    [k: string]: MiddlewareTransactionView;
  };
  manager?: ManagerView;
  participants?: {
    [k: string]: ParticipantView;
  };
  /**
   * Dict of transaction → the time during which its nodes really differ: from the first local commit until the last one, or until everything is undone. No node knows this time.
   */
  differ?: {
    [k: string]: WindowView;
  };
}
/**
 * The initiator, which opens transactions.
 */
export interface InitiatorView {
  alive: boolean;
  paused: boolean;
  opened: number[];
}
/**
 * The business system.
 */
export interface BusinessView {
  alive: boolean;
  paused: boolean;
  transactions?: {
    [k: string]: BusinessTransactionView;
  };
}
/**
 * A transaction at the business system.
 */
export interface BusinessTransactionView {
  state: string;
  message_id: string | null;
  stored: string | null;
  undone: boolean;
  result: string | null;
  due: number | null;
}
/**
 * The middleware's node, with the settings of its strategy.
 */
export interface StrategyView {
  alive: boolean;
  paused: boolean;
  strategy: string;
  direction: string;
  back_check: boolean;
  durable: boolean;
}
/**
 * A transaction at the middleware.
 */
export interface MiddlewareTransactionView {
  state: string;
  message_id: string | null;
  message: string;
  decision: string | null;
  /**
   * Dict of participant → the middleware's record of it, made from the answers that arrived.
   */
  votes?: {
    [k: string]: string;
  };
  answers?: {
    [k: string]: AnswerView;
  };
  checks: number;
  tries: number;
  named: string[];
  timer: MiddlewareTimerView | null;
  /**
   * The time during which participants differ as far as the middleware can know: from the first CommitOk until the last one, or until everything is undone.
   */
  window: WindowView;
}
/**
 * A response that the middleware waits for. `tries` 0: no request for it was sent yet.
 */
export interface AnswerView {
  asked: string;
  asked_at: number | null;
  answer: string | null;
  at: number | null;
  tries: number;
}
/**
 * The only timer of a transaction.
 */
export interface MiddlewareTimerView {
  kind: string;
  since: number;
  until: number;
}
/**
 * The time during which participants really differ, or may differ as far as the middleware knows (MW-14),
 *     in virtual ms. If only `until` is null, this time is not over. If `since` is null too, it never began.
 */
export interface WindowView {
  since: number | null;
  until: number | null;
}
/**
 * The transaction manager.
 */
export interface ManagerView {
  alive: boolean;
  paused: boolean;
  transactions?: {
    [k: string]: ManagedTransactionView;
  };
}
/**
 * A transaction that the manager undoes.
 */
export interface ManagedTransactionView {
  state: string;
  answers?: {
    [k: string]: string | null;
  };
  due: number | null;
}
/**
 * A participant.
 */
export interface ParticipantView {
  alive: boolean;
  paused: boolean;
  value: number;
  reserved: number;
  can_roll_back: boolean;
  keeps_log: boolean;
  transactions?: {
    [k: string]: ParticipantTransactionView;
  };
  log: CompensationView[];
}
/**
 * A participant's part of a transaction.
 */
export interface ParticipantTransactionView {
  state: string;
  operation: number;
  applied: number;
}
/**
 * An entry of the compensation log.
 */
export interface CompensationView {
  tid: number;
  participant: string;
  operation: number;
  before: number;
  after: number;
  undone: boolean;
}
/**
 * The database: what is committed, and the open local transaction of each service.
 */
export interface DatabaseView {
  alive: boolean;
  paused: boolean;
  unique_key: boolean;
  /**
   * Serials of the entries, oldest first.
   */
  outbox: number[];
  /**
   * Dict of topic-partition → offset at which a consumer continues.
   */
  offsets: {
    [k: string]: number;
  };
  /**
   * Dict of service → its local transaction.
   */
  open?: {
    [k: string]: LocalTransactionView;
  };
  /**
   * Dict of serial → row.
   */
  rows?: {
    [k: string]: TableRowView;
  };
}
/**
 * The statements of a local transaction that is open: they take effect when it commits. The entry is absent once
 *     the transaction has ended. `rows`, `repeated`, `outbox` and `removed` are serials; `repeated`: the rows that the
 *     unique key refused.
 */
export interface LocalTransactionView {
  state: string;
  rows: number[];
  repeated: number[];
  outbox: number[];
  removed: number[];
  offsets: {
    [k: string]: number;
  };
}
/**
 * A committed row, named by the serial of its record. `copies` is more than 1 only without a unique key.
 */
export interface TableRowView {
  copies: number;
  stored_at: number;
}
/**
 * A service, its state in the table `service`, and the work of its round.
 */
export interface ServiceView {
  alive: boolean;
  paused: boolean;
  approach: string;
  /**
   * The acts of a round, in the order in which the service makes them.
   */
  acts: string[];
  /**
   * The index of the present act; null between two rounds.
   */
  act: number | null;
  state: string;
  round: number;
  rounds: number;
  /**
   * Serials of the records or orders that the service works on.
   */
  hand: number[];
  producer: string | null;
  consumer: string | null;
  /**
   * The virtual time in ms at which the service began to wait for a response of the database.
   */
  asked_at: number | null;
  timeout_at: number | null;
  /**
   * The number of worker threads; absent without them.
   */
  threads?: number;
  /**
   * The records in memory, oldest first; only with worker threads.
   */
  workers?: WorkerView[];
}
/**
 * A record in the memory of a service with worker threads.
 */
export interface WorkerView {
  partition: string;
  offset: number;
  serial: number;
  /**
   * The virtual time in ms at which a worker thread began with the record; null: the record waits for a free thread.
   */
  since: number | null;
  /**
   * The virtual time in ms at which the thread has done the work.
   */
  until: number | null;
  /**
   * Whether the work is done, and the thread waits for the database.
   */
  inserts: boolean;
}
/**
 * ZooKeeper: its nodes by path, and the brokers' sessions by broker id.
 */
export interface ZooKeeperView {
  nodes?: {
    [k: string]: ZooKeeperNode;
  };
  sessions?: {
    [k: string]: ZooKeeperSession;
  };
}
/**
 * A ZooKeeper node with its stat version.
 */
export interface ZooKeeperNode {
  data: string;
  version: number;
}
/**
 * A broker's session at ZooKeeper. `expires_at`: virtual ms.
 */
export interface ZooKeeperSession {
  alive: boolean;
  expires_at: number | null;
}
/**
 * The controllers of a cluster without ZooKeeper (KRaft).
 */
export interface QuorumView {
  controller?: ActiveControllerView;
  brokers?: {
    [k: string]: RegistrationView;
  };
  /**
   * Dict of offset → record.
   */
  log?: {
    [k: string]: MetadataRecordView;
  };
}
/**
 * The active controller.
 */
export interface ActiveControllerView {
  epoch: number;
  active: boolean;
  next_producer_id: number;
  /**
   * The level of the feature `transaction.version`; absent if the cluster's brokers know only level 0 (KIP-890).
   */
  transaction_version?: number;
}
/**
 * A broker as the active controller knows it.
 */
export interface RegistrationView {
  /**
   * The broker epoch: the offset of its registration in the metadata log.
   */
  epoch: number;
  state: string;
  /**
   * The virtual time in ms at which the controller fences the broker if no heartbeat arrives. Null while no heartbeats are lost, and while the broker is fenced.
   */
  expires_at: number | null;
  /**
   * The offset after the last record of the metadata log that the broker has read.
   */
  metadata_offset: number;
}
/**
 * A record of the metadata log, or `count` records of one kind that were written together.
 */
export interface MetadataRecordView {
  /**
   * The epoch of the controller that wrote the record.
   */
  epoch: number;
  /**
   * Kafka's name of the record.
   */
  kind: string;
  /**
   * The partition, topic or broker that the record is about.
   */
  about: string;
  fields?: JsonObject;
  count?: number;
}
/**
 * The newest command of the tool, and the table that it printed.
 */
export interface ToolView {
  command: string;
  /**
   * ``running``, ``done`` or ``failed``.
   */
  state: string;
  columns: string[];
  rows: (string | number | null)[][];
  call?: AdminCallView;
  /**
   * The commands that begin one after the other when this one has ended.
   */
  next?: string[];
}
/**
 * The call of the admin client that the tool is carrying out.
 */
export interface AdminCallView {
  name: string;
  /**
   * The virtual time in ms at which the call fails if it has not ended before.
   */
  until: number;
  /**
   * The keys whose broker is not known yet: partitions or transactional ids, or one key that stands for all brokers or for the whole cluster.
   */
  unmapped: string[];
  /**
   * Dict of key → the broker whose response about the key is needed.
   */
  mapped: {
    [k: string]: string;
  };
  retry_at: number | null;
  answered: string[];
  /**
   * The requests without a response, each as API and broker.
   */
  requests: string[];
}
/**
 * The messages in flight.
 */
export interface NetworkView {
  messages?: {
    [k: string]: MessageView;
  };
}
/**
 * A message in flight.
 */
export interface MessageView {
  from: string;
  to: string;
  id: number;
  api: string;
  is_response: boolean;
  sent_at: number;
  arrives_at: number | null;
  correlation_id: number;
  partitions: string[];
  fields: JsonObject;
  error: string | null;
  held: boolean;
  /**
   * The purpose of the message's connection, if that is ``group``, ``markers`` or ``verification`` (GEN-11).
   */
  connection?: string;
  /**
   * The broker handles the request although its connection has ended; the response will be dropped (GEN-11).
   */
  connection_ended?: boolean;
  /**
   * For a request that has arrived and waits: the number of the previous request on the same connection, which the broker has not answered yet (GEN-11).
   */
  waits_behind?: number;
}
/**
 * A queued event.
 */
export interface PendingView {
  class: string;
  at: number;
  actor: string;
  what: string;
}
/**
 * An entry of the scenario's fault script.
 */
export interface FaultView {
  action: string;
  at?: number | null;
  api?: string | null;
  response?: boolean;
  seen: number;
  remaining: number | null;
}
/**
 * The status of a guarantee. In a log case, `judged` is false and the other fields are absent.
 */
export interface GuaranteeView {
  judged: boolean;
  /**
   * How many records, producers or transactions broke it; the other fields describe the first violation.
   */
  count?: number;
  broken_at?: number | null;
  partition?: string | null;
  serials?: number[];
}
/**
 * The counts of a partition's records.
 */
export interface VerdictView {
  stored: number;
  /**
   * How many of the stored records are in aborted transactions; absent in recordings of earlier releases.
   */
  aborted?: number;
  duplicates: number;
  lost: number;
  failed: number;
  reordered: number;
}
/**
 * `step`: the step with this `number`; null at 0.
 */
export interface NearViewAnswer {
  type: "near_view";
  v: number;
  re: string;
  branch: string;
  number: number;
  view: NearView;
  step: SentStep | null;
}
/**
 * The state after a step, in the form that pages get.
 */
export interface NearView {
  time: number;
  applications?: {
    [k: string]: ApplicationView;
  };
  /**
   * Dict of serial → record.
   */
  records?: {
    [k: string]: RecordView;
  };
  clients?: {
    [k: string]: ClientView;
  };
  consumers?: {
    [k: string]: ConsumerView;
  };
  /**
   * Dict of broker id → broker.
   */
  brokers?: {
    [k: string]: BrokerView;
  };
  partitions?: {
    [k: string]: PartitionView;
  };
  middleware?: MiddlewareView;
  /**
   * Present only in runs with services.
   */
  database?: DatabaseView;
  services?: {
    [k: string]: ServiceView;
  };
  zookeeper?: ZooKeeperView;
  /**
   * Present only in runs without ZooKeeper.
   */
  quorum?: QuorumView;
  /**
   * ``kafka-transactions.sh``, from its first command on.
   */
  tool?: ToolView;
  network?: NetworkView;
  pending?: {
    [k: string]: PendingView;
  };
  faults?: {
    [k: string]: FaultView;
  };
  guarantees?: {
    [k: string]: GuaranteeView;
  };
  verdicts?: {
    [k: string]: VerdictView;
  };
  /**
   * An operator's counters since the beginning of the run; absent while all are 0.
   */
  counters?: {
    [k: string]: number;
  };
  /**
   * Absent in recordings of earlier engines.
   */
  derived?: Derived;
  folded?: Folded;
}
/**
 * Facts that follow from a view.
 */
export interface Derived {
  /**
   * The next events, in the order in which they will happen.
   */
  pending: string[];
  /**
   * Dict of `<actor>/<kind> <subject>` → timer.
   */
  timers: {
    [k: string]: ActorTimer;
  };
  /**
   * Dict of client → partition → disagreement. For a partition of the transaction log, it is the disagreement with the coordinator.
   */
  disagreements: {
    [k: string]: {
      [k: string]: Disagreement;
    };
  };
  /**
   * Dict of guarantee → the records (serials) that have broken it; empty for a guarantee about no records. Data of earlier versions has only three guarantees.
   */
  broken: {
    [k: string]: {
      [k: string]: boolean;
    };
  };
  /**
   * Dict of partition → the stretches of its log that read_committed consumers do not get, in the order of the log. Absent in data of earlier versions.
   */
  held?: {
    [k: string]: [number, number, "behind" | "marker" | "undecided"][];
  };
  /**
   * The highest level of ``transaction.version`` in use: the cluster's level, or a higher one that a client still uses. Absent in data of earlier versions.
   */
  transaction_version?: number;
  /**
   * Dict of producer id → highest epoch of a fenced client. A client is fenced if a newer client has a higher epoch, or if the coordinator has raised the epoch or assigned another producer id and no response reports this to the client. The coordinator does so for a newer client that still waits for its id, or to abort the transaction. Absent in data of earlier versions.
   */
  fenced?: {
    [k: string]: number;
  };
  /**
   * Dict of partition → the view that a read_committed consumer would have of its log. Only in a log case, because its files name no consumer. Absent in data of earlier versions.
   */
  possible?: {
    [k: string]: ReaderLaneView;
  };
}
/**
 * A timer of a role other than a client.
 */
export interface ActorTimer {
  actor: string;
  kind: string;
  subject: string;
  /**
   * Virtual ms. Null when the view does not contain the time.
   */
  since: number | null;
  until: number;
}
/**
 * A producer and the leader that it writes to, or its coordinator, have different values for the
 *     producer's epoch or sequence numbers.
 */
export interface Disagreement {
  /**
   * The value that differs: the last acknowledged sequence, the epoch, or, for `unknown`, whether the leader knows the producer at all.
   */
  what: "epoch" | "sequence" | "unknown";
  producer_id: number;
  leader: number;
  /**
   * The value at the producer.
   */
  own: number | null;
  /**
   * The value at the leader or coordinator; null if it has none.
   */
  known: number | null;
}
/**
 * How many entries a near view leaves out, and where.
 */
export interface Folded {
  /**
   * The step at which old entries were left out.
   */
  at: number;
  /**
   * A page may step back this many steps from `at` and still has every entry that it draws.
   */
  reaches: number;
  records?: FoldedRecords;
  /**
   * Dict of partition → replica → the batches that are left out.
   */
  logs?: {
    [k: string]: {
      [k: string]: [number, number, number, number][];
    };
  };
  /**
   * Dict of client → partition of the queue → the batches that are left out.
   */
  batches?: {
    [k: string]: {
      /**
       * @minItems 4
       * @maxItems 4
       */
      [k: string]: [string, string, number, number];
    };
  };
}
/**
 * Records that are not listed.
 */
export interface FoldedRecords {
  stretches: [number, number, number][];
  /**
   * Dict of producer → status → number of the producer's records with this status that are not listed.
   */
  counts: {
    [k: string]: {
      [k: string]: number;
    };
  };
}
/**
 * `step`: the step with the number `to`; null at 0.
 */
export interface DifferenceAnswer {
  type: "difference";
  v: number;
  re: string;
  branch: string;
  from: number;
  to: number;
  changes: NetChange[];
  step: SentStep | null;
}
/**
 * A change of the value at `path`. Without `after`, the path is removed.
 */
export interface NetChange {
  path: string[];
  after?: Json;
}
/**
 * A command was carried out. `reached`: the step at which it stopped. `stopped`: why it stopped.
 */
export interface Done {
  type: "done";
  v: number;
  re: string;
  branch: string;
  newest: number;
  reached: number;
  stopped: "breakpoint" | "count" | "end" | "interesting" | "limit" | "pause" | "time";
  created: string | null;
  /**
   * With `breakpoint`: the positions of the conditions that hold at step `reached`.
   */
  hits: number[];
}
/**
 * The result of a search in the steps `from` to `to`: the numbers of all steps found, and the first of
 *     these steps with their sentences.
 */
export interface FoundSteps {
  type: "found";
  v: number;
  re: string;
  branch: string;
  from: number;
  to: number;
  newest: number;
  numbers: number[];
  hits: Hit[];
}
/**
 * A step that a search found, with its sentence.
 */
export interface Hit {
  number: number;
  at: number;
  actor: string;
  key: string;
  params: JsonObject;
}
/**
 * The transactions in the steps up to step `through`. `folded`: how many older transactions are left
 *     out.
 */
export interface Transactions {
  type: "transactions";
  v: number;
  re: string;
  branch: string;
  through: number;
  folded: number;
  lines: TransactionLine[];
}
/**
 * One transaction: its client, its partitions, its first and last step with their virtual times in ms,
 *     and its state.
 */
export interface TransactionLine {
  id: string;
  client: string | null;
  /**
   * A text when it is too large for a JSON number.
   */
  producer_id: number | string | null;
  producer_epoch: number | null;
  /**
   * The partitions of the transaction; for a transaction of the middleware, its participants.
   */
  places: string[];
  more_places: number;
  first_step: number;
  last_step: number;
  first_at: number;
  last_at: number;
  /**
   * The step at which the coordinator's outcome became durable; null before, and for a transaction of the middleware.
   */
  decided_step: number | null;
  state: string;
  result: "aborted" | "committed" | "empty" | "left" | "open";
  over: boolean;
}
/**
 * `interventions`: how many of the branch's interventions the plan includes. `plan`: null if no plan can
 *     be made. A message without `re` is sent before the welcome.
 */
export interface PlanAnswer {
  type: "plan";
  v: number;
  re: string | null;
  branch: string;
  interventions: number;
  plan: Plan | null;
}
/**
 * The plan of a run.
 */
export interface Plan {
  /**
   * Dict of producer id → its number in the order of first appearance: 0, 1, 2, …
   */
  hues: {
    [k: string]: number;
  };
  clients: PlannedClient[];
  brokers: PlannedBroker[];
  lanes: {
    [k: string]: PlannedLane;
  };
  consumers: PlannedConsumer[];
  /**
   * Whether the controller or ZooKeeper acts in this run.
   */
  controller: boolean;
  /**
   * Whether an operator runs ``kafka-transactions.sh`` in this run; absent if not.
   */
  tool?: boolean;
  middleware: PlannedMiddleware | null;
  /**
   * Present in a run with a database, which has a place of its own, too.
   */
  services?: PlannedService[];
  /**
   * How many steps were made to compute the plan.
   */
  steps: number;
  /**
   * False if the run is longer than the plan, or an error or a refused intervention ended the computation.
   */
  complete: boolean;
  beats: Beat[];
  /**
   * The batches of fenced epochs that leaders store, in order. Absent if there is none, and in plans of earlier versions.
   */
  outdated?: Outdated[];
  /**
   * The more important steps that could open a beat, in order, at most 300. If the list of a run with interventions has a step that the list without them lacks, the interventions caused this step. Absent in plans of earlier versions.
   */
  events?: Event[];
  /**
   * Only for a run of brokers with interventions: the places of the run without interventions, so that they need not move.
   */
  stands?: PlannedPlaces;
  /**
   * Dict of node (`middleware`, `business`) → transaction → the states that the transaction has in this run. Each state is listed once, in the order in which the transaction reaches them. Absent in runs without transactions of the middleware and in plans of earlier versions.
   */
  passed?: {
    [k: string]: {
      [k: string]: PassedState[];
    };
  };
  /**
   * The end of the run without interventions; also in the plan of a run with interventions. Absent in plans of earlier versions, and when this end is not known.
   */
  outcome?: Outcome;
  /**
   * The end of a run with interventions. Present whenever ``cost`` is, except in plans of earlier versions.
   */
  end?: Outcome;
  /**
   * The messages of the run whose loss is most instructive, most instructive first, at most one request and one response of each API. A message of a transaction that the run leaves open is preferred. Absent in plans of earlier versions, and in a run without messages.
   */
  losses?: ShownLoss[];
  /**
   * Dict of id of a message that repeats an earlier request of its sender, for which no response reported success → how often the request was repeated by then, from 1. At most 1000 messages. Absent if there is none, and in plans of earlier versions.
   */
  again?: {
    [k: string]: number;
  };
  /**
   * Dict of id of a Produce request → partition → serials of its records, for the requests whose client reports a result while they are in transit. The client's view has their batches no longer. At most 1000 messages. Absent if there is none, and in plans of earlier versions.
   */
  forgotten?: {
    [k: string]: {
      [k: string]: number[];
    };
  };
  /**
   * Dict of broker → the stretches of the run in which the broker runs but is cut off. Absent if there is none, and in plans of earlier versions.
   */
  cut_off?: {
    [k: string]: CutOff[];
  };
  /**
   * The cost of the interventions. Present only for a run with interventions that has ended, if the end without interventions is known.
   */
  cost?: Cost;
}
/**
 * A producer client in a picture of the whole run.
 */
export interface PlannedClient {
  name: string;
  applications: string[];
  transactional_id: string | null;
  /**
   * The partitions to which the client sends a batch during the run.
   */
  partitions: string[];
}
/**
 * A broker in a picture of the whole run.
 */
export interface PlannedBroker {
  name: string;
  /**
   * Every data partition that the broker leads during the run.
   */
  lanes: string[];
  /**
   * Every transactional id that the broker coordinates during the run. `groups`: every consumer group that it coordinates.
   */
  transactional_ids: string[];
  groups: string[];
}
/**
 * A partition in a picture of the whole run.
 */
export interface PlannedLane {
  /**
   * The lowest offset that is shown during the run.
   */
  first: number;
  /**
   * The highest log end offset during the run.
   */
  end: number;
  internal: boolean;
  /**
   * Ids of the brokers that lead the partition, in the order in which they first do so.
   */
  leaders: number[];
  /**
   * A leader refuses a batch for this partition during the run; absent if none does.
   */
  refuses?: boolean;
}
/**
 * A consumer in a picture of the whole run.
 */
export interface PlannedConsumer {
  name: string;
  isolation: string;
  lanes: string[];
}
/**
 * The nodes of the middleware in a picture of the whole run.
 */
export interface PlannedMiddleware {
  roles: string[];
  participants: string[];
}
/**
 * A service in a picture of the whole run, with the clients of its process.
 */
export interface PlannedService {
  name: string;
  acts: string[];
  producer: string | null;
  consumer: string | null;
}
/**
 * A chapter of the run.
 */
export interface Beat {
  /**
   * The beat's number within its level, from 1.
   */
  number: number;
  /**
   * The numbers of the beat's steps: `first` to `last`, both inclusive.
   */
  first: number;
  last: number;
  /**
   * The step that a reader sees after choosing this beat.
   */
  lands: number;
  /**
   * The catalogue key of the title.
   */
  key: string;
  params: JsonObject;
  /**
   * The kind of the step that opened the beat; authors use it to name beats. Absent in plans of earlier versions.
   */
  kind?: string;
  /**
   * The title that the scenario's author gave to the beat.
   */
  title?: Bilingual;
  /**
   * Words that distinguish the beat from another beat of the run with the same title. Pages show them after the title, unless the author gave a title. Absent if no other beat has the same title, and in plans of earlier versions.
   */
  apart?: Words;
  /**
   * Only for the beat at which a reader stops last, if the run breaks guarantees that the title does not name: words that name them. Pages show them after the title. Absent in plans of earlier versions.
   */
  ends?: Words;
  /**
   * The catalogue key of the title as a sentence, with the same `params`. Pages show this sentence first at the step `lands`, because the step's own sentences do not contain what the title says. Absent in plans of earlier versions.
   */
  says?: string;
  /**
   * A sentence that explains the title and that no step of the beat has. Pages show it after the title at the step `lands`. Absent if there is none, and in plans of earlier versions.
   */
  because?: Words;
  /**
   * The other steps that the title is about, if the step `lands` is about one partition or actor only.
   */
  also?: AlsoDone[];
  /**
   * The most important steps between the step `lands` of the beat before and the one of this beat, in order, at most three. Absent if there is none, and in plans of earlier versions.
   */
  passed?: Passed[];
  /**
   * Only for the run's last beat: the transactions that their coordinators complete after its step `lands`, at most three. Absent if there is none, and in plans of earlier versions.
   */
  after?: Passed[];
  lines: BeatLine[];
  /**
   * The beats inside this beat, if it is long, is divided into parts, or contains a beat that an intervention caused. `lines` is then empty.
   */
  beats?: Beat[];
  /**
   * True if an intervention caused this beat. Also true if the beat is inside another one and is about a transaction's records, its decision or the marker that fences, which a reader would otherwise skip. If the beat is inside another one, pages name it beside the outer beat.
   */
  added?: boolean;
  /**
   * True if the beat is inside another one, and a reader who goes through the beats of the run also stops at its step `lands`. A reader always stops at the beats that are inside no other.
   */
  stop?: boolean;
  /**
   * True if the beat begins before the intervention, in a run with more than nine beats on this level. If pages have no room for all titles, they show only the numbers of these beats.
   */
  kept?: boolean;
}
/**
 * A sentence of the catalogue, or a part of a sentence.
 */
export interface Words {
  key: string;
  params: JsonObject;
}
/**
 * A further step that a beat's title is about, besides the step `lands`. `names`: the partitions or
 *     actors that this step is about.
 */
export interface AlsoDone {
  step: number;
  names: string[];
}
/**
 * An event that opens no beat, between the step `lands` of the beat before and that of this beat. `key`
 *     and `params`: its title.
 */
export interface Passed {
  step: number;
  key: string;
  params: JsonObject;
}
/**
 * A line of a beat: one step, whose own sentence is shown (`key` null), or several adjacent steps. For
 *     several steps, `key` and `params` make a sentence that counts them and names their purpose.
 */
export interface BeatLine {
  first: number;
  last: number;
  key: string | null;
  params: JsonObject;
}
/**
 * A batch that a leader stores although the coordinator has raised the epoch of its producer.
 */
export interface Outdated {
  step: number;
  partition: string;
  /**
   * The batch's base offset.
   */
  offset: number;
  producer_epoch: number;
}
/**
 * A step that could open a beat, and the kind of this beat.
 */
export interface Event {
  step: number;
  kind: string;
}
/**
 * All places, in the order of first appearance.
 */
export interface PlannedPlaces {
  /**
   * Dict of producer id → its number in the order of first appearance: 0, 1, 2, …
   */
  hues: {
    [k: string]: number;
  };
  clients: PlannedClient[];
  brokers: PlannedBroker[];
  lanes: {
    [k: string]: PlannedLane;
  };
  consumers: PlannedConsumer[];
  /**
   * Whether the controller or ZooKeeper acts in this run.
   */
  controller: boolean;
  /**
   * Whether an operator runs ``kafka-transactions.sh`` in this run; absent if not.
   */
  tool?: boolean;
  middleware: PlannedMiddleware | null;
  /**
   * Present in a run with a database, which has a place of its own, too.
   */
  services?: PlannedService[];
}
/**
 * A state that a transaction has in the run.
 */
export interface PassedState {
  state: string;
  /**
   * The step in which the transaction first reaches the state; 0 for the state in which it begins.
   */
  since: number;
}
/**
 * The end of a run, in numbers that an intervention may change.
 */
export interface Outcome {
  /**
   * The virtual time of the last step, in milliseconds.
   */
  time: number;
  messages: number;
  /**
   * How often producers sent a request again. `questions_repeated`: how often leaders asked a coordinator again whether a partition belongs to a transaction. `marker_retries`: how often coordinators sent markers again. In plans of earlier versions, `retries` includes these and the other two are absent.
   */
  retries: number;
  questions_repeated?: number;
  marker_retries?: number;
  /**
   * The number of records with duplicates. The next three fields: the number of lost, failed and reordered records.
   */
  duplicates: number;
  lost: number;
  failed: number;
  reordered: number;
  /**
   * A digest of the batches that consumers may get (empty: none). `records`: a digest of the records in them. `nodes`: a digest of the outcomes at the middleware's participants.
   */
  batches: string;
  records: string;
  nodes: string;
  /**
   * The number of messages that were dropped, or did not reach a node that is down. Absent in plans of earlier versions, as are the next two fields.
   */
  undelivered?: number;
  /**
   * The participants that hold a reservation at the end of the run.
   */
  reserved?: string[];
  /**
   * Dict of transaction of the middleware → its last state there.
   */
  ends?: {
    [k: string]: string;
  };
  /**
   * The transactional ids whose transaction has not ended at the end of the run. Absent if there is none, and in plans of earlier versions.
   */
  open?: string[];
  /**
   * The transactions of the middleware whose outcome the business system has not learned. Absent if there is none, and in plans of earlier versions.
   */
  awaited?: string[];
  /**
   * Dict of transaction of the middleware → the time in ms for which its nodes differed; null: they still differ at the end of the run. Absent if no transaction's nodes differed, and in plans of earlier versions.
   */
  apart?: {
    [k: string]: number | null;
  };
  /**
   * A digest of all records in the logs, including aborted ones. `outcomes`: a digest of these records with the outcomes of their transactions.
   */
  stored?: string;
  outcomes?: string;
  /**
   * Number of transaction markers in the logs.
   */
  markers?: number;
  /**
   * The longest time for which records were held back. Absent in plans of earlier versions, as are the next three fields.
   */
  held?: HeldBack;
  /**
   * The number of transactions for which the coordinator wrote CompleteCommit; `aborted`: the number for CompleteAbort.
   */
  committed?: number;
  aborted?: number;
  /**
   * The number of records in the logs that belong to aborted transactions.
   */
  aborted_records?: number;
  /**
   * The number of records that leaders stored with a lower epoch than the coordinator's while no producer had the coordinator's epoch, so that they do not count as written after fencing. Absent if there is none, and in plans of earlier versions.
   */
  uncounted?: number;
  /**
   * The number of records in aborted transactions whose `send()` had succeeded. Absent in plans of earlier versions.
   */
  undone?: number;
  /**
   * Dict of partition → when read_committed consumers can get its records. Partitions that have only records of aborted transactions, or none, are left out.
   */
  readable?: {
    [k: string]: Readable;
  };
  /**
   * True if offsets of a consumer group took effect with a transaction, and no guarantee compares the records that were read with those that were written. Then no guarantee notices an input record that was skipped. Absent otherwise.
   */
  consumes?: boolean;
  /**
   * The number of transactions that hang at the end.
   */
  hanging?: number;
  /**
   * Absent if no transaction or several have hung, if the only one hangs no longer, and in plans of earlier versions.
   */
  hangs?: Hangs;
  /**
   * The longest time in ms for which a transaction hung that has ended since. Absent if there is none, and in plans of earlier versions.
   */
  hung?: number;
  /**
   * The number of transactions that ``kafka-transactions.sh`` aborted. Absent in plans of earlier versions, as is the next field.
   */
  by_hand?: number;
  /**
   * The commands of ``kafka-transactions.sh`` that failed, each with its error (empty: none). Absent if none failed, and in plans of earlier versions.
   */
  failed_commands?: string[][];
  /**
   * The actors that are down at the end of the run.
   */
  down?: string[];
  /**
   * Dict of broken guarantee → how often it is broken. Absent in plans of earlier versions, as are the next four fields.
   */
  broken?: {
    [k: string]: number;
  };
  /**
   * Dict of sign → how often it occurs in the run. A sign shows how a guarantee was kept, such as a duplicate that its leader recognises (``engine/view/moral.py``). Absent in plans of earlier versions.
   */
  signs?: {
    [k: string]: number;
  };
  /**
   * The number of different records that consumers may get.
   */
  kept?: number;
  /**
   * A digest of the different records that consumers may get, partition by partition, independent of their order. `all`: such a digest without the division into partitions.
   */
  places?: string;
  all?: string;
  /**
   * Dict of `<participant>.transactions.<transaction>.state` → the participant's state in this transaction of the middleware.
   */
  participants?: {
    [k: string]: string;
  };
  /**
   * Dict of serial → number of copies of its row; only in runs with a database.
   */
  rows?: {
    [k: string]: number;
  };
  /**
   * The partition in which a guarantee broke first. If none broke: the first partition in which a check of a broker refused a batch or recognised a duplicate. Absent if there is neither, and in plans of earlier versions.
   */
  partition?: string;
}
/**
 * The longest time for which a partition held back records that were replicated, because they were at or
 *     above its last stable offset.
 */
export interface HeldBack {
  ms: number;
  /**
   * Empty when no record was held back.
   */
  partition: string;
  /**
   * False when the records are still held back at the end of the run.
   */
  released: boolean;
}
/**
 * When read_committed consumers can get the records of a partition that are not in aborted
 *     transactions.
 */
export interface Readable {
  /**
   * The virtual time in ms from which these consumers can get the last record; null: not before the end of the run.
   */
  at: number | null;
  /**
   * The number of records that these consumers cannot get at the end of the run.
   */
  hidden: number;
}
/**
 * The only transaction that has hung in the run, and still hangs at its end. `failed`: the lowest serials
 *     of its records whose `send()` failed, at most 100.
 */
export interface Hangs {
  partition: string;
  last_stable_offset: number;
  failed: number[];
}
export interface ShownLoss {
  step: number;
  message: number;
  api: string;
  is_response: boolean;
  from: string;
  to: string;
  forecast?: Words;
}
export interface CutOff {
  from: "brokers" | "controller";
  since: number;
  until: number | null;
}
/**
 * The interventions of a run, and their effect compared with the scenario's run.
 */
export interface Cost {
  /**
   * The intervention, in words that can be the subject of a sentence.
   */
  what: Words;
  /**
   * True if the run with interventions needed more time, retries or messages, and no less of any of them.
   */
  dearer: boolean;
  costs: Words[];
  /**
   * True if the run needs less time, or fewer retries or messages, because it leaves a transaction open, or the business system does not learn the outcome that it learns in the scenario's run. ``costs`` then leaves out what the run saves. Absent otherwise.
   */
  short?: boolean;
  /**
   * Sentences about the ends of both runs: which transactions ended otherwise, how many more or fewer records were duplicated, lost, failed or reordered, which records are hidden or readable later. If no record was duplicated, lost, failed or reordered: the first other difference, or that there is none, unless ``although`` says it.
   */
  kept: Words[];
  /**
   * One sentence: why the interventions broke a guarantee, why they broke none that holds without them, or why this run breaks less than the original one. Absent in plans of earlier versions.
   */
  moral?: Words;
  /**
   * Only if every intervention is a fault, and transactions and records end as without it.
   */
  although?: Although;
}
/**
 * The two parts of one clause: the outcome, which is the same as in the scenario's run, and the fault
 *     that did not change it.
 */
export interface Although {
  outcome: Words;
  fault: Words;
}
export interface Renamed {
  type: "renamed";
  v: number;
  re: string;
  branch: string;
  name: string;
}
export interface Actions {
  type: "actions";
  v: number;
  re: string;
  actions: Offer[];
}
/**
 * An action on the selected object. `enabled`: whether the action is possible. `why_key`: the reason if
 *     it is not possible; otherwise null.
 */
export interface Offer {
  action: string;
  enabled: boolean;
  key: string;
  params: JsonObject;
  why_key: string | null;
  intervention: Intervention;
}
export interface Why {
  type: "why";
  v: number;
  re: string;
  questions: WhyQuestion[];
  question: string | null;
  subject: string;
  links: WhyLink[];
}
/**
 * A question, with its sentence. To ask it, a page sends `why` with the same `question` and `subject`.
 */
export interface WhyQuestion {
  question: string;
  subject: string;
  key: string;
  params: JsonObject;
}
/**
 * One sentence of an answer. `subject`: an object that the reader can select. `step`: the earlier step
 *     that the sentence is about. `answers`: true for the sentence that alone answers the question.
 */
export interface WhyLink {
  key: string;
  params: JsonObject;
  rules: string[];
  subject: Selection | null;
  compared: [Json, Json][];
  step: number | null;
  answers: boolean;
}
export interface ErrorMessage {
  type: "error";
  v: number;
  re: string | null;
  code:
    | "conflict"
    | "limit"
    | "malformed"
    | "not_found"
    | "refused"
    | "too_frequent"
    | "too_large"
    | "unavailable"
    | "unknown_type"
    | "unsupported_version";
  key: string;
  params: JsonObject;
  remedy_key: string;
}
export interface Pong {
  type: "pong";
  v: number;
  re: string;
}
/**
 * To one follower: whether their hand is raised, and the name or number with which the presenter sees
 *     them.
 */
export interface OwnHand {
  type: "hand";
  v: number;
  raised: RaisedAt | null;
  follower: number | null;
  name: string | null;
  re: string | null;
}
export interface RaisedAt {
  branch: string;
  step: number;
  text: string;
}
/**
 * To followers. `number` grows with each change of the poll. `poll` is null after the poll has ended.
 */
export interface CurrentPoll {
  type: "poll";
  v: number;
  number: number;
  poll: PollView | null;
}
/**
 * The engine's question. Followers get `right` and `reasons` only after the answer was revealed. They get
 *     `counts` and `answers` only after that, or while the counts are shown.
 */
export interface PollView {
  id: number;
  branch: string;
  at: number;
  state: "closed" | "open" | "revealed";
  shown: boolean;
  key: string;
  params: JsonObject;
  choices: QuestionChoice[];
  answers: number | null;
  counts: {
    [k: string]: number;
  } | null;
  right: string | null;
  reasons: {
    [k: string]: Reason[];
  } | null;
}
/**
 * One possible answer.
 */
export interface QuestionChoice {
  id: string;
  key: string;
  params: JsonObject;
}
/**
 * Why a choice is right or wrong.
 */
export interface Reason {
  key: string;
  params: JsonObject;
  /**
   * The requirement that explains the reason.
   */
  rule: string | null;
  /**
   * If the reason is a check of the receiver: the check's result (`passed`, `decided`, …). Null for other reasons.
   */
  outcome: string | null;
}
/**
 * To one follower: the last choice of this follower. Only the last choice counts.
 */
export interface Answered {
  type: "answered";
  v: number;
  poll: number;
  choice: string | null;
  re: string | null;
}
/**
 * To the presenter: all raised hands, the earliest first, and the poll with its counts. `names`: a dict
 *     of choice → the names of the followers who chose it, without names that the presenter may not see.
 */
export interface Audience {
  type: "audience";
  v: number;
  hands: HandSeen[];
  poll: PollView | null;
  names: {
    [k: string]: string[];
  };
  re: string | null;
}
/**
 * `follower`: the number of the follower. `name`: null if there is no name that the presenter may see.
 */
export interface HandSeen {
  branch: string;
  step: number;
  text: string;
  follower: number;
  name: string | null;
  /**
   * True while the follower's connection is lost. The hand is lowered if the follower does not come back in time.
   */
  away: boolean;
}
/**
 * A question at a checkpoint of a run.
 */
export interface Question {
  checkpoint: number;
  ask: string;
  /**
   * The step at which the run stops; the next step gives the answer.
   */
  at: number;
  /**
   * Id of the message that the next step delivers, which is in flight at step ``at``; null: the next step delivers none.
   */
  message: number | null;
  key: string;
  params: JsonObject;
  choices: QuestionChoice[];
  right: string;
  /**
   * Dict of choice → its reasons.
   */
  reasons: {
    [k: string]: Reason[];
  };
}
/**
 * All data that the player needs to play without a server (docs/player.md).
 */
export interface PlayerFile {
  v: 1;
  kind: "log" | "replay";
  session: PlayedSession;
  verified: Verified | null;
  branches: PlayedBranch[];
  header?: Header;
  view?: View;
  /**
   * Branch id → the branch's own steps, which come after `leaves_at`.
   */
  steps?: {
    [k: string]: Step[];
  };
  /**
   * Where the page has the lines of a replay, if header, view and steps are not in the file.
   */
  lines?: string;
  /**
   * Branch id → the plan of the branch. Absent if the file has no plans.
   */
  plans?: {
    [k: string]: Plan;
  };
  /**
   * Branch id → the derived facts of the branch's steps. Null means the same as a missing entry. Absent if the file has no derived facts.
   */
  derived?: {
    [k: string]: FileDerived | null;
  };
  /**
   * Branch id → the transactions of the branch. Absent if the file has none.
   */
  transactions?: {
    [k: string]: TransactionLines;
  };
  /**
   * The answers to the question why consumers of a log case's partitions stop.
   */
  why?: LogWhy[];
}
/**
 * The run or log case that the file plays.
 */
export interface PlayedSession {
  id: string;
  title: Bilingual | string | null;
  scenario: string | null;
  variant: string | null;
}
/**
 * What checking the file has found. `step`: the first step that differs; if the check was stopped, the
 *     last step that was compared; otherwise null.
 */
export interface Verified {
  state: "as_recorded" | "differs" | "log" | "verified";
  engine?: string;
  step?: number | null;
  /**
   * The same as a sentence.
   */
  sentence?: Bilingual;
}
/**
 * One branch of the run or log case.
 */
export interface PlayedBranch {
  id: string;
  name: string;
  /**
   * The branch's name for pages. Absent in files of earlier releases.
   */
  said?: BranchName;
  parent: string | null;
  /**
   * The number of the last step that the branch shares with its parent.
   */
  leaves_at: number;
  newest: number;
  /**
   * How the branch's run ended; null while it can continue.
   */
  finished: string | null;
  interventions: MadeIntervention[];
  /**
   * Guarantee → the number of the step that first broke it.
   */
  first_broken: {
    [k: string]: number;
  };
}
/**
 * A step. Numbers start at 1, times are virtual milliseconds.
 */
export interface Step {
  key: string;
  params: JsonObject;
  rules: string[];
  number: number;
  at: number;
  actor: string;
  kind: "api_call" | "delivery" | "fault" | "log" | "replication" | "sender_phase" | "timer" | "zookeeper";
  /**
   * Further sentences of the same step.
   */
  notes: Said[];
  decision: Decision | null;
  refusal: Refusal | null;
  messages: MessageFate[];
  transition: Transition | null;
  /**
   * Transitions of the same step before `transition`, oldest first.
   */
  earlier_transitions?: Transition[];
  /**
   * Whether a learner should stop here: at a fault, a refusal, a broken guarantee, a transition, or a decision that a row before the last one of its table made.
   */
  interesting: boolean;
  broken: Broken[];
  changes: Change[];
}
/**
 * The derived facts of one branch in a file: the facts of each of its steps, and, if the branch has no
 *     parent, the facts of its first view.
 */
export interface FileDerived {
  view?: Derived;
  steps: StepDerived[];
}
/**
 * The transactions of one branch of a session.
 */
export interface TransactionLines {
  /**
   * The last step that is included.
   */
  through: number;
  /**
   * Number of older transactions that are not listed.
   */
  folded: number;
  lines: TransactionLine[];
}
/**
 * The answer to the question why consumers of a partition of a log case stop at `offset`. It holds from
 *     step `first` to step `last` (null: to the end).
 */
export interface LogWhy {
  partition: string;
  first: number;
  last: number | null;
  offset: number;
  links: LogWhyLink[];
}
/**
 * One sentence of the answer to the question why consumers stop (docs/websocket.md, `why`).
 */
export interface LogWhyLink {
  key: string;
  params: JsonObject;
  rules: string[];
  subject: JsonObject | null;
  compared: Json[];
  step: number | null;
  /**
   * Whether this sentence answers the question by itself. Absent in files of earlier releases.
   */
  answers?: boolean;
}
/**
 * The comparison of two runs: which of their steps belong together, and from which step on their states
 *     differ.
 */
export interface Alongside {
  /**
   * The last step up to which both runs are the same.
   */
  same: number;
  /**
   * The number of steps of each run that were compared.
   */
  ends: number[];
  /**
   * For each moment after the step `same`: the number of the step at which each run is. The runs make equal events at the same moment. While one run makes a step that the other does not have, the other stays at its step.
   */
  moments: number[][];
  /**
   * Dict of actor, partition or transactional id → for each run, the step from which on its state differs from its state in the other run; null: it does not differ. A difference in time alone does not count.
   */
  parts: {
    [k: string]: (number | null)[];
  };
  /**
   * As `parts`, for differences in producer ids, epochs and sequence numbers, which `parts` does not compare. Absent in answers of earlier versions.
   */
  numbers?: {
    [k: string]: (number | null)[];
  };
  /**
   * Dict of actor, partition or transactional id → for each run, the steps after the step `same` that changed its state. Absent in answers of earlier versions.
   */
  changes?: {
    [k: string]: number[][];
  };
  /**
   * Actors, partitions and transactional ids whose state changes at other virtual times in one run than in the other, in the order of the first such change. Absent in answers of earlier versions.
   */
  later?: string[];
  /**
   * Actors, partitions and transactional ids whose state at the end of one run differs from that at the end of the other. Absent in answers of earlier versions.
   */
  lasting?: string[];
  /**
   * Whether both runs have a call or a fault at the same virtual time, but at different moments, because other events come before it in one run and after it in the other. Then the two stand beside each other only if the runs are compared by virtual time.
   */
  crossed: boolean;
  /**
   * The picture that shows best how the ends of the two runs differ: the stage, if there are no logs; the logs, if stored records or their batches differ, if consumers see other records or see them at other times, or if a leader decides differently about a batch; otherwise the messages. Absent in answers of earlier versions.
   */
  picture?: "logs" | "messages" | "stage";
  /**
   * The step of each run at the first virtual time at which the state of an actor, partition or transactional id differs, even if it differs in time alone. In a run in which no step changes this state at that time: the step beside that of the other run, or else its last step at that time. Absent if there is no such time.
   */
  timed?: number[];
  /**
   * For each run, the step of the first fault that only this run has; null for the other run. Absent if there is no such fault.
   */
  fault?: (number | null)[];
  /**
   * For the first batch about which a leader decides differently, when it arrives for the same time: the step of this decision in each run. The leader appends the batch, recognises a duplicate, or refuses the batch with an error. Absent if there is no such batch, or if the runs belong to two scenarios.
   */
  decides?: number[];
  /**
   * Sentences that compare the ends of two runs of one scenario: their logs, and the decision of `decides`. Absent if the runs belong to two scenarios, or do not end within the compared steps.
   */
  verdict?: Words[];
  /**
   * The calls and faults that two runs of one scenario schedule differently. Absent if the runs belong to two scenarios, or cannot be made again.
   */
  rescheduled?: Rescheduled[];
}
/**
 * A call or a fault that only one of two scenarios schedules, or that both schedule at other times.
 */
export interface Rescheduled {
  kind: "call" | "fault";
  /**
   * For a call, the client that is called. For a fault, the actor, partition or API that it is about, or empty.
   */
  who: string;
  /**
   * The name of the call or of the fault in a scenario's document.
   */
  what: string;
  /**
   * The virtual times in ms in the left scenario; null: the time of a message decides. The list is empty if the left scenario does not schedule it.
   */
  left: (number | null)[];
  right: (number | null)[];
}
