/**
 * Above a lane: the request to its log, or the response about one of its batches, that the network loses in this step.
 * Pure.
 *
 * A lost request leaves no trace in the log, nor does a lost response; without a picture, the step that causes a
 * duplicate or a loss would show nothing.
 */

import type { Frame, JsonObject, MessageView } from "../player/frame.ts";
import { say } from "../player/text.ts";
import type { Id } from "./batch.ts";
import { batchLabel, identity } from "./batch.ts";
import { TEXT, round, textWidth, wrapAtMost } from "./geometry.ts";
import { batchHue } from "./instance.ts";
import type { ArrivalOptions } from "./lane-arrival.ts";
import { cellWidth } from "./lane-arrival.ts";
import type { Cells } from "./lane-cells.ts";
import { placedAt } from "./lane-cells.ts";
import type { ArrivalShape, TextShape } from "./lane-shapes.ts";
import { carriedBatches, isPicked, messageSelection } from "./picked.ts";
import { found } from "./reading.ts";

/** px from the cell of the message's batch to the cross; without a cell, from the edge of the lane to the cross. */
const WAY = 34;

/** The message about this partition that this step loses; null if it loses none. */
export function lostNow(frame: Frame, partition: string): MessageView | null {
  return found(frame, `lost ${partition}`, (whole) => lostIn(whole, partition));
}

function lostIn(frame: Frame, partition: string): MessageView | null {
  for (const { id, event } of frame.step?.messages ?? []) {
    if (event !== "dropped" && event !== "lost") continue;
    const message = frame.previousView?.network?.messages[String(id)];
    if (message?.api === "Produce" && message.partitions.includes(partition)) return message;
  }
  return null;
}

export function layoutLost(
  frame: Frame, partition: string, message: MessageView, cells: Cells, options: ArrivalOptions,
): { shape: ArrivalShape; twin: string } {
  const shape: ArrivalShape = {
    key: `arrival-${partition}`, fate: "lost", cells: [], texts: [], bars: null, path: null, cross: null, ghost: null,
  };
  const line = round(options.top + 4 + options.cellHeight / 2);
  const stored = message.is_response ? baseOffset(message, partition) : null;
  const words = message.is_response
    ? say(stored === null ? "diagram.lanes.lost_answer" : "diagram.lanes.lost_answer_stored", { client: message.to })
    : say("diagram.lanes.lost_request", { client: message.from, broker: message.to });
  const target = stored === null ? null : placedAt(cells, stored);
  if (message.is_response) {
    const x = target === null ? cells.left + WAY : round(target.x + target.width / 2);
    shape.cross = { x, y: line };
    if (target !== null) shape.path = `M${x} ${options.cellsTop - 3}V${line + 14}`;
  } else {
    const cell = requestCell(frame, partition, message, cells, options, words);
    shape.cells.push(cell);
    shape.cross = { x: round(cell.x + cell.width + WAY), y: line };
    shape.path = `M${round(cell.x + cell.width + 6)} ${line}H${shape.cross.x - 12}`;
  }
  shape.texts = wordsBeside(words, shape.cross.x, line, cells.left, options.right);
  return { shape, twin: words };
}

/** The base offset that the response gives for the batch; null if the response refuses the batch. */
function baseOffset(message: MessageView, partition: string): number | null {
  const answers = (message.fields["partitions"] ?? {}) as Record<string, JsonObject | undefined>;
  const { error, base_offset } = answers[partition] ?? {};
  return error === "NONE" && typeof base_offset === "number" ? base_offset : null;
}

function requestCell(
  frame: Frame, partition: string, message: MessageView, cells: Cells, options: ArrivalOptions, name: string,
): ArrivalShape["cells"][number] {
  const batch = carriedBatches(message)[partition] ?? {};
  const selection = messageSelection(frame.previousView ?? frame.view, message);
  const labelled = {
    producer_id: batch["producer_id"] as Id, producer_epoch: batch["producer_epoch"] as Id,
    first_sequence: batch["base_sequence"] as Id, last_sequence: batch["last_sequence"] as Id,
    serials: selection.serials ?? [], record_count: Number(batch["record_count"] ?? 0),
  };
  const who = identity(labelled.producer_id, labelled.producer_epoch);
  const label = batchLabel(labelled, who !== null && who === cells.common);
  return {
    key: String(message.id), x: cells.left, y: options.top + 4, width: cellWidth(label, null, options.unit),
    height: options.cellHeight, hue: batchHue(frame, labelled.producer_id, labelled.producer_epoch), label, picked: isPicked(frame.selection, selection),
    selection, name,
  };
}

/** The words in at most two lines: right of the cross if they fit there or it has more room, else left of it. */
function wordsBeside(words: string, cross: number, line: number, left: number, right: number): TextShape[] {
  const [after, before] = [right - cross - 18, cross - left - 18];
  const isAfter = after >= Math.min(before, textWidth(words, TEXT, true));
  const lines = wrapAtMost(words, isAfter ? after : before, TEXT, 2, true);
  return lines.map((text, index): TextShape => ({
    x: round(isAfter ? cross + 18 : cross - 18), y: line + (lines.length === 1 ? 4 : index * 17 - 4), text,
    anchor: isAfter ? "start" : "end", style: "text strong",
  }));
}
