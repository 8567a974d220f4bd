/** Draws the shapes of `machine-layout.ts`, and fetches the engine's table from which that makes them. */

import { css, html, svg } from "lit";
import type { SVGTemplateResult, TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { get } from "../player/addressed.ts";
import { listed, named } from "../player/joins.ts";
import { say } from "../player/text.ts";
import type { MachineShape, MachineTable, StateShape } from "./machine-layout.ts";
import { stateLines } from "./machine-layout.ts";

export const machineLook = css`
  .state rect { fill: var(--side); stroke: var(--ink-3); stroke-width: 1.25; }
  .state text { font-size: 10px; }
  .state.current rect { fill: var(--ink); stroke: var(--ink); }
  .state.current text:not(.outside) { fill: var(--ink-inv); font-weight: 700; }
  .state.pending:not(.current) rect { stroke: var(--ink); stroke-width: 2; stroke-dasharray: 4 3; }
  .state.pending text { font-weight: 700; }
  .edge { fill: none; stroke: var(--ink-3); stroke-width: 1.25; }
  .edge.last { stroke: var(--ink); stroke-width: 2.75; }
  .edge.stepped { stroke-width: 4; }
  svg { width: 100%; height: auto; max-width: 340px; }
`;

/** The table at `address`; undefined if the response has an error status. Rejects without a response. */
export async function fetchMachine(address: string): Promise<MachineTable | undefined> {
  const response = await get(address);
  return response.ok ? ((await response.json()) as MachineTable) : undefined;
}

export function drawMachine(shape: MachineShape, sentence: string, stepped: boolean): TemplateResult {
  return html`<svg viewBox="0 0 ${shape.width} ${shape.height}" width=${shape.width} height=${shape.height} role="img"
    aria-label=${sentence}><defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"
    orient="auto" markerUnits="userSpaceOnUse"><path d="M0 0l8 4-8 4z" fill="var(--ink-3)"/></marker><marker id="tip-last"
    viewBox="0 0 8 8" refX="6" refY="4" markerWidth="10" markerHeight="10" orient="auto" markerUnits="userSpaceOnUse"><path
    d="M0 0l8 4-8 4z" fill="var(--ink)"/></marker></defs>${repeat(
      shape.edges,
      (edge) => edge.key,
      (edge) => svg`<path class=${`edge${edge.last ? " last" : ""}${edge.last && stepped ? " stepped" : ""}`} d=${edge.path}
        marker-end=${edge.last ? "url(#tip-last)" : "url(#tip)"}><title>${named(`${edge.from} → ${edge.to}`, listed(edge.on))}</title></path>`,
    )}${repeat(
      shape.states,
      (state) => state.state,
      (state) => {
        const lines = stateLines(state.state);
        const first = state.y + state.height / 2 + (lines.length > 1 ? -1.5 : 3.5);
        return svg`<g class=${`state${state.current ? " current" : ""}${state.pending ? " pending" : ""}`}><rect x=${state.x} y=${state.y} width=${state.width}
          height=${state.height} rx="9"/>${lines.map((line, index) => svg`<text x=${state.x + state.width / 2} y=${
            first + index * 10} text-anchor="middle">${line}</text>`)}${
            shape.anywhere.includes(state.state) ? drawAnywhere(state) : ""}</g>`;
      },
    )}</svg>`;
}

/** `from any state` above a box, with an arrow into it. */
function drawAnywhere(state: StateShape): SVGTemplateResult {
  const x = state.x + state.width / 2;
  return svg`<path class="edge" d=${`M${x} ${state.y - 11}V${state.y}`} marker-end="url(#tip)"/><text class="outside" x=${x} y=${
    state.y - 14} text-anchor="middle">${say("diagram.machine.from_any")}</text>`;
}
