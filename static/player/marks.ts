/**
 * Lists the marks of all pictures, each drawn as in the pictures; their meanings are the texts under `player.mark.`.
 */

import type { SVGTemplateResult, TemplateResult } from "lit";
import { html, svg } from "lit";
import type { Frame } from "./frame.ts";
import { say } from "./text.ts";

const DRAWN: Record<string, SVGTemplateResult> = {
  hue: svg`<path class="h0" d="M2 4h18v14H2z"/><path class="h1" d="M24 4h18v14H24z"/>`,
  line: svg`<path class="h0" d="M1 4h12v14H1z"/><path class="h0 aborted" d="M16 4h12v14H16z"/><path class="h0 stroke" d="M17 13l7-8M20 17l7-8"/><path class="h0 open" d="M31 4h12v14H31z"/>`,
  old: svg`<path class="h0 old" d="M2 4h18v14H2z"/>`,
  flag: svg`<path class="h0 flag" d="M14 3v17M14 4h14l-4 4l4 4H14z"/>`,
  gates: svg`<path class="gate" d="M10 2v18"/><path class="watermark" d="M23 2v18"/><path class="start" d="M36 2v18"/>`,
  yellow: svg`<rect class="now" x="6" y="3" width="32" height="16" rx="3"/>`,
  outline: svg`<rect class="around" x="6" y="3" width="32" height="16" rx="3"/>`,
  inverted: svg`<rect class="full" x="6" y="3" width="32" height="16" rx="8"/>`,
  red: svg`<path class="bad" d="M12 4h20v14H12z"/>`,
  cross: svg`<path class="crossed" d="M15 4l14 14M29 4l-14 14"/>`,
  dotted: svg`<path class="dots" d="M4 11h36"/>`,
  timeline: svg`<path class="track" d="M2 8h40"/><path class="bar" d="M14 3v10"/><path d="M24 8c0 8 4 11 12 11"/>`,
};

/** The marks that only logs have: a run without partitions does not list them. */
const OF_LOGS: readonly string[] = ["hue", "line", "old", "flag", "gates"];

export function marks(frame?: Frame): TemplateResult {
  const hasLogs = frame === undefined || Object.keys(frame.view.partitions ?? {}).length > 0;
  return html`<dl class="marks">${Object.entries(DRAWN).filter(([mark]) => hasLogs || !OF_LOGS.includes(mark)).map(([mark, drawn]) => html`<div><svg viewBox="0 0 44 22" width="44" height="22" aria-hidden="true">${drawn}</svg>
    <dt>${say(`player.mark.${mark}`)}</dt><dd>${say(`player.mark.${mark}.means`)}</dd></div>`)}</dl>`;
}
