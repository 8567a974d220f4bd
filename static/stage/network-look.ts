/** The styles of messages, arriving batches and the tag. The other styles of the stage are in look.ts. */

import { css } from "lit";

export const networkLook = css`
  .scene .pill.now, .scene text.now, .scene rect.picked { outline: none; }
  .scene rect.halo { fill: none; stroke: var(--now-line, var(--now)); stroke-width: 5; paint-order: normal; }
  .wire { stroke: var(--ink-3); stroke-opacity: .55; stroke-width: 1.75; fill: none; }
  .wire.ended { stroke-dasharray: 2 6; stroke-linecap: round; stroke-opacity: 1; }
  .mark { stroke: var(--ink); stroke-width: 2.5; stroke-linecap: round; fill: none; }
  .scene .gs { paint-order: stroke; stroke: var(--side); stroke-width: 4px; stroke-linejoin: round; }
  .trail { stroke: var(--ink); stroke-width: 3.5; fill: none; stroke-linecap: round; }
  .trail.thin { stroke-width: 2; }
  .env { fill: var(--paper); stroke: var(--ink-2); stroke-width: 2; stroke-linejoin: round; }
  .env.resp { fill: var(--side); }
  .env.dock { fill: var(--paper); stroke: var(--ink); stroke-width: 3; }
  .scene > g:not(.gone) .env.hot { fill: var(--now); stroke: var(--ink); stroke-width: 2.5; }
  .env.badm { stroke: var(--bad); stroke-width: 2.5; }
  .env.gone { stroke: var(--ink); stroke-width: 2; stroke-dasharray: 4 3; }
  .cross { stroke: var(--ink); stroke-width: 4; stroke-linecap: round; fill: none; }
  .cross.under { stroke: var(--paper); stroke-width: 9; }
  .cross.bad { stroke: var(--bad); stroke-width: 4; opacity: .8; }
  .equal { stroke: var(--ink); stroke-width: 3; fill: none; }
  .grip circle { fill: var(--ink-2); }
  .scene > g[role="button"]:hover .env:not(.gone) { stroke: var(--ink); stroke-width: 3; }
  .behind { fill: var(--paper); }
  .cell.ghost { fill-opacity: .35; }
  .card { fill: var(--raise); stroke: var(--ink); stroke-width: 1.5; }
  .tag { fill: var(--ink); }
  .tag.badt { fill: var(--bad); }
  .gatewas { stroke: var(--ink-3); stroke-width: 2; stroke-dasharray: 3 3; fill: none; }
`;
