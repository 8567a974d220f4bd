/** How a telephone sets the name of a beat beside its step and time: the name has two lines, and nothing lies over another. */

import { textWidth } from "../diagrams/geometry.ts";
import { wrapPhrases } from "./wrap-phrases.ts";

export const defaults = {
  /** px of the letters. */
  size: 14,
  /** px of the arrow and the gaps beside name and step. */
  beside: 32,
};

export interface NameSetting {
  /** The time has a line of its own below the step. */
  apart: boolean;
  /** The name is set in small letters. */
  isLong: boolean;
}

/** `width`: px of the row without its margins; `step`, `when`: what stands at its end. */
export function nameSetting(name: string, step: string, when: string, width: number): NameSetting {
  const { size, beside } = defaults;
  const linesIn = (room: number): string[] => wrapPhrases(name, room, size, true);
  const fits = (taken: number): boolean => linesIn(width - beside - taken).length <= 2;
  if (fits(textWidth(`${step} · ${when}`, size))) return { apart: false, isLong: false };
  return { apart: true, isLong: !fits(Math.max(textWidth(step, size), textWidth(when, size))) };
}
