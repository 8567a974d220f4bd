/**
 * The sign of a record that is stored after later ones: an arrow to where it belongs. Any other breach has a red frame.
 * Pure.
 */

import type { SVGTemplateResult } from "lit";
import { svg } from "lit";

export function orderSign(x: number, y: number): SVGTemplateResult {
  return svg`<path class="order-sign" d=${`M${x + 11} ${y}h-10m4 -4l-4 4l4 4`}/>`;
}
