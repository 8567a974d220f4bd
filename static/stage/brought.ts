/**
 * Changes the places of an upright stage, which has room only for the subject of its step. If the reader presses the
 * name of a component that has no place, the places show that component until the next step. Pure.
 */

import type { Frame, Selection } from "../player/frame.ts";
import type { Focus, Places } from "./contract.ts";
import { NO_FOCUS } from "./contract.ts";
import { ledBy, standing } from "./places.ts";

export interface Brought {
  here: Places;
  focus: Focus;
}

/** The places, and the focus, in which the selected thing is shown; null if the run has no place for it. */
export function broughtHere(run: Places, frame: Frame, selection: Selection): Brought | null {
  const wanted = wantedOf(run, frame, selection);
  if (wanted === null) return null;
  const focus: Focus = { ...NO_FOCUS, ...wanted };
  // The frame has no step, so that only the pressed component decides the places.
  const { header, view, previousView, plan, language, changed } = frame;
  return { focus, here: standing(run, { header, view, previousView, plan, language, changed, selection: null, step: null, animate: false }, focus) };
}

/** Whether the step's own picture already shows the thing at full size. */
export function isWhole({ brokers, clients }: Places, { kind, id }: Selection): boolean {
  if (kind === "partition") return Object.values(brokers).some(({ lanes }) => lanes[id]?.strip === false);
  if (kind !== "actor") return false;
  const [broker, client] = [brokers[id], clients[id]];
  return (broker !== undefined && (broker.panel !== undefined || broker.rows === undefined)) || (client !== undefined && !client.folded);
}

function wantedOf(run: Places, frame: Frame, { kind, id }: Selection): Partial<Focus> | null {
  if (kind === "partition") return { partition: id, actor: ledBy(frame, run, id) };
  if (kind === "actor") return { actor: id, partition: lanesOf(run, frame, id)[0] ?? null };
  const message = kind === "message" ? frame.view.network?.messages[id] : undefined;
  if (message === undefined) return null;
  const broker = [message.to, message.from].find((name) => name in run.brokers) ?? null;
  const partition = message.partitions.find((name) => broker === null || run.brokers[broker]?.lanes[name] !== undefined) ?? null;
  return { kind: "sent", actor: broker, partition, messages: { ...NO_FOCUS.messages, sent: [message.id] } };
}

/** The partitions of a broker's lanes, those first that it leads now; of a client, those of its queues. */
function lanesOf(run: Places, frame: Frame, name: string): string[] {
  const all = Object.keys(run.brokers[name]?.lanes ?? run.clients[name]?.queues ?? {});
  return [...all.filter((lane) => ledBy(frame, run, lane) === name), ...all];
}
