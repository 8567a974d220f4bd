/**
 * `<eos-strip .store=${store}>`: one row for each guarantee along the whole timeline, red from its first bad step.
 *
 * It shares its axis with the scrubber. Rows that this run cannot test are dotted and say so; where another branch
 * breaks a guarantee, that shows already.
 */

import type { SVGTemplateResult, TemplateResult } from "lit";
import { html, nothing, svg } from "lit";
import { isLogCase } from "../diagrams/log-case.ts";
import { axisSides, MeasuredElement } from "./store-element.ts";
import { stripBars, stripRows } from "./strip-rows.ts";
import type { StripRow } from "./strip-rows.ts";
import { say } from "./text.ts";
import type { Axis } from "./timeline.ts";
import { axisOf, xOf } from "./timeline.ts";

export const defaults = { pitch: 12.4, first: 12, least: 8, closest: 12, tight: 10.5, narrowPitch: 13 };

/** Stands for all rows that are not judged. */
const UNJUDGED = "";

export class GuaranteeStrip extends MeasuredElement {
  protected override render(): TemplateResult | typeof nothing {
    const store = this.store;
    const frame = store?.frame;
    if (store === undefined || frame === undefined || this.width === 0) return nothing;
    const rows = stripRows(frame.view.guarantees ?? {}, store.info, store.lines.branches.values());
    const sides = axisSides(this.width);
    const axis = axisOf(store.lines.branches.values(), sides.left, sides.right);
    const judged = rows.filter((row) => row.isJudged);
    const unjudged = rows.filter((row) => !row.isJudged);
    if (rows.length === 0 || (isLogCase(frame) && judged.length === 0)) return html`<p class="quiet nothing-judged">${say("player.nothing_judged")}</p>`;
    return sides.labelled ? this.#wide(this.#fitting(judged, unjudged), unjudged.length, axis, store.shown) : this.#narrow(judged, unjudged.length, axis, store.shown);
  }

  /** All rows, or, where they would stand too close, one row for all that are not judged. */
  #fitting(judged: StripRow[], unjudged: StripRow[]): StripRow[] {
    const most = Math.floor((this.height - 2 * defaults.least) / defaults.closest) + 1;
    const rows = [...judged, ...unjudged];
    const [first] = unjudged;
    return rows.length <= most || first === undefined ? rows : [...judged, { ...first, name: UNJUDGED }];
  }

  #wide(rows: StripRow[], unjudged: number, axis: Axis, shown: number): TemplateResult {
    const natural = defaults.first * 2 + defaults.pitch * (rows.length - 1);
    // Many guarantees stand closer together.
    const first = this.height < natural ? defaults.least : defaults.first;
    const pitch = Math.min(defaults.pitch, rows.length > 1 ? (this.height - 2 * first) / (rows.length - 1) : defaults.pitch);
    const height = Math.max(0, first * 2 + pitch * (rows.length - 1));
    const top = Math.max(0, (this.height - height) / 2);
    const yOf = (index: number): number => top + first + index * pitch;
    const firstUnjudged = rows.findIndex((row) => !row.isJudged);
    const drawn = rows.filter((row) => !row.isJudged).length;
    return html`<svg class=${pitch < defaults.tight ? "strip tight" : "strip"} width=${this.width} height=${Math.max(this.height, height)} role="img" aria-label=${this.#summary(rows, shown, unjudged)}>
      ${bars(rows, yOf, axis, shown)}
      ${rows.map((row, index) => this.#row(row, axis, yOf(index), shown))}
      ${
        unjudged === 0
          ? nothing
          : svg`<text class="halo" x=${axis.left + 16} y=${yOf(firstUnjudged + Math.floor((drawn - 1) / 2)) + 4}>${say("player.not_judged_rows", { count: unjudged })}</text>`
      }
      <path class="playhead" d="M${xOf(axis, shown)} ${top}V${Math.max(this.height, height)}" />
    </svg>`;
  }

  #row(row: StripRow, axis: Axis, y: number, shown: number): SVGTemplateResult {
    const name = row.name === UNJUDGED ? "" : say(`player.guarantee.${row.name}`);
    if (!row.isJudged) {
      return svg`<text class="faint" x=${axis.left - 12} y=${y + 4} text-anchor="end">${name}</text>
        <path class="not-judged" d="M${axis.left} ${y}H${axis.right}" />`;
    }
    return svg`<text class="name" x=${axis.left - 12} y=${y + 4} text-anchor="end">${name}</text>
      ${breaks(row, axis, y, shown)}
      <text class=${row.count > 0 ? "bad" : "strong"} x=${axis.right + 8} y=${y + 4}>${row.count}</text>`;
  }

  /** On a telephone: judged rows only, the rest counted in words. */
  #narrow(rows: StripRow[], unjudged: number, axis: Axis, shown: number): TemplateResult {
    const height = defaults.narrowPitch * rows.length + 4;
    const yOf = (index: number): number => 8 + index * defaults.narrowPitch;
    return html`<svg class="strip" width=${this.width} height=${height} role="img" aria-label=${this.#summary(rows, shown)}>
        ${bars(rows, yOf, axis, shown)}
        ${rows.map((row, index) => {
          const y = yOf(index);
          return svg`<text class="name" x=${axis.left - 8} y=${y + 4} text-anchor="end">${say(`player.guarantee.${row.name}`)}</text>
            ${breaks(row, axis, y, shown)}
            <text class=${row.count > 0 ? "bad" : "strong"} x=${axis.right + 8} y=${y + 4}>${row.count}</text>`;
        })}
        <path class="playhead" d="M${xOf(axis, shown)} 0V${height}" />
      </svg>
      ${unjudged === 0 ? nothing : html`<p class="quiet fold">${say("player.not_judged_more", { count: unjudged })}</p>`}`;
  }

  #summary(rows: StripRow[], shown: number, unjudged = 0): string {
    const parts = rows.map((row) => {
      if (row.name === UNJUDGED) return say("player.not_judged_rows", { count: unjudged });
      const name = say(`player.guarantee.${row.name}`);
      if (!row.isJudged) return say("player.row_not_judged", { name });
      return say("player.row_judged", { name, count: row.count });
    });
    return say("player.guarantees_at", { step: shown, rows: parts });
  }
}

function bars(rows: readonly StripRow[], yOf: (index: number) => number, axis: Axis, shown: number): SVGTemplateResult {
  const { held, ahead, broken } = stripBars(rows, yOf, axis, shown);
  return svg`<path class="held" d=${held} /><path class="ahead" d=${ahead} /><path class="broken" d=${broken} />`;
}

/** Where a row is broken, here or in another branch. */
function breaks(row: StripRow, axis: Axis, y: number, shown: number): SVGTemplateResult {
  const bad = row.brokenAt === null ? null : xOf(axis, row.brokenAt);
  const isBroken = row.brokenAt !== null && row.brokenAt <= shown;
  return svg`${row.elsewhere === null ? nothing : elsewhere(row.elsewhere, axis, y, bad)}
    ${bad === null ? nothing : cross(bad, y, isBroken ? "" : "later")}`;
}

function elsewhere(other: NonNullable<StripRow["elsewhere"]>, axis: Axis, y: number, bad: number | null): SVGTemplateResult {
  const x = xOf(axis, other.step);
  const text = say("player.broken_elsewhere", { branch: other.branch, step: other.step });
  const fitsRight = axis.right - x > 170;
  return svg`<path class="elsewhere" d="M${x} ${y}H${xOf(axis, other.newest)}" />${cross(x, y, "")}
    ${bad === null ? svg`<text class="bad halo" x=${fitsRight ? x + 14 : x - 10} y=${y + 4} text-anchor=${fitsRight ? "start" : "end"}>${text}</text>` : nothing}`;
}

function cross(x: number, y: number, more: string): SVGTemplateResult {
  return svg`<path class="cross ${more}" d="M${x - 4} ${y - 4}l8 8m0 -8l-8 8" />`;
}

customElements.define("eos-strip", GuaranteeStrip);
