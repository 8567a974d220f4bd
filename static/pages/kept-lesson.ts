/**
 * If the lesson is open on this page, the links to the other runs of the scenario lead to pages with an open lesson.
 * Without scripts, they do so only if this page was itself opened with its lesson.
 *
 * <details data-kept="lesson">…</details> … <a data-keeps="lesson" href="/sessions/new?scenario=SC-02/k28">…</a>
 */

for (const kept of document.querySelectorAll<HTMLDetailsElement>("details[data-kept]")) {
  const name = kept.dataset["kept"] ?? "";
  const keep = (): void => {
    for (const link of document.querySelectorAll<HTMLAnchorElement>(`a[data-keeps="${name}"]`)) {
      const address = new URL(link.href);
      if (kept.open) address.searchParams.set(name, "open");
      else address.searchParams.delete(name);
      link.href = address.href;
    }
  };
  kept.addEventListener("toggle", keep);
  // The reader may have opened the lesson before this script ran.
  keep();
}
