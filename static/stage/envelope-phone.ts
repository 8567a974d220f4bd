/** Draws messages between brokers on a phone, with sender and receiver, because their wires do not show these. */

import { svg } from "lit";
import { round } from "../diagrams/geometry.ts";
import type { Places } from "./contract.ts";
import { flag, text, textWidth } from "./draw.ts";
import type { Envelope } from "./envelope.ts";
import { paper } from "./envelope.ts";
import type { Sheet } from "./messages.ts";

/**
 * A message between brokers that are side by side on a phone. If it has markers: the flag with its partition, and below
 * it `way` (sender and receiver).
 */
export function onWay(sheet: Sheet, here: Places, way: string): Envelope {
  const [first] = sheet.flags;
  if (first === undefined) return wordsOnWay(sheet, way);
  const [partition = "", ...others] = sheet.flags.flatMap(({ partitions }) => partitions);
  const label = others.length === 0 ? partition : `${partition} +${others.length}`;
  const width = round(30 + Math.max(textWidth(label, 13, true), textWidth(way, 12)) + 10);
  return {
    width, height: 40,
    draw: (heading, fate) => paper(width, 40, heading, true, sheet, fate, svg`${flag(8, 9, 22, first.letter, here.hue(first.producerId))}${
      text(32, 17, label, "s13 b")}${text(32, 33, way, "s12 k")}`, 0, false),
  };
}

/**
 * A message without markers between brokers that are side by side on a phone: its name and words, and below them `way`
 * (sender and receiver).
 */
function wordsOnWay(sheet: Sheet, way: string): Envelope {
  const name = sheet.words === "" ? sheet.name : `${sheet.name} ${sheet.words}`;
  const width = round(Math.max(textWidth(name, 12, true), textWidth(way, 12)) + 18);
  return {
    width, height: 40,
    draw: (heading, fate) => paper(width, 40, heading, true, sheet, fate, svg`${text(9, 17, name, sheet.bad ? "s12 b bad" : "s12 b")}${text(9, 33, way, "s12 k")}`, 0, false),
  };
}
