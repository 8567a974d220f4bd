/**
 * The script of every page with a header. The menus of the header close when a reader turns to something else: by Escape, by a press beside them, by the
 * keyboard going on. They open and list their pages without this.
 */

import "./kept-lesson.ts";
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

/** The key / leads to the search, on a telephone through the menu; not while something is being typed. */
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
