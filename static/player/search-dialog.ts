/**
 * `<eos-search .store=${store} .search=${search} conditions="/api/conditions">`: the dialog in which the reader states
 * what to look for in the steps of the branch, with the list of found steps. The search goes on after the dialog is
 * closed, and keys then move through the found steps.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { Choices, Condition, StepKind, SubjectKind } from "./conditions.ts";
import { fetchChoices } from "./conditions.ts";
import { DialogElement } from "./dialogs.ts";
import { searchResults } from "./search-results.ts";
import type { StepSearch } from "./step-search.ts";
import { stepNamed } from "./step-search.ts";
import type { PlayerStore } from "./store.ts";
import { subjectsOf } from "./subjects.ts";
import { say, words } from "./text.ts";

export const defaults = {
  /** Milliseconds without a further letter until the search begins. */
  pause: 250,
};

/** The address that searches scenarios, tracks and the reference. */
const SITE_SEARCH = "/search/";

export class SearchDialog extends DialogElement {
  static override properties = {
    ...DialogElement.properties,
    search: { attribute: false },
    conditions: {},
    choices: { state: true },
  };

  declare search: StepSearch | undefined;
  declare conditions: string;
  declare choices: Choices | null;
  readonly #changed = (): void => this.requestUpdate();
  #heard: StepSearch | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor() {
    super();
    this.search = undefined;
    this.conditions = "";
    this.choices = null;
  }

  protected override willUpdate(changed: Map<string, unknown>): void {
    super.willUpdate(changed);
    if (this.#heard === this.search) return;
    this.#heard?.removeEventListener("change", this.#changed);
    this.#heard = this.search;
    this.#heard?.addEventListener("change", this.#changed);
  }

  /** Opens the dialog. `typed`: letters that the reader typed before its code was loaded. */
  override open(typed = ""): void {
    super.open();
    if (this.choices === null && this.store?.status !== "recorded") void this.#load();
    void this.updateComplete.then(() => this.#begin(typed));
  }

  #begin(typed: string): void {
    const field = this.querySelector<HTMLInputElement>("input[type=search]");
    field?.select();
    if (typed === "" || field === null) return;
    field.setRangeText(typed, 0, field.value.length, "end");
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  async #load(): Promise<void> {
    // Without the choices, a search for words still works.
    this.choices = await fetchChoices(this.conditions, this.store?.header ?? null).catch(() => null);
  }

  protected override render(): TemplateResult | typeof nothing {
    const { store, search } = this;
    if (store === undefined || store.header === null || search === undefined) return nothing;
    return this.frameOf(say("search.title"), this.whenOpen(() => this.#body(store, search)));
  }

  #body(store: PlayerStore, search: StepSearch): TemplateResult {
    const text = search.conditions.find((condition) => condition.on === "text")?.text ?? "";
    return html`<form class="stop-form" role="search" @submit=${(event: SubmitEvent) => this.#submit(event, search)} @input=${(event: Event) => this.#typed(event, search)}>
        <label class="wide">${say("search.words")} <input type="search" name="text" maxlength="200" .value=${text} autofocus @keydown=${this.#left} /></label>
        <button class="primary">${say("search.next")} <kbd>n</kbd></button>
        ${this.choices === null ? nothing : this.#filters(store, search, this.choices)}
      </form>
      ${this.#goTo(stepNamed(search.conditions, store.newest))}
      ${search.active ? searchResults(search, store, (number) => this.#go(number)) : html`<p class="quiet">${say("search.means")}</p>`}
      ${text === "" || !store.source.live ? nothing : html`<p class="everywhere"><a href=${`${SITE_SEARCH}?${new URLSearchParams({ q: text })}`}>${say("search.everywhere", { text })}</a></p>`}`;
  }

  #goTo(number: number | null): TemplateResult | typeof nothing {
    if (number === null) return nothing;
    return html`<p><button class="go-to" @click=${() => this.#go(number)}>${say("search.go_to", { step: number })}</button></p>`;
  }

  #filters(store: PlayerStore, search: StepSearch, choices: Choices): TemplateResult {
    const now = chosen(search.conditions);
    const option = (value: string, label: string, selected: string): TemplateResult =>
      html`<option value=${value} ?selected=${value === selected}>${label}</option>`;
    return html`<label>${say("stops.kind")} <select name="kind"><option value="">${say("stops.any")}</option>
        ${choices.kinds.map((kind) => option(kind, say(`stops.kind.${kind}`), now["kind"] ?? ""))}</select></label>
      <label>${say("stops.subject")} <select name="subject"><option value="">${say("stops.any")}</option>
        ${subjectsOf(store).map(({ kind, ids }) => html`<optgroup label=${say(`stops.subjects.${kind}`)}>
          ${ids.map((id) => option(`${kind}:${id}`, id, now["subject"] ?? ""))}</optgroup>`)}</select></label>
      <label>${say("stops.error")} <select name="error"><option value="">${say("search.with_or_without")}</option>
        ${option("*", say("stops.error.any"), now["error"] ?? "")}
        ${choices.errors.map((error) => option(error, error, now["error"] ?? ""))}</select></label>
      <label>${say("stops.rule")} <input name="rule" maxlength="40" placeholder="SEQ-11" .value=${now["rule"] ?? ""} list="search-rules" /></label>
      <datalist id="search-rules">${choices.rule_groups.map((group) => html`<option value=${group}></option>`)}</datalist>`;
  }

  #typed(event: Event, search: StepSearch): void {
    const form = event.currentTarget as HTMLFormElement;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => search.start(conditionsOf(new FormData(form), this.choices)), defaults.pause);
  }

  #submit(event: SubmitEvent, search: StepSearch): void {
    event.preventDefault();
    clearTimeout(this.#timer);
    const conditions = conditionsOf(new FormData(event.target as HTMLFormElement), this.choices);
    const named = stepNamed(conditions, this.store?.newest ?? 0);
    if (named !== null) {
      this.#go(named);
      return;
    }
    search.start(conditions);
    void search.goWhenFound().then((hasGone) => {
      if (hasGone) this.close();
    });
  }

  /** One press of Escape closes the dialog; in a browser's own search field it would only empty the field. */
  readonly #left = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || event.isComposing) return;
    event.preventDefault();
    this.close();
  };

  #go(number: number): void {
    this.store?.moveUpTo(number);
    this.close();
  }
}

/** Name of a field of the form → its value for these conditions. */
function chosen(conditions: readonly Condition[]): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const condition of conditions) {
    if (condition.on === "kind") fields["kind"] = condition.kind;
    if (condition.on === "subject") fields["subject"] = `${condition.kind}:${condition.id}`;
    if (condition.on === "error") fields["error"] = condition.error ?? "*";
    if (condition.on === "rule") fields["rule"] = condition.rule;
  }
  return fields;
}

/** The conditions that the form's fields state. A rule counts only if its name is complete, such as `SEQ-11`. */
export function conditionsOf(fields: FormData, choices: Choices | null): Condition[] {
  const field = (name: string): string => String(fields.get(name) ?? "").trim();
  const found: Condition[] = [];
  if (field("text") !== "") found.push({ on: "text", text: field("text"), language: words.language });
  if (field("kind") !== "") found.push({ on: "kind", kind: field("kind") as StepKind });
  const [kind, ...id] = field("subject").split(":");
  if (id.length > 0) found.push({ on: "subject", kind: kind as SubjectKind, id: id.join(":") });
  if (field("error") !== "") found.push(field("error") === "*" ? { on: "error" } : { on: "error", error: field("error") });
  const rule = field("rule").toUpperCase();
  const [group, number] = rule.split("-");
  if (choices?.rule_groups.includes(group ?? "") === true && number !== "") found.push({ on: "rule", rule });
  return found;
}

customElements.define("eos-search", SearchDialog);
