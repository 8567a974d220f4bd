/** Where every panel has its place: one table for the layout, the number keys and the help dialog. */

import { say } from "./text.ts";

export interface PanelRow {
  /** The number key, or "" for panels that are reached with Tab only. */
  key: string;
  tag: string;
  place: "left" | "middle" | "right";
  /** Catalogue key of its name. */
  name: string;
}

export const PANELS: readonly PanelRow[] = [
  { key: "1", tag: "eos-accumulator", place: "left", name: "player.panel.accumulator" },
  { key: "2", tag: "eos-in-flight", place: "left", name: "player.panel.in_flight" },
  { key: "3", tag: "eos-client-machine", place: "left", name: "player.panel.client_machine" },
  { key: "4", tag: "eos-timers", place: "left", name: "player.panel.timers" },
  { key: "5", tag: "eos-lanes", place: "middle", name: "player.panel.lanes" },
  { key: "6", tag: "eos-spacetime", place: "middle", name: "player.panel.spacetime" },
  { key: "7", tag: "eos-decision", place: "right", name: "player.panel.decision" },
  { key: "8", tag: "eos-producer-table", place: "right", name: "player.panel.producer_table" },
  { key: "9", tag: "eos-ledger", place: "right", name: "player.panel.ledger" },
  { key: "", tag: "eos-configuration", place: "left", name: "player.panel.configuration" },
  { key: "", tag: "eos-consumers", place: "right", name: "player.panel.consumers" },
  { key: "", tag: "eos-zookeeper", place: "right", name: "player.panel.zookeeper" },
  { key: "", tag: "eos-pending", place: "right", name: "player.panel.pending" },
  { key: "", tag: "eos-changes", place: "right", name: "player.panel.changes" },
];

/** What people call a panel; its tag where it has no row. */
export function panelName(tag: string): string {
  const row = PANELS.find((panel) => panel.tag === tag);
  return row === undefined ? tag : say(row.name);
}
