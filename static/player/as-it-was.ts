/** The link that compares a changed run with the run as it was before a change. */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import { besideAddress } from "./beside-address.ts";
import { originalOf } from "./branch-name.ts";
import type { Done } from "./done.ts";
import { doneOnLine, placeBefore } from "./done.ts";
import type { PlayerStore } from "./store.ts";
import { say } from "./text.ts";

/**
 * The words of the button that compares a changed run with the run before the change `done`: with the original run if
 * it is the first change, else with the run that has only the changes before it.
 */
export function asItWasWords(store: PlayerStore, done: Done): string {
  return say(isFirst(store, done) ? "undo.compare_original" : "undo.compare_without");
}

/** Whether `done` is the first change of the run on show, so that the run before it is the original run. */
export function isFirst({ lines, branch }: PlayerStore, { after }: Done): boolean {
  return doneOnLine(lines.branches, branch)[0]?.after === after;
}

/**
 * A button that leads to the run as it was before any change, at the step on show or, if that run is shorter, at its
 * last step. If no branch has that run, the press makes one.
 */
export function toOriginal(store: PlayerStore): TemplateResult | typeof nothing {
  const { branches } = store.lines;
  const [original, first] = [originalOf(branches), doneOnLine(branches, store.branch)[0]];
  if (first === undefined || (original === null && !store.source.live)) return nothing;
  const go = (): void => void (original === null ? store.branchHere(first.branch, first.after) : store.switchTo(original));
  return html`<button @click=${go}>${say("branch.to_original")}</button>`;
}

/**
 * The link or button that compares the branch on show with the run as it was before the change `done`. `compare`: the
 * address of comparisons; `text`: the words of the link; `key`: the key that does the same, "" if there is none.
 */
export function asItWas(store: PlayerStore, done: Done, compare: string, classes = "", text: string | TemplateResult = say("undo.compare"), key = ""): TemplateResult {
  const { branch, repeats } = placeBefore(store.lines.branches, done);
  const title = say("undo.compare_means");
  const names = `as-it-was ${classes}`.trim();
  const words = html`${text}${key === "" ? nothing : html` <kbd>${key}</kbd>`}`;
  const address = (left: string): string => besideAddress(compare, { left, right: store.branch }, store);
  // If no branch is the run without the change, the press makes one.
  if (!repeats) return html`<a class=${names} data-key=${key === "" ? nothing : key} href=${address(branch)} title=${title}>${words}</a>`;
  const make = async (): Promise<void> => {
    const answer = await store.question({ type: "branch", branch, at: done.after });
    if (answer?.created !== undefined) location.assign(address(answer.created));
  };
  return html`<button class=${names} data-key=${key === "" ? nothing : key} title=${title} @click=${() => void make()}>${words}</button>`;
}
