/**
 * A source of steps: a session of the server over its WebSocket (docs/websocket.md, version 1).
 *
 * A command is sent again with the same id until it is answered; the server carries each id out once. After a lost
 * connection, the page tells the server which steps it holds, and receives the missing ones.
 */

import type { ErrorMessage, FromServer, Look, Presented as FromPresenter, Welcome } from "../generated/messages.ts";
import { parseExactly } from "./exact-json.ts";
import type { JsonObject, Selection, View } from "./frame.ts";
import type { Place, Presented } from "./following.ts";
import type { Answer, AudienceCommand, Command, Listener, Source, Status } from "./source.ts";
import { normalBranch, Problem } from "./source.ts";
import type { WhyAnswer } from "./why-answer.ts";

export const defaults = {
  /** Milliseconds until an unanswered command is sent again: the first time, and at most. They double with each try. */
  resendFirst: 1000,
  resendLongest: 4000,
  /** The same, if the server answered that it could not carry out the command now. */
  tryAgainFirst: 250,
  tryAgainLongest: 2000,
  /** The most milliseconds until a refused `hello` is sent again, even if the server's answer asks for more. */
  helloLongest: 10000,
  /**
   * Milliseconds before the page connects again: the first time, and at most. They are shortened by a random share of
   * up to half, so that not all pages connect at once.
   */
  backOffFirst: 100,
  backOffLongest: 2000,
  /** Milliseconds between two checks whether a command must be sent again. */
  lookEvery: 250,
  /**
   * `pingEvery`: milliseconds of silence after which the connection gets a ping. `pongWithin`: milliseconds without an
   * answer after which it is closed.
   */
  pingEvery: 15000,
  pongWithin: 6000,
};

/**
 * Close code after which the page does not connect again → the code of the problem, and the catalogue keys of its
 * message: on a page that makes steps (`live`), and on a follower's page (`follows`).
 */
const CLOSED: Record<number, { code: string; live: string; follows: string }> = {
  4401: { code: "refused", live: "player.signed_out", follows: "player.signed_out" },
  4403: { code: "refused", live: "player.not_allowed", follows: "player.not_allowed" },
  4404: { code: "not_found", live: "player.session_not_found", follows: "player.presentation_not_found" },
  4429: { code: "limit", live: "player.link_full", follows: "player.link_full" },
};
/**
 * The close code after a sign-out. Another person may have signed in in this browser since, so the page tries one more
 * socket, which carries the new cookie.
 */
const SIGNED_OUT = 4401;

/** Codes of errors after which a command is sent again, because the server did not carry it out. */
const TRY_AGAIN = new Set(["too_frequent", "unavailable"]);

/** The pause before the next try, after `tries` earlier ones: `first`, doubled each time, at most `longest`. */
function growing(first: number, longest: number, tries: number): number {
  return Math.min(longest, first * 2 ** tries);
}

interface Waiting {
  text: string;
  /** When the command is sent again unless it is answered, in ms of the clock. */
  again: number;
  /** How often it was sent on this connection. */
  sent: number;
  /** How often the server answered that the command should be tried again. */
  putOff: number;
  /** Whether the page has shown the reader why the server could not carry it out yet. */
  isDelayed: boolean;
  settle: (answer: Answer) => void;
  refuse: (problem: Problem) => void;
}

/** The functions of the browser that the socket uses. Tests supply their own. */
export interface Surroundings {
  connect(address: string): WebSocket;
  now(): number;
  after(milliseconds: number, action: () => void): number;
  cancel(timer: number): void;
  newId(): string;
  /** A random number from 0 to 1. */
  chance(): number;
}

function randomId(): string {
  if (typeof crypto.randomUUID === "function") return crypto.randomUUID();
  // On a page that came over plain HTTP from another machine, `randomUUID` does not exist.
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const FOLLOWER = "eosviz-follower";

/** The name by which the server recognises this tab as a follower, also after the page was loaded again. */
function keptName(around: Surroundings): string {
  try {
    const kept = sessionStorage.getItem(FOLLOWER) ?? around.newId();
    sessionStorage.setItem(FOLLOWER, kept);
    return kept;
  } catch {
    return around.newId(); // The page may store nothing: it gets a new name at each loading.
  }
}

const BROWSER: Surroundings = {
  connect: (address) => new WebSocket(address),
  now: () => performance.now(),
  after: (milliseconds, action) => setTimeout(action, milliseconds) as unknown as number,
  cancel: (timer) => clearTimeout(timer),
  newId: randomId,
  chance: () => Math.random(),
};

/** The address of a session's socket: `/ws/sessions/<id>/` of this site, as ws: or wss:. */
export function sessionAddress(session: string, base: { protocol: string; host: string } = location): string {
  const scheme = base.protocol === "https:" ? "wss:" : "ws:";
  return `${scheme}//${base.host}/ws/sessions/${encodeURIComponent(session)}/`;
}

/** The address of a follower's socket: `/ws/follow/<token>/`, for the session that a presenter shows. */
export function followAddress(token: string, base: { protocol: string; host: string } = location): string {
  return sessionAddress(token, base).replace("/ws/sessions/", "/ws/follow/");
}

/** The selection, with only as many serials as followers need. */
function short(selection: Selection | null): Selection | null {
  if (selection?.serials === undefined) return selection;
  return { ...selection, serials: selection.serials.slice(0, 100) };
}

/** The part of a message that answers a command or a question. */
function answerOf(message: FromServer): Answer {
  switch (message.type) {
    case "done": {
      const { branch, newest, created, reached, stopped, hits } = message;
      return { branch, newest, reached, stopped, hits, ...(created === null ? {} : { created }) };
    }
    case "steps": {
      const { branch, newest, from } = message;
      return { branch, newest, from };
    }
    case "found": {
      const { branch, newest, from, to, numbers, hits } = message;
      return { branch, newest, from, to, numbers, hits };
    }
    case "actions":
      return { actions: message.actions };
    case "difference":
      return { branch: message.branch, difference: message };
    case "transactions":
      return { branch: message.branch, transactions: message };
    case "why":
      return { why: message as WhyAnswer };
    default:
      return "branch" in message ? { branch: message.branch } : {};
  }
}

export class SessionSocket implements Source {
  /** False on a follower's page, which makes no steps. */
  readonly live: boolean;
  /** Called with each place of the presenter, on a page that follows. */
  onPresented: ((at: Presented) => void) | null = null;
  /** Called with every message of the server, after this class has handled it. */
  onSaid: ((message: FromServer) => void) | null = null;
  /** On a page that presents: returns the place of its reader. */
  presenter: (() => Place | null) | null = null;
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
  /** Whether the socket was closed with `SIGNED_OUT` and no welcome has arrived since. */
  #wasSignedOut = false;
  /** Whether the presentation that this page follows is over. */
  #ended = false;
  #timer: number | null = null;
  #tick: number | null = null;
  /** The `hello` that waits for its welcome: its id, and how often the server asked to send it later. */
  #hello = { id: "", putOff: 0 };
  /** The name by which the server recognises a follower's page when it connects again; null on other pages. */
  readonly #follower: string | null;

  constructor(address: string, around: Surroundings = BROWSER) {
    this.#address = address;
    this.#around = around;
    this.live = !address.includes("/ws/follow/");
    this.#follower = this.live ? null : keptName(around);
  }

  /** Whether the server has answered `hello` on this connection, so that commands can be sent. */
  get isWelcomed(): boolean {
    return this.#welcomed;
  }

  start(listener: Listener): void {
    this.#listener = listener;
    this.#status("connecting");
    this.#connect();
    this.#watch();
    globalThis.addEventListener?.("offline", this.#goesOffline);
    globalThis.addEventListener?.("online", this.#comesOnline);
  }

  /** Closes the connection as soon as the browser is offline: it would notice a dead one only much later. */
  readonly #goesOffline = (): void => {
    const dead = this.#socket;
    if (dead === null) return;
    this.#lost(1006);
    dead.close();
  };

  readonly #comesOnline = (): void => {
    if (this.#socket !== null || this.#timer === null) return;
    this.#around.cancel(this.#timer);
    this.#attempts = 0;
    this.#connect();
  };

  stop(): void {
    this.#listener = null;
    globalThis.removeEventListener?.("offline", this.#goesOffline);
    globalThis.removeEventListener?.("online", this.#comesOnline);
    if (this.#timer !== null) this.#around.cancel(this.#timer);
    if (this.#tick !== null) this.#around.cancel(this.#tick);
    this.#socket?.close();
    this.#socket = null;
  }

  /** Sends the presenter's place; false if there is no connection. */
  present(place: Place): boolean {
    if (!this.#welcomed || this.#socket === null) return false;
    this.#socket.send(JSON.stringify({ v: 1, id: this.#around.newId(), type: "present", ...place, selection: short(place.selection) }));
    return true;
  }

  ask(command: Command | AudienceCommand): Promise<Answer> {
    const id = this.#around.newId();
    const text = JSON.stringify({ v: 1, id, ...command, ...this.#look(command) });
    return new Promise((settle, refuse) => {
      const waiting = { text, again: 0, sent: 0, putOff: 0, isDelayed: false, settle, refuse };
      this.#waiting.set(id, waiting);
      if (this.#welcomed) this.#send(waiting);
    });
  }

  /**
   * Adds the presenter's view and selection to an `advance` that shows a step at once, so that one message is enough.
   */
  #look(command: Command | AudienceCommand): { present?: Look } {
    if (command.type !== "advance" || command.ahead !== true) return {};
    const place = this.presenter?.() ?? null;
    if (place === null || place.branch !== command.branch || place.zoom !== "" || place.why !== null) return {};
    return { present: { view: place.view, selection: short(place.selection) } };
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
    this.#hello.putOff = 0;
    socket.onopen = () => this.#sayHello(socket);
    socket.onmessage = (event: MessageEvent) => {
      this.#heardAt = this.#around.now();
      if (socket === this.#socket) this.#heard(parseExactly(String(event.data)) as FromServer);
    };
    socket.onclose = (event: CloseEvent) => {
      if (socket === this.#socket) this.#lost(event.code);
    };
  }

  #sayHello(socket: WebSocket): void {
    this.#hello.id = this.#around.newId();
    const named = this.#follower === null ? {} : { follower: this.#follower };
    socket.send(JSON.stringify({ v: 1, id: this.#hello.id, type: "hello", have: this.#listener?.have() ?? {}, ...named }));
  }

  /**
   * Sends a refused `hello` again on the same connection, after the time that the server's answer names. The server may
   * refuse it because all followers of a link share one budget of messages.
   */
  #sayHelloAgain(params: JsonObject): void {
    const socket = this.#socket;
    if (socket === null) return;
    const asked = Math.min(Number(params["wait"] ?? 0) * 1000, defaults.helloLongest);
    const wait = Math.max(asked, growing(defaults.tryAgainFirst, defaults.tryAgainLongest, this.#hello.putOff));
    this.#hello.putOff += 1;
    this.#around.after(wait * (1 + this.#around.chance() / 2), () => {
      if (socket === this.#socket && !this.#welcomed) this.#sayHello(socket);
    });
  }

  #lost(code: number): void {
    this.#socket = null;
    this.#welcomed = false;
    if (this.#listener === null) return;
    const closed = CLOSED[this.#wasSignedOut && code in CLOSED ? SIGNED_OUT : code];
    if (closed !== undefined && (code !== SIGNED_OUT || this.#wasSignedOut)) {
      this.#close(closed);
      return;
    }
    this.#wasSignedOut ||= code === SIGNED_OUT;
    this.#status("reconnecting");
    const wait = growing(defaults.backOffFirst, defaults.backOffLongest, this.#attempts);
    this.#attempts += 1;
    this.#timer = this.#around.after(wait * (0.5 + this.#around.chance() / 2), () => this.#connect());
  }

  /** Gives up the connection, because connecting again would give the same answer; refuses all waiting commands. */
  #close(closed: { code: string; live: string; follows: string }): void {
    this.#status("failed");
    const problem = new Problem(closed.code, this.live ? closed.live : closed.follows);
    for (const waiting of this.#waiting.values()) waiting.refuse(problem);
    this.#waiting.clear();
    if (!this.#ended) this.#listener?.failed(problem);
  }

  /** Every `lookEvery` ms: sends commands again that have waited too long, and closes a connection that is dead. */
  #watch(): void {
    this.#tick = this.#around.after(defaults.lookEvery, () => {
      const now = this.#around.now();
      if (this.#welcomed) {
        for (const waiting of this.#waiting.values()) {
          if (now >= waiting.again) this.#send(waiting);
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
    waiting.again = this.#around.now() + growing(defaults.resendFirst, defaults.resendLongest, waiting.sent);
    waiting.sent += 1;
    this.#socket?.send(waiting.text);
  }

  #heard(message: FromServer): void {
    const listener = this.#listener;
    if (listener === null) return;
    if (message.type === "error") {
      this.#refused(message);
      return;
    }
    if (message.type === "welcome") this.#welcome(message, listener);
    else if (message.type === "branches") listener.branchesChanged(message.branches.map(normalBranch));
    else if (message.type === "steps") {
      listener.stepsCame(message.branch, message.steps, message.finished);
      if (message.presented != null) this.#goAlong(message.presented);
    }
    else if (message.type === "ahead") {
      if (message.step !== null) listener.aheadCame(message.branch, message.after, message.step);
    } else if (message.type === "plan") {
      if (message.plan !== null) listener.planCame(message.branch, message.plan, message.interventions);
    } else if (message.type === "near_view") {
      listener.viewCame(message.branch, message.number, message.view as View, message.step); // Panels get the whole view (`whole.ts`).
    } else if (message.type === "presented") {
      this.#goAlong(message);
    }
    this.onSaid?.(message);
    this.#settle(message);
  }

  #goAlong(at: FromPresenter): void {
    this.#ended = at.ended;
    this.onPresented?.(at as Presented);
  }

  #welcome(message: Welcome, listener: Listener): void {
    this.#welcomed = true;
    this.#wasSignedOut = false;
    this.#attempts = 0;
    const branches = message.branches.map(normalBranch);
    const engine = message.other_engine ?? null;
    const verified = engine === null ? null : { state: "as_recorded" as const, engine };
    listener.welcomed({ session: message.session, header: message.header, branches, verified });
    this.#status("live");
    for (const waiting of this.#waiting.values()) {
      waiting.sent = 0;
      this.#send(waiting);
    }
    this.onWelcome?.();
  }

  #settle(message: FromServer): void {
    const re = "re" in message ? message.re : null;
    const waiting = re === null ? undefined : this.#waiting.get(re);
    if (re === null || waiting === undefined) return;
    this.#end(waiting, re);
    waiting.settle(answerOf(message));
  }

  #refused({ re, code, key, params, remedy_key: remedy }: ErrorMessage): void {
    const waiting = re === null ? undefined : this.#waiting.get(re);
    const problem = new Problem(code, key, params, remedy);
    if (re === null || waiting === undefined) {
      if (!TRY_AGAIN.has(code)) this.#listener?.failed(problem);
      else if (re === this.#hello.id) this.#sayHelloAgain(problem.params);
      return;
    }
    if (TRY_AGAIN.has(code)) {
      // The command stays waiting; `#watch` sends it again.
      waiting.again = this.#around.now() + growing(defaults.tryAgainFirst, defaults.tryAgainLongest, waiting.putOff);
      waiting.putOff += 1;
      if (code === "unavailable") this.#delay(waiting, problem);
      return;
    }
    this.#end(waiting, re);
    waiting.refuse(problem);
  }

  /**
   * Shows the reader that a command is delayed. Only once for each command, so that they need not close the message
   * twice; and not before the second try has failed, because a server process that died is usually back by then.
   */
  #delay(waiting: Waiting, problem: Problem): void {
    if (waiting.isDelayed || waiting.putOff < 2) return;
    waiting.isDelayed = true;
    this.#listener?.delayed(problem);
  }

  #end(waiting: Waiting, id: string): void {
    this.#waiting.delete(id);
    if (waiting.isDelayed) this.#listener?.delayed(null);
  }
}
