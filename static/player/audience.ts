/**
 * The audience of a presentation: hands raised at a step, and a poll. The pages of presenter and followers use the same
 * class. The server decides which page gets which message (docs/websocket.md, *Hands and polls*), and sends the present
 * state again after every connection.
 */

import type { Answered, Audience as WholeAudience, ChangePoll, FromServer, HandSeen, OwnHand, CurrentPoll, PollView, RaisedAt } from "../generated/messages.ts";
import type { AudienceCommand } from "./source.ts";

export type { HandSeen };

export type Poll = PollView;

export type PollChange = ChangePoll["change"];

type OfAudience = WholeAudience | OwnHand | CurrentPoll | Answered;

/** The content of a message, without its version and the id that it answers. */
type Said<Message> = Message extends unknown ? Omit<Message, "v" | "re"> : never;

export type AudienceMessage = Said<OfAudience>;

const TYPES = new Set(["audience", "hand", "poll", "answered"]);

export function isOfAudience(message: FromServer): message is OfAudience {
  return TYPES.has(message.type);
}

/** An event of the audience that a screen reader says once. */
export type Heard =
  | { kind: "hand"; hand: HandSeen }
  | { kind: "lowered" }
  | { kind: "poll"; poll: Poll }
  | { kind: "over" };

/** Fires `change` when anything in it changes, and `heard` (a CustomEvent of `Heard`) when the reader should notice. */
export class Audience extends EventTarget {
  /** For a presenter: the raised hands of the followers, and names; empty while no presentation is running. */
  hands: HandSeen[] = [];
  names: Record<string, string[]> = {};
  poll: Poll | null = null;
  /** For a follower: the own raised hand, the name if the presenter sees it, and the answer to the poll. */
  raised: RaisedAt | null = null;
  name: string | null = null;
  choice: string | null = null;
  readonly presents: boolean;
  readonly #ask: (command: AudienceCommand) => Promise<unknown>;
  #number = 0;
  #answered: number | null = null;
  #lowers = false;

  /** `ask` sends a command, and shows the reader why it was refused. */
  constructor(presents: boolean, ask: (command: AudienceCommand) => Promise<unknown>) {
    super();
    this.presents = presents;
    this.#ask = ask;
  }

  heard(message: AudienceMessage): void {
    if (message.type === "audience") this.#attended(message);
    else if (message.type === "hand") this.#ownHand(message);
    else if (message.type === "answered") {
      this.#answered = message.poll;
      this.choice = message.choice;
    } else if (message.number >= this.#number) {
      this.#number = message.number;
      this.#polled(message.poll);
    }
    this.#changed();
  }

  #attended(message: Extract<AudienceMessage, { type: "audience" }>): void {
    const known = new Set(this.hands.map(placeOf));
    this.hands = message.hands;
    this.names = message.names;
    this.#polled(message.poll);
    for (const hand of message.hands) if (!known.has(placeOf(hand))) this.#tell({ kind: "hand", hand });
  }

  #ownHand(message: Extract<AudienceMessage, { type: "hand" }>): void {
    if (this.raised !== null && message.raised === null && !this.#lowers) this.#tell({ kind: "lowered" });
    this.raised = message.raised;
    this.name = message.name;
    this.#lowers = false;
  }

  #polled(poll: Poll | null): void {
    const before = this.poll;
    if (poll !== null && poll.id !== this.#answered) this.choice = null;
    this.poll = poll;
    if (poll === null && before !== null) this.#tell({ kind: "over" });
    else if (poll !== null && (poll.id !== before?.id || poll.state !== before.state)) this.#tell({ kind: "poll", poll });
  }

  #tell(detail: Heard): void {
    this.dispatchEvent(new CustomEvent<Heard>("heard", { detail }));
  }

  #changed(): void {
    this.dispatchEvent(new Event("change"));
  }

  // Commands of a follower

  raise(branch: string, step: number, text: string): Promise<unknown> {
    return this.#ask({ type: "raise_hand", branch, step, text });
  }

  lower(): Promise<unknown> {
    this.#lowers = true;
    return this.#ask({ type: "lower_hand" });
  }

  answer(choice: string): Promise<unknown> {
    return this.poll === null ? Promise.resolve() : this.#ask({ type: "answer_poll", poll: this.poll.id, choice });
  }

  // Commands of a presenter

  attend(): Promise<unknown> {
    return this.#ask({ type: "attend" });
  }

  /** Takes down the hands of these followers; without a list, of all. */
  lowerHands(followers?: number[]): Promise<unknown> {
    return this.#ask(followers === undefined ? { type: "lower_hands" } : { type: "lower_hands", followers });
  }

  openPoll(branch: string, at: number): Promise<unknown> {
    return this.#ask({ type: "open_poll", branch, at });
  }

  changePoll(change: PollChange): Promise<unknown> {
    return this.poll === null ? Promise.resolve() : this.#ask({ type: "change_poll", poll: this.poll.id, change });
  }

  /** Whether this page presents and its poll asks the question at this step: then the reader alone is not asked it. */
  asks(branch: string, at: number): boolean {
    return this.presents && this.poll !== null && this.poll.branch === branch && this.poll.at === at;
  }
}

const placeOf = (hand: HandSeen): string => `${hand.follower} ${hand.branch} ${hand.step} ${hand.text}`;

/** `count` as a share of `all`, in whole percent; 0 if `all` is 0. */
export function percentOf(count: number, all: number): number {
  return all === 0 ? 0 : Math.round((100 * count) / all);
}
