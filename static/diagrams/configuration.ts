/**
 * The effective configuration of a producer, with the reason for each value that other settings force.
 *
 *     <eos-configuration></eos-configuration>
 *     document.querySelector("eos-configuration").frame = frame;
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { settingName, settingValue } from "../player/altered.ts";
import type { Frame, Json } from "../player/frame.ts";
import { aside } from "../player/joins.ts";
import { say, words } from "../player/text.ts";
import { hasChanged, was } from "./changes.ts";
import { DiagramElement } from "./element.ts";
import { valueText } from "./field-words.ts";
import { clientOf } from "./about.ts";
import { found } from "./reading.ts";

export interface SettingRow {
  name: string;
  value: string;
  valueWas: string | null;
  /** The default, if the value differs from it; else null. */
  altered: string | null;
  reason: string;
  changed: boolean;
}

/** The settings that differ from their default or were forced, and the other ones; both by name. */
export function layoutConfiguration(frame: Frame, client: string): { notable: SettingRow[]; rest: SettingRow[] } {
  const settings = found(frame, "settings", ({ view }) => view.clients?.[client]?.configuration ?? {});
  const notable: SettingRow[] = [];
  const rest: SettingRow[] = [];
  for (const name of Object.keys(settings).sort()) {
    const setting = settings[name];
    if (setting === undefined) continue;
    const path = ["clients", client, "configuration", name];
    const known = "default" in setting;
    const altered = known && JSON.stringify(setting.default) !== JSON.stringify(setting.value);
    const row: SettingRow = {
      name,
      value: shown(name, setting.value),
      valueWas: was(frame, ...path, "value"),
      altered: altered ? shown(name, setting.default ?? null) : null,
      reason: reasonText(setting.reason ?? null, setting.rule ?? null),
      changed: hasChanged(frame, ...path),
    };
    (altered || row.reason !== "" || row.changed ? notable : rest).push(row);
  }
  return { notable, rest };
}

function shown(name: string, value: Json): string {
  return valueText(settingValue(name, value));
}

/** The reason for a value in words: the engine's few reasons have texts; any other is shown as it is. */
function reasonText(reason: string | null, rule: string | null): string {
  if (reason === null || reason === "default") return "";
  const key = `diagram.configuration.reason.${reason.replaceAll(" ", "_")}`;
  const text = words.knows(key) ? say(key) : reason;
  return aside(text, rule);
}

export class Configuration extends DiagramElement {
  static override styles = [...DiagramElement.styles, css`td:first-child { overflow-wrap: anywhere; }`];

  #last: string | null = null;

  protected override show(frame: Frame): TemplateResult | typeof nothing {
    const name = clientOf(frame, this.#last);
    this.#last = name;
    if (name === null) return nothing;
    const shape = layoutConfiguration(frame, name);
    const altered = shape.notable.filter((row) => row.altered !== null).length;
    return html`<details class="more" @toggle=${this.toggled}><summary><b>${say("diagram.configuration.heading", { client: name })}</b> ${say(
      "diagram.configuration.fact", { altered, count: shape.notable.length + shape.rest.length })}</summary>${
      this.isOpen ? this.#settings(shape) : nothing}</details>`;
  }

  #settings({ notable, rest }: ReturnType<typeof layoutConfiguration>): TemplateResult {
    return html`${this.#table(notable)}<details class="more"><summary>${say("diagram.configuration.rest", { count: rest.length })}</summary>${
      this.#table(rest)}</details>`;
  }

  #table(rows: SettingRow[]): TemplateResult | typeof nothing {
    if (rows.length === 0) return nothing;
    return html`<table><tbody>${repeat(
      rows,
      (row) => row.name,
      (row) => html`<tr class=${row.changed ? "hit" : ""}><td><code>${settingName(row.name)}</code></td><td><b>${row.altered === null ? "" : "≠ "}${
        row.value}</b>${row.valueWas === null ? nothing : html` <span class="was">${row.valueWas}</span>`}${
        row.altered === null ? nothing : html`<br><span class="quiet">${say("diagram.configuration.default", { value: row.altered })}</span>`
      }</td><td>${row.reason}</td></tr>`,
    )}</tbody></table>`;
  }
}

customElements.define("eos-configuration", Configuration);
