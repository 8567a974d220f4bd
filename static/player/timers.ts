/**
 * Whoever waits for a time, read from a view: one name for each timer, whichever role runs it.
 *
 * The engine gathers the same ones from the same places (engine/timers.py); `tests/engine/timers.json` holds both to it.
 */

import type { View } from "./frame.ts";

export interface Timer {
  kind: string;
  subject: string;
  /** Null where nobody keeps since when. */
  since: number | null;
  until: number;
}

export interface RunningTimer {
  actor: string;
  /** Tells it from the actor's others. */
  name: string;
  timer: Timer;
}

type Found = [actor: string, kind: string, subject: string, since: number | null, until: number];

/** Every timer of a view, role after role. */
export function timersOf(view: View): RunningTimer[] {
  const clients = Object.entries(view.clients ?? {}).flatMap(([actor, client]) =>
    Object.entries(client.timers ?? {}).map(([name, timer]) => ({ actor, name, timer })),
  );
  const others = [...coordinators(view), ...waitingAppends(view), ...sessions(view), ...middleware(view)];
  return [...clients, ...others.map(([actor, kind, subject, since, until]) => ({
    actor, name: `${kind} ${subject}`, timer: { kind, subject, since, until },
  }))];
}

function* coordinators(view: View): Generator<Found> {
  for (const [number, broker] of Object.entries(view.brokers ?? {})) {
    for (const [id, entry] of Object.entries(broker.transactions ?? {})) {
      if (entry.times_out_at !== null) yield [`broker-${number}`, "transaction_timeout", id, entry.started_at, entry.times_out_at];
    }
  }
}

function* waitingAppends(view: View): Generator<Found> {
  for (const partition of Object.values(view.partitions ?? {})) {
    for (const [number, replica] of Object.entries(partition.replicas ?? {})) {
      for (const one of replica.waiting ?? []) {
        yield [`broker-${number}`, "replication_wait", `${one.partition}@${one.until_offset}`, null, one.deadline];
      }
    }
  }
}

function* sessions(view: View): Generator<Found> {
  for (const [number, session] of Object.entries(view.zookeeper?.sessions ?? {})) {
    if (session.expires_at !== null && !session.alive) yield [`broker-${number}`, "session", "ZooKeeper", null, session.expires_at];
  }
}

function* middleware(view: View): Generator<Found> {
  const { transactions, business, manager } = view.middleware ?? {};
  for (const [tid, { timer }] of Object.entries(transactions ?? {})) {
    if (timer != null) yield ["middleware", timer.kind, tid, timer.since, timer.until];
  }
  for (const [node, kind, of] of [["business", "local_work", business], ["manager", "ask_again", manager]] as const) {
    for (const [tid, { due }] of Object.entries(of?.transactions ?? {})) {
      if (due != null) yield [node, kind, tid, null, due];
    }
  }
}
