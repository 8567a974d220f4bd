/** What the middle of the page shows, one at a time. The player gives each its place. */

import type { TemplateResult } from "lit";
import { html } from "lit";
import type { Spacing } from "../diagrams/spacetime-rows.ts";
import type { Code } from "./checks.ts";
import type { Frame } from "./frame.ts";
import "./steps-text.ts";
import type { PlayerStore } from "./store.ts";
import "./transactions-list.ts";
import type { Transactions } from "./transactions.ts";
import type { Middle } from "./zoom-view.ts";
import type { Zoom } from "./zoom.ts";

export interface MiddleParts {
  frame: Frame | undefined;
  store: PlayerStore;
  zoom: Zoom | undefined;
  transactions: Transactions | undefined;
  code: string;
  machines: string;
  spacing: Spacing;
  space: (spacing: Spacing) => void;
}

const place = (tag: string, content: TemplateResult): TemplateResult =>
  html`<div class="panel" id=${`panel-${tag}`} tabindex="-1">${content}</div>`;

const DRAW: Record<Middle, (parts: MiddleParts) => TemplateResult> = {
  lanes: ({ frame }) => place("eos-lanes", html`<eos-lanes .frame=${frame}></eos-lanes>`),
  spacetime: ({ frame, store, spacing, space }) => frame === undefined ? html`` : place("eos-spacetime", html`<eos-spacetime .frame=${frame} .arrows=${store.arrows} .marks=${store.marks}
    .spacing=${spacing} @spacing=${(event: CustomEvent<Spacing>) => space(event.detail)}></eos-spacetime>`),
  code: ({ frame, zoom, code, machines }) => place("eos-code", html`<eos-code .frame=${frame} code=${code} machines=${machines} .check=${zoom?.check ?? null}
    @code=${(event: CustomEvent<Code>) => zoom?.learn(event.detail)} @check=${(event: CustomEvent<number>) => zoom?.go(event.detail)}></eos-code>`),
  transactions: ({ store, transactions }) => html`<eos-transactions .store=${store} .transactions=${transactions}></eos-transactions>`,
  text: ({ store }) => html`<eos-steps-text .store=${store}></eos-steps-text>`,
};

export function middlePanel(middle: Middle, parts: MiddleParts): TemplateResult {
  return DRAW[middle](parts);
}
