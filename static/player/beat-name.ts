/**
 * Decides how a phone sets the name of a beat beside the step and the time, so that the name has at most two lines and
 * nothing overlaps.
 */

import { textWidth } from "../diagrams/geometry.ts";
import { wrapPhrases } from "./wrap-phrases.ts";

export const defaults = {
  /** px of a letter. */
  size: 14,
  /** px for the arrow and the gaps beside name and step. */
  beside: 32,
};

export interface NameSetting {
  /** Whether the time has a line of its own below the step. */
  apart: boolean;
  /** Whether the name has small letters. */
  isLong: boolean;
}

/** The setting of a name. `width`: px of the line without its margins; `step`, `when`: the texts right of the name. */
export function nameSetting(name: string, step: string, when: string, width: number): NameSetting {
  const { size, beside } = defaults;
  const linesIn = (room: number): string[] => wrapPhrases(name, room, size, true);
  const fits = (taken: number): boolean => linesIn(width - beside - taken).length <= 2;
  if (fits(textWidth(`${step} · ${when}`, size))) return { apart: false, isLong: false };
  return { apart: true, isLong: !fits(Math.max(textWidth(step, size), textWidth(when, size))) };
}
