/**
 * What one side of a comparison shows of its step, from coarse to fine: one line per transaction, the lanes, the
 * messages, or the code with every check of the step. The same elements as in the player, one after the other for
 * both sides.
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
  /** The state of the other run. */
  other: View | undefined;
  transactions: Transactions;
  /** Where the documents and the machines come from, as the player has them. */
  code: string;
  machines: string;
  /** What the distances in the space-time diagrams stand for, the same on both sides. */
  spacing: Spacing;
  /** The actors with lanes in both pictures, and those that this picture asks for. */
  columns: readonly string[];
  wants: (actors: readonly string[]) => void;
  /** What its space-time diagram shows before everything else. */
  foremost: Foremost;
  /** The partition that both draw large, so that its two logs can be held against each other. */
  beside: string | null;
  /** What each partition's two logs hold. */
  spread: Spread;
  /** Steps of the longer run. */
  along: number;
  /** Moves both runs to the moment of this step. */
  go: (step: number) => void;
  /** Names of what differs; both sides mark it. */
  apart: readonly string[];
}

/** A run without Kafka has no lanes: its stage stands in their place. */
export function shownMiddle(middle: SideMiddle, store: PlayerStore | undefined): Middle {
  return middle === "lanes" && store?.frame !== undefined && !kafka(store.frame) ? "stage" : middle;
}

export function sideMiddle(middle: SideMiddle, parts: SideParts): TemplateResult | typeof nothing {
  // The picture is only for looking: interventions are made in the player.
  const { frame } = parts.store;
  const beside = parts.other;
  return pictureOf(shownMiddle(middle, parts.store), { ...parts, frame: frame === undefined || beside === undefined ? frame : { ...frame, beside }, zoom: undefined, space: () => {}, asks: false, acts: false });
}

/** The lanes of two pictures: taken in turn from what each asks for, as many as fit. */
export function columnsOf(left: readonly string[], right: readonly string[], most: number): string[] {
  const places = Array.from({ length: Math.max(left.length, right.length) }, (_, index) => [left[index], right[index]]);
  return [...new Set(places.flat().filter((name) => name !== undefined))].slice(0, most);
}
