/**
 * ZooKeeper: the node with the latest block of producer ids; the node's version, on which a broker's write is
 * conditional; and each broker's block with its next id.
 *
 *     <eos-zookeeper></eos-zookeeper>
 *     document.querySelector("eos-zookeeper").frame = frame;
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import type { Frame } from "../player/frame.ts";
import { aside, named } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { hasChanged, was } from "./changes.ts";
import { DiagramElement, folded, section } from "./element.ts";
import { plainly } from "./picked.ts";
import { found } from "./reading.ts";

export const defaults = { nodes: 3 };

export interface NodeShape {
  path: string;
  data: string;
  version: string;
  versionWas: string | null;
  changed: boolean;
}

export interface BlockShape {
  broker: string;
  block: string;
  next: string;
  nextWas: string | null;
  /** The share of the block that has been issued, 0 to 1. */
  issued: number;
  state: string | null;
  changed: boolean;
}

export function layoutZooKeeper(frame: Frame, most = defaults.nodes) {
  const nodes = Object.entries(frame.view.zookeeper?.nodes ?? {}).sort(([one], [other]) => (one < other ? -1 : 1));
  const shapes = nodes.slice(0, most).map(([path, node]): NodeShape => ({
    path,
    data: node.data,
    version: String(node.version),
    versionWas: was(frame, "zookeeper", "nodes", path, "version"),
    changed: hasChanged(frame, "zookeeper", "nodes", path),
  }));
  const blocks = Object.entries(frame.view.brokers ?? {})
    .sort(([one], [other]) => Number(one) - Number(other))
    .map(([id, broker]): BlockShape => {
      const block = broker.producer_id_block;
      const session = frame.view.zookeeper?.sessions[id];
      return {
        broker: `broker-${id}`,
        block: block === null ? say("diagram.none") : `${block.start}–${block.end}`,
        next: block === null ? "–" : say("diagram.zookeeper.next", { next: block.next }),
        nextWas: was(frame, "brokers", id, "producer_id_block", "next"),
        issued: block === null ? 0 : issuedShare(block),
        state: brokerState(broker, session?.expires_at ?? null, session?.alive ?? true),
        changed: hasChanged(frame, "brokers", id, "producer_id_block") || hasChanged(frame, "zookeeper", "sessions", id),
      };
    });
  return { nodes: shapes, folded: nodes.length - shapes.length, blocks };
}

function issuedShare(block: { start: number; end: number; next: number }): number {
  const size = Number(block.end) - Number(block.start) + 1;
  return size <= 0 ? 0 : Math.max(0, Math.min(1, (Number(block.next) - Number(block.start)) / size));
}

function brokerState(
  broker: { alive: boolean; paused: boolean; starting: boolean }, expires: number | null, session: boolean,
): string | null {
  if (!broker.alive && expires !== null) return say("diagram.zookeeper.session_until", { at: expires });
  if (!broker.alive) return say("diagram.zookeeper.down");
  if (broker.paused) return say("diagram.zookeeper.paused");
  if (broker.starting) return say("diagram.zookeeper.starting");
  return session ? null : say("diagram.zookeeper.session_ended");
}

export class ZooKeeper extends DiagramElement {
  static override styles = [
    ...DiagramElement.styles,
    css`
      pre { margin: 3px 0 0; padding: 4px 8px; background: var(--raise); border: 1px solid var(--line); white-space: pre-wrap;
        overflow-wrap: anywhere; font: var(--t-mark)/16px var(--f-mono); }
      pre.now { outline-offset: -1px; }
      td button { line-height: 18px; }
      td:first-child { white-space: nowrap; }
      svg { display: inline-block; }
    `,
  ];

  protected override show(frame: Frame): TemplateResult {
    const shape = layoutZooKeeper(frame);
    const first = shape.nodes[0];
    const quiet = !shape.nodes.some((node) => node.changed) && !shape.blocks.some((block) => block.changed);
    const about = found(frame, "about", ({ step }) => step?.kind === "zookeeper" || step?.actor === "zookeeper");
    if (first === undefined && quiet) return folded(say("diagram.zookeeper.heading"), say("diagram.zookeeper.empty"));
    const body = html`${shape.nodes.map((node) => html`<pre class=${node.changed ? "now" : ""} tabindex="0">${node.path}
${node.data}</pre>`)}${
      shape.folded > 0 ? html`<p class="quiet">${say("diagram.zookeeper.folded", { count: shape.folded })}</p>` : nothing
    }<table><thead><tr><th>${say("diagram.zookeeper.broker")}</th><th>${say("diagram.zookeeper.block")}</th><th>${say(
      "diagram.zookeeper.next_heading")}</th><th>${say("diagram.zookeeper.session")}</th></tr></thead><tbody>${repeat(
      shape.blocks,
      (block) => block.broker,
      (block) => html`<tr class=${block.changed ? "hit" : ""}><td><button @click=${() =>
        this.pick(plainly("actor", block.broker))}>${block.broker}</button></td><td>${block.block}</td><td>${block.next}${
        block.nextWas === null ? nothing : html` <span class="was">${block.nextWas}</span>`}</td><td>${block.state ?? "✓"}</td></tr>`,
    )}</tbody></table>`;
    const fact = first === undefined
      ? say("diagram.zookeeper.empty")
      : aside(say("diagram.zookeeper.version", { version: first.version }), first.versionWas);
    if (quiet && !about) {
      return html`<details class="more"><summary>${named(say("diagram.zookeeper.heading"), fact)}</summary>${body}</details>`;
    }
    return section(say("diagram.zookeeper.heading"), fact, body);
  }
}

customElements.define("eos-zookeeper", ZooKeeper);
