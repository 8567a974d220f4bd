/**
 * Draws the result of the engine's trial run: verdicts, the first surprising step, unmet expectations, and the messages
 * to which a fault can refer.
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { range } from "../diagrams/batch.ts";
import { facts, listed } from "../player/joins.ts";
import { say, words } from "../player/text.ts";
import { crashingAt, showValue } from "./document.ts";
import type { Edit, Json, JsonObject, Mistake } from "./document.ts";

export interface Message {
  at: number;
  step: number;
  api: string;
  response: boolean;
  source: string;
  destination: string;
  partitions: string[];
  match: JsonObject;
}

export interface Transaction {
  id: string;
  client: string | null;
  places: string[];
  more_places: number;
  first_at: number;
  last_at: number;
  result: string;
  state: string;
  why: { step: number; said: string } | null;
}

/** Records with the same fate; `first` and `last` are serials, between which others may be missing. */
export interface Records {
  partition: string;
  producer: string;
  first: number;
  last: number;
  count: number;
  fate: string;
  reported: boolean | null;
  offsets: [number, number] | null;
}

export interface Trial {
  mistakes: Mistake[];
  refused: { rule: string; place: string; reason: string; allowed: string; expected: boolean } | null;
  variants: string[];
  variant: string | null;
  steps: number;
  at: number;
  finished: string | null;
  stopped: string | null;
  acts: boolean;
  verdicts: JsonObject[];
  transactions: Transaction[];
  transactions_in_all: number;
  records: Records[];
  record_rows_in_all: number;
  guarantees: Record<string, number | null>;
  unmet: { place: string; wanted: Json; found: Json }[];
  surprise: { why: string; step: number; at: number; said: string; rules: string[]; guarantee: string | null } | null;
  messages: Message[];
  messages_in_all: number;
  seen_by_rules: number[];
  /**
   * The author's names for beats that the trial run does not have: the name is for beat `nth` of `kind`, of `found`.
   */
  empty_names: { place: string; kind: string; nth: number; found: number; line: number | null }[];
  /** Kind of beat → how many beats of this kind the trial run has. */
  beat_kinds: Record<string, number>;
  /**
   * The document's questions: each with the step at which the trial run asks it, its sentence (`said`) and the right
   * answer. These three are null if the run never asks it.
   */
  questions: { place: string; line: number | null; step: number | null; said: string | null; right: string | null }[];
  configurations: Record<string, Record<string, { value: Json; default?: Json; reason?: string; rule?: string }>>;
  broke: string | null;
}

export interface TrialDoor {
  edit(edits: Edit[]): void;
  chooseVariant(variant: string): void;
  filter: string;
  setFilter(api: string): void;
  hasExpectations: boolean;
  goTo(place: string, line: number | null): void;
}

const COUNTS = ["stored", "duplicates", "lost", "failed", "reordered"];
const MESSAGE_EDITS: Record<string, JsonObject> = {
  drop: { action: "drop" },
  delay: { action: "delay", by_ms: 50 },
  duplicate: { action: "duplicate" },
  disconnect: { action: "disconnect" },
};

export function guaranteeWord(name: string): string {
  const key = `classroom.guarantee.${name}`;
  return words.knows(key) ? say(key) : name;
}

export function drawTrial(trial: Trial, door: TrialDoor): TemplateResult {
  if (trial.mistakes.length > 0) {
    return html`<p>${say("builder.trial.mistakes", { count: trial.mistakes.length })}</p>`;
  }
  return html`${trial.variants.length > 0 ? variants(trial, door) : nothing}
    ${trial.refused !== null ? refused(trial.refused) : nothing}
    ${trial.broke !== null ? html`<p class="errorlist">${say("builder.trial.broke", { reason: trial.broke })}</p>` : nothing}
    ${trial.refused === null ? html`${ended(trial)}${surprise(trial)}${emptyNames(trial, door)}${verdicts(trial)}${transactions(trial)}${records(trial)}${questions(trial, door)}${unmet(trial, door)}
      ${messages(trial, door)}` : nothing}`;
}

function variants(trial: Trial, door: TrialDoor): TemplateResult {
  return html`<label class="trial-variant">${say("builder.trial.variant")}
    <select @change=${(event: Event) => door.chooseVariant((event.target as HTMLSelectElement).value)}>
      ${trial.acts || trial.variant === null ? html`<option value="" ?selected=${trial.variant === null}>${say("library.no_variant")}</option>` : nothing}
      ${trial.variants.map((name) => html`<option value=${name} ?selected=${name === trial.variant}>${name}</option>`)}
    </select></label>`;
}

function refused(refusal: NonNullable<Trial["refused"]>): TemplateResult {
  return html`<div class=${refusal.expected ? "notice" : "refusal"}><p><b>${say("builder.trial.refused", { rule: refusal.rule })}</b></p>
    <p><code>${refusal.place}</code></p><p>${refusal.reason}</p><p>${refusal.allowed}</p></div>`;
}

function ended(trial: Trial): TemplateResult {
  const key = trial.stopped !== null ? `builder.trial.stopped.${trial.stopped}` : `builder.trial.ended.${trial.finished ?? "complete"}`;
  const broken = Object.entries(trial.guarantees).filter(([, step]) => step !== null);
  return html`<p class="trial-ended">${say(key, { steps: trial.steps, at: trial.at })}</p>
    <p class=${broken.length > 0 ? "errorlist" : "quiet"}>${broken.length === 0 ? say("builder.trial.all_hold")
      : say("builder.trial.broken", { names: broken.map(([name]) => guaranteeWord(name)) })}</p>`;
}

function surprise(trial: Trial): TemplateResult | typeof nothing {
  const first = trial.surprise;
  if (first === null) return nothing;
  const guarantee = first.guarantee === null ? "" : guaranteeWord(first.guarantee);
  return html`<p class="trial-surprise"><b>${say(`builder.trial.surprise.${first.why}`, { step: first.step, at: first.at, guarantee })}</b>
    ${first.said} <span class="quiet">${listed(first.rules)}</span></p>`;
}

/** The author's names for beats that this run does not have, and the beats that it has. */
function emptyNames(trial: Trial, door: TrialDoor): TemplateResult | typeof nothing {
  if (trial.empty_names.length === 0) return nothing;
  const kinds = Object.entries(trial.beat_kinds).map(([kind, count]) => (count === 1 ? kind : `${kind} × ${count}`));
  return html`<section class="trial-surprise" role="status"><b>${say("builder.trial.empty_names", { count: trial.empty_names.length })}</b>
    <ul class="plain">${trial.empty_names.map(({ place, kind, nth, found, line }) => html`<li>
      <button type="button" class="small" @click=${() => door.goTo(place, line)}>${place} ${line === null ? nothing : say("builder.line", { line })}</button>
      ${say(found === 0 ? "builder.trial.empty_name.none" : "builder.trial.empty_name.fewer", { kind, nth, found })}</li>`)}</ul>
    <p>${say(trial.variants.length > 0 ? "builder.trial.empty_names.remedy_variants" : "builder.trial.empty_names.remedy", { kinds })}</p></section>`;
}

function verdicts(trial: Trial): TemplateResult | typeof nothing {
  if (trial.verdicts.length === 0) return nothing;
  return html`<div class="table-scroll" tabindex="0" role="region" aria-label=${say("builder.trial.verdicts")}>
    <table class="results"><thead><tr><th scope="col">${say("form.field.verdict.partition")}</th>
      ${COUNTS.map((name) => html`<th scope="col">${say(`builder.count.${name}`)}</th>`)}</tr></thead>
    <tbody>${trial.verdicts.map((row) => html`<tr><th scope="row">${showValue(row["partition"])}</th>
      ${COUNTS.map((name) => html`<td class="num ${name !== "stored" && Number(row[name]) > 0 ? "counted" : ""}">${showValue(row[name])}</td>`)}</tr>`)}
    </tbody></table></div>`;
}

/**
 * The outcome of each transaction and its reason: a coordinator may have aborted a transaction that no application
 * ended.
 */
function transactions(trial: Trial): TemplateResult | typeof nothing {
  if (trial.transactions.length === 0) return nothing;
  const left = trial.transactions_in_all - trial.transactions.length;
  return html`<section class="trial-transactions" aria-labelledby="trial-transactions"><h3 id="trial-transactions">${say("builder.trial.transactions")}</h3>
    <ul class="plain">${trial.transactions.map((line) => html`<li><b>${line.id}</b>${say("join.colon")}${say(`player.transactions.${line.result}`)}
      <span class="quiet">${facts([...(line.client === null ? [] : [line.client]), listed(line.places), say("builder.trial.between", { first: line.first_at, last: line.last_at })].filter((part) => part !== ""))}</span>
      ${line.why === null ? nothing : html`<br>${say("builder.trial.why", { step: line.why.step })} ${line.why.said}`}</li>`)}</ul>
    ${left > 0 ? html`<p class="quiet">${say("builder.trial.transactions.left", { left })}</p>` : nothing}</section>`;
}

/** The table of records: the fate of each, and the result that its application received. */
function records(trial: Trial): TemplateResult | typeof nothing {
  if (trial.records.length === 0) return nothing;
  const left = trial.record_rows_in_all - trial.records.length;
  return html`<details class="trial-records" open><summary>${say("builder.trial.records")}</summary>
    <div class="table-scroll" tabindex="0" role="region" aria-label=${say("builder.trial.records")}>
    <table class="results"><thead><tr>${["partition", "records", "fate", "reported"].map((name) => html`<th scope="col">${say(`builder.trial.records.${name}`)}</th>`)}</tr></thead>
    <tbody>${trial.records.map((row) => html`<tr><th scope="row">${row.partition}</th>
      <td>${say("builder.trial.records.count", { count: row.count, producer: row.producer })} <span class="quiet num">${serials(row)}</span></td>
      <td class=${SOUND.includes(row.fate) ? "" : "counted"}>${say(`builder.trial.fate.${row.fate}`)}${row.offsets === null ? nothing
        : html` <span class="quiet num">${offsetsOf(row.offsets)}</span>`}</td>
      <td class=${row.reported === false && row.fate !== "failed" ? "counted" : ""}>${say(`builder.trial.reported.${row.reported === null ? "nothing" : row.reported ? "success" : "failure"}`)}</td></tr>`)}
    </tbody></table></div>
    ${left > 0 ? html`<p class="quiet">${say("builder.trial.records.left", { left })}</p>` : nothing}</details>`;
}

/** The steps at which the run asks questions, with the right answers, and the questions that are never asked. */
function questions(trial: Trial, door: TrialDoor): TemplateResult | typeof nothing {
  if (trial.questions.length === 0) return nothing;
  return html`<section class="trial-questions" aria-labelledby="trial-questions"><h3 id="trial-questions">${say("builder.trial.questions")}</h3>
    <ul class="plain">${trial.questions.map(({ place, line, step, said, right }) => html`<li>${step === null
      ? html`<button type="button" class="small" @click=${() => door.goTo(place, line)}>${place} ${line === null ? nothing : say("builder.line", { line })}</button>
        <span class="counted">${say("builder.trial.question.never")}</span>`
      : html`<b>${say("builder.trial.question", { step })}</b> ${said}<br><span class="quiet">${say("builder.trial.question.right", { answer: right ?? "" })}</span>`}</li>`)}</ul></section>`;
}

/**
 * The serials as text: `r1–r3` if they are consecutive; `r1 … r9` if some between the first and the last are missing.
 */
function serials({ first, last, count }: Records): string {
  return last - first + 1 === count ? range(`r${first}`, `r${last}`) : `r${first} … r${last}`;
}

function offsetsOf([first, last]: [number, number]): string {
  return first === last ? say("builder.trial.records.offset", { offset: first }) : say("builder.trial.records.offsets", { first, last });
}

const SOUND = ["stored", "aborted", "failed"];

function unmet(trial: Trial, door: TrialDoor): TemplateResult {
  const expected = trial.verdicts.map((row) => Object.fromEntries(
    Object.entries(row).filter(([name, value]) => name === "partition" || name === "stored" || value !== 0)));
  const keep = (): void => door.edit([{ do: "set", path: ["expect", "verdicts"], value: expected }]);
  const met = door.hasExpectations && trial.stopped === null && trial.unmet.length === 0
    ? html`<p>${say("builder.trial.met")}</p>` : nothing;
  return html`${met}${trial.unmet.length > 0 ? html`<ul class="plain">${trial.unmet.map((one) => html`<li class="errorlist">
      ${say("builder.trial.unmet", { place: one.place, wanted: valueOrNothing(one.wanted), found: valueOrNothing(one.found) })}</li>`)}</ul>` : nothing}
    ${trial.variant === null && trial.verdicts.length > 0 && trial.stopped === null
      ? html`<button class="small" type="button" @click=${keep}>${say("builder.trial.keep")}</button>` : nothing}`;
}

/** A value as text; the catalogue's word for *nothing* if that text is empty. */
function valueOrNothing(value: Json): string {
  return showValue(value) || say("builder.trial.reported.nothing");
}

function messages(trial: Trial, door: TrialDoor): TemplateResult | typeof nothing {
  if (trial.messages.length === 0) return nothing;
  const kinds = [...new Set(trial.messages.map((message) => message.api))].sort();
  const shown = door.filter === "" ? trial.messages : trial.messages.filter((message) => message.api === door.filter);
  const left = trial.messages_in_all - trial.messages.length;
  return html`<details class="trial-messages" open><summary>${say("builder.point.heading")}</summary>
    <p class="quiet">${say("builder.point.why")}</p>
    <label>${say("form.field.match.api")} <select @change=${(event: Event) => door.setFilter((event.target as HTMLSelectElement).value)}>
      <option value="">${say("builder.point.every")}</option>
      ${kinds.map((api) => html`<option value=${api} ?selected=${api === door.filter}>${api}</option>`)}</select></label>
    ${left > 0 ? html`<p class="quiet">${say("builder.point.left", { shown: trial.messages.length, count: trial.messages_in_all })}</p>` : nothing}
    <div class="table-scroll message-list" tabindex="0" role="region" aria-label=${say("builder.point.heading")}>
    <table class="results"><tbody>${repeat(shown, (message) => JSON.stringify(message.match), (message) => messageRow(message, door))}</tbody></table></div></details>`;
}

function messageRow(message: Message, door: TrialDoor): TemplateResult {
  const what = say(message.response ? "builder.point.answer" : "builder.point.request", {
    api: message.api, nth: Number(message.match["nth"] ?? 1), partition: listed(message.partitions),
  });
  const way = `${message.source} → ${message.destination}`;
  const crashes = crashingAt(message.source, message.destination);
  const strike = (event: Event): void => {
    const select = (event.currentTarget as HTMLElement).parentElement?.querySelector("select") ?? null;
    const chosen = select?.value ?? "";
    const rule = chosen === "crash" ? { action: "crash", actor: crashes } : MESSAGE_EDITS[chosen];
    if (select === null || rule === undefined) return select?.focus();
    door.edit([{ do: "add", path: ["faults"], value: { match: message.match, ...rule } }]);
    select.value = "";
  };
  return html`<tr><td class="num quiet">${message.at} ms</td><th scope="row">${what}<span class="quiet"> ${way}</span></th>
    <td><div class="message-fate"><select aria-label=${say("builder.point.do", { what, way })}>
      <option value="">${say("builder.point.choose")}</option>
      ${[...Object.keys(MESSAGE_EDITS), "crash"].map((name) => html`<option value=${name}>${say(`builder.point.${name}`, { actor: crashes })}</option>`)}
    </select><button type="button" class="small" @click=${strike}>${say("builder.add")}<span class="sr"> ${say("builder.point.do", { what, way })}</span></button></div></td></tr>`;
}
