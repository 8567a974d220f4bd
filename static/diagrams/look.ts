/**
 * The styles that all panels share. Each mark has the same meaning in every panel: colour = producer id; solid /
 * hatched / dashed / dotted = stored / aborted / pending / deleted; yellow with an outline = the place of this step; a
 * ring = another picture of the selected thing; not filled = of a fenced epoch; inverted = current state; red = a
 * broken guarantee or a returned error, always with words. Colours and sizes are the page's tokens (static/styles).
 */

import { css, unsafeCSS } from "lit";
import { HUES } from "./batch.ts";

const hues = Array.from(
  { length: HUES },
  (_, hue) => `
  .cell.b${hue}, svg .fill.b${hue} { fill: var(--p${hue}-f); stroke: var(--p${hue}-l); }
  .line.b${hue} { stroke: var(--p${hue}-l); }
  svg .flag.b${hue} { fill: var(--p${hue}-l); }
  .card.b${hue}, .slot.b${hue} { background: var(--p${hue}-f); border-color: var(--p${hue}-l); }
  .box.b${hue} { background: var(--p${hue}-f); border-color: var(--p${hue}-l); }
  .hatch.b${hue} { stroke: var(--p${hue}-l); }`,
).join("\n");

const base = css`
  :host { display: block; font: var(--t-text)/18px var(--f-ui); color: var(--ink); min-width: 0; }
  * { box-sizing: border-box; }
  h2, h3, p, ul, ol, dl, dd, table { margin: 0; padding: 0; font: inherit; }
  ul, ol { list-style: none; }
  h2 { font-size: var(--t-text); line-height: 18px; font-weight: 650; display: flex; flex-wrap: wrap; gap: 0 8px;
    justify-content: space-between; align-items: baseline; }
  h2 > span { overflow-wrap: anywhere; }
  h2 small { font-size: var(--t-mark); font-weight: 400; color: var(--ink-2); text-align: end; min-width: 0; margin-inline-start: auto; }
  h3 { font-weight: 600; }
  section { position: relative; }
  section + section { margin-top: 10px; }
  /* Paper has room for folded sections. */
  @media not print {
    :host([folded]) section > :not(h2) { display: none; }
    :host([folded]) section + section { margin-top: 4px; }
    :host([folded]) h2 { font-weight: 500; padding-inline-start: 14px; }
  }
  .quiet { color: var(--ink-2); }
  .num, td, .slots, .card { font-variant-numeric: tabular-nums; }
  .nb { white-space: nowrap; }
  b { font-weight: 650; }
  code, .mono { font-family: var(--f-mono); font-size: .96em; overflow-wrap: anywhere; }
  .differs { color: var(--ink); font-weight: 600; border-inline-start: 3px double var(--ink); padding-inline-start: 5px; }
  .bad { color: var(--bad); font-weight: 600; }
  .was { color: var(--ink-2); font-weight: 400; font-size: var(--t-mark); white-space: nowrap; }
  .was::before { content: "("; } .was::after { content: ")"; }
  .now { background: var(--now); outline: 2px solid var(--ink); }
  .changed { background: var(--now); box-shadow: 0 1px var(--ink); }
  .picked { outline: 2.5px solid var(--ink); outline-offset: 1px; }
  :focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
  button { font: inherit; color: inherit; background: none; border: 0; padding: 0; text-align: start; cursor: pointer; }
  button.term { text-decoration: underline dotted; text-underline-offset: 3px; cursor: help; overflow-wrap: anywhere; }
  /* Chinese characters reach below the line of Latin letters: a line that skips them would remain only under spaces. */
  svg .term { cursor: help; text-decoration: underline dotted; text-underline-offset: 3px; text-decoration-skip-ink: none; }
  button.link { text-decoration: underline; min-height: 24px; }

  details.twin { color: var(--ink-2); }
  @media print { details.twin:not([open]) { display: none; } }
  details.twin > summary { cursor: pointer; font-size: var(--t-mark); width: fit-content; min-height: 16px; }
  details.more > summary { cursor: pointer; color: var(--ink-2); min-height: 18px; width: fit-content; }

  table { border-collapse: collapse; width: 100%; margin-top: 3px; }
  th { text-align: start; font-weight: 400; color: var(--ink-2); font-size: var(--t-mark); padding: 0 6px 1px 0; }
  td { padding: 1px 6px 0 0; line-height: 18px; border-top: 1px solid var(--line); vertical-align: top; }
  tr > :first-child { padding-inline-start: 8px; }
  tr.hit td { --bad: var(--bad-on-now); background: var(--now); box-shadow: inset 0 2px var(--ink), inset 0 -2px var(--ink); font-weight: 650; }
  tr.hit td:first-child { box-shadow: inset 2px 2px var(--ink), inset 0 -2px var(--ink); }
  tr.hit td:last-child { box-shadow: inset -2px 2px var(--ink), inset 0 -2px var(--ink); }
  tr.picked { outline-offset: -2px; }

  svg { display: block; overflow: visible; }
  svg text { font-size: var(--t-mark); font-family: var(--f-ui); fill: var(--ink-2); }
  svg .text { font-size: var(--t-text); }
  svg .ink { fill: var(--ink); }
  svg .strong { fill: var(--ink); font-weight: 650; }
  svg .title { font-size: var(--t-text); font-weight: 650; fill: var(--ink); }
  svg .label { font-size: var(--t-text); font-weight: 600; fill: var(--ink); font-variant-numeric: tabular-nums; }
  svg .label.small { font-size: var(--t-mark); }
  svg .digits { font-variant-numeric: tabular-nums; }
  svg .inverted { fill: var(--ink-inv); font-weight: 650; }
  svg .alarm { fill: var(--bad); font-weight: 650; }
  svg .halo { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
  svg .halo.onnow { stroke: var(--now); }
  svg [role="button"] { cursor: pointer; }
  svg [role="button"]:focus-visible { outline: 3px solid var(--ink); outline-offset: 2px; }
  svg [role="button"].wide:focus-visible { outline-offset: -3px; }
  .cell { stroke-width: 1.5; }
  .cell.plain { fill: var(--raise); stroke: var(--ink-2); }
  .cell.pending { stroke-dasharray: 5 3; stroke-width: 2; fill-opacity: .45; }
  .cell.deleted { stroke-dasharray: 1.5 3.5; fill-opacity: .12; }
  svg .flag.deleted { opacity: .45; }
  svg .label.gone { text-decoration: line-through; font-weight: 400; }
  svg .order-sign { fill: none; stroke: var(--bad); stroke-width: 2.5; }
  svg .cell.broken { stroke: var(--bad); stroke-width: 3; }
  .hatch { stroke-width: 2; opacity: .6; }
  .hatch.plain { stroke: var(--ink-2); }
  svg .flag.plain { fill: var(--ink-2); }
  .line { fill: none; stroke: var(--ink-2); stroke-width: 1.5; }
  .line.thin { stroke-width: 1.25; stroke: var(--ink-3); }
  .line.heavy { stroke-width: 3; }
  .line.dark { stroke: var(--ink); }
  .line.equal { stroke-width: 2.75; }
  .line.dotted { stroke-dasharray: 2 4; }
  .line.dashed { stroke-dasharray: 5 4; }
  .rule { stroke: var(--line); stroke-width: 1; fill: none; }
  .ring { stroke: var(--ink); stroke-width: 2.5; fill: none; }
  .wash { fill: var(--now); }
  .gate { fill: var(--ink); }
  .gate.start { fill: var(--ink-3); opacity: .55; }
  .gate.high_watermark { fill: var(--ink); }
  .badge { fill: var(--ink); }
  .cross { fill: none; stroke: var(--ink); stroke-width: 3.5; }
  .dot { fill: var(--ink); }
  .foldbox { fill: var(--side); stroke: var(--ink-3); stroke-width: 1.25; stroke-dasharray: 1.5 3; }
  .foldbox.twice { stroke: var(--bad); }

  @keyframes lands { from { opacity: 0; transform: translateY(-14px); } }
  @keyframes crosses { from { stroke-dashoffset: 1; } }
  @keyframes appears { from { opacity: 0; } }
  .lands { animation: lands var(--m-land, 160ms) var(--m-ease, ease-out) both; animation-delay: var(--m-travel, 0ms); }
  .travels { animation: lands var(--m-travel, 320ms) var(--m-ease, ease-out) both; }
  .appears { animation: appears var(--m-flip, 120ms) both; animation-delay: var(--m-travel, 0ms); }
  .crosses { stroke-dasharray: 1; animation: crosses var(--m-travel, 320ms) var(--m-ease, ease-out) both; }
  @media (prefers-reduced-motion: reduce) { .lands, .travels, .appears, .crosses { animation: none; } }
`;

/** A batch of a fenced epoch is not filled. */
const old = css`svg :is(.cell, .flag).old { fill: var(--paper); } svg .cell.old { stroke-width: 2.5; } svg .flag.old + text { fill: var(--ink); } .card.old { background: var(--paper); }`;

export const look = [base, unsafeCSS(hues), old];
