/**
 * Submits the form `<form data-submit-at-once>` as soon as the page is loaded. So a reader's browser does this by
 * itself, but a program that reads the page for a preview does not; without scripts, the reader presses the button.
 */

export function submitAtOnce(page: Document): void {
  // Going back to the page must not submit the form again.
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (entry?.type === "back_forward") return;
  page.querySelector<HTMLFormElement>("form[data-submit-at-once]")?.requestSubmit();
}
