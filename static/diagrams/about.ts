/**
 * The partition and the client that a step or the selection is about; panels that show only one of them show this one.
 */

import type { Frame, MessageView } from "../player/frame.ts";
import { changesAt } from "./changes.ts";
import { found } from "./reading.ts";

/** The partition that the selection is about, else the one that this step is about; if neither names one, `last`. */
export function partitionOf(frame: Frame, last: string | null = null): string | null {
  return found(frame, "partition", (whole, before) => partitionIn(whole) ?? before ?? null, last);
}

/**
 * The messages that a fault changes in this step, as they were before it; none if the step is no fault. Messages that
 * arrive are not among them: the changes of their step already show their partition.
 */
function settledMessages(frame: Frame): MessageView[] {
  const { step } = frame;
  if (step?.kind !== "fault") return [];
  const before = frame.previousView?.network?.messages ?? {};
  return step.messages.flatMap(({ id }) => before[String(id)] ?? []);
}

export function partitionIn(frame: Frame): string | null {
  const partitions = frame.view.partitions ?? {};
  const named = [
    frame.selection?.kind === "partition" ? frame.selection.id : frame.selection?.partition,
    frame.step?.decision?.subject,
    frame.step?.params["partition"],
    // A fault of the network changes no log: the partition is that of its message.
    ...settledMessages(frame).flatMap((message) => message.partitions),
    ...changesAt(frame, "partitions").map((change) => (change.path[0] === "partitions" ? change.path[1] : undefined)),
  ];
  for (const name of named) if (typeof name === "string" && name in partitions) return name;
  return null;
}

/** The producer that this step or the selection is about, else `last`, else the first. Null in a log case. */
export function clientOf(frame: Frame, last: string | null = null): string | null {
  return found(frame, "client", clientIn, last);
}

function clientIn(frame: Frame, last: string | null | undefined): string | null {
  const clients = frame.view.clients ?? {};
  const [only, another] = Object.keys(clients);
  if (another === undefined) return only ?? null;
  const step = frame.step;
  const fromApplication = step === null ? undefined : frame.view.applications?.[step.actor]?.client;
  const named = [
    frame.selection?.kind === "actor" ? frame.selection.id : undefined,
    frame.selection?.kind === "batch" ? frame.selection.id.split("/")[0] : undefined,
    step?.actor,
    fromApplication,
    step?.transition?.of,
    last,
  ];
  for (const name of named) if (typeof name === "string" && name in clients) return name;
  return Object.keys(clients).sort()[0] ?? null;
}
