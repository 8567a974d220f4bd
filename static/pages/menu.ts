/**
 * The menus of the header close when a reader turns to something else: by Escape, by a press beside them, by the
 * keyboard going on. They open and list their pages without this.
 */

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
