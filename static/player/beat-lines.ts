/**
 * Draws the steps of a beat as lines. A step with a sentence of its own has a line; steps without one ("plumbing") are
 * counted in one line that says what they are for; a beat inside the beat has its name.
 */

import type { TemplateResult } from "lit";
import { html, nothing } from "lit";
import type { Beat, BeatLine } from "./beats.ts";
import { titleOf } from "./beats.ts";
import { leadOf } from "./leading.ts";
import { sentencesOf } from "./sentence-fit.ts";
import type { PlayerStore } from "./store.ts";
import { say } from "./text.ts";

export function beatLines(beat: Beat, store: PlayerStore, go: (number: number) => void): TemplateResult {
  if (beat.beats !== undefined && beat.beats.length > 0) {
    return html`<ol>${beat.beats.map((inner) => html`<li class="inner">
      <details ?open=${inner.first <= store.shown && store.shown <= inner.last}><summary><b>${titleOf(inner)}</b> <span class="num quiet">${range(inner)}</span></summary>
        ${beatLines(inner, store, go)}</details></li>`)}</ol>`;
  }
  // A step that is not made yet has no sentence, so it has no line. The exception is the step at which the beat lands:
  // its line has the name of the beat.
  const isSilent = (line: BeatLine): boolean => line.key === null && line.first > store.newest && line.first !== beat.lands;
  const silent = beat.lines.filter(isSilent).length;
  return html`<ol>${beat.lines.filter((line) => !isSilent(line)).map((line) => oneLine(line, beat, store, go))}${
    silent === 0 ? nothing : html`<li class="plumbing quiet">${say("player.steps_ahead", { count: silent })}</li>`}</ol>`;
}

function oneLine(line: BeatLine, beat: Beat, store: PlayerStore, go: (number: number) => void): TemplateResult {
  const isHere = line.first <= store.shown && store.shown <= line.last;
  const text = line.key === null ? (line.first > store.newest ? titleOf(beat) : sentenceOf(store, line.first)) : say(line.key, line.params);
  return html`<li class=${line.key === null ? "" : "plumbing"} aria-current=${isHere ? "step" : nothing}>
    <button @click=${() => go(line.last)}><span class="num">${range(line)}</span><span>${text}</span></button></li>`;
}

function range({ first, last }: { first: number; last: number }): string {
  return first === last ? String(first) : `${first}–${last}`;
}

/** The first sentence of a step; only its number if the step has not been loaded. */
function sentenceOf(store: PlayerStore, number: number): string {
  const step = store.lines.step(store.branch, number);
  if (step === undefined) return say("player.step_ahead", { number });
  const { key, params } = leadOf(step);
  return sentencesOf(say(key, params))[0] ?? "";
}
