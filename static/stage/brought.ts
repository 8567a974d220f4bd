/**
 * An upright stage has room only for the subject of its step. A press on a name in *not here* brings that component:
 * until the next step, the places are those that show it. Pure.
 */

import type { Frame, Selection } from "../player/frame.ts";
import type { Focus, Places } from "./contract.ts";
import { NO_FOCUS } from "./contract.ts";
import { ledBy, standing } from "./places.ts";

export interface Brought {
  here: Places;
  focus: Focus;
}

/** The places with this thing in them; null where the run has no place for it. */
export function broughtHere(run: Places, frame: Frame, selection: Selection): Brought | null {
  const wanted = wantedOf(run, frame, selection);
  if (wanted === null) return null;
  const focus: Focus = { ...NO_FOCUS, ...wanted };
  // A step in which the pressed component, and not the step itself, decides the places.
  const { header, view, previousView, plan, language, changed } = frame;
  return { focus, here: standing(run, { header, view, previousView, plan, language, changed, selection: null, step: null, animate: false }, focus) };
}

/** Whether the step's own picture already shows it whole. */
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

/** The lanes of a broker, those first of which it is leader now; or the queues of a client. */
function lanesOf(run: Places, frame: Frame, name: string): string[] {
  const all = Object.keys(run.brokers[name]?.lanes ?? run.clients[name]?.queues ?? {});
  return [...all.filter((lane) => ledBy(frame, run, lane) === name), ...all];
}
