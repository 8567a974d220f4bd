/** What takes others along, and what a presenter and those who follow say to one another: hands and polls. */

import "./player.ts";
import "./hands.ts";
import "./poll.ts";

export { Company } from "./company.ts";
