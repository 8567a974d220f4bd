/** Collects the running timers of all components. The view has those of clients; the engine derives all others. */

import type { ActorTimer } from "../generated/messages.ts";
import type { View } from "./frame.ts";

export interface RunningTimer {
  actor: string;
  /** A name that distinguishes the timer from others of the same actor. */
  name: string;
  timer: Omit<ActorTimer, "actor">;
}

export function timersOf(view: View): RunningTimer[] {
  const clients = Object.entries(view.clients ?? {}).flatMap(([actor, client]) =>
    Object.entries(client.timers ?? {}).map(([name, timer]) => ({ actor, name, timer })),
  );
  const others = Object.entries(view.derived?.timers ?? {}).map(([name, { actor, ...timer }]) => ({
    actor, name: name.slice(actor.length + 1), timer,
  }));
  return [...clients, ...others];
}
