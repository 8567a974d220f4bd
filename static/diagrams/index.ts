/** Registers every panel and diagram; importing this file is all that a page needs. */

import "./accumulator.ts";
import "./client-machine.ts";
import "./configuration.ts";
import "./consumers.ts";
import "./decision.ts";
import "./in-flight.ts";
import "./lanes.ts";
import "./ledger.ts";
import "./pending.ts";
import "./producer-table.ts";
import "./spacetime.ts";
import "./timers.ts";
import "./zookeeper.ts";
