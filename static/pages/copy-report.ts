/**
 * The button that puts a report for a ticket into the clipboard. If the page may not write there, the report is shown
 * in a field, selected. Without scripts, the link beside it saves the report as a file.
 *
 * <div data-copy="address of the report">
 *    <button type="button" hidden>…</button> <span data-when="copied" role="status" hidden>…</span>
 *    <div data-when="select" hidden>… <textarea readonly></textarea></div> <span data-when="unreachable"
 * hidden>…</span>
 * </div>
 */

import { copyText } from "./clipboard.ts";

export function begin(place: HTMLElement): void {
  const button = place.querySelector("button");
  const field = place.querySelector("textarea");
  if (button === null || field === null) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    void copied(place.dataset["copy"] ?? "", field, (when) => show(place, when));
  });
}

async function copied(address: string, field: HTMLTextAreaElement, shown: (when: string) => void): Promise<void> {
  try {
    if (field.value === "") field.value = await reportAt(address);
  } catch {
    shown("unreachable");
    return;
  }
  if (await copyText(field.value, null)) {
    shown("copied");
    return;
  }
  // The field is shown first, because hidden text cannot be selected.
  shown("select");
  if (await copyText(field.value, field)) shown("copied");
}

async function reportAt(address: string): Promise<string> {
  const answer = await fetch(address, { headers: { Accept: "text/markdown" } });
  if (!answer.ok) throw new TypeError(String(answer.status));
  return answer.text();
}

function show(place: HTMLElement, when: string): void {
  for (const part of place.querySelectorAll<HTMLElement>("[data-when]")) part.hidden = part.dataset["when"] !== when;
}

for (const place of document.querySelectorAll<HTMLElement>("[data-copy]")) begin(place);
