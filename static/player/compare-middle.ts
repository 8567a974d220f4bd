/**
 * What one side of a comparison shows of its step, from far to near: one line a transaction, the lanes, the messages,
 * or the code with every check of the step. The same elements as in the player, one after the other for both sides.
 */

import type { TemplateResult } from "lit";
import { html } from "lit";
import type { Spacing } from "../diagrams/spacetime-rows.ts";
import type { PlayerStore } from "./store.ts";
import "./transactions-list.ts";
import type { Transactions } from "./transactions.ts";

export const SIDE_MIDDLES = ["transactions", "lanes", "spacetime", "code"] as const;
export type SideMiddle = (typeof SIDE_MIDDLES)[number];

export interface SideParts {
  store: PlayerStore;
  transactions: Transactions;
  /** Where the documents and the machines come from, as the player has them. */
  code: string;
  machines: string;
  /** What the distances of the space-time diagrams follow, on both sides the same. */
  spacing: Spacing;
  space: (spacing: Spacing) => void;
}

const DRAW: Record<SideMiddle, (parts: SideParts) => TemplateResult> = {
  transactions: ({ store, transactions }) => html`<eos-transactions .store=${store} .transactions=${transactions}></eos-transactions>`,
  lanes: ({ store }) => html`<eos-lanes .frame=${store.frame} .asks=${false}></eos-lanes>`,
  spacetime: ({ store, spacing, space }) => html`<eos-spacetime .frame=${store.frame} .arrows=${store.arrows} .marks=${store.marks}
    .spacing=${spacing} @spacing=${(event: CustomEvent<Spacing>) => space(event.detail)}></eos-spacetime>`,
  code: ({ store, code, machines }) => html`<eos-code .frame=${store.frame} code=${code} machines=${machines} .check=${null}></eos-code>`,
};

export function sideMiddle(middle: SideMiddle, parts: SideParts): TemplateResult {
  return DRAW[middle](parts);
}
