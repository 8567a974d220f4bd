/**
 * The button beside a command, which puts it into the clipboard. If the page may not write there, the command is
 * selected instead.
 *
 * <div data-command-line><pre>…</pre><button type="button" hidden>…</button><span data-when="copied" role="status"
 * hidden>…</span></div>
 */

import { copyText } from "./clipboard.ts";

export function begin(place: HTMLElement): void {
  const [command, button, notice] = [place.querySelector("pre"), place.querySelector("button"), place.querySelector<HTMLElement>("[data-when=copied]")];
  if (command === null || button === null) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    void copyText(command.textContent ?? "", null).then((copied) => {
      if (!copied) select(command);
      if (notice !== null) notice.hidden = !copied;
    });
  });
}

function select(command: HTMLElement): void {
  getSelection()?.selectAllChildren(command);
  command.focus();
}

for (const place of document.querySelectorAll<HTMLElement>("[data-command-line]")) begin(place);
