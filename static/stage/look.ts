/**
 * The styles of the stage. Each mark has the same meaning as in other pictures (static/diagrams/look.ts); colours and
 * durations are the page's tokens. Lengths are units of the picture, which grows with its box.
 */

import { css } from "lit";

export const stageLook = css`
  :host { position: relative; display: block; height: 100%; background: var(--side); overflow: hidden auto; }
  .scene { display: block; width: 100%; margin: 0 auto; overflow: visible; }
  .scene text { font-family: var(--f-ui); fill: var(--ink-2); font-size: 14px; font-variant-numeric: tabular-nums; }
  .scene .s7 { font-size: 7px; } .scene .s8 { font-size: 8px; } .scene .s9 { font-size: 9px; } .scene .s10 { font-size: 10px; } .scene .s11 { font-size: 11px; }
  .scene .s12 { font-size: 12px; } .scene .s13 { font-size: 13px; } .scene .s14 { font-size: 14px; }
  .scene .s15 { font-size: 15px; } .scene .s16 { font-size: 16px; } .scene .s17 { font-size: 17px; } .scene .s18 { font-size: 18px; } .scene .s19 { font-size: 19px; } .scene .s20 { font-size: 20px; }
  .scene .k { fill: var(--ink); }
  .scene .b { font-weight: 650; fill: var(--ink); }
  .scene .q { fill: var(--ink-3); }
  .scene .inv { fill: var(--ink-inv); font-weight: 650; }
  .scene .bad { fill: var(--bad); font-weight: 650; }
  .scene .gl { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
  .body { fill: var(--paper); stroke: var(--line); stroke-width: 1; }
  .body.dead { fill: none; stroke: var(--ink-3); stroke-dasharray: 2 5; }
  .crossed { fill: none; stroke: var(--ink-3); stroke-width: 1.5; }
  .cross:not(.under) { stroke: var(--bad); }
  .unfolded { fill: none; stroke: var(--ink); stroke-width: 1.5; }
  .dim :is(rect, path) { opacity: .4; }
  .scene .dim text { fill: var(--ink-3); }
  .slot { fill: var(--side); }
  .rail { stroke: var(--line-2, var(--ink-3)); stroke-width: 1.25; fill: none; }
  .pole { stroke-width: 2.5; fill: none; }
  .hair { stroke: var(--line); stroke-width: 1; fill: none; }
  .wash { fill: var(--now); }
  .wash ~ text { --ink-3: var(--ink-2); --bad: var(--bad-on-now); }
  .halo { fill: none; stroke: var(--now-line, var(--now)); stroke-width: 5; }
  .ring { fill: none; stroke: var(--ink); stroke-width: 2.5; }
  .ring.soft { stroke-width: 1.5; }
  /* While messages travel, the subject of the step before is not marked. */
  .scene.on-way :is(.wash, .halo, .ring:not(.soft)) { display: none; }
  .pill.again { fill: none; stroke: var(--ink); stroke-width: 2; stroke-dasharray: 5 3; }
  .rim { paint-order: stroke; stroke: var(--rim, var(--paper)); stroke-width: 5px; stroke-linejoin: round; }
  details.twin { position: absolute; top: 2px; right: 16px; padding: 0; max-height: calc(100% - 8px); }
  :host([upright]) details.twin:not([open]) { position: static; }
  details.twin:not([open]) > summary { padding-inline: 4px; border-radius: 4px; background: var(--side); }
  /* The stage would cut off a ring outside of the button. */
  details.twin > summary:focus-visible { outline-offset: -2px; }
  :host([upright]) details.twin > summary:focus-visible { outline-offset: 0; }
  details.twin[open] { inset: 0; background: var(--paper); padding: 4px 24px; overflow: auto; z-index: 1; max-height: none; }
  .picked { fill: none; stroke: var(--ink); stroke-width: 2.5; stroke-dasharray: none; }
  .lso { fill: var(--ink); }
  .hw { stroke: var(--ink-2); stroke-width: 1.5; fill: none; }
  .start { stroke: var(--ink-3); stroke-width: 2; fill: none; opacity: .7; }
  .pill { fill: var(--paper); stroke: var(--line-2, var(--ink-3)); stroke-width: 1.25; }
  .pill.past { fill: var(--side); stroke: var(--ink-2); }
  .pill.lacks { stroke: var(--bad); stroke-width: 2; stroke-dasharray: 4 3; }
  .pill.ahead { fill: none; stroke: var(--line); }
  .pill.on { fill: var(--ink); stroke: var(--ink); }
  .pill.pend { fill: var(--paper); stroke: var(--ink); stroke-width: 2; stroke-dasharray: 5 3; }
  .scene:not(.on-way) .pill.now { fill: var(--now); stroke: var(--ink); stroke-width: 2.5; }
  .scene:not(.on-way) text.now { fill: var(--ink); }
  .cell { stroke-width: 1.5; }
  .scene .cell.plain { fill: var(--paper); stroke: var(--ink-3); stroke-width: 1.25; }
  .cell.open { stroke-dasharray: 5 3; stroke-width: 2; fill-opacity: .55; }
  .cell.small { stroke-width: 1.25; }
  .cell.small.open { stroke-dasharray: 2.5 2; }
  .scene .order-sign { fill: none; stroke: var(--bad); stroke-width: 2.5; }
  .scene .cell.twice { stroke: var(--bad); stroke-width: 3; }
  .cell-part { fill: none; stroke: var(--bad); stroke-width: 3; }
  .none { fill: none; stroke: var(--ink-3); stroke-width: 1.25; }
  .none.wait { stroke-dasharray: 1 2; }
  .failed { stroke: var(--bad); stroke-width: 2.5; fill: none; }
  .hatch { stroke-width: 1.25; opacity: .6; fill: none; }
  .brace { stroke: var(--ink-2); stroke-width: 1; fill: none; }
  .scene [role="button"] { cursor: pointer; outline: none; }
  .scene [role="button"]:focus-visible { outline: none; }
  /* The ring of focus is dotted: a solid ring marks the step's subject, a dashed line a thing not written yet. */
  .scene [role="button"]:focus-visible > .focus { outline: 4px dotted var(--ink); outline-offset: 3px; }
  /* The objects are as wide as the page, so the ring has no room outside of them. */
  :host([upright]) .scene [role="button"]:focus-visible > .focus { outline-offset: -4px; }
  .focus { fill: none; stroke: none; pointer-events: none; }
  .scene .asks { cursor: help; }
  .scene .asks:hover .hit { fill: var(--now); opacity: .45; }
  .scene .asks:focus-visible .hit { stroke: var(--ink); stroke-width: 3; }
  .scene .hit { fill: transparent; stroke: none; }
  .apart-mark { fill: var(--now); stroke: var(--ink); stroke-width: 1.5; }
  .link-number { fill: var(--ink); stroke: var(--paper); stroke-width: 2; }
  .closer { position: absolute; inset: auto 10px 6px auto; margin: 0; padding: 1px 8px; border-radius: 4px; background: var(--paper); color: var(--ink-2); font-size: 12px; }
  .underived { margin: 0; padding: 2px 24px 4px; color: var(--ink-2); font-size: 13px; }
  :host([projector]) .scene { overflow: hidden; }
  :host([projector]:not([upright])) { overflow: hidden; }
  .decides { position: sticky; bottom: 0; z-index: 1; background: var(--paper); border-top: 2px solid var(--ink); padding: 4px 12px 5px; line-height: 18px; box-sizing: border-box; }
  .decides:has(> .offer) { display: grid; grid-template-columns: minmax(0, 1fr) auto; align-content: start; gap: 0 12px; }
  .decides > .fields { grid-column: 1 / -1; }
  .decides > .offer { grid-area: 1 / 2; align-self: start; }
  .decides.doubt:has(> .offer) { align-content: center; align-items: center; padding-block: 1px; font-size: 13px; line-height: 15px; }
  .decides.doubt > .offer { align-self: center; }
  .decides p { margin: 0; }
  .decides .fields { display: flex; flex-wrap: wrap; gap: 0 12px; color: var(--ink-2); font-variant-numeric: tabular-nums; }
  /* The lines are lower if there is a line about consumers, so that the card is as high as without it. */
  .decides:has(> .reads) { line-height: 17px; padding-block: 3px 2px; }
  .decides .reads { margin-block-start: 1px; border-block-start: 1px solid var(--line); padding-block-start: 1px; color: var(--ink); }
  .decides .equal b { font-weight: 500; }
  .decides .nb { white-space: nowrap; }
  .decides b { color: var(--ink); }
  /* Words that do not fit wrap to further lines, while the button beside them stays visible. */
  :host([upright]) .under { display: flex; align-items: flex-start; gap: 0 12px; padding: 0 12px; min-height: 28px; box-sizing: border-box; background: var(--paper); border-top: 1px solid var(--line); }
  :host([upright]) .under > div { display: flex; flex: 1 1 0; min-width: 0; flex-wrap: wrap; align-items: center; gap: 0 12px; min-height: 27px; }
  /* A picture taller than its place scrolls above this line; an opened text scrolls with the picture. */
  :host([upright]) .under:not(.decides ~ .under, :has([open])) { position: sticky; bottom: 0; z-index: 1; }
  .scene .brings { text-decoration: underline; fill: var(--ink-2); }
  .offer { position: relative; flex: none; margin-inline-start: auto; min-height: 26px; border: 1.5px solid var(--ink); border-radius: 6px; background: var(--paper); color: var(--ink); font: 600 14px/18px var(--f-ui); padding: 0 10px; }
  /* The area for a finger ends at the button's lower edge: below the stage's foot, it would make the stage scroll. */
  .offer::after { content: ""; position: absolute; inset: -17px -6px 0; }
  /* A text that does not fit wraps to a hidden line, so it is left out whole and never cut. */
  .cells { order: 1; flex: 1 1 0; display: flex; flex-wrap: wrap; justify-content: end; height: 27px; overflow: hidden; font-size: 12px; line-height: 27px; white-space: nowrap; }
  .cells::before { content: ""; width: 1px; height: 27px; }
  .away { margin: 0; display: flex; flex-wrap: wrap; align-items: center; gap: 0 10px; }
  .away button { text-decoration: underline; min-height: 24px; }
`;
