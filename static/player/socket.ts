/**
 * A session over its WebSocket: docs/websocket.md, version 1.
 *
 * A command is sent again under its id until it is answered; the server carries each id out once. After a loss
 * of the connection the page says which steps it holds and receives what is missing.
 */

import type { AudienceCommand } from "./audience.ts";
import { parseExactly } from "./exact-json.ts";
import type { TransactionLines } from "./transactions.ts";
import type { Header, JsonObject, Step, View } from "./frame.ts";
import type { Place, Presented } from "./following.ts";
import type { Action, Answer, BranchInfo, Command, Listener, SessionInfo, Source, Status, Way } from "./source.ts";
import { normalBranch, Problem } from "./source.ts";
import type { WhyAnswer } from "./why-answer.ts";

export const defaults = {
  /** Milliseconds until an unanswered command is sent again. */
  resendEvery: 2000,
  /** First and longest wait before connecting again, milliseconds. */
  backOffFirst: 200,
  backOffLongest: 2000,
  /** A silent connection is asked for a sign of life, then closed. */
  pingEvery: 15000,
  pongWithin: 6000,
};

/** Not answers: the command stands and is sent again. */
const TRY_AGAIN = new Set(["too_frequent", "unavailable"]);

interface ServerMessage {
  type: string;
  re?: string;
  [field: string]: unknown;
}

interface Waiting {
  text: string;
  sentAt: number;
  settle: (answer: Answer) => void;
  refuse: (problem: Problem) => void;
}

/** What the socket needs from its surroundings; tests give their own. */
export interface Surroundings {
  connect(address: string): WebSocket;
  now(): number;
  after(milliseconds: number, action: () => void): number;
  cancel(timer: number): void;
  newId(): string;
}

function randomId(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  // Over plain HTTP from another machine randomUUID does not exist.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const FOLLOWER = "eosviz-follower";

/** The name of this page for the presentations that it follows; it outlives loading the page again. */
function keptName(around: Surroundings): string {
  try {
    const kept = sessionStorage.getItem(FOLLOWER) ?? around.newId();
    sessionStorage.setItem(FOLLOWER, kept);
    return kept;
  } catch {
    return around.newId(); // Where a page may keep nothing it is somebody else after each loading.
  }
}

const BROWSER: Surroundings = {
  connect: (address) => new WebSocket(address),
  now: () => performance.now(),
  after: (milliseconds, action) => setTimeout(action, milliseconds) as unknown as number,
  cancel: (timer) => clearTimeout(timer),
  newId: randomId,
};

/** `/ws/sessions/<id>/` of this site, as ws: or wss:. */
export function sessionAddress(session: string, base: { protocol: string; host: string } = location): string {
  const scheme = base.protocol === "https:" ? "wss:" : "ws:";
  return `${scheme}//${base.host}/ws/sessions/${encodeURIComponent(session)}/`;
}

/** `/ws/follow/<token>/`: the session of somebody who presents it. */
export function followAddress(token: string, base: { protocol: string; host: string } = location): string {
  return sessionAddress(token, base).replace("/ws/sessions/", "/ws/follow/");
}

export class SessionSocket implements Source {
  /** Who follows makes no steps. */
  readonly live: boolean;
  /** Called with each place of the presenter, by a socket that follows. */
  onPresented: ((at: Presented) => void) | null = null;
  /** Called with every message of the server, once it was read. */
  onSaid: ((message: { type: string }) => void) | null = null;
  /** Called after each welcome. */
  onWelcome: (() => void) | null = null;
  readonly #address: string;
  readonly #around: Surroundings;
  #listener: Listener | null = null;
  #socket: WebSocket | null = null;
  #waiting = new Map<string, Waiting>();
  #attempts = 0;
  #welcomed = false;
  #heardAt = 0;
  #timer: number | null = null;
  #tick: number | null = null;
  /** Of a page that follows: what it is known by when it comes back. */
  readonly #follower: string | null;

  constructor(address: string, around: Surroundings = BROWSER) {
    this.#address = address;
    this.#around = around;
    this.live = !address.includes("/ws/follow/");
    this.#follower = this.live ? null : keptName(around);
  }

  /** Whether what is said now arrives: the server knows which steps this page holds. */
  get isWelcomed(): boolean {
    return this.#welcomed;
  }

  start(listener: Listener): void {
    this.#listener = listener;
    this.#status("connecting");
    this.#connect();
    this.#watch();
  }

  stop(): void {
    this.#listener = null;
    if (this.#timer !== null) this.#around.cancel(this.#timer);
    if (this.#tick !== null) this.#around.cancel(this.#tick);
    this.#socket?.close();
    this.#socket = null;
  }

  /** Says where the presenter is; false when there is no connection to say it on. */
  present(place: Place): boolean {
    if (!this.#welcomed || this.#socket === null) return false;
    const selection = place.selection === null ? null : { ...place.selection, serials: place.selection.serials?.slice(0, 100) };
    this.#socket.send(JSON.stringify({ v: 1, id: this.#around.newId(), type: "present", ...place, selection }));
    return true;
  }

  ask(command: Command | AudienceCommand): Promise<Answer> {
    const id = this.#around.newId();
    const text = JSON.stringify({ v: 1, id, ...command });
    return new Promise((settle, refuse) => {
      this.#waiting.set(id, { text, sentAt: this.#around.now(), settle, refuse });
      if (this.#welcomed) this.#socket?.send(text);
    });
  }

  #status(status: Status): void {
    this.#listener?.statusChanged(status);
  }

  #connect(): void {
    this.#timer = null;
    const socket = this.#around.connect(this.#address);
    this.#socket = socket;
    this.#welcomed = false;
    this.#heardAt = this.#around.now();
    socket.onopen = () => {
      const named = this.#follower === null ? {} : { follower: this.#follower };
      const hello = { v: 1, id: this.#around.newId(), type: "hello", have: this.#listener?.have() ?? {}, ...named };
      socket.send(JSON.stringify(hello));
    };
    socket.onmessage = (event: MessageEvent) => {
      this.#heardAt = this.#around.now();
      if (socket === this.#socket) this.#heard(parseExactly(String(event.data)) as ServerMessage);
    };
    socket.onclose = (event: CloseEvent) => {
      if (socket === this.#socket) this.#lost(event.code);
    };
  }

  #lost(code: number): void {
    this.#socket = null;
    this.#welcomed = false;
    if (this.#listener === null) return;
    if (code === 4404) {
      // The session is not there, or is somebody else's: asking again would not change that.
      this.#status("failed");
      this.#listener.failed(new Problem("not_found", this.live ? "player.session_not_found" : "player.presentation_not_found"));
      return;
    }
    this.#status("reconnecting");
    const wait = Math.min(defaults.backOffLongest, defaults.backOffFirst * 2 ** this.#attempts);
    this.#attempts += 1;
    this.#timer = this.#around.after(wait, () => this.#connect());
  }

  /** Twice a second: send again what has waited too long, and notice a dead connection. */
  #watch(): void {
    this.#tick = this.#around.after(500, () => {
      const now = this.#around.now();
      if (this.#welcomed) {
        for (const waiting of this.#waiting.values()) {
          if (now - waiting.sentAt >= defaults.resendEvery) this.#send(waiting);
        }
      }
      this.#checkLife(now);
      this.#watch();
    });
  }

  #checkLife(now: number): void {
    if (this.#socket === null) return;
    const silent = now - this.#heardAt;
    if (silent >= defaults.pingEvery + defaults.pongWithin) {
      const dead = this.#socket;
      this.#lost(1006);
      dead.close();
    } else if (silent >= defaults.pingEvery && this.#welcomed) {
      this.#socket.send(JSON.stringify({ v: 1, id: this.#around.newId(), type: "ping" }));
    }
  }

  #send(waiting: Waiting): void {
    waiting.sentAt = this.#around.now();
    this.#socket?.send(waiting.text);
  }

  #heard(message: ServerMessage): void {
    const listener = this.#listener;
    if (listener === null) return;
    if (message.type === "error") {
      this.#refused(message);
      return;
    }
    if (message.type === "welcome") this.#welcome(message, listener);
    else if (message.type === "branches") listener.branchesChanged((message["branches"] as BranchInfo[]).map(normalBranch));
    else if (message.type === "steps") {
      listener.stepsCame(String(message["branch"]), message["steps"] as Step[], message["finished"] as string | null);
    } else if (message.type === "ahead") {
      const step = message["step"] as Step | null;
      if (step !== null) listener.aheadCame(String(message["branch"]), message["after"] as number, step);
    } else if (message.type === "sight") {
      listener.viewCame(String(message["branch"]), message["number"] as number, message["view"] as View, message["step"] as Step | null);
    } else if (message.type === "presented") {
      this.onPresented?.(message as unknown as Presented);
    }
    this.onSaid?.(message);
    this.#settle(message);
  }

  #welcome(message: ServerMessage, listener: Listener): void {
    this.#welcomed = true;
    this.#attempts = 0;
    const branches = (message["branches"] as BranchInfo[]).map(normalBranch);
    listener.welcomed({
      session: message["session"] as SessionInfo,
      header: message["header"] as Header,
      branches,
      verified: null,
    });
    this.#status("live");
    for (const waiting of this.#waiting.values()) this.#send(waiting);
    this.onWelcome?.();
  }

  #settle(message: ServerMessage): void {
    const waiting = message.re === undefined ? undefined : this.#waiting.get(message.re);
    if (waiting === undefined) return;
    this.#waiting.delete(message.re as string);
    const answer: Answer = {};
    if (message["branch"] !== undefined) answer.branch = String(message["branch"]);
    if (message["newest"] !== undefined) answer.newest = message["newest"] as number;
    if (message["created"] !== undefined && message["created"] !== null) answer.created = String(message["created"]);
    if (message["actions"] !== undefined) answer.actions = message["actions"] as Action[];
    for (const field of ["reached", "stopped", "from", "to", "numbers", "hits"] as const) {
      if (message[field] !== undefined) Object.assign(answer, { [field]: message[field] });
    }
    if (message["changes"] !== undefined) answer.way = message as unknown as Way;
    if (message["lines"] !== undefined) answer.transactions = message as unknown as TransactionLines;
    if (message["links"] !== undefined) answer.why = message as unknown as WhyAnswer;
    waiting.settle(answer);
  }

  #refused(message: ServerMessage): void {
    const code = String(message["code"]);
    const waiting = message.re === undefined ? undefined : this.#waiting.get(message.re);
    if (waiting !== undefined && TRY_AGAIN.has(code)) return; // Stays waiting, `#watch` sends it again.
    const remedy = (message["remedy_key"] as string | null | undefined) ?? null;
    const problem = new Problem(code, String(message["key"]), (message["params"] as JsonObject) ?? {}, remedy);
    if (waiting === undefined) {
      if (!TRY_AGAIN.has(code)) this.#listener?.failed(problem);
      return;
    }
    this.#waiting.delete(message.re as string);
    waiting.refuse(problem);
  }
}
