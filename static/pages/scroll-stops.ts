/** Makes a table or text that scrolls a tab stop only while its content is wider or higher than its box. */

const ROOMS = ".table-scroll[tabindex], pre[tabindex='0']";

function stopsAt(room: HTMLElement): void {
  room.tabIndex = room.scrollWidth > room.clientWidth || room.scrollHeight > room.clientHeight ? 0 : -1;
}

const seen = new ResizeObserver((all) => {
  for (const { target } of all) stopsAt(target as HTMLElement);
});
for (const room of document.querySelectorAll<HTMLElement>(ROOMS)) seen.observe(room);
