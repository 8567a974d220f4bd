/**
 * The partition lanes: the stored batches, and how far each consumer has read.
 *
 *     <eos-lanes></eos-lanes>
 *     document.querySelector("eos-lanes").frame = frame;
 *
 * A cell is `PID·epoch | first–last`; its colour stands for the producer id. The picture fills its box; `defaults` is
 * the size of the desk layout. PageUp and PageDown on a lane's title scroll it, Home and End go to its ends.
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import type { Frame } from "../player/frame.ts";
import { errorName } from "../player/terms.ts";
import { say } from "../player/text.ts";
import { askWhyEvent } from "../player/why-answer.ts";
import { answered } from "./decision-fields.ts";
import { consequence, layoutRefusal } from "./decision.ts";
import { SizedElement, folded, twin } from "./element.ts";
import { defaults, layoutLanes } from "./lanes-layout.ts";
import { drawLanes } from "./lanes-draw.ts";
import { countBatches, reachesUnlisted } from "./lanes-plan.ts";
import type { Spread } from "./lanes-plan.ts";
import { partitionOf } from "./about.ts";

export { defaults };

export class Lanes extends SizedElement {
  static override properties = { ...SizedElement.properties, scrolled: { state: true }, opened: { state: true }, cropped: { type: Boolean }, asks: { attribute: false }, beside: { attribute: false }, apart: { attribute: false }, spread: { attribute: false } };
  static override styles = [
    ...SizedElement.styles,
    css`
      :host { height: 100%; position: relative; overflow: var(--lanes-overflow, hidden auto); }
      section.folded { padding: 10px 24px; }
      .strip { fill: none; stroke: var(--ink-2); stroke-width: 1.25; }
      .strip.delivered { fill: var(--ink-2); stroke: none; }
      .strip.undecided { stroke-dasharray: 5 3; stroke: var(--ink); }
      .strip:is(.compacted, .deleted, .sought, .not_replicated, .not_subscribed) { stroke-dasharray: 1.5 3; }
      .differs { fill: var(--now); }
      .asks { cursor: help; }
      .asks rect { fill: transparent; }
      .asks:hover rect { fill: var(--now); opacity: .45; }
      details.twin { position: absolute; right: 12px; bottom: var(--twin-bottom, 2px); max-width: 100%; padding-inline-start: 8px; background: var(--paper); }
      details.twin[open] { inset: 0; overflow: auto; padding: 12px 16px; }
      @media (max-width: 600px) {
        :host { height: auto; overflow: visible; }
        details.twin, details.twin[open] { position: static; margin: 6px 14px; padding: 0; }
        details.twin:not([open]) { position: var(--twin-at, static); inset: -24px 0 auto auto; }
        .hitbox { background: var(--now); outline: 2px solid var(--ink); padding: 6px 10px; margin: 10px 12px 2px;
          font-size: var(--t-text); line-height: 18px; }
      }
    `,
  ];

  declare scrolled: Readonly<Record<string, number>>;
  /** Partitions whose folds the reader opened. */
  declare opened: ReadonlySet<string>;
  /** Whether the picture ends after its content, as on paper, even if its box is taller. */
  declare cropped: boolean;
  /** Whether there are buttons at gates and consumers that ask why; false if no listener would answer. */
  declare asks: boolean;
  /** In a comparison, the partition that both pictures draw large; null: the picture chooses one itself. */
  declare beside: string | null;
  /** Names of the things that differ in the compared run, partitions among them. */
  declare apart: readonly string[];
  /** The content of each partition's logs in both compared runs. */
  declare spread: Spread | undefined;
  /** The partition that the reader opened, or the last one that a step was about. */
  #large: string | null = null;

  constructor() {
    super();
    this.scrolled = {};
    this.opened = new Set();
    this.cropped = false;
    this.asks = true;
    this.beside = null;
    this.apart = [];
  }

  protected override show(frame: Frame): TemplateResult {
    if (Object.keys(frame.view.partitions ?? {}).length === 0) {
      return folded(say("diagram.lanes.heading"), say("diagram.lanes.none"));
    }
    const isBeside = this.beside !== null && this.beside in (frame.view.partitions ?? {});
    this.#large = isBeside ? this.beside : partitionOf(frame, this.#large);
    const width = this.size?.width || defaults.width;
    const shape = layoutLanes(frame, {
      width,
      height: width < 600 ? null : this.cropped ? defaults.height : this.size?.height || defaults.height,
      cropped: this.cropped,
      beside: isBeside,
      apart: this.apart,
      ...(this.spread === undefined ? {} : { spread: this.spread }),
      focus: this.#large,
      scrolled: this.scrolled,
      opened: this.opened,
    });
    const actions = this.asks ? this.#actions : { ...this.#actions, why: null };
    return html`${drawLanes(shape, actions, frame.animate)}${width < 600 && !isBeside ? this.#decided(frame) : nothing}${twin(shape.twin)}`;
  }

  /** On a narrow screen the deciding rule stands under the picture, because its panel is a tab away. */
  #decided(frame: Frame): TemplateResult | typeof nothing {
    const step = frame.step;
    const rule = step?.decision?.rows.find((row) => row.outcome === "decided");
    if (rule === undefined && step?.refusal == null) return nothing;
    const refusal = step?.refusal == null ? null : layoutRefusal(step.refusal);
    return html`<div class="hitbox">${rule === undefined ? nothing : drawnRule(answered(rule), consequence(frame))}${
      refusal === null ? nothing : html`${rule === undefined ? nothing : html`<br>`}<span class="bad">${errorName(refusal.error)}</span>${say("join.colon")}${refusal.compared}`}</div>`;
  }

  readonly #why = (question: string, subject: string): void => {
    this.dispatchEvent(askWhyEvent(question, subject));
  };

  readonly #unfold = (partition: string): void => {
    this.opened = new Set([...this.opened, partition]);
  };

  readonly #focus = (partition: string): void => {
    this.#large = partition;
    this.pick({ kind: "partition", id: partition });
  };

  readonly #scroll = (partition: string, batches: number): void => this.#scrollTo(partition, (this.scrolled[partition] ?? 0) + batches);

  readonly #scrollTo = (partition: string, batches: number): void => {
    if (this.frame === undefined) return;
    const { listed, unlisted } = countBatches(this.frame, partition);
    const wanted = Math.max(0, Math.min(batches, listed + unlisted - 1));
    const isBack = wanted > (this.scrolled[partition] ?? 0);
    this.scrolled = { ...this.scrolled, [partition]: wanted };
    if (isBack && reachesUnlisted(this.frame, partition, wanted)) this.lookBack();
  };

  readonly #actions = { pick: this.pick, scroll: this.#scroll, scrollTo: this.#scrollTo, open: this.#unfold, focus: this.#focus, why: this.#why };

  /** Requests the batches that the reader had scrolled to, if the view of a later step leaves them out. */
  protected override updated(changed: Map<string, unknown>): void {
    const frame = this.frame;
    if (frame === undefined || !changed.has("frame")) return;
    const isAway = Object.entries(this.scrolled).some(([name, scrolled]) => scrolled > 0 && reachesUnlisted(frame, name, scrolled));
    if (isAway) this.lookBack("at_rest");
  }
}

function drawnRule(rule: ReturnType<typeof answered>, came: string | null): TemplateResult {
  return html`<b>${rule.sentence} ${rule.answer ?? nothing}</b>${came === null ? nothing : html`<br>${came}`}`;
}

customElements.define("eos-lanes", Lanes);
