/**
 * Holds the parts of the stage whose files are loaded only when a picture first needs them. Before that, they are not
 * drawn.
 */

import type { Frame } from "../player/frame.ts";
import type { Camera, lookOf } from "./camera.ts";
import type { chainMarks, uncovered } from "./chain-marks.ts";
import type { Layer, Places, Size, StagePlan } from "./contract.ts";
import type { chipOf, howBelow, isOnAnswer, lowComparison, uprightSize } from "./drawn-phone.ts";
import type { nodeTag } from "./middleware-tag.ts";
import type { onWay } from "./envelope-phone.ts";
import type { chipName, rowGates, rowName } from "./lanes-phone.ts";
import type { inGap, inRow, notedAside } from "./network-phone.ts";
import { planOf } from "./outline.ts";
import type { chipLane, phonePlaces, rowLane } from "./places-phone.ts";
import type { uprightBody } from "./producers-phone.ts";
import type { besideChip, chipsIn, farFromClient, headsIn, isOverAnother, underCoordinator } from "./tag-phone.ts";
import type { footOf, under } from "./under-phone.ts";
import type { besideWing, wingObjects, wingOf } from "./wing.ts";

export interface Later {
  /** For runs with a middleware, or with services and their database (`nodes-drawn.ts`). */
  nodes: { middleware: Layer; beside: Layer; places: (plan: StagePlan, size: Size) => Places; tag: typeof nodeTag; wing: { room: typeof besideWing; of: typeof wingOf; objects: typeof wingObjects } };
  /**
   * For upright pictures: their places, the parts that only they draw, and the lines below them (`phone-placed.ts`).
   */
  phone: {
    places: typeof phonePlaces; rowLane: typeof rowLane; chipLane: typeof chipLane;
    chip: typeof chipOf; comparison: typeof lowComparison; how: typeof howBelow; isSaid: typeof isOnAnswer; tagSize: typeof uprightSize;
    foot: typeof footOf; under: typeof under; noted: typeof notedAside; gap: typeof inGap; inRow: typeof inRow; onWay: typeof onWay;
    chipName: typeof chipName; rowName: typeof rowName; rowGates: typeof rowGates; producer: typeof uprightBody;
    besideChip: typeof besideChip; chips: typeof chipsIn; farFromClient: typeof farFromClient; heads: typeof headsIn; isOverAnother: typeof isOverAnother; underCoordinator: typeof underCoordinator;
  };
  /** For the numbers of an answer to *why* (`chain-marks.ts`). */
  chain: { marks: typeof chainMarks; uncovered: typeof uncovered };
  /** For the view on a projector: its camera and the part of the picture that it shows (`camera.ts`). */
  camera: { Camera: typeof Camera; of: typeof lookOf };
}

/** The parts that are loaded. Their files put them here. */
export const LATER: Partial<Later> = {};

/** The part that this frame needs and that is not loaded yet; null: none. */
export function lackOf(frame: Frame, { form }: Size): "nodes" | "phone" | null {
  if (LATER.nodes === undefined && hasNodes(frame)) return "nodes";
  return LATER.phone === undefined && (form === "phone" || hasBoth(frame)) ? "phone" : null;
}

/** Whether a run has both a middleware and brokers. The middleware's nodes then have places as on a phone. */
const hasBoth = ({ view }: Frame): boolean => view.middleware?.participants !== undefined && Object.keys(view.brokers ?? {}).length > 0;

function hasNodes(frame: Frame): boolean {
  const { middleware, services, database } = frame.view;
  return middleware?.participants !== undefined || services !== undefined || database !== undefined || (planOf(frame)?.middleware?.participants ?? []).length > 0;
}

/** The parts for an upright picture. Throws if they are not loaded. */
export function phoneParts(): Later["phone"] {
  if (LATER.phone === undefined) throw new Error("phone-placed.ts is not here");
  return LATER.phone;
}
