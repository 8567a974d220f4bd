/**
 * Converts lengths on an enlarged page. Large screens enlarge the page by CSS `zoom`: the browser then gives rectangles
 * and pointers in px of the window, but takes an element's lengths (`style.left`, `clientWidth`) in the element's own
 * px.
 */

/**
 * The number of px of the window in one px of this element; browsers without `currentCSSZoom` give both in the same px.
 */
export function zoomOf(element: Element): number {
  return (element as Element & { currentCSSZoom?: number }).currentCSSZoom ?? 1;
}

/** The element's box in the window, in the element's own px. */
export function ownBox(element: Element): { left: number; top: number; width: number; height: number } {
  const zoom = zoomOf(element);
  const { left, top, width, height } = element.getBoundingClientRect();
  return { left: left / zoom, top: top / zoom, width: width / zoom, height: height / zoom };
}
