/**
 * `<eos-breakpoints .store=${store} .breakpoints=${breakpoints} conditions="/api/conditions">`: the list of
 * breakpoints, each with a switch, and a form for a further one whose choices come from the engine's tables.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { Breakpoint, Breakpoints } from "./breakpoints.ts";
import { defaults, outcomeInWords } from "./breakpoints.ts";
import { conditionOf } from "./breakpoints-condition.ts";
import type { Choices, Condition } from "./conditions.ts";
import { fetchChoices, inShort, inWords } from "./conditions.ts";
import { DialogElement } from "./dialogs.ts";
import type { PlayerStore } from "./store.ts";
import { subjectsOf } from "./subjects.ts";
import { say, words } from "./text.ts";

type On = Condition["on"];
const KINDS: readonly On[] = ["broken", "state", "error", "kind", "subject", "rule", "text", "interesting"];

export class BreakpointList extends DialogElement {
  static override properties = {
    ...DialogElement.properties,
    breakpoints: { attribute: false },
    conditions: {},
    choices: { state: true },
    on: { state: true },
    machine: { state: true },
    fault: { state: true },
  };

  declare breakpoints: Breakpoints | undefined;
  /** The address from which the form's choices come. */
  declare conditions: string;
  declare choices: Choices | null;
  declare on: On;
  declare machine: string;
  /** Catalogue key of the failure; "" if there is none. */
  declare fault: string;
  readonly #changed = (): void => this.requestUpdate();
  #heard: Breakpoints | undefined;

  constructor() {
    super();
    this.breakpoints = undefined;
    this.conditions = "";
    this.choices = null;
    this.on = "broken";
    this.machine = "";
    this.fault = "";
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    super.willUpdate(changed);
    if (this.#heard === this.breakpoints) return;
    this.#heard?.removeEventListener("change", this.#changed);
    this.#heard = this.breakpoints;
    this.#heard?.addEventListener("change", this.#changed);
  }

  override open(): void {
    super.open();
    if (this.choices === null) void this.#load();
  }

  async #load(): Promise<void> {
    try {
      this.choices = await fetchChoices(this.conditions, this.store?.header ?? null);
      this.fault = "";
    } catch {
      this.fault = "stops.no_choices";
    }
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, breakpoints } = this;
    if (store === undefined || store.header === null || breakpoints === undefined) return nothing;
    return this.frameOf(say("stops.title"), this.whenOpen(() => this.#body(store, breakpoints)));
  }

  #body(store: PlayerStore, breakpoints: Breakpoints): TemplateResult {
    const { list, outcome } = breakpoints;
    return html`<p class="quiet">${say("stops.means")}</p>
      ${list.length === 0 ? html`<p>${say("stops.none")}</p>` : html`<ul class="stop-list">${list.map((one) => this.#item(one, breakpoints))}</ul>`}
      <p class="stop-run">
        <button class="primary" ?disabled=${breakpoints.active.length === 0 || breakpoints.running} @click=${() => void this.#run(breakpoints)}>${say("stops.run")} <kbd>r</kbd></button>
        ${list.length < 2 ? nothing : html`<button @click=${() => breakpoints.clear()}>${say("stops.clear")}</button>`}
        <span role="status">${breakpoints.running ? say("stops.running") : outcome === null ? nothing : outcomeInWords(outcome)}</span></p>
      <h3>${say("stops.add")}</h3>
      ${this.fault === "" ? nothing : html`<p role="alert">${say(this.fault)} <button @click=${() => void this.#load()}>${say("stops.again")}</button></p>`}
      ${list.length >= defaults.most ? html`<p>${say("stops.full", { most: defaults.most })}</p>` : this.choices === null ? nothing : this.#form(store, this.choices)}`;
  }

  #item(one: Breakpoint, breakpoints: Breakpoints): TemplateResult {
    const text = inWords(one.condition);
    return html`<li data-stop=${inShort(one.condition)}>
      <label><input type="checkbox" .checked=${one.isOn} @change=${() => breakpoints.toggle(one.condition)} /> ${text}</label>
      <button aria-label=${say("stops.remove", { what: text })} title=${say("stops.remove", { what: text })} @click=${() => breakpoints.remove(one.condition)}>✕</button></li>`;
  }

  async #run(breakpoints: Breakpoints): Promise<void> {
    await breakpoints.runToNext();
    if (breakpoints.outcome?.stopped === "breakpoint") this.close();
  }

  // The form

  #form(store: PlayerStore, choices: Choices): TemplateResult {
    return html`<form class="stop-form" @submit=${(event: SubmitEvent) => this.#add(event)}>
      <label>${say("stops.when")}
        <select name="on" @change=${(event: Event) => (this.on = (event.target as HTMLSelectElement).value as On)}>
          ${KINDS.map((on) => html`<option value=${on} ?selected=${on === this.on}>${say(`stops.on.${on}`)}</option>`)}
        </select></label>
      ${this.#fields(store, choices)}
      <button class="primary">${say("stops.add")}</button></form>`;
  }

  #fields(store: PlayerStore, choices: Choices): TemplateResult | typeof nothing {
    switch (this.on) {
      case "broken": {
        const judged = Object.keys(store.frame?.view.guarantees ?? {});
        const names = choices.guarantees.filter((name) => judged.includes(name));
        return this.#select("guarantee", "stops.guarantee", names, (name) => say(`player.guarantee.${name}`), "stops.any");
      }
      case "state":
        return this.#stateFields(store, choices);
      case "error":
        return this.#select("error", "stops.error", choices.errors, (name) => name, "stops.any");
      case "kind":
        return this.#select("kind", "stops.kind", choices.kinds, (name) => say(`stops.kind.${name}`));
      case "subject":
        return html`<label>${say("stops.subject")} <select name="subject" required>
          ${subjectsOf(store).map(({ kind, ids }) => html`<optgroup label=${say(`stops.subjects.${kind}`)}>
            ${ids.map((id) => html`<option value=${`${kind}:${id}`}>${id}</option>`)}</optgroup>`)}</select></label>`;
      case "rule":
        return html`<label>${say("stops.rule")} <input name="rule" required maxlength="40" list="stop-rules" placeholder="SEQ-11" /></label>
          <datalist id="stop-rules">${choices.rule_groups.map((group) => html`<option value=${group}></option>`)}</datalist>`;
      case "text":
        return html`<label>${say("stops.text")} <input name="text" required maxlength="200" /></label>`;
      case "interesting":
        return nothing;
    }
  }

  #stateFields(store: PlayerStore, choices: Choices): TemplateResult {
    const machines = Object.keys(choices.machines);
    const machine = machines.includes(this.machine) ? this.machine : (machines.find((name) => name === "transaction_states") ?? machines[0] ?? "");
    const names = subjectsOf(store).flatMap(({ kind, ids }) => (kind === "partition" ? [] : ids));
    return html`<label>${say("stops.machine")}
        <select name="machine" @change=${(event: Event) => (this.machine = (event.target as HTMLSelectElement).value)}>
          ${machines.map((name) => html`<option value=${name} ?selected=${name === machine}>${name}</option>`)}</select></label>
      ${this.#select("state", "stops.state", choices.machines[machine] ?? [], (name) => name)}
      ${this.#select("of", "stops.of", names, (name) => name, "stops.anybody")}`;
  }

  #select(name: string, label: string, values: readonly string[], shown: (value: string) => string, any = ""): TemplateResult {
    return html`<label>${say(label)} <select name=${name}>
      ${any === "" ? nothing : html`<option value="">${say(any)}</option>`}
      ${values.map((value) => html`<option value=${value}>${shown(value)}</option>`)}</select></label>`;
  }

  #add(event: SubmitEvent): void {
    event.preventDefault();
    const form = event.target as HTMLFormElement;
    const condition = conditionOf(this.on, new FormData(form), words.language);
    if (condition === null || this.breakpoints === undefined) return;
    this.breakpoints.add(condition);
    for (const field of form.querySelectorAll("input")) field.value = "";
  }
}

customElements.define("eos-breakpoints", BreakpointList);
