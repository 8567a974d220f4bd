/**
 * The types of the shapes of the partition lanes, which `lanes-layout` makes and `lanes-draw` draws. Lengths are px.
 */

import type { Selection } from "../player/frame.ts";
import type { Fold } from "./lane-cells.ts";

export interface CellShape {
  key: string;
  x: number;
  y: number;
  width: number;
  height: number;
  hue: string;
  /** Whether the batch is not below the high watermark, or belongs to an undecided transaction. */
  pending: boolean;
  aborted: boolean;
  /** Whether the batch lies before the log's start, and so is deleted. */
  deleted: boolean;
  /** Whether one of its records is stored more than once. */
  twice: boolean;
  /** Whether one of its records has broken a guarantee, apart from one that is only stored too late (`late`). */
  broken: boolean;
  /** Whether one of its records is stored after later ones. */
  late: boolean;
  /** Whether this step appended it. */
  landed: boolean;
  /** Whether the arriving batch is compared with it. */
  matched: boolean;
  picked: boolean;
  control: string | null;
  label: string;
  labelSmall: boolean;
  /**
   * The second line: the records' serials (in an internal topic, whose they are), perhaps with a note that they are
   * duplicates; the producer (`isWho`); a marker's coordinator epoch, `ce 1`; or `deleted`. Null: none.
   */
  below: string | null;
  /** Whether the second line names the producer. */
  isWho?: boolean;
  name: string;
  selection: Selection;
}

export interface FoldShape extends Fold {
  y: number;
  height: number;
  lines: string[];
  /** Whether the folded batches hold second copies of records; the last line of the fold then counts these copies. */
  twice: boolean;
  name: string;
  /** The number of the newest batches that a click leaves out, so that there is room for the folded ones. */
  to: number;
  /** Whether a click instead draws every batch of the lane in narrow cells. */
  opens: boolean;
}

export interface GateShape {
  kind: "start" | "high_watermark" | "last_stable_offset";
  x: number;
  y: number;
  height: number;
  width: number;
}

/** A place in the picture at which a click asks why. */
export interface AskShape {
  question: string;
  subject: string;
  name: string;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface TextShape {
  x: number;
  y: number;
  text: string;
  anchor: "start" | "middle" | "end";
  style: string;
  /** The term that a press on the text explains (static/player/terms.ts). */
  term?: string;
}

export interface ReaderShape {
  key: string;
  name: string;
  isolation: string;
  y: number;
  left: number;
  right: number;
  texts: TextShape[];
  /**
   * The parts of the consumer's strip, each for the offsets from `first` to `last` with their fate for the consumer
   * (docs/frame.md, the table of fates).
   */
  spans: { x: number; width: number; fate: string; first: number; last: number }[];
  /** The places of the selected batches. */
  marked: { x: number; width: number }[];
  picked: boolean;
  selection: Selection;
}

/** A range that only one of two consumers has received; it is marked between their strips. */
export interface DifferenceShape {
  x: number;
  width: number;
  top: number;
  bottom: number;
}

export interface ArrivalShape {
  key: string;
  fate: "appended" | "duplicate" | "refused" | "not_stored" | "under_way" | "lost";
  cells: {
    key: string; x: number; y: number; width: number; height: number; hue: string; label: string;
    picked: boolean; selection: Selection; name: string;
    /** For a marker: COMMIT or ABORT. */
    control?: string | null;
  }[];
  texts: TextShape[];
  /** The equals sign between the arriving cell and the equal cell in the log: two bars at `x`; null: no equal cell. */
  bars: { x: number[]; top: number; bottom: number } | null;
  /** SVG path from the arriving cell to the place in the log where it was or would have been appended; null: none. */
  path: string | null;
  cross: { x: number; y: number } | null;
  ghost: { x: number; y: number; width: number; height: number; lines: string[] } | null;
}

export interface LaneShape {
  partition: string;
  tier: "roomy" | "dense" | "compact";
  top: number;
  height: number;
  title: string;
  texts: TextShape[];
  titleY: number;
  titleWidth: number;
  /** Whether the lane differs in the compared run. */
  differs: boolean;
  cells: CellShape[];
  folds: FoldShape[];
  gates: GateShape[];
  asks: AskShape[];
  readers: ReaderShape[];
  differences: DifferenceShape[];
  /** The boxes under the batches that differ in the compared run; `signX`: x of the sign, null if it has no room. */
  differing: { x: number; y: number; width: number; height: number; signX: number | null }[];
  /** Marks under the offsets where followers' logs end. */
  followers: { x: number; y: number }[];
  arrival: ArrivalShape | null;
  picked: boolean;
  /** For scrolling by keyboard: the number of batches hidden at each edge. */
  older: number;
  newer: number;
}

export interface FoldedLane {
  partition: string;
  y: number;
  text: string;
  changed: boolean;
  differs: boolean;
}

export interface LanesShape {
  width: number;
  height: number;
  lanes: LaneShape[];
  folded: FoldedLane[];
  /**
   * The last line, which counts and names the partitions that have neither a lane nor a line; null if there are none.
   */
  rest: { y: number; text: string } | null;
  twin: string[];
}
