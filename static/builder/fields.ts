/**
 * Draws the fields of a document, each with its meaning, its default and its mistakes.
 *
 * The form's tables and the document determine what is drawn; a change becomes an edit at the field's path.
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { say, words } from "../player/text.ts";
import {
  anyValue, boundsOf, knownKeys, fieldIn, fieldsOf, isForMessages, isObject, mistakesAt, newRow, placeOf, readValue, rowLine, showValue, whenEdits,
  unmetKey, whenOf, withoutEmptied, wordEdits, wordsOfChoices,
} from "./document.ts";
import type { Edit, Field, Form, Json, JsonObject, Mistake, Path, Setting } from "./document.ts";

export interface Sheet {
  form: Form;
  document: JsonObject;
  names: Record<string, string[]>;
  mistakes: Mistake[];
  /** For each entry of the fault script, how often the trial met its trigger; undefined before a trial. */
  seen: number[] | undefined;
  /** The settings of a producer as the trial's engine applied them; undefined before a trial. */
  effective(producer: string): Record<string, { value: Json; reason?: string; rule?: string }> | undefined;
  /** The number of steps of the trial; undefined before one. */
  steps: number | undefined;
  /** The languages that the author writes; with only one, every text is the same in both. */
  languages: string[];
  /** The places of the open rows. */
  open: Set<string>;
  /** Requests edits. `focus`: ids of the elements to focus then; the first that exists gets the focus. */
  edit(edits: Edit[], focus?: string[]): void;
  /** Notes the edit that moves or removes a row of the list `place`, so that the same rows stay open after it. */
  shifted(place: string, rows: Json[], edit: Edit): void;
  toggled(place: string, open: boolean): void;
}

type Drawn = TemplateResult | typeof nothing;

export function idOf(path: Path): string {
  return `at-${path.join("-").replaceAll(/[^A-Za-z0-9_-]/g, "_")}`;
}

export function drawField(sheet: Sheet, section: string, name: string, general: Field, value: Json | undefined, path: Path): Drawn {
  const field = fieldIn(sheet.form, section, general, rowAt(sheet.document, path.slice(0, -1)));
  const meaning = say(`form.field.${section}.${name}`);
  const place = placeOf(sheet.document, path);
  if (field.kind === "tables") return drawRows(sheet, field, asRows(value), path, meaning, place);
  if (field.kind === "table") return drawTable(emptying(sheet, field, value, path), name, field, isObject(value) ? value : {}, path, meaning, place);
  if (field.kind === "words") return drawWords(sheet, name, isObject(value) ? value : {}, path, meaning, place);
  const prefix = wordsOfChoices(section, name, sheet.form);
  const known = namesFor(sheet, field);
  const isChosen = known.length > 0 && field.kind !== "names" && !NAMED_FREELY.has(`${section}.${name}`);
  const offered = isChosen ? { ...field, choices: known } : field;
  const input = drawInput(deciding(sheet, section, name, path), offered, value, path, place, (choice) => choiceText(prefix, choice));
  return drawLabelled(sheet, path, place, meaning, name, input, field.kind === "names" && known.length > 0 ? drawNames(known) : nothing);
}

/** The sheet for the fields of a table: its `edit` removes an optional table together with its last key. */
function emptying(sheet: Sheet, field: Field, value: Json | undefined, path: Path): Sheet {
  if (field.required || !isObject(value)) return sheet;
  return { ...sheet, edit: (edits, focus) => sheet.edit(withoutEmptied(edits, value, path), focus) };
}

/** The sheet for the deciding field of a row: its `edit` also removes the fields that do not go with the new value. */
function deciding(sheet: Sheet, section: string, name: string, path: Path): Sheet {
  if (sheet.form.belonging[section]?.word !== name) return sheet;
  const row = path.slice(0, -1);
  return {
    ...sheet,
    edit: ([edit, ...more], focus) => {
      if (edit?.do !== "set" || edit.value === undefined) return sheet.edit(edit === undefined ? more : [edit, ...more], focus);
      sheet.edit([...wordEdits(sheet.form, section, rowAt(sheet.document, row), row, edit.value, sheet.names), ...more], focus);
    },
  };
}

/** Fields in which partitions of Kafka's internal topics are allowed, too; the document itself does not name these. */
const NAMED_FREELY = new Set(["fault.partition", "match.partition"]);
const NAMES_TOLD_MAX = 12;

function namesFor(sheet: Sheet, field: Field): string[] {
  return field.names === null ? [] : sheet.names[field.names] ?? sheet.form.names[field.names] ?? [];
}

/** The offered names without the `absent` ones: a cluster has either ZooKeeper or a controller quorum, not both. */
function here(sheet: Sheet, offered: string[]): string[] {
  const absent = sheet.names["absent"] ?? [];
  return offered.filter((name) => !absent.includes(name));
}

/** The names that a list may contain. */
function drawNames(known: string[]): TemplateResult {
  const names = known.slice(0, NAMES_TOLD_MAX);
  return html`<span class="quiet form-usual">${say(names.length < known.length ? "builder.names.some" : "builder.names", { names, count: known.length })}</span>`;
}

function rowAt(document: JsonObject, path: Path): JsonObject {
  const row = path.reduce<Json | undefined>((node, key) => (node as Record<string | number, Json> | undefined)?.[key], document);
  return isObject(row) ? row : {};
}

function asRows(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function choiceText(prefix: string | null, choice: string): string {
  const key = `${prefix}.${choice}`;
  return prefix !== null && words.knows(key) ? say(key) : choice;
}

function drawLabelled(sheet: Sheet, path: Path, place: string, meaning: string, name: string, input: TemplateResult, further: Drawn = nothing): TemplateResult {
  return html`<div class="form-field"><label for=${idOf(path)}>${meaning} <code class="quiet">${name}</code></label>
    ${input}${further}${drawMistakes(sheet, path, place)}</div>`;
}

const MISSING = "scenario.wrong.missing";

/** The sentence of a mistake. For a missing value it says only what is allowed, and not that a value is wrong. */
export function mistakeText({ wrong, allowed }: Mistake): string {
  const isMissing = isObject(wrong as Json) && (wrong as JsonObject)["key"] === MISSING;
  return isMissing ? say("builder.mistake.missing", { allowed }) : say("builder.mistake", { wrong, allowed });
}

function drawMistakes(sheet: Sheet, path: Path, place: string): Drawn {
  const { here } = mistakesAt(sheet.mistakes, place);
  if (here.length === 0) return nothing;
  return html`<p class="errorlist" id="${idOf(path)}-wrong">${here.map(mistakeText)}</p>`;
}

/**
 * The field of one value. Number fields are text with a numeric keyboard: a wrong value stays visible, with its
 * mistake.
 */
function drawInput(sheet: Sheet, field: Field | Setting, value: Json | undefined, path: Path, place: string, choice: (name: string) => string): TemplateResult {
  const wrong = mistakesAt(sheet.mistakes, place).here.length > 0;
  const described = wrong ? `${idOf(path)}-wrong` : nothing;
  const change = (event: Event): void => {
    const text = (event.target as HTMLInputElement).value;
    const read = readValue(field.kind, text);
    sheet.edit([read === undefined ? { do: "remove", path } : { do: "set", path, value: read }]);
  };
  const shown = showValue(value);
  const usual = "required" in field && field.required ? "" : showValue(field.default);
  const choices = field.kind === "bool" ? ["true", "false"] : here(sheet, field.choices.map(String));
  if (choices.length > 0) {
    const isKnown = value === undefined || choices.includes(shown);
    return html`<select id=${idOf(path)} aria-invalid=${wrong ? "true" : "false"} aria-describedby=${described} @change=${change}>
      ${"required" in field && field.required && value !== undefined ? nothing
        : html`<option value="" ?selected=${value === undefined}>${usual === "" ? say("builder.not_set") : say("builder.default", { value: choice(usual) })}</option>`}
      ${isKnown ? nothing : html`<option value=${shown} selected>${shown}</option>`}
      ${choices.map((name) => html`<option value=${name} ?selected=${shown === name}>${choice(name)}</option>`)}</select>`;
  }
  const known = "names" in field ? namesFor(sheet, field) : [];
  const list = known.length > 0 ? `${idOf(path)}-names` : nothing;
  const hint = usual === "" ? nothing : say("builder.default", { value: usual });
  return html`<input id=${idOf(path)} .value=${shown} list=${list} placeholder=${hint} autocomplete="off" spellcheck="false"
      inputmode=${field.kind === "int" ? "numeric" : "text"} aria-invalid=${wrong ? "true" : "false"} aria-describedby=${described} @change=${change}>
    ${known.length > 0 ? html`<datalist id="${idOf(path)}-names">${known.map((name) => html`<option value=${name}></option>`)}</datalist>` : nothing}`;
}

function drawWords(sheet: Sheet, name: string, value: JsonObject, path: Path, meaning: string, place: string): TemplateResult {
  const rows = name === "title" ? 1 : name === "lesson" ? 8 : 2;
  const change = (language: string) => (text: string): void => {
    const written = Object.fromEntries((sheet.languages.length === 1 ? ["en", "zh-Hans"] : [language]).map((one) => [one, text]));
    const whole = { en: "", "zh-Hans": "", ...value, ...written };
    const empty = whole.en === "" && whole["zh-Hans"] === "";
    if (empty && name !== "title") sheet.edit([{ do: "remove", path }]);
    // The document needs both languages: the first text is stored as both.
    else if (Object.keys(value).length < 2 || sheet.languages.length === 1) sheet.edit([{ do: "set", path, value: whole }]);
    else sheet.edit([{ do: "set", path: [...path, language], value: text }]);
  };
  return html`<fieldset class="form-words"><legend>${meaning} <code class="quiet">${name}</code></legend>
    ${sheet.languages.map((language) => {
      const own = [...path, language];
      const wrong = [place, `${place}.${language}`].filter((one) => mistakesAt(sheet.mistakes, one).here.length > 0);
      const described = wrong.map((one) => `${idOf(one === place ? path : own)}-wrong`).join(" ");
      return html`<label for=${idOf(own)}>${say(`workshop.language.${language}`)}</label>
        <textarea id=${idOf(own)} lang=${language} rows=${rows} .value=${showValue(value[language])}
          @change=${(event: Event) => change(language)((event.target as HTMLTextAreaElement).value)}
          aria-invalid=${wrong.length > 0 ? "true" : "false"} aria-describedby=${described === "" ? nothing : described}></textarea>
        ${drawMistakes(sheet, own, `${place}.${language}`)}${name === "lesson" ? drawPicture(sheet, own, change(language)) : nothing}`;
    })}
    ${drawMistakes(sheet, path, place)}</fieldset>`;
}

/** A form that inserts the reference to the picture of a step where the caret last was in the lesson's text. */
function drawPicture(sheet: Sheet, path: Path, change: (text: string) => void): TemplateResult {
  const [area, step, about] = [idOf(path), `${idOf(path)}-step`, `${idOf(path)}-about`];
  const put = (): void => {
    const [into, number, words] = [area, step, about].map((id) => document.getElementById(id) as HTMLInputElement | null);
    if (into == null || number == null || words == null) return;
    const [asked, said] = [number.value.trim(), words.value.replaceAll(/[[\]\n]/g, " ").trim()];
    const lacks = [/^[0-9]{1,7}$/.test(asked) ? null : number, said === "" ? words : null];
    for (const input of [number, words]) input.setAttribute("aria-invalid", lacks.includes(input) ? "true" : "false");
    const first = lacks.find((input) => input !== null);
    if (first != null) return first.focus();
    const at = into.selectionEnd ?? into.value.length;
    const picture = `![${said}](step:${asked})`;
    into.value = `${into.value.slice(0, at).trimEnd()}\n\n${picture}\n\n${into.value.slice(at).trimStart()}`.trim();
    change(into.value);
    into.focus();
  };
  const most = sheet.steps === undefined ? nothing : html` <span class="quiet">${say("builder.picture.most", { steps: sheet.steps })}</span>`;
  const language = html`<span class="sr"> ${say(`workshop.language.${String(path.at(-1))}`)}</span>`;
  return html`<div class="form-picture"><label for=${step}>${say("builder.picture.step")}${most}${language}</label><input id=${step} inputmode="numeric" autocomplete="off">
    <label for=${about}>${say("builder.picture.about")}${language}</label><input id=${about} autocomplete="off">
    <button type="button" class="small" @click=${put}>${say("builder.picture.put")}${language}</button></div>`;
}

// -- tables --------------------------------------------------------------------------------------------------

function drawTable(sheet: Sheet, name: string, field: Field, value: JsonObject, path: Path, meaning: string, place: string): TemplateResult {
  const keys = field.rows === null ? knownKeys(sheet.form, field, rowAt(sheet.document, path.slice(0, -1)), name) : null;
  const inner = field.rows !== null ? drawFields(sheet, field.rows, value, path)
    : keys !== null ? drawSettings(sheet, keys, value, path, place) : drawFree(sheet, meaning, value, path, place);
  return drawFolded(sheet, path, place, meaning, Object.keys(value).length, html`${inner}${drawMistakes(sheet, path, place)}`);
}

function drawFolded(sheet: Sheet, path: Path, place: string, summary: string, count: number, inner: TemplateResult): TemplateResult {
  const { here, below } = mistakesAt(sheet.mistakes, place);
  const wrong = here.length + below;
  const open = sheet.open.has(place) || wrong > 0;
  return html`<details class="form-part" ?open=${open} @toggle=${(event: Event) => {
      if (event.target === event.currentTarget) sheet.toggled(place, (event.target as HTMLDetailsElement).open);
    }}><summary id="${idOf(path)}-fold">${summary}${count > 0 ? html` <span class="quiet num">${say("builder.given", { count })}</span>` : nothing}
      ${wrong > 0 ? html` <span class="wrong-count">${say("builder.mistakes", { count: wrong })}</span>` : nothing}</summary>
    <div class="form-inner">${open ? inner : nothing}</div></details>`;
}

export function drawFields(sheet: Sheet, section: string, row: JsonObject, path: Path): TemplateResult {
  const fields = fieldsOf(sheet.form, section, row);
  const draw = ([name, field]: [string, Field]): Drawn => drawField(sheet, section, name, field, row[name], [...path, name]);
  if (section !== "fault") return html`${fields.map(draw)}`;
  // The author chooses the trigger first. Fields of the other trigger are shown only if the row has them.
  const [action, ...others] = fields;
  const hidden = whenOf(row) === "time" ? ["match", "after_ms"] : ["at"];
  return html`${action === undefined ? nothing : draw(action)}${isForMessages(sheet.form, row["action"]) ? nothing : drawWhen(sheet, row, path)}
    ${others.filter(([name]) => name in row || !hidden.includes(name)).map(draw)}`;
}

function drawWhen(sheet: Sheet, row: JsonObject, path: Path): TemplateResult {
  const id = `${idOf(path)}-when`;
  const when = whenOf(row);
  const choose = (event: Event): void => {
    const chosen = (event.target as HTMLSelectElement).value;
    if (chosen === "message") sheet.edit(whenEdits(row, path, chosen), [`${idOf([...path, "match"])}-fold`]);
    else if (chosen === "time") sheet.edit(whenEdits(row, path, chosen), [idOf([...path, "at"])]);
  };
  return html`<div class="form-field"><label for=${id}>${say("builder.when")}</label><select id=${id} @change=${choose}>
    ${when === null ? html`<option value="" selected>${say("builder.choose")}</option>` : nothing}
    ${(["message", "time"] as const).map((one) => html`<option value=${one} ?selected=${one === when}>${say(`builder.when.${one}`)}</option>`)}</select></div>`;
}

/** A table whose possible keys are known: a field for each key that is set, and a choice of the others. */
function drawSettings(sheet: Sheet, { known, prefix }: { known: Record<string, Setting>; prefix: string }, value: JsonObject, path: Path, place: string): TemplateResult {
  const producer = path[0] === "producers" ? placeOf(sheet.document, path.slice(0, 2)).split(".")[1] ?? "" : null;
  const effective = producer === null ? undefined : sheet.effective(producer);
  const names = Object.keys(value);
  const choice = `${idOf(path)}-add`;
  // A button adds the chosen key, because the arrow keys already change the choice at each line that they pass.
  const add = (): void => {
    const select = document.getElementById(choice) as HTMLSelectElement | null;
    const name = select?.value ?? "";
    const setting = known[name];
    if (select === null || setting === undefined) return select?.focus();
    sheet.edit([{ do: "set", path: [...path, name], value: firstValue(setting) }], [idOf([...path, name])]);
    select.value = "";
  };
  const meaningOf = (name: string): string => (words.knows(`${prefix}.${name}`) ? say(`${prefix}.${name}`) : name);
  return html`${names.map((name) => {
      const setting = known[name] ?? { kind: "any", default: null, low: null, high: null, choices: [] };
      return drawLabelled(sheet, [...path, name], `${place}.${name}`, meaningOf(name), name,
        drawInput(sheet, setting, value[name], [...path, name], `${place}.${name}`, (choice) => choice), drawUsual(setting));
    })}
    ${effective === undefined ? nothing : drawForced(effective, names)}
    <div class="form-add"><label for=${choice}>${say("builder.add_setting")}</label>
      <select id=${choice}><option value="">${say("builder.choose")}</option>
      ${here(sheet, Object.keys(known)).filter((name) => !names.includes(name)).map((name) => html`<option value=${name}>${name} · ${meaningOf(name)}</option>`)}</select>
      <button type="button" class="small" id="${choice}-do" @click=${add}>${say("builder.add")}<span class="sr"> ${say("builder.add_setting")}</span></button></div>`;
}

/** The text beside a setting's field: its default and its allowed values. */
function drawUsual(setting: Setting): Drawn {
  const bounds = boundsOf(setting);
  const usual = showValue(setting.default);
  const parts = [
    ...(usual === "" ? [] : [say("builder.default", { value: usual })]),
    ...(bounds === null ? [] : [say("scenario.allowed.int_between", bounds)]),
  ];
  return parts.length === 0 ? nothing : html`<span class="quiet form-usual">${parts.join(" · ")}</span>`;
}

/** The settings whose values other settings force (CFG-6), each with the engine's reason from the trial. */
function drawForced(effective: Record<string, { value: Json; reason?: string; rule?: string }>, given: string[]): Drawn {
  const forced = Object.entries(effective).filter(([name, one]) => !given.includes(name) && one.reason !== undefined
    && one.reason !== "default" && one.reason !== "set" && !(name === "guarantee_order" && one.value === false));
  if (forced.length === 0) return nothing;
  return html`<ul class="plain form-forced">${forced.map(([name, one]) => html`<li><code>${name} = ${name === "acks" && one.value === -1 ? "all" : showValue(one.value)}</code>
    ${reasonText(one.reason ?? "")}${one.rule === undefined ? nothing : html` <span class="quiet">${one.rule}</span>`}</li>`)}</ul>`;
}

function reasonText(reason: string): string {
  const key = `diagram.configuration.reason.${reason.replaceAll(" ", "_")}`;
  return words.knows(key) ? say(key) : reason;
}

function firstValue(setting: Setting): Json {
  if (setting.kind === "bool") return setting.default !== true;
  if (setting.kind === "acks") return "all";
  if (setting.choices.length > 0) return setting.choices[0] ?? null;
  if (setting.kind === "names") return [];
  if (setting.kind === "text") return typeof setting.default === "string" ? setting.default : "txn-1";
  return setting.default ?? setting.low ?? 1;
}

/** A table in which any key is allowed: a field for each of its keys, and an empty one for a further key. */
function drawFree(sheet: Sheet, meaning: string, value: JsonObject, path: Path, place: string): TemplateResult {
  const add = (event: Event): void => {
    const input = event.target as HTMLInputElement;
    const key = input.value.trim();
    if (key !== "" && !(key in value)) sheet.edit([{ do: "set", path: [...path, key], value: 0 }], [idOf([...path, key])]);
    input.value = "";
  };
  const change = (name: string) => (event: Event): void => {
    const text = (event.target as HTMLInputElement).value;
    sheet.edit([text.trim() === "" ? { do: "remove", path: [...path, name] } : { do: "set", path: [...path, name], value: anyValue(text) }]);
  };
  return html`<p class="quiet">${meaning}</p>${Object.keys(value).map((name) => drawLabelled(sheet, [...path, name], `${place}.${name}`, name, "",
      html`<input id=${idOf([...path, name])} .value=${showValue(value[name])} @change=${change(name)} spellcheck="false">`))}
    <label class="form-add" for="${idOf(path)}-add">${say("builder.add_key")} <input id="${idOf(path)}-add" @change=${add} spellcheck="false"></label>`;
}

// -- rows ----------------------------------------------------------------------------------------------------

function drawRows(sheet: Sheet, field: Field, rows: Json[], path: Path, meaning: string, place: string): TemplateResult {
  const section = field.rows ?? "";
  const add = (): void => {
    for (const other of [...sheet.open]) if (other.startsWith(`${place}.`)) sheet.toggled(other, false);
    sheet.toggled([place, rows.length].join("."), true);
    const row = newRow(sheet.form, section, sheet.names, rows);
    sheet.toggled([place, String(row["name"] ?? rows.length)].join("."), true);
    sheet.edit([{ do: "add", path, value: row }], [`${idOf([...path, rows.length])}-fold`]);
  };
  return html`<fieldset class="form-rows"><legend>${meaning} <code class="quiet">${String(path.at(-1))}</code></legend>
    ${drawMistakes(sheet, path, place)}
    ${rows.map((row, index) => drawRow(sheet, section, isObject(row) ? row : {}, [...path, index], rows))}
    ${rows.length >= field.bound ? html`<p class="quiet">${say("builder.no_more", { most: field.bound })}</p>`
      : html`<button type="button" class="small" id="${idOf(path)}-add" @click=${add}>${say(`builder.add.${section}`)}</button>`}
  </fieldset>`;
}

function drawRow(sheet: Sheet, section: string, row: JsonObject, path: Path, rows: Json[]): TemplateResult {
  const index = path.at(-1) as number;
  const list = path.slice(0, -1);
  const place = placeOf(sheet.document, path);
  const change = (edit: Edit, focus: string[]): void => {
    sheet.shifted(placeOf(sheet.document, list), rows, edit);
    sheet.edit([edit], focus);
  };
  // The focus follows the moved row, so that the author can press again and move it further.
  const move = (by: number) => (): void => {
    const buttons = by < 0 ? ["earlier", "later"] : ["later", "earlier"];
    change({ do: "move", path, by }, buttons.map((name) => `${idOf([...list, index + by])}-${name}`));
  };
  const remove = (): void => change({ do: "remove", path }, [`${idOf(path)}-fold`, `${idOf([...list, index - 1])}-fold`, `${idOf(list)}-add`]);
  const line = rowLine(section, row, choiceText, sheet.form);
  const unmet = section === "fault" ? unmetKey(row, sheet.seen?.[index]) : null;
  const label = line === "" ? String(index + 1) : `${index + 1}. ${line}`;
  const inner = html`${drawFields(sheet, section, row, path)}${drawMistakes(sheet, path, place)}
    <div class="row-buttons">
      <button type="button" class="small" id="${idOf(path)}-earlier" ?disabled=${index === 0} @click=${move(-1)}>${say("builder.earlier")}<span class="sr"> ${label}</span></button>
      <button type="button" class="small" id="${idOf(path)}-later" ?disabled=${index === rows.length - 1} @click=${move(1)}>${say("builder.later")}<span class="sr"> ${label}</span></button>
      <button type="button" class="small danger" id="${idOf(path)}-remove" @click=${remove}>${say("builder.remove")}<span class="sr"> ${label}</span></button>
    </div>`;
  return html`${drawFolded(sheet, path, place, label, 0, inner)}
    ${unmet === null ? nothing : html`<p class="quiet form-unmet">${say(unmet)}</p>`}`;
}
