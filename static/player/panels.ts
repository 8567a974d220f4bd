/**
 * The list of all panels: for each its tag, its key, its place and order, when it is shown, which parts of the view it
 * shows, and how it is drawn. Layout, keys, help and tabs read this list. The stage is loaded with the page; the other
 * panels are loaded when one is needed (`beside-stage.ts`). A new panel needs a file of its own with an import there,
 * an entry here, its name in the catalogue, and a test.
 */

import type { Spread } from "../diagrams/lanes-plan.ts";
import type { Foremost } from "../diagrams/spacetime-layout.ts";
import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import "../stage/message-acts.ts";
import "../stage/stage.ts";
import type { Chain } from "../stage/chain.ts";
import type { Spacing } from "../diagrams/spacetime-rows.ts";
import type { Code } from "./checks.ts";
import type { Frame, Header } from "./frame.ts";
import {
  begun, clients, clientsNow, decided, decides, hasAborted, hasCompensation, hasCoordinators, hasDatabase, hasGroups, hasInternalLogs, hasLog, hasMarkerBoard,
  hasMiddleware, hasQuorum, hasRoles, hasStates, hasTool, hasVotes, isFromFiles, kafka, mayCommitOffsets, mayTransact, reads, refused, remembers, runs, sends, works, worksNow, writesInternalLog,
} from "./panel-times.ts";
import { isAboutWhole } from "./outcome.ts";
import type { PlayerStore } from "./store.ts";
import type { Transactions } from "./transactions.ts";
import type { Zoom } from "./zoom.ts";

/** The inputs of panels. Panels in the side columns use only `frame` and `machines` (the address of the tables). */
export interface PanelParts {
  frame: Frame | undefined;
  machines: string;
  store: PlayerStore;
  zoom: Zoom | undefined;
  transactions: Transactions | undefined;
  /** Address of the pseudocode. */
  code: string;
  spacing: Spacing;
  space: (spacing: Spacing) => void;
  /** Whether a server is there that answers *why* and sends the old parts that a view leaves out. */
  asks?: boolean;
  /** Whether the picture allows interventions. */
  acts?: boolean;
  /** The subjects of the sentences of the shown answer to *why*. */
  chain?: Chain;
  /** Whether the picture is read from the back of a room. */
  projector?: boolean;
  /** In a comparison: the partition that both pictures draw large; null: each chooses its own. */
  beside?: string | null;
  /**
   * In a comparison: `columns`, the actors that have lanes in the space-time diagrams of both runs; `wants`, called
   * with those that this run's diagram would choose on its own.
   */
  columns?: readonly string[] | null;
  wants?: (actors: readonly string[]) => void;
  /** In a comparison: the messages and actors that both space-time diagrams draw before others. */
  foremost?: Foremost | undefined;
  /** In a comparison: the number of steps of the longer run, which is the scale of both pictures. */
  along?: number | null;
  /** In a comparison: goes to a step of this run, and moves the other run along. */
  go?: (step: number) => void;
  /** In a comparison: partition → the content of its logs in both runs. */
  spread?: Spread | undefined;
  /** In a comparison: the names of the things that differ between the runs, the most important first. */
  apart?: readonly string[];
}

export interface PanelRow {
  tag: string;
  /** The number key, or "" for panels that are reached with Tab only. */
  key: string;
  place: "left" | "middle" | "right";
  /** For a panel in the middle: its name in addresses and presentations. */
  view?: string;
  /**
   * For a panel in the middle: whether a run with this header opens on it, unless an earlier panel in the list says so.
   */
  opens?: (header: Header) => boolean;
  /** For a panel in the middle: it has its full height, and its place scrolls. */
  isLong?: true;
  /** Catalogue key of the panel's name. */
  name: string;
  /**
   * In a side column: the fixed height of the panel's place in px. Without it, the panel has its own height: one line
   * until it is opened.
   */
  room?: number;
  /** Whether the run has content for the panel at this frame. Missing: it always has. */
  when?: (frame: Frame) => boolean;
  /**
   * Whether the run may get content for the panel later, so that its place is kept from the beginning. Missing: only
   * `when` decides.
   */
  may?: (frame: Frame) => boolean;
  /** The parts of the view that the panel shows, as the beginnings of paths; `*` stands for any name. */
  shows?: readonly (readonly string[])[];
  /** Whether the step is about the content of the panel although it changes none of the parts in `shows`. */
  about?: (frame: Frame) => boolean;
  draw: (parts: PanelParts) => TemplateResult;
}

const NO_CHAIN: Chain = [];
const ALIKE: readonly string[] = [];

/** The panels, in the order in which they stand in their places. */
const ROWS = [
  {
    tag: "eos-accumulator", key: "1", place: "left", name: "player.panel.accumulator", room: 168, when: clients,
    shows: [["clients", "*", "queues"], ["clients", "*", "pool"]],
    draw: ({ frame }) => html`<eos-accumulator .frame=${frame}></eos-accumulator>`,
  },
  {
    tag: "eos-in-flight", key: "2", place: "left", name: "player.panel.in_flight", room: 144, may: clients, when: clientsNow,
    shows: [["clients", "*", "requests"], ["clients", "*", "connections"]],
    draw: ({ frame }) => html`<eos-in-flight .frame=${frame}></eos-in-flight>`,
  },
  {
    tag: "eos-client-machine", key: "3", place: "left", name: "player.panel.client_machine", room: 168, may: clients, when: (frame) => clientsNow(frame) || hasStates(frame),
    shows: [["clients", "*", "transaction_manager"]],
    draw: ({ frame, machines }) => html`<eos-client-machine .frame=${frame} machines=${machines}></eos-client-machine>`,
  },
  {
    tag: "eos-middleware-roles", key: "", place: "left", name: "player.panel.middleware_roles", room: 282, may: hasMiddleware, when: hasRoles,
    shows: [["middleware"]],
    draw: ({ frame, machines }) => html`<eos-middleware-roles .frame=${frame} machines=${machines}></eos-middleware-roles>`,
  },
  {
    tag: "eos-timers", key: "4", place: "left", name: "player.panel.timers", room: 104, may: works, when: worksNow,
    shows: [["clients", "*", "timers"], ["brokers", "*", "transactions", "*", "times_out_at"], ["middleware", "transactions", "*", "timer"]],
    draw: ({ frame }) => html`<eos-timers .frame=${frame}></eos-timers>`,
  },
  {
    tag: "eos-from-files", key: "", place: "left", name: "player.panel.from_files", room: 202, when: isFromFiles,
    draw: ({ frame }) => html`<eos-from-files .frame=${frame}></eos-from-files>`,
  },
  {
    tag: "eos-configuration", key: "", place: "left", name: "player.panel.configuration", when: sends,
    draw: ({ frame }) => html`<eos-configuration .frame=${frame}></eos-configuration>`,
  },
  {
    tag: "eos-stage", key: "0", place: "middle", view: "stage", name: "player.panel.stage", opens: ({ opens_on }) => opens_on === undefined || opens_on === "stage",
    draw: ({ frame, store, asks = true, acts = true, chain = NO_CHAIN, projector = false, apart = ALIKE }) => html`<eos-stage .frame=${frame} .asks=${asks} .acts=${acts && store?.source.live === true} .chain=${chain} .apart=${apart} .quiet=${store !== undefined && isAboutWhole(store)} ?projector=${projector}></eos-stage>${
      acts ? html`<eos-message-acts .store=${store}></eos-message-acts>` : nothing}`,
  },
  {
    tag: "eos-lanes", key: "5", place: "middle", view: "lanes", name: "player.panel.lanes", when: hasLog,
    opens: (header) => header.opens_on === "lanes" && header.partitions.length > 0,
    shows: [["partitions"]],
    draw: ({ frame, asks = true, beside = null, apart = ALIKE, spread }) => html`<eos-lanes .frame=${frame} .asks=${asks} .beside=${beside} .apart=${apart} .spread=${spread}></eos-lanes>`,
  },
  {
    tag: "eos-spacetime", key: "6", place: "middle", view: "spacetime", name: "player.panel.spacetime", when: works, opens: (header) => header.opens_on === "spacetime",
    draw: ({ frame, store, spacing, space, columns = null, wants, foremost }) => frame === undefined ? html`` : html`<eos-spacetime .frame=${frame} .arrows=${store.arrows} .known=${store.arrows.length} .marks=${store.marks}
      .columns=${columns} .foremost=${foremost} @columns=${(event: CustomEvent<readonly string[]>) => wants?.(event.detail)} .spacing=${spacing} @spacing=${(event: CustomEvent<Spacing>) => space(event.detail)}></eos-spacetime>`,
  },
  {
    tag: "eos-steps-text", key: "", place: "middle", view: "text", isLong: true, name: "player.tab.text",
    draw: ({ store }) => html`<eos-steps-text .store=${store}></eos-steps-text>`,
  },
  {
    tag: "eos-code", key: "", place: "middle", view: "code", isLong: true, name: "player.tab.code",
    draw: ({ frame, zoom, code, machines }) => html`<eos-code .frame=${frame} code=${code} machines=${machines} .check=${zoom?.check ?? null}
      @code=${(event: CustomEvent<Code>) => zoom?.learn(event.detail)} @check=${(event: CustomEvent<number>) => zoom?.go(event.detail)}></eos-code>`,
  },
  {
    tag: "eos-transactions", key: "", place: "middle", view: "transactions", isLong: true, name: "player.tab.transactions",
    draw: ({ store, transactions, along = null, go }) => html`<eos-transactions .store=${store} .transactions=${transactions} .along=${along}
      @go=${(event: CustomEvent<number>) => go?.(event.detail)}></eos-transactions>`,
  },
  {
    tag: "eos-decision", key: "7", place: "right", name: "player.panel.decision", room: 228, may: clients, when: decides,
    about: (frame) => decided(frame) || refused(frame),
    draw: ({ frame }) => html`<eos-decision .frame=${frame}></eos-decision>`,
  },
  {
    tag: "eos-coordinator", key: "", place: "right", name: "player.panel.coordinator", room: 198, may: mayTransact, when: hasCoordinators,
    shows: [["brokers", "*", "transactions"], ["brokers", "*", "coordinator"]],
    draw: ({ frame, machines }) => html`<eos-coordinator .frame=${frame} machines=${machines}></eos-coordinator>`,
  },
  {
    tag: "eos-marker-board", key: "", place: "right", name: "player.panel.marker_board", room: 116, may: mayTransact, when: hasMarkerBoard,
    shows: [["brokers", "*", "markers"]],
    draw: ({ frame }) => html`<eos-marker-board .frame=${frame}></eos-marker-board>`,
  },
  {
    tag: "eos-internal-log", key: "", place: "right", name: "player.panel.internal_log", room: 136, may: mayTransact, when: hasInternalLogs,
    about: writesInternalLog,
    draw: ({ frame }) => html`<eos-internal-log .frame=${frame}></eos-internal-log>`,
  },
  {
    tag: "eos-groups", key: "", place: "right", name: "player.panel.groups", room: 116, may: mayCommitOffsets, when: hasGroups,
    shows: [["brokers", "*", "groups"]],
    draw: ({ frame }) => html`<eos-groups .frame=${frame}></eos-groups>`,
  },
  {
    tag: "eos-middleware-votes", key: "", place: "right", name: "player.panel.middleware_votes", room: 214, may: hasMiddleware, when: hasVotes,
    shows: [["middleware", "transactions"]],
    draw: ({ frame }) => html`<eos-middleware-votes .frame=${frame}></eos-middleware-votes>`,
  },
  {
    tag: "eos-compensation-log", key: "", place: "right", name: "player.panel.compensation_log", room: 136, may: hasMiddleware, when: hasCompensation,
    shows: [["middleware", "participants", "*", "log"]],
    draw: ({ frame }) => html`<eos-compensation-log .frame=${frame}></eos-compensation-log>`,
  },
  {
    tag: "eos-database", key: "", place: "right", name: "player.panel.database", room: 236, when: hasDatabase,
    shows: [["database"], ["services"]],
    draw: ({ frame }) => html`<eos-database .frame=${frame}></eos-database>`,
  },
  {
    tag: "eos-producer-table", key: "8", place: "right", name: "player.panel.producer_table", room: 168, may: kafka,
    when: (frame) => kafka(frame) && (begun(frame) || remembers(frame)),
    shows: [["partitions", "*", "replicas", "*", "producers"]],
    about: decided,
    draw: ({ frame }) => html`<eos-producer-table .frame=${frame}></eos-producer-table>`,
  },
  {
    tag: "eos-ledger", key: "9", place: "right", name: "player.panel.ledger", room: 180, may: clients, when: clientsNow,
    shows: [["records"]],
    draw: ({ frame }) => html`<eos-ledger .frame=${frame}></eos-ledger>`,
  },
  {
    tag: "eos-consumers", key: "", place: "right", name: "player.panel.consumers", room: 136, when: reads,
    shows: [["consumers"]],
    draw: ({ frame }) => html`<eos-consumers .frame=${frame}></eos-consumers>`,
  },
  {
    tag: "eos-aborted-index", key: "", place: "right", name: "player.panel.aborted_index", room: 90, may: mayTransact, when: hasAborted,
    shows: [["partitions", "*", "replicas", "*", "aborted_index"]],
    draw: ({ frame }) => html`<eos-aborted-index .frame=${frame}></eos-aborted-index>`,
  },
  {
    tag: "eos-numbers", key: "", place: "right", name: "player.panel.numbers", room: 146, may: runs, when: (frame) => begun(frame) && runs(frame),
    shows: [["counters"]],
    draw: ({ frame }) => html`<eos-numbers .frame=${frame}></eos-numbers>`,
  },
  {
    tag: "eos-tool", key: "", place: "right", name: "player.panel.tool", room: 168, when: hasTool,
    shows: [["tool"]],
    draw: ({ frame }) => html`<eos-tool .frame=${frame}></eos-tool>`,
  },
  {
    tag: "eos-zookeeper", key: "", place: "right", name: "player.panel.zookeeper", may: clients, when: (frame) => clientsNow(frame) && !hasQuorum(frame),
    shows: [["zookeeper"], ["brokers", "*", "producer_id_block"]],
    draw: ({ frame }) => html`<eos-zookeeper .frame=${frame}></eos-zookeeper>`,
  },
  {
    tag: "eos-quorum", key: "", place: "right", name: "player.panel.quorum", may: clients, when: (frame) => clientsNow(frame) && hasQuorum(frame),
    shows: [["quorum"], ["brokers", "*", "producer_id_block"]],
    draw: ({ frame }) => html`<eos-quorum .frame=${frame}></eos-quorum>`,
  },
  {
    tag: "eos-pending", key: "", place: "right", name: "player.panel.pending", when: works,
    draw: ({ frame }) => html`<eos-pending .frame=${frame}></eos-pending>`,
  },
  {
    tag: "eos-changes", key: "", place: "right", name: "player.panel.changes", when: begun,
    draw: ({ frame }) => html`<eos-changes .frame=${frame}></eos-changes>`,
  },
] as const satisfies readonly PanelRow[];

export const PANELS: readonly PanelRow[] = ROWS;

/** The views that the middle of the page can show; the server's links use the same names. */
export type Middle = Extract<(typeof ROWS)[number], { view: string }>["view"];
export const MIDDLES: readonly Middle[] = ROWS.flatMap((row) => ("view" in row ? [row.view] : []));

const byTag = new Map(PANELS.map((panel) => [panel.tag, panel]));
const byView = new Map(PANELS.map((panel) => [panel.view ?? "", panel]));

export function isMiddle(word: string): word is Middle {
  return word !== "" && byView.has(word);
}

/** The view on which a run opens. */
export function opensOn(header: Header | null): Middle {
  const opened = PANELS.find((panel) => header !== null && panel.opens?.(header) === true)?.view;
  return opened !== undefined && isMiddle(opened) ? opened : "stage";
}

/** The tag of a view in the middle. */
export function tagOf(middle: Middle): string {
  return byView.get(middle)?.tag ?? "";
}

/** Whether the run has content for the panel at this frame. */
export function isShown(tag: string, frame: Frame | undefined): boolean {
  const when = byTag.get(tag)?.when;
  return frame === undefined || when === undefined || when(frame);
}

/** Whether the run has, or may get, content for the panel, so that its place is kept. */
export function isKept(panel: PanelRow, frame: Frame): boolean {
  return panel.when === undefined || panel.when(frame) || panel.may?.(frame) === true;
}

/** A view in the middle, in the panel's place. */
export function middlePanel(middle: Middle, parts: PanelParts): TemplateResult | typeof nothing {
  const row = byView.get(middle);
  if (row === undefined) return nothing;
  return row.isLong === true ? row.draw(parts) : html`<div class="panel" id=${`panel-${row.tag}`} tabindex="-1">${row.draw(parts)}</div>`;
}

/** A view without the panel's place, for a page that has one of its own. */
export function pictureOf(middle: Middle, parts: PanelParts): TemplateResult | typeof nothing {
  return byView.get(middle)?.draw(parts) ?? nothing;
}

/** The tags of the panels that show what the step decided or changed. */
export function panelsOf(frame: Frame | undefined, panels: readonly PanelRow[] = PANELS): Set<string> {
  const step = frame?.step;
  if (frame === undefined || step == null) return new Set();
  const shows = (panel: PanelRow): boolean =>
    panel.shows?.some((path) => step.changes.some((change) => path.every((name, index) => name === "*" || change.path[index] === name))) === true;
  return new Set(panels.filter((panel) => panel.about?.(frame) === true || shows(panel)).map((panel) => panel.tag));
}

/** The columns with a panel that shows what the step decided or changed, for a reader who sees only one column. */
export function placesOf(frame: Frame | undefined): Set<PanelRow["place"]> {
  const tags = panelsOf(frame);
  return new Set(PANELS.filter((panel) => tags.has(panel.tag)).map((panel) => panel.place));
}
