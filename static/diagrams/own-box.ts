/**
 * Converts lengths on an enlarged page. Large screens enlarge the page by CSS `zoom`. The browser then gives rectangles
 * and pointer positions in px of the window, but takes the lengths of an element (`style.left`, `clientWidth`) in the
 * element's own px.
 */

/**
 * px of the window in one px of this element. 1 in browsers without `currentCSSZoom`, which use the same px for both.
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
