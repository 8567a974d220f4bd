/** Where every panel has its place: one table for the layout, the number keys and the help dialog. */

import { INTERNAL, hasMarkers } from "../diagrams/internal-partitions.ts";
import { isLogCase } from "../diagrams/log-case.ts";
import { shownReplica } from "../diagrams/lanes-layout.ts";
import { panelsOf } from "./column-fit.ts";
import type { Frame } from "./frame.ts";
import { say } from "./text.ts";

export interface PanelRow {
  /** The number key, or "" for panels that are reached with Tab only. */
  key: string;
  tag: string;
  place: "left" | "middle" | "right";
  /** Catalogue key of its name. */
  name: string;
  /** Whether the run has what it shows; without it, always. What a run does not have gets no panel. */
  when?: (frame: Frame) => boolean;
}

const some = (table: object | undefined): boolean => Object.keys(table ?? {}).length > 0;
/** Runs of the message middleware alone have neither producers nor brokers; one that compares the two has both. */
const kafka = (frame: Frame): boolean => !some(frame.view.middleware?.participants) || some(frame.view.brokers);
/** A cluster or middleware at work; files of a broker tell of what was written alone. */
const works = (frame: Frame): boolean => !isLogCase(frame);
const clients = (frame: Frame): boolean => kafka(frame) && works(frame);
/** Before the first step most panels could only say that there is nothing: who begins reads what there is. */
const begun = (frame: Frame): boolean => frame.step !== null;
const worksNow = (frame: Frame): boolean => begun(frame) && works(frame);
const clientsNow = (frame: Frame): boolean => begun(frame) && clients(frame);
const decides = (frame: Frame): boolean => clientsNow(frame) || frame.step?.decision != null || frame.step?.refusal != null;
const sends = (frame: Frame): boolean => some(frame.view.clients);
const reads = (frame: Frame): boolean => frame.header.actors.some((actor) => actor.role === "consumer");
/** A cluster that runs; files of one that ran have no numbers before and after. */
const runs = (frame: Frame): boolean => some(frame.view.brokers);
const brokers = (frame: Frame) => Object.values(frame.view.brokers ?? {});
const participants = (frame: Frame) => Object.values(frame.view.middleware?.participants ?? {});
/** The replicas that panels draw, by partition. */
const replicas = (frame: Frame) => Object.entries(frame.view.partitions ?? {}).map(([name, partition]) => {
  const id = shownReplica(partition);
  return { name, replica: id === null ? undefined : partition.replicas[id] };
});

const remembers = (frame: Frame): boolean => replicas(frame).some(({ replica }) => some(replica?.producers));
/** Of a scenario whose producer was at work before. */
const hasStates = (frame: Frame): boolean =>
  Object.values(frame.view.clients ?? {}).some(({ transaction_manager: manager }) => (manager?.state ?? "UNINITIALIZED") !== "UNINITIALIZED");

export const PANELS: readonly PanelRow[] = [
  { key: "1", tag: "eos-accumulator", place: "left", name: "player.panel.accumulator", when: clients },
  { key: "2", tag: "eos-in-flight", place: "left", name: "player.panel.in_flight", when: clientsNow },
  { key: "3", tag: "eos-client-machine", place: "left", name: "player.panel.client_machine", when: (frame) => clientsNow(frame) || hasStates(frame) },
  { key: "4", tag: "eos-timers", place: "left", name: "player.panel.timers", when: worksNow },
  { key: "5", tag: "eos-lanes", place: "middle", name: "player.panel.lanes", when: ({ header }) => header.partitions.length > 0 },
  { key: "6", tag: "eos-spacetime", place: "middle", name: "player.panel.spacetime", when: works },
  { key: "7", tag: "eos-decision", place: "right", name: "player.panel.decision", when: decides },
  { key: "8", tag: "eos-producer-table", place: "right", name: "player.panel.producer_table", when: (frame) => kafka(frame) && (begun(frame) || remembers(frame)) },
  { key: "9", tag: "eos-ledger", place: "right", name: "player.panel.ledger", when: clientsNow },
  { key: "", tag: "eos-from-files", place: "left", name: "player.panel.from_files", when: isLogCase },
  { key: "", tag: "eos-configuration", place: "left", name: "player.panel.configuration", when: sends },
  { key: "", tag: "eos-consumers", place: "right", name: "player.panel.consumers", when: reads },
  { key: "", tag: "eos-numbers", place: "right", name: "player.panel.numbers", when: (frame) => begun(frame) && runs(frame) },
  { key: "", tag: "eos-zookeeper", place: "right", name: "player.panel.zookeeper", when: clientsNow },
  {
    key: "", tag: "eos-coordinator", place: "right", name: "player.panel.coordinator",
    when: (frame) => brokers(frame).some((broker) => some(broker.transactions)),
  },
  {
    key: "", tag: "eos-internal-log", place: "right", name: "player.panel.internal_log",
    when: (frame) => replicas(frame).some(({ name, replica }) => INTERNAL.test(name) && some(replica?.batches)),
  },
  {
    key: "", tag: "eos-marker-board", place: "right", name: "player.panel.marker_board",
    when: (frame) => brokers(frame).some((broker) => hasMarkers(broker.markers)),
  },
  {
    key: "", tag: "eos-groups", place: "right", name: "player.panel.groups",
    when: (frame) => brokers(frame).some((broker) => Object.values(broker.groups ?? {}).some(
      (group) => some(group.committed) || some(group.committing) || some(group.pending),
    )),
  },
  {
    key: "", tag: "eos-aborted-index", place: "right", name: "player.panel.aborted_index",
    when: (frame) => replicas(frame).some(({ replica }) => (replica?.aborted_index ?? []).length > 0),
  },
  {
    key: "", tag: "eos-middleware-roles", place: "left", name: "player.panel.middleware_roles",
    when: (frame) => some(frame.view.middleware?.business?.transactions) || some(frame.view.middleware?.transactions),
  },
  {
    key: "", tag: "eos-middleware-votes", place: "right", name: "player.panel.middleware_votes",
    when: (frame) => some(frame.view.middleware?.transactions),
  },
  {
    key: "", tag: "eos-compensation-log", place: "right", name: "player.panel.compensation_log",
    when: (frame) => participants(frame).some((participant) => (participant.log ?? []).length > 0),
  },
  { key: "", tag: "eos-pending", place: "right", name: "player.panel.pending", when: works },
  { key: "", tag: "eos-changes", place: "right", name: "player.panel.changes", when: begun },
];

const byTag = new Map(PANELS.map((panel) => [panel.tag, panel]));

/** What people call a panel; its tag where it has no row. */
export function panelName(tag: string): string {
  const row = byTag.get(tag);
  return row === undefined ? tag : say(row.name);
}

/** Does the run have, at this frame, what the panel shows? */
export function isShown(tag: string, frame: Frame | undefined): boolean {
  const when = byTag.get(tag)?.when;
  return frame === undefined || when === undefined || when(frame);
}

/** Where something is to be seen of what the step decided or changed; who looks at one column does not see the others. */
export function placesOf(frame: Frame | undefined): Set<PanelRow["place"]> {
  const tags = panelsOf(frame);
  const places = new Set(PANELS.filter((panel) => tags.has(panel.tag)).map((panel) => panel.place));
  if (frame?.step?.changes.some((change) => change.path[0] === "partitions") === true) places.add("middle");
  return places;
}
