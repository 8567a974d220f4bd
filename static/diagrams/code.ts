/**
 * The code beside the step: pseudocode of the component that acts, with each line marked by what the step did there,
 * and the rows of the state machines that fired.
 *
 *     <eos-code code="/reference/code.json" machines="/reference/machines/{machine}.json"></eos-code>
 *
 * The documents are the engine's (engine/pseudocode), fetched once; `code` without `.json` is the address of their
 * page. A press on a marked line fires `check` with the index of its check. Fires `code` when the documents have
 * arrived.
 */

import { css, html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { isInPage } from "../player/addressed.ts";
import type { Check, Code } from "../player/checks.ts";
import { fetchCode } from "../player/checks.ts";
import type { Frame, Transition } from "../player/frame.ts";
import type { InForce } from "../player/in-force.ts";
import { inForce } from "../player/in-force.ts";
import { listed } from "../player/joins.ts";
import { say } from "../player/text.ts";
import { pieces } from "../player/unbroken.ts";
import type { CodeShape, LineMark, LineShape, PartShape, RowShape } from "./code-layout.ts";
import { layoutCode, layoutRows } from "./code-layout.ts";
import { DiagramElement } from "./element.ts";
import { isLogCase } from "./log-case.ts";
import { fetchMachine } from "./machine-draw.ts";
import type { MachineTable } from "./machine-layout.ts";

const SIGNS: Record<LineMark, string> = { here: "▶", decided: "▶", passed: "–", off: "⊘", not_reached: "·", also: "+" };

export class CodePanel extends DiagramElement {
  static override properties = {
    ...DiagramElement.properties,
    code: {}, machines: {}, check: { attribute: false }, documents: { state: true }, tables: { state: true },
    chosen: { state: true }, opened: { state: true }, fault: { state: true },
  };
  static override styles = [
    ...DiagramElement.styles,
    css`
      :host { padding: 10px 14px; container-type: inline-size; }
      .code { font-family: var(--f-mono); font-size: var(--t-mark); line-height: 18px; margin-top: 6px; }
      .code li { display: grid; grid-template-columns: 18px minmax(0, 1fr) auto; gap: 0 4px; padding: 0 4px; }
      .code code { white-space: pre-wrap; overflow-wrap: break-word; font-size: inherit; color: var(--ink); }
      .comment code { color: var(--ink-2); font-family: var(--f-ui); font-style: italic; }
      .not_reached code, .off code, .skipped code { color: var(--ink-3); }
      .off code { text-decoration: line-through; }
      .decided, .here { box-shadow: inset 3px 0 var(--ink); }
      .now { background: var(--now); outline: 2px solid var(--ink); outline-offset: -2px; }
      .now code { font-weight: 650; }
      .sign { text-align: center; color: var(--ink-2); min-height: 17px; width: 18px; }
      .numbers { font: 600 var(--t-mark)/17px var(--f-ui); color: var(--ink); text-align: end; }
      @container (max-width: 479px) {
        .code li { grid-template-columns: 18px minmax(0, 1fr); }
        .numbers { grid-column: 2; text-align: start; padding-inline-start: 2ch; }
        .numbers:empty { display: none; }
      }
      .fold > summary { cursor: pointer; color: var(--ink-2); font: var(--t-text)/20px var(--f-ui); min-height: 20px; padding-inline-start: 4px; }
      .rule { margin-top: 6px; line-height: 17px; }
      .others button { text-decoration: underline; min-height: 24px; margin-inline-end: 10px; }
      .rows { margin-top: 8px; border-top: 1px solid var(--line); padding-top: 6px; }
      .rows .rule-id { white-space: nowrap; }
      .legend { margin-top: 6px; font-size: var(--t-mark); color: var(--ink-2); }
      .wide { overflow-x: auto; }
      a { color: inherit; }
    `,
  ];

  declare code: string;
  declare machines: string;
  /** The check on show; null: the whole step. */
  declare check: Check | null;
  declare documents: Code | null;
  declare tables: ReadonlyMap<string, MachineTable>;
  /** The component that the reader chose, and the number of the step at which this choice holds; null: no choice. */
  declare chosen: { component: string; step: number } | null;
  /** The folds that the reader opened, by component and first line. */
  declare opened: ReadonlySet<string>;
  declare fault: string | null;
  #asked = "";
  readonly #askedTables = new Set<string>();

  constructor() {
    super();
    this.code = "";
    this.machines = "";
    this.check = null;
    this.documents = null;
    this.tables = new Map();
    this.chosen = null;
    this.opened = new Set();
    this.fault = null;
  }

  protected override willUpdate(): void {
    if (this.code !== "" && this.code !== this.#asked) this.#ask();
    for (const { machine } of transitionsOf(this.frame)) this.#askTable(machine);
  }

  /** Scrolls to the marked line, or to the row of the check. */
  protected override updated(): void {
    const row = this.check?.transition ?? null;
    const place = row === null ? ".now" : `[data-row="${row.machine}/${row.row}"]`;
    this.renderRoot.querySelector(place)?.scrollIntoView({ block: "nearest" });
  }

  #ask(): void {
    this.#asked = this.code;
    fetchCode(this.code).then(
      (code) => {
        this.documents = code;
        this.dispatchEvent(new CustomEvent("code", { detail: code, bubbles: true, composed: true }));
      },
      (error: unknown) => { this.fault = String(error); },
    );
  }

  #askTable(machine: string): void {
    if (this.machines === "" || this.#askedTables.has(machine)) return;
    this.#askedTables.add(machine);
    fetchMachine(this.machines.replace("{machine}", machine)).then(
      (table) => { if (table !== undefined) this.tables = new Map([...this.tables, [machine, table]]); },
      () => { this.#askedTables.delete(machine); },
    );
  }

  protected override show(frame: Frame): TemplateResult {
    const { documents } = this;
    if (this.fault !== null) return html`<p role="alert">${say("diagram.code.fault", { reason: this.fault })}</p>`;
    if (documents === null) return html`<p class="quiet">…</p>`;
    if (frame.step === null) return html`<p class="quiet">${say("diagram.code.before")}</p>`;
    const chosen = this.chosen?.step === frame.step.number ? this.chosen.component : null;
    const shape = layoutCode(frame, documents, this.check, chosen);
    return html`${shape === null ? html`<p class="quiet">${say(noCodeOf(frame))}</p>` : this.#component(shape, frame.step.number)}
      ${transitionsOf(frame).map((transition) => this.#rows(transition, inForce(frame, frame.step?.actor ?? "")))}`;
  }

  #component(shape: CodeShape, step: number): TemplateResult {
    return html`<section><h2><span>${this.#linked(this.code, this.code.replace(/[.]json$/, `/#${shape.component}`), shape.title)}</span><small class="mono">${shape.kafka}</small></h2>
      <div class="code">${shape.parts.map((part) => this.#part(part, shape.component))}</div>
      ${shape.rules.map(({ rule, text }) => html`<p class="rule"><b>${rule}</b> ${text}</p>`)}
      ${shape.others.length === 0 ? nothing : html`<p class="others quiet">${say("diagram.code.also")} ${shape.others.map(
        (other) => html`<button @click=${() => { this.chosen = { component: other.component, step }; }}>${other.title}</button>`,
      )}</p>`}
      <p class="legend">${say("diagram.code.legend")}</p></section>`;
  }

  /**
   * A link to the page of a document. In a file that plays offline there is no such page, so only the text is shown.
   */
  #linked(document: string, page: string, text: string): TemplateResult | string {
    return isInPage(document) ? text : html`<a href=${page} target="_blank" rel="noopener">${text}</a>`;
  }

  #part(part: PartShape, component: string): TemplateResult {
    const lines = html`<ol>${part.lines.map((line) => this.#line(line))}</ol>`;
    if (!part.folded) return lines;
    const first = part.lines[0];
    const key = `${component}:${first?.number ?? 0}`;
    const heads = part.lines.filter((line) => line.depth === 0 && !line.isComment && line.text !== "");
    const names = [...new Set(heads.map((line) => line.text.replace(/[(:].*$/s, "")))];
    const named = names.slice(0, 3);
    const summary = say("diagram.code.folded", { count: part.lines.filter((line) => line.text !== "").length, names: listed(named), more: names.length > 3 ? " …" : "" });
    return html`<details class="fold" ?open=${this.opened.has(key)} @toggle=${(event: Event) => this.#toggled(event, key)}><summary>${summary}</summary>${lines}</details>`;
  }

  #toggled(event: Event, key: string): void {
    const isOpen = (event.currentTarget as HTMLDetailsElement).open;
    if (isOpen === this.opened.has(key)) return;
    const opened = new Set(this.opened);
    if (isOpen) opened.add(key);
    else opened.delete(key);
    this.opened = opened;
  }

  #line(line: LineShape): TemplateResult {
    const classes = [line.mark ?? "", line.skipped ? "skipped" : "", line.now ? "now" : "", line.isComment ? "comment" : ""].filter((word) => word !== "").join(" ");
    return html`<li class=${classes} aria-current=${line.now ? "true" : nothing}>${this.#sign(line)}<code .style=${`padding-inline-start:${line.depth * 2}ch`}>${pieces(line.text)}</code><span class="numbers">${line.numbers}</span></li>`;
  }

  #sign(line: LineShape): TemplateResult {
    if (line.mark === null) return html`<span class="sign"></span>`;
    const meaning = say(`diagram.code.mark.${line.mark}`);
    const { check } = line;
    if (check === null) return html`<span class="sign" title=${meaning} role="img" aria-label=${meaning}>${SIGNS[line.mark]}</span>`;
    return html`<button class="sign" title=${meaning} aria-label=${say("diagram.code.look", { meaning, line: line.text })}
      @click=${() => this.dispatchEvent(new CustomEvent("check", { detail: check, bubbles: true, composed: true }))}>${SIGNS[line.mark]}</button>`;
  }

  #rows(transition: Transition, there: InForce): TemplateResult | typeof nothing {
    const table = this.tables.get(transition.machine);
    const rows = table === undefined ? [] : layoutRows(transition, table, there);
    if (rows.length === 0) return nothing;
    const answers = rows.some((row) => row.reply !== "");
    return html`<section class="rows" data-row=${`${transition.machine}/${transition.row}`}><h2><span>${say("diagram.code.row", { of: transition.of })}</span><small class="mono">${
      this.#linked(this.machines, this.machines.replace(/[{]machine[}].*$/, `#${transition.machine}`), transition.machine)}</small></h2>
      <div class="wide"><table><thead><tr><th scope="col">${say("diagram.code.state")}</th><th scope="col">${say("diagram.code.event")}</th><th scope="col">${say("diagram.code.guard")}</th><th scope="col">${say("diagram.code.next")}</th>${
        answers ? html`<th scope="col">${say("diagram.code.reply")}</th>` : nothing}<th scope="col">${say("diagram.code.rule")}</th></tr></thead>
      <tbody>${rows.map((row) => this.#row(row, answers))}</tbody></table></div></section>`;
  }

  #row(row: RowShape, answers: boolean): TemplateResult {
    const guard = row.when === "" ? say("diagram.code.always") : row.when;
    return html`<tr class=${row.fired ? "hit" : "quiet"} aria-current=${row.fired ? "true" : nothing}><td>${pieces(row.source)}</td><td>${pieces(row.on)}</td><td>${
      pieces(row.fired ? guard : say("diagram.code.did_not_hold", { guard }))}</td><td>${
      row.fired ? pieces(row.refused ? say("diagram.code.stays", { state: row.source }) : `→ ${row.target}`) : "–"}</td>${
      answers ? html`<td>${pieces(row.reply)}</td>` : nothing}<td class="rule-id">${row.spec}</td></tr>`;
  }
}

/** The reason why no code is shown at this step. */
export function noCodeOf(frame: Frame): string {
  if (isLogCase(frame)) return "diagram.code.none_log";
  return frame.step?.kind === "fault" ? "diagram.code.none_fault" : "diagram.code.none_other";
}

function transitionsOf(frame: Frame | undefined): Transition[] {
  const step = frame?.step ?? null;
  if (step === null) return [];
  return [...(step.earlier_transitions ?? []), ...(step.transition === null ? [] : [step.transition])];
}

customElements.define("eos-code", CodePanel);
