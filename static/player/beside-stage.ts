/**
 * Loads the parts that a reader needs only beyond the stage: the panels of *Inspect*, the other views, and the dialogs.
 */

import "../diagrams/aborted-index.ts";
import "../diagrams/accumulator.ts";
import "../diagrams/client-machine.ts";
import "../diagrams/code.ts";
import "../diagrams/compensation-log.ts";
import "../diagrams/configuration.ts";
import "../diagrams/consumers.ts";
import "../diagrams/coordinator.ts";
import "../diagrams/database.ts";
import "../diagrams/decision.ts";
import "../diagrams/from-files.ts";
import "../diagrams/groups.ts";
import "../diagrams/in-flight.ts";
import "../diagrams/internal-log.ts";
import "../diagrams/lanes.ts";
import "../diagrams/ledger.ts";
import "../diagrams/marker-board.ts";
import "../diagrams/middleware-roles.ts";
import "../diagrams/middleware-votes.ts";
import "../diagrams/numbers.ts";
import "../diagrams/pending.ts";
import "../diagrams/producer-table.ts";
import "../diagrams/spacetime.ts";
import "../diagrams/timers.ts";
import "../diagrams/tool.ts";
import "../diagrams/quorum.ts";
import "../diagrams/zookeeper.ts";
import "./player.ts";
import "./branch-list.ts";
import "./breakpoints-dialog.ts";
import "./changes.ts";
import "./export.ts";
import "./steps-text.ts";
import "./transactions-list.ts";

export { SideColumns } from "./side-columns.ts";
