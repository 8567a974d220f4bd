/** The pictures of two runs beside each other scroll together, so that both show the same place. */

/** A capturing `scroll` listener for the element that holds both sides. */
export function linkScrolling(side = ".compare-side", place = ".compare-lanes"): (event: Event) => void {
  /** The elements that this code scrolled: their event must not scroll anything further. */
  const led = new WeakSet<Element>();
  return ({ target }) => {
    if (!(target instanceof Element) || target.closest(place) === null) return;
    if (led.delete(target)) return;
    const own = target.closest(side);
    for (const other of own?.parentElement?.querySelectorAll(side) ?? []) {
      if (other === own) continue;
      const twin = target.matches(place) ? other.querySelector(place) : other.querySelector(`${place} ${target.localName}`);
      if (twin === null || (twin.scrollTop === target.scrollTop && twin.scrollLeft === target.scrollLeft)) continue;
      const [before, beside] = [twin.scrollTop, twin.scrollLeft];
      twin.scrollTo({ top: target.scrollTop, left: target.scrollLeft, behavior: "instant" });
      if (twin.scrollTop !== before || twin.scrollLeft !== beside) led.add(twin);
    }
  };
}
