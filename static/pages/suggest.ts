/** Lists the scenarios that the search would find first under the search field of the header, while a reader types. */

import { isChinese } from "../player/phrases.ts";

const PAUSE_MS = 150;
const SHORTEST = 2;

function suggests(form: HTMLFormElement, input: HTMLInputElement, address: string): void {
  const list = document.createElement("div");
  list.className = "suggested";
  list.hidden = true;
  form.append(list);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked: AbortController | null = null;

  const close = (): void => {
    clearTimeout(timer);
    asked?.abort();
    list.hidden = true;
  };

  const ask = async (question: string): Promise<void> => {
    asked?.abort();
    const mine = new AbortController();
    asked = mine;
    try {
      const response = await fetch(`${address}?q=${encodeURIComponent(question)}`, { signal: mine.signal });
      if (!response.ok || input.value.trim() !== question) return;
      const found = new DOMParser().parseFromString(await response.text(), "text/html").body;
      list.replaceChildren(...found.childNodes);
      list.hidden = list.querySelector("a") === null || !form.contains(document.activeElement);
    } catch {
      // A newer request replaced this one, or there is no connection. The form can still be sent.
    }
  };

  input.addEventListener("input", () => {
    clearTimeout(timer);
    const question = input.value.trim();
    if (question.length < SHORTEST && !isChinese(question)) close();
    else timer = setTimeout(() => void ask(question), PAUSE_MS);
  });
  form.addEventListener("focusout", ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && form.contains(relatedTarget))) close();
  });
  // The server needs seconds to prepare its first answer, so this request is sent before the first letter.
  input.addEventListener("focus", () => void fetch(address).catch(() => null), { once: true });
  input.addEventListener("focus", () => {
    list.hidden = list.querySelector("a") === null || input.value.trim() === "";
  });
  // Without this, a press on a result would take the focus from the field, which may hide the result before the click.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  form.addEventListener("keydown", (event) => {
    if (list.hidden) return;
    const rows = [...list.querySelectorAll<HTMLElement>("a")];
    const here = rows.indexOf(document.activeElement as HTMLElement);
    if (event.key === "Escape") {
      input.focus();
      list.hidden = true;
    } else if (event.key === "ArrowDown") rows[Math.min(here + 1, rows.length - 1)]?.focus();
    else if (event.key === "ArrowUp" && here >= 0) (rows[here - 1] ?? input).focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}

for (const form of document.querySelectorAll<HTMLFormElement>("form[data-suggests]")) {
  const input = form.querySelector<HTMLInputElement>("input[type=search]");
  if (input !== null) suggests(form, input, form.dataset["suggests"] ?? "");
}
