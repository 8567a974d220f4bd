/** The sign of a record that is stored behind later ones: an arrow to where it belongs. A red frame is the sign of any other breach. Pure. */

import type { SVGTemplateResult } from "lit";
import { svg } from "lit";

export function orderSign(x: number, y: number): SVGTemplateResult {
  return svg`<path class="order-sign" d=${`M${x + 11} ${y}h-10m4 -4l-4 4l4 4`}/>`;
}
