/**
 * `<eos-changes .frame=${frame}>`: the table of every value that this step changed, before and after. The diagrams
 * highlight these changes.
 */

import type { TemplateResult } from "lit";
import { html, LitElement, nothing } from "lit";
import type { Change, Frame, Json, Panel } from "./frame.ts";
import { say } from "./text.ts";

export const defaults = { rows: 60, letters: 60 };

/** A value as text, short enough for a table; if it is cut, its length is added. */
export function short(value: Json | undefined, letters: number = defaults.letters): string {
  if (value === undefined) return "—";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= letters ? text : `${text.slice(0, letters)}… (${text.length})`;
}

export class Changes extends LitElement implements Panel {
  static override properties = { frame: { attribute: false } };

  declare frame: Frame | undefined;

  constructor() {
    super();
    this.frame = undefined;
  }

  protected override createRenderRoot(): HTMLElement {
    return this;
  }

  protected override render(): TemplateResult | typeof nothing {
    if (this.frame === undefined) return nothing;
    const changes = this.frame.step?.changes ?? [];
    // A step may write whole tables, so only the changes on show are formatted.
    const isOpen = this.querySelector<HTMLDetailsElement>("details.changes")?.open === true;
    const shown = isOpen ? changes.slice(0, defaults.rows) : [];
    return html`<details class="changes" @toggle=${() => this.requestUpdate()}>
      <summary><h2>${say("player.changes")} <small>${say("player.changes_count", { count: changes.length })}</small></h2></summary>
      ${
        shown.length === 0
          ? nothing
          : html`<table><thead><tr><th scope="col">${say("player.place")}</th><th scope="col">${say("player.before")}</th><th scope="col">${say("player.after")}</th></tr></thead>
              <tbody>${shown.map((change) => row(change))}</tbody></table>`
      }
      ${isOpen && changes.length > shown.length ? html`<p class="quiet">${say("player.more_changes", { count: changes.length - shown.length })}</p>` : nothing}
    </details>`;
  }
}

function row(change: Change): TemplateResult {
  return html`<tr><td class="mono">${change.path.join(" › ")}</td><td class="mono">${short(change.before)}</td><td class="mono">${short(change.after)}</td></tr>`;
}

customElements.define("eos-changes", Changes);
