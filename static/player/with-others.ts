/** What a presenter and those who follow say to one another: hands and polls. */

import "./player.ts";
import "./hands.ts";
import "./poll.ts";
