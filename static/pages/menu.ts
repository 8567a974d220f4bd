/**
 * The script of every page with a header. It closes the header's menus when the reader turns to something else: by
 * Escape, by a press elsewhere, or by moving the focus on. The menus open and list their pages without it.
 */

import "./kept-lesson.ts";
import "./phrases.ts";
import "./scroll-stops.ts";
import "./suggest.ts";
import "./time-zone.ts";

const OPEN = "details.page-menu[open]";

function closeAll(but: Node | null): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>(OPEN)) {
    if (but === null || !menu.contains(but)) menu.open = false;
  }
}

document.addEventListener("pointerdown", ({ target }) => {
  if (target instanceof Node) closeAll(target);
});

document.addEventListener("focusin", ({ target }) => {
  if (target instanceof Node) closeAll(target);
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = [...document.querySelectorAll<HTMLDetailsElement>(OPEN)].findLast((one) => one.contains(document.activeElement));
  closeAll(null);
  menu?.querySelector("summary")?.focus();
});

/** In an open menu of the header, ↓ and ↑ move the focus between the menu's heading and its links. */
document.addEventListener("keydown", (event) => {
  if ((event.key !== "ArrowDown" && event.key !== "ArrowUp") || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const menu = document.activeElement?.closest(OPEN) ?? null;
  const stops = [...(menu?.querySelectorAll<HTMLElement>(":scope > summary, a[href]") ?? [])].filter((one) => one.offsetParent !== null);
  const here = stops.indexOf(document.activeElement as HTMLElement);
  if (here < 0) return;
  event.preventDefault();
  stops[here + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
});

/** On a page of search results, focuses the search field, unless that would open a screen keyboard over the results. */
const searched = document.querySelector<HTMLInputElement>("#search");
if (searched !== null && searched.value !== "" && document.activeElement === document.body && matchMedia("(hover: hover)").matches) {
  searched.focus({ preventScroll: true });
  searched.setSelectionRange(searched.value.length, searched.value.length);
}

/**
 * From a search field, ↓ moves the focus to the first result on the page. Among the results, ↓ and ↑ move to the next
 * and the previous one, and ↑ on the first one back to the field.
 */
document.addEventListener("keydown", (event) => {
  if ((event.key !== "ArrowDown" && event.key !== "ArrowUp") || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  const results = [...document.querySelectorAll<HTMLElement>(".matches h3 > a")];
  const field = document.activeElement?.matches("form[role=search] input[type=search]") === true;
  const here = results.indexOf(document.activeElement as HTMLElement);
  if (results.length === 0 || (!field && here < 0) || (field && event.key === "ArrowUp")) return;
  event.preventDefault();
  const next = here + (event.key === "ArrowDown" ? 1 : -1);
  (next < 0 ? document.querySelector<HTMLElement>("#search") : (results[next] ?? results.at(-1)))?.focus();
});

/** The key / focuses the search field, and first opens the menu that holds it on a phone. Not while a text is typed. */
document.addEventListener("keydown", (event) => {
  const { target } = event;
  const isTyping = target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName));
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
  const fields = [...document.querySelectorAll<HTMLInputElement>("input[data-find]")];
  const menu = document.querySelector<HTMLDetailsElement>("details.page-all");
  const seen = fields.find((field) => field.offsetParent !== null);
  if (seen === undefined && menu !== null && menu.offsetParent !== null) menu.open = true;
  const field = seen ?? fields.find((one) => one.offsetParent !== null);
  if (field === undefined) return;
  event.preventDefault();
  field.focus();
});
