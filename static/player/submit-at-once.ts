/**
 * A page that only asks to be sent on, `<form data-submit-at-once>`: a reader's browser does it by itself, programs
 * that read the page for a preview do not, and without scripts its button does it.
 */

export function submitAtOnce(page: Document): void {
  // Going back to the page must not send it again.
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (entry?.type === "back_forward") return;
  page.querySelector<HTMLFormElement>("form[data-submit-at-once]")?.requestSubmit();
}
