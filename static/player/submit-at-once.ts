/**
 * A page whose form is submitted at once, `<form data-submit-at-once>`: a reader's browser submits it by itself,
 * programs that read the page for a preview do not, and without scripts the reader presses its button.
 */

export function submitAtOnce(page: Document): void {
  // Going back to the page must not send it again.
  const [entry] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
  if (entry?.type === "back_forward") return;
  page.querySelector<HTMLFormElement>("form[data-submit-at-once]")?.requestSubmit();
}
