/**
 * A search field above a long list to choose from: it leaves only the options that contain every typed word. Without
 * scripts, the list is complete.
 *
 * <select data-find="Search the scenarios" data-found="{shown} of {total}"><optgroup
 * label="…"><option>…</option></optgroup></select>
 */

const SHORT = 12;
const SHOWN_MAX = 8;

export function begin(list: HTMLSelectElement): void {
  const whole = [...list.children].map((child) => child.cloneNode(true) as HTMLElement);
  const total = list.options.length;
  if (total <= SHORT) return;
  const field = document.createElement("input");
  field.type = "search";
  field.placeholder = list.dataset["find"] ?? "";
  field.setAttribute("aria-label", field.placeholder);
  field.autocomplete = "off";
  const found = document.createElement("span");
  found.className = "quiet num";
  found.setAttribute("role", "status");
  const row = document.createElement("div");
  row.className = "option-finder";
  row.append(field, found);
  list.before(row);
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const chosen = list.value;
    const kept = whole.flatMap((part) => remaining(part, words));
    found.textContent = words.length === 0 ? "" : said(list.dataset["found"] ?? "", kept.reduce((sum, part) => sum + optionsIn(part), 0), total);
    if (kept.length === 0) return;
    list.replaceChildren(...kept);
    // The chosen option stays chosen if it is found; else the first one found is chosen.
    if ([...list.options].some((option) => option.value === chosen)) list.value = chosen;
    list.size = words.length === 0 ? 0 : Math.min(SHOWN_MAX, list.options.length + list.children.length);
  });
  // Without this, Enter would send the whole form.
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    list.focus();
  });
}

/** A copy of an option or of a group with its matching options, in a list; the empty list if none matches. */
function remaining(part: HTMLElement, words: readonly string[]): HTMLElement[] {
  if (part instanceof HTMLOptionElement) return matches(part.text, words) ? [part.cloneNode(true) as HTMLElement] : [];
  const group = part.cloneNode(false) as HTMLOptGroupElement;
  for (const option of part.querySelectorAll("option")) {
    if (matches(`${group.label} ${option.text}`, words)) group.append(option.cloneNode(true));
  }
  return group.childElementCount > 0 ? [group] : [];
}

function optionsIn(part: HTMLElement): number {
  return part instanceof HTMLOptionElement ? 1 : part.childElementCount;
}

function matches(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

function said(sentence: string, shown: number, total: number): string {
  return sentence.replace("{shown}", String(shown)).replace("{total}", String(total));
}

for (const list of document.querySelectorAll<HTMLSelectElement>("select[data-find]")) begin(list);
