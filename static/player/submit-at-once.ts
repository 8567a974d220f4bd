/**
 * Submits the form of a page at once, `<form data-submit-at-once>`: a reader's browser does so by itself, programs that
 * read the page for a preview do not, and without scripts the reader presses its button.
 */

export function submitAtOnce(page: Document): void {
  // Going back to the page must not submit the form again.
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (entry?.type === "back_forward") return;
  page.querySelector<HTMLFormElement>("form[data-submit-at-once]")?.requestSubmit();
}
