/**
 * The example on the first page: a still picture until the page is at rest, then the player in its frame.
 *
 * The player's beginning is work for the same processor that shows the page, so it waits for whoever opened it: until they
 * move, scroll, touch or press something, or have read for a moment with the picture in sight. A press on the picture
 * begins at once; without scripts it leads to the player.
 */

export const defaults = {
  /** Milliseconds that the picture has been in sight before the example begins by itself. */
  after: 2500,
};

const SIGNS = ["pointermove", "pointerdown", "keydown", "scroll", "touchstart"] as const;

/** `<a data-example="title of the frame" href="…"><img …></a>` becomes the frame of that address, once. */
export function beginExample(still: HTMLAnchorElement): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let begun = false;
  const sight = new IntersectionObserver((entries) => {
    const isSeen = entries[entries.length - 1]?.isIntersecting === true;
    clearTimeout(timer);
    if (isSeen) timer = setTimeout(() => requestIdleCallback(begin), defaults.after);
  });
  const begin = (): void => {
    if (begun) return;
    begun = true;
    clearTimeout(timer);
    sight.disconnect();
    for (const sign of SIGNS) removeEventListener(sign, onSign);
    frameOver(still);
  };
  const onSign = (): void => {
    // Where the picture is not shown, neither is the player.
    if (still.offsetParent !== null) begin();
  };
  for (const sign of SIGNS) addEventListener(sign, onSign, { passive: true });
  still.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    begin();
  });
  sight.observe(still);
}

/** The picture stays in sight until the frame has something to show. */
function frameOver(still: HTMLAnchorElement): void {
  const frame = document.createElement("iframe");
  frame.title = still.dataset["example"] ?? "";
  frame.src = still.href;
  frame.addEventListener("load", () => {
    const held = document.activeElement === still;
    still.remove();
    if (held) frame.focus();
  });
  still.after(frame);
}

for (const still of document.querySelectorAll<HTMLAnchorElement>("a[data-example]")) beginExample(still);
