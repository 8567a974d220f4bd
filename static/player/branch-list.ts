/**
 * `<eos-branches compare="/compare/">`: the tree of all branches, each with its parent, its changes and its last step.
 * The reader can change a branch's name here; every page of the session then shows the new one.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { besideAddress } from "./beside-address.ts";
import { DialogElement } from "./dialogs.ts";
import type { TreeRow } from "./branch-tree.ts";
import { treeOf } from "./branch-tree.ts";
import { doneOn, inWords } from "./done.ts";
import { branchName, branchTitle } from "./branch-name.ts";
import type { BranchInfo } from "./source.ts";
import type { PlayerStore } from "./store.ts";
import { clauses, facts, sentences } from "./joins.ts";
import { say } from "./text.ts";

export const defaults = {
  /** The most letters of a name (`name_characters` of the server's limits). */
  letters: 80,
  /** The most levels of indentation: deeper branches are not indented further, because a phone is narrow. */
  deepest: 6,
};

export class BranchList extends DialogElement {
  static override properties = { ...DialogElement.properties, compare: {}, naming: { state: true } };

  declare compare: string;
  /** The branch whose name is being changed. */
  declare naming: string;

  constructor() {
    super();
    this.compare = "";
    this.naming = "";
  }

  override open(): void {
    this.naming = "";
    super.open();
  }

  protected override render(): TemplateResult | typeof nothing {
    const store = this.store;
    if (store === undefined || store.header === null) return nothing;
    const rows = treeOf(store.lines.branches.values());
    return this.frameOf(
      say("player.branches"),
      this.whenOpen(() => html`<p class="quiet">${sentences([say("player.branches_kept", { count: rows.length }), say("undo.kept")])}</p>
        <ul class="branch-list">${repeat(rows, (row) => row.branch.id, (row) => this.#item(row, store))}</ul>`),
    );
  }

  #item({ branch, depth, parent: left, leavesAt }: TreeRow, store: PlayerStore): TemplateResult {
    const parent = left === null ? null : branchName(store.lines.branches, left);
    const isHere = branch.id === store.branch;
    const reaches = say("player.reaches", { step: reachOf(branch, store) });
    return html`<li aria-current=${isHere ? "true" : "false"} data-depth=${Math.min(depth, defaults.deepest)}>
      ${this.naming === branch.id ? this.#nameField(branch, store) : this.#name(branch, store)}
      <span class="quiet">${parent === null ? facts([say("branch.whole_run"), reaches]) : clauses([say("player.leaves_at", { parent, step: leavesAt }), reaches])}</span>
      ${this.#done(branch)} ${this.#broken(branch)}
      <span class="row">
        <button ?disabled=${isHere} @click=${() => this.#go(store, branch.id, null)}>${say(isHere ? "player.you_are_here" : "player.go_to_branch")}</button>
        ${left === null ? nothing : html`<button @click=${() => this.#go(store, left, leavesAt)}>${say("branch.before", { parent: parent ?? "", step: leavesAt })}</button>`}
        ${isHere || this.compare === "" ? nothing : html`<a href=${besideAddress(this.compare, { left: store.branch, right: branch.id }, store)}>${say("player.compare_with_current")}</a>`}
      </span></li>`;
  }

  #name(branch: BranchInfo, store: PlayerStore): TemplateResult {
    const change = say("branch.rename", { name: branchName(store.lines.branches, branch.id) });
    return html`<span class="row"><b class="branch-called">${branchTitle(store.lines.branches, branch.id)}</b>
      ${store.source.live ? html`<button class="rename" aria-label=${change} title=${change} @click=${() => this.#rename(branch.id)}>✎</button>` : nothing}</span>`;
  }

  #nameField(branch: BranchInfo, store: PlayerStore): TemplateResult {
    return html`<form class="row" @submit=${(event: SubmitEvent) => this.#keepName(event, branch, store)}
        @keydown=${(event: KeyboardEvent) => this.#leaveOnEscape(event)}>
      <input name="name" required maxlength=${defaults.letters} .value=${branch.name} aria-label=${say("branch.name")} />
      <button>${say("branch.keep_name")}</button></form>`;
  }

  #rename(branch: string): void {
    this.naming = branch;
    void this.updateComplete.then(() => this.querySelector<HTMLInputElement>("input[name=name]")?.select());
  }

  #keepName(event: SubmitEvent, branch: BranchInfo, store: PlayerStore): void {
    event.preventDefault();
    const name = String(new FormData(event.target as HTMLFormElement).get("name") ?? "").trim();
    this.naming = "";
    if (name !== "" && name !== branch.name) void store.question({ type: "rename", branch: branch.id, name });
  }

  /** Escape leaves the field, not the dialog around it. */
  #leaveOnEscape(event: KeyboardEvent): void {
    if (event.key !== "Escape") return;
    event.preventDefault();
    event.stopPropagation();
    this.naming = "";
  }

  #done(branch: BranchInfo): TemplateResult | typeof nothing {
    const done = doneOn(branch);
    if (done.length === 0) return nothing;
    return html`<ul class="branch-done">${done.map((one) => html`<li>${say("branch.done_after", { what: inWords(one, this.store?.lines), step: one.after })}</li>`)}</ul>`;
  }

  #broken(branch: BranchInfo): TemplateResult | typeof nothing {
    const broken = Object.entries(branch.first_broken).map(([name, step]) => say("player.broken_at", { name: say(`player.guarantee.${name}`), step }));
    return broken.length === 0 ? nothing : html`<span class="bad">${facts(broken)}</span>`;
  }

  #go(store: PlayerStore, branch: string, step: number | null): void {
    store.switchTo(branch, step);
    this.close();
  }
}

/** The number of a branch's last step: that of its plan if this was computed to the end, else of the newest step. */
function reachOf({ id, newest }: BranchInfo, store: PlayerStore): number {
  const plan = store.plans.own(id);
  return plan?.complete === true ? Math.max(newest, plan.steps) : newest;
}

customElements.define("eos-branches", BranchList);
