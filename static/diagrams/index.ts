/** Registers every panel and diagram; importing this file is all that a page needs. */

import "./aborted-index.ts";
import "./accumulator.ts";
import "./client-machine.ts";
import "./code.ts";
import "./compensation-log.ts";
import "./configuration.ts";
import "./consumers.ts";
import "./coordinator.ts";
import "./decision.ts";
import "./from-files.ts";
import "./groups.ts";
import "./in-flight.ts";
import "./internal-log.ts";
import "./lanes.ts";
import "./ledger.ts";
import "./marker-board.ts";
import "./middleware-roles.ts";
import "./middleware-votes.ts";
import "./numbers.ts";
import "./pending.ts";
import "./producer-table.ts";
import "./spacetime.ts";
import "./timers.ts";
import "./zookeeper.ts";
