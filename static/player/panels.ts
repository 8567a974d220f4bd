/** Where every panel has its place: one table for the layout, the number keys and the help dialog. */

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
];
