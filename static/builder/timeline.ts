/**
 * The application script and the fault script on one line of virtual time.
 *
 * The picture stands beside the rows that say the same in words, so it has no controls of its own.
 */

import { svg } from "lit";
import type { TemplateResult } from "lit";
import { isObject } from "./document.ts";
import type { Json, JsonObject } from "./document.ts";

export interface Mark {
  at: number;
  until: number;
  word: string;
}

export interface Lane {
  name: string;
  kind: "application" | "fault";
  marks: Mark[];
}

export const WIDTH = 640;
const LEFT = 110;
const ROW = 26;
const SHORT_WORDS: Record<string, string> = {
  send: "send", init_transactions: "init", begin_transaction: "begin", commit_transaction: "commit",
  abort_transaction: "abort", send_offsets: "offsets", force_close: "close!",
};

/** A lane for each application with calls at known times, and one for the faults that have a time. */
export function lanesOf(document: JsonObject): Lane[] {
  const lanes: Lane[] = rows(document["applications"]).map((application) => ({
    name: String(application["name"] ?? ""),
    kind: "application",
    marks: rows(application["calls"]).filter((call) => typeof call["at"] === "number").map(callMark),
  }));
  const faults = rows(document["faults"]).filter((fault) => typeof fault["at"] === "number").map((fault) => {
    const at = fault["at"] as number;
    return { at, until: at + whole(fault["for_ms"], 0), word: String(fault["action"] ?? "") };
  });
  if (faults.length > 0) lanes.push({ name: "", kind: "fault", marks: faults });
  return lanes.filter((lane) => lane.marks.length > 0);
}

function callMark(call: JsonObject): Mark {
  const at = call["at"] as number;
  const records = whole(call["records"], 1);
  const word = String(call["do"] ?? "");
  const short = SHORT_WORDS[word] ?? word;
  return { at, until: at + (records - 1) * whole(call["every"], 0), word: records > 1 ? `${short} ×${records}` : short };
}

function rows(value: Json | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function whole(value: Json | undefined, usual: number): number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 ? value : usual;
}

export interface Placed extends Mark {
  x: number;
  width: number;
  /**
   * Whether the mark's words are drawn. They are left out if they would cover those of the mark before; the rows of the
   * form have them anyway.
   */
  worded: boolean;
}

export function placed(lanes: Lane[]): { lanes: (Lane & { placed: Placed[] })[]; end: number } {
  const end = Math.max(10, ...lanes.flatMap((lane) => lane.marks.map((mark) => mark.until)));
  const scale = (WIDTH - LEFT - 70) / end;
  return {
    end,
    lanes: lanes.map((lane) => {
      let free = -Infinity;
      const marks = [...lane.marks].sort((one, other) => one.at - other.at).map((mark) => {
        const x = Math.round(LEFT + mark.at * scale);
        const worded = x >= free;
        if (worded) free = x + 8 + mark.word.length * 6.5;
        return { ...mark, x, width: Math.max(3, Math.round((mark.until - mark.at) * scale)), worded };
      });
      return { ...lane, placed: marks };
    }),
  };
}

export function drawTimeline(lanes: Lane[], faultsName: string): TemplateResult {
  const { lanes: drawn, end } = placed(lanes);
  const height = drawn.length * ROW + 22;
  return svg`<svg class="script-line" viewBox="0 0 ${WIDTH} ${height}" width="100%" role="img" aria-hidden="true">
    ${drawn.map((lane, row) => svg`<g transform="translate(0 ${row * ROW})">
      <text class="lane" x="0" y="15">${lane.kind === "fault" ? faultsName : lane.name}</text>
      <line class="rail" x1=${LEFT} x2=${WIDTH} y1="20" y2="20"></line>
      ${lane.placed.map((mark) => svg`<rect class=${lane.kind} x=${mark.x} y="16" width=${mark.width} height="7"></rect>
        ${mark.worded ? svg`<text x=${mark.x} y="12">${mark.word}</text>` : ""}`)}</g>`)}
    <text class="axis" x=${LEFT} y=${height - 6}>0</text>
    <text class="axis" x=${WIDTH - 70} y=${height - 6} text-anchor="end">${end} ms</text>
  </svg>` as TemplateResult;
}
