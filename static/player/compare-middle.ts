/**
 * The picture that one side of a comparison shows of its step, from coarse to fine: one line per transaction, the
 * lanes, the messages, or the code with every check of the step. Both sides use the same elements as the player.
 */

import "./beside-stage.ts";
import type { nothing, TemplateResult } from "lit";
import type { Spacing } from "../diagrams/spacetime-rows.ts";
import type { Spread } from "../diagrams/lanes-plan.ts";
import type { Foremost } from "../diagrams/spacetime-layout.ts";
import type { View } from "./frame.ts";
import type { Middle } from "./panels.ts";
import { kafka } from "./panel-times.ts";
import { pictureOf } from "./panels.ts";
import type { PlayerStore } from "./store.ts";
import type { Transactions } from "./transactions.ts";

export const SIDE_MIDDLES = ["transactions", "lanes", "spacetime", "code"] as const satisfies readonly Middle[];
export type SideMiddle = (typeof SIDE_MIDDLES)[number];

export interface SideParts {
  store: PlayerStore;
  /** The view of the other run. */
  other: View | undefined;
  transactions: Transactions;
  /** The addresses of the code documents and the machines, as the player has them. */
  code: string;
  machines: string;
  /** What the distances in the space-time diagrams stand for: the same on both sides. */
  spacing: Spacing;
  /** `columns`: the actors with lanes in both pictures. `wants`: reports the actors for which this picture asks. */
  columns: readonly string[];
  wants: (actors: readonly string[]) => void;
  /** What the space-time diagram shows with precedence. */
  foremost: Foremost;
  /** The partition that both sides draw large, so that its two logs can be compared. */
  beside: string | null;
  /** The content of each partition's two logs. */
  spread: Spread;
  /** The number of steps of the longer run. */
  along: number;
  /** Moves both runs to the moment of this step. */
  go: (step: number) => void;
  /** Names of the things that differ, which both sides mark. */
  apart: readonly string[];
}

/** The picture that is shown for a choice: a run without Kafka has no lanes and shows its stage instead. */
export function shownMiddle(middle: SideMiddle, store: PlayerStore | undefined): Middle {
  return middle === "lanes" && store?.frame !== undefined && !kafka(store.frame) ? "stage" : middle;
}

export function sideMiddle(middle: SideMiddle, parts: SideParts): TemplateResult | typeof nothing {
  // Nothing can be changed in this picture: interventions are made in the player.
  const { frame } = parts.store;
  const beside = parts.other;
  return pictureOf(shownMiddle(middle, parts.store), { ...parts, frame: frame === undefined || beside === undefined ? frame : { ...frame, beside }, zoom: undefined, space: () => {}, asks: false, acts: false });
}

/** The lanes of both pictures: taken in turn from those that each side asks for, as many as fit. */
export function columnsOf(left: readonly string[], right: readonly string[], most: number): string[] {
  const places = Array.from({ length: Math.max(left.length, right.length) }, (_, index) => [left[index], right[index]]);
  return [...new Set(places.flat().filter((name) => name !== undefined))].slice(0, most);
}
