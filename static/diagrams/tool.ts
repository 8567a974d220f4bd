/**
 * The tool `kafka-transactions.sh`: its newest command, the responses for which it waits, and the table that it has
 * printed so far.
 *
 *     <eos-tool></eos-tool>
 *     document.querySelector("eos-tool").frame = frame;
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import type { Frame } from "../player/frame.ts";
import { listed } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { hasChanged } from "./changes.ts";
import { DiagramElement, folded, section } from "./element.ts";

export const defaults = { rows: 12 };

export interface ToolShape {
  command: string;
  state: string;
  /** What the tool waits for: the call of the admin client, and the requests without a response; null: nothing. */
  waits: { call: string; requests: string[] } | null;
  columns: readonly string[];
  rows: string[][];
  folded: number;
  next: readonly string[];
  changed: boolean;
}

export function layoutTool(frame: Frame, most = defaults.rows): ToolShape | null {
  const tool = frame.view.tool;
  if (tool === undefined) return null;
  const rows = tool.rows.slice(0, most).map((row) => row.map((cell) => (cell === null ? "None" : String(cell))));
  return {
    command: tool.command,
    state: tool.state,
    waits: tool.call === undefined ? null : { call: tool.call.name, requests: tool.call.requests },
    columns: tool.columns,
    rows,
    folded: tool.rows.length - rows.length,
    next: tool.next ?? [],
    changed: hasChanged(frame, "tool"),
  };
}

export class Tool extends DiagramElement {
  static override styles = [
    ...DiagramElement.styles,
    css`
      pre { margin: 3px 0 6px; padding: 4px 8px; background: var(--raise); border: 1px solid var(--line); white-space: pre-wrap;
        overflow-wrap: anywhere; font: var(--t-mark)/16px var(--f-mono); }
      pre.now { outline-offset: -1px; }
      .wide { overflow-x: auto; }
      td { white-space: nowrap; }
    `,
  ];

  protected override show(frame: Frame): TemplateResult {
    const shape = layoutTool(frame);
    if (shape === null) return folded(say("diagram.tool.heading"), say("diagram.tool.empty"));
    const body = html`<pre class=${shape.changed ? "now" : ""} tabindex="0">kafka-transactions.sh ${shape.command}</pre>${
      shape.waits === null ? nothing : html`<p class="quiet">${say("diagram.tool.waits", { call: shape.waits.call, requests: listed(shape.waits.requests) })}</p>`
    }${shape.rows.length === 0 ? nothing : html`<div class="wide" tabindex="0"><table><thead><tr>${shape.columns.map((name) => html`<th>${name}</th>`)}</tr></thead><tbody>${
      shape.rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>`}${
      shape.folded > 0 ? html`<p class="quiet">${say("diagram.tool.folded", { count: shape.folded })}</p>` : nothing
    }${shape.next.map((command) => html`<p class="quiet">${say("diagram.tool.next", { command })}</p>`)}`;
    return section(say("diagram.tool.heading"), say(`diagram.tool.state.${shape.state}`), body);
  }
}

customElements.define("eos-tool", Tool);
