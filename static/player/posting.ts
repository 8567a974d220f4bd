/** Makes buttons that post a form, to start a run or to compare it with another one. */

import type { TemplateResult } from "lit";
import { html } from "lit";
import { csrfToken } from "./page.ts";
import type { PlayerStore } from "./store.ts";

/** The fields of a form that compares another run with this one: the branch on show, and the step for the way back. */
export function besideFields({ branch, shown }: PlayerStore): [name: string, value: string][] {
  return [["branch", branch], ["from_step", String(shown)]];
}

/** The fields of a form that compares the original run of the scenario with this one. */
export function besideOriginal(store: PlayerStore): [name: string, value: string][] {
  return [...besideFields(store), ["run", ""]];
}

/** A form that consists of one button. */
export function posting(action: string, fields: [name: string, value: string][], button: TemplateResult): TemplateResult {
  return html`<form method="post" action=${action}><input type="hidden" name="csrfmiddlewaretoken" .value=${csrfToken()}>${fields.map(
    ([name, value]) => html`<input type="hidden" name=${name} .value=${value}>`)}${button}</form>`;
}
