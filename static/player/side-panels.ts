/** What stands in the side columns, in order. The player gives each panel its place, or none. */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { Frame } from "./frame.ts";

export type Placed = (tag: string, content: TemplateResult) => TemplateResult | typeof nothing;

/** Applications and producers. */
export function leftPanels(frame: Frame | undefined, machines: string, placed: Placed): TemplateResult {
  return html`
    ${placed("eos-accumulator", html`<eos-accumulator .frame=${frame}></eos-accumulator>`)}
    ${placed("eos-in-flight", html`<eos-in-flight .frame=${frame}></eos-in-flight>`)}
    ${placed("eos-client-machine", html`<eos-client-machine .frame=${frame} machines=${machines}></eos-client-machine>`)}
    ${placed("eos-middleware-roles", html`<eos-middleware-roles .frame=${frame} machines=${machines}></eos-middleware-roles>`)}
    ${placed("eos-timers", html`<eos-timers .frame=${frame}></eos-timers>`)}
    ${placed("eos-from-files", html`<eos-from-files .frame=${frame}></eos-from-files>`)}
    ${placed("eos-configuration", html`<eos-configuration .frame=${frame}></eos-configuration>`)}`;
}

/** Brokers, coordinators, readers, and what changed. */
export function rightPanels(frame: Frame | undefined, machines: string, placed: Placed): TemplateResult {
  return html`
    ${placed("eos-decision", html`<eos-decision .frame=${frame}></eos-decision>`)}
    ${placed("eos-coordinator", html`<eos-coordinator .frame=${frame} machines=${machines}></eos-coordinator>`)}
    ${placed("eos-marker-board", html`<eos-marker-board .frame=${frame}></eos-marker-board>`)}
    ${placed("eos-internal-log", html`<eos-internal-log .frame=${frame}></eos-internal-log>`)}
    ${placed("eos-groups", html`<eos-groups .frame=${frame}></eos-groups>`)}
    ${placed("eos-middleware-votes", html`<eos-middleware-votes .frame=${frame}></eos-middleware-votes>`)}
    ${placed("eos-compensation-log", html`<eos-compensation-log .frame=${frame}></eos-compensation-log>`)}
    ${placed("eos-producer-table", html`<eos-producer-table .frame=${frame}></eos-producer-table>`)}
    ${placed("eos-ledger", html`<eos-ledger .frame=${frame}></eos-ledger>`)}
    ${placed("eos-consumers", html`<eos-consumers .frame=${frame}></eos-consumers>`)}
    ${placed("eos-aborted-index", html`<eos-aborted-index .frame=${frame}></eos-aborted-index>`)}
    ${placed("eos-numbers", html`<eos-numbers .frame=${frame}></eos-numbers>`)}
    ${placed("eos-zookeeper", html`<eos-zookeeper .frame=${frame}></eos-zookeeper>`)}
    ${placed("eos-pending", html`<eos-pending .frame=${frame}></eos-pending>`)}
    ${placed("eos-changes", html`<eos-changes .frame=${frame}></eos-changes>`)}`;
}
