/**
 * The form of *Open a log*: it sends only those of the chosen files that the server reads, states exceeded bounds
 * before anything is sent, and shows the answer. Without scripts the form is sent with all files. Pasted text is kept
 * in the tab, because the worker may refuse it later: a link then leads back to the form.
 *
 * The chosen files are named beside the button.
 *
 * <form data-log-files data-files-max data-file-bytes-max data-all-bytes-max data-not-read=".index .timeindex">
 *    <p data-when="sending">… <span data-count></span></p>
 *    <div data-when="too-much" data-needs="…">… <code data-command></code></div> <p data-when="unreachable">…</p>
 * </form>
 */

export interface Chosen {
  path: string;
  size: number;
}

export interface Bounds {
  files: number;
  fileBytes: number;
  allBytes: number;
}

const SEGMENT = /^\d{20}\.log$/;
const KIBIBYTE = 2 ** 10;
const MEBIBYTE = 2 ** 20;
/** The most partitions that the text beside the button names. */
const NAMED_MAX = 5;
/** A word that a shell needs no quotes for. */
const PLAIN = /^[A-Za-z0-9_./-]+$/;

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);
const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/**
 * The chosen files, without those whose names end in one of `notRead` and that lie in a folder with segments. The
 * server does not read such files, and they are large: Kafka makes each index 10 MB long before it writes to it.
 */
export function readOf<File extends Chosen>(chosen: readonly File[], notRead: readonly string[]): File[] {
  const withSegments = new Set(chosen.filter((one) => SEGMENT.test(nameOf(one.path))).map((one) => folderOf(one.path)));
  const isNotRead = (path: string): boolean => notRead.some((ending) => path.endsWith(ending));
  return chosen.filter((one) => !(withSegments.has(folderOf(one.path)) && isNotRead(one.path)));
}

/** The bound that the files exceed, as the form's `data-needs` names it; null: none. */
export function tooMuch(files: readonly Chosen[], bounds: Bounds): "files" | "each" | "all" | null {
  if (files.length > bounds.files) return "files";
  if (files.some((one) => one.size > bounds.fileBytes)) return "each";
  return sizeOf(files) > bounds.allBytes ? "all" : null;
}

export const sizeOf = (files: readonly Chosen[]): number => files.reduce((sum, one) => sum + one.size, 0);

export const countText = (files: readonly Chosen[]): string => `${files.length} · ${sizeText(sizeOf(files))}`;

function sizeText(bytes: number): string {
  return bytes < MEBIBYTE ? `${(bytes / KIBIBYTE).toFixed(1)} KiB` : `${(bytes / MEBIBYTE).toFixed(1)} MiB`;
}

/**
 * The names of the partitions whose segments are among the files, taken from their folders: at most `NAMED_MAX`, then
 * the number of the others as `(+3)`.
 */
export function partitionsText(files: readonly Chosen[]): string {
  const folders = files.filter(({ path }) => SEGMENT.test(nameOf(path))).map(({ path }) => nameOf(folderOf(path).slice(0, -1)));
  const names = [...new Set(folders)].filter((name) => name !== "").sort();
  const more = names.length - NAMED_MAX;
  return [...names.slice(0, NAMED_MAX), ...(more > 0 ? [`(+${more})`] : [])].join(" ");
}

/**
 * The shell command that reads the same files from disk: `command`, then the chosen folders and the files that were
 * chosen without a folder.
 */
export function commandFor(chosen: readonly Chosen[], command: string): string {
  const names = new Set(chosen.map((one) => one.path.split("/")[0] ?? ""));
  return [command, ...[...names].sort().map(quoted)].join(" ");
}

const quoted = (name: string): string => (PLAIN.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`);

/** Moves the focus to a part, so that a screen reader and the eye go there. */
function goTo(part: HTMLElement | null): void {
  if (part === null) return;
  part.tabIndex = -1;
  part.focus();
}

interface Sent extends Chosen {
  file: File;
  /** The name of the form's field with which the file was chosen: equal folders from two fields are two folders. */
  field: string;
}

function chosenIn(form: HTMLFormElement): Sent[] {
  return [...form.querySelectorAll<HTMLInputElement>("input[type=file]")].flatMap((input) =>
    [...(input.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, size: file.size, file, field: input.name })),
  );
}

function show(form: HTMLFormElement, when: string | null): HTMLElement | null {
  let shown: HTMLElement | null = null;
  for (const part of form.querySelectorAll<HTMLElement>("[data-when]")) {
    part.hidden = part.dataset["when"] !== when;
    if (!part.hidden) shown = part;
  }
  return shown;
}

const numberOf = (form: HTMLFormElement, name: string): number => Number(form.dataset[name]);

const KEPT_TEXT = "eosviz.pasted-log";

/** The text that was last sent with the form, if the address has `again`; else "". `kept` reads it from the tab. */
export const textAgain = (search: string, kept: () => string | null): string =>
  new URLSearchParams(search).has("again") ? (kept() ?? "") : "";

function keepText(form: HTMLFormElement): void {
  const text = form.querySelector<HTMLTextAreaElement>("textarea[name=text]")?.value ?? "";
  try {
    sessionStorage.setItem(KEPT_TEXT, text);
  } catch {
    sessionStorage.removeItem(KEPT_TEXT); // longer than what a tab may keep
  }
}

function showTextAgain(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLTextAreaElement>("textarea[name=text]");
  if (field?.value === "") field.value = textAgain(location.search, () => sessionStorage.getItem(KEPT_TEXT));
}

function showChosen(form: HTMLFormElement): void {
  const place = form.querySelector<HTMLElement>("[data-chosen]");
  if (place === null) return;
  const files = filesToRead(form);
  place.hidden = files.length === 0;
  const names = partitionsText(files);
  const [count, named] = [place.querySelector("[data-count]"), place.querySelector<HTMLElement>("[data-partitions]")];
  if (count !== null) count.textContent = countText(files);
  if (named !== null) {
    named.hidden = names === "";
    (named.querySelector("b") as HTMLElement).textContent = names;
  }
}

const filesToRead = (form: HTMLFormElement): Sent[] => readOf(chosenIn(form), (form.dataset["notRead"] ?? "").split(" "));

export function begin(form: HTMLFormElement): void {
  showTextAgain(form);
  showChosen(form);
  form.addEventListener("change", () => showChosen(form));
  const button = form.querySelector("button");
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const all = chosenIn(form);
    const files = filesToRead(form);
    const bounds = { files: numberOf(form, "filesMax"), fileBytes: numberOf(form, "fileBytesMax"), allBytes: numberOf(form, "allBytesMax") };
    const passed = tooMuch(files, bounds);
    const shown = show(form, passed === null ? "sending" : "too-much");
    for (const place of shown?.querySelectorAll("[data-count]") ?? []) place.textContent = countText(files);
    if (passed !== null) {
      for (const part of shown?.querySelectorAll<HTMLElement>("[data-needs]") ?? []) part.hidden = part.dataset["needs"] !== passed;
      const command = shown?.querySelector<HTMLElement>("[data-command]");
      if (command) command.textContent = commandFor(all, command.dataset["command"] ?? "");
      goTo(shown);
      return;
    }
    if (button) button.disabled = true;
    keepText(form);
    void send(form, files).finally(() => {
      if (button) button.disabled = false;
    });
  });
}

async function send(form: HTMLFormElement, files: readonly Sent[]): Promise<void> {
  const body = new FormData();
  for (const [name, value] of new FormData(form)) if (typeof value === "string") body.append(name, value);
  for (const one of files) body.append(one.field, one.file, one.path);
  try {
    const response = await fetch(form.action, { method: "POST", body, headers: { Accept: "text/html" } });
    // The server stored the upload and redirects to its page, which may already say that the worker refused the files.
    if (response.redirected) {
      location.assign(response.url);
      return;
    }
    const page = new DOMParser().parseFromString(await response.text(), "text/html");
    const found = page.querySelector("main .refusal") ?? page.querySelector("main");
    show(form, null);
    if (found === null) throw new TypeError("no page");
    goTo(refusal(form, found));
  } catch {
    goTo(show(form, "unreachable"));
  }
}

/** Shows the server's refusal before the form, which keeps the chosen files. */
function refusal(form: HTMLFormElement, found: Element): HTMLElement {
  document.querySelector("main > .refusal")?.remove();
  const shown = document.createElement("div");
  shown.className = "refusal";
  shown.setAttribute("role", "alert");
  shown.append(...[...found.childNodes].map((node) => document.importNode(node, true)));
  form.before(shown);
  return shown;
}

if (typeof document !== "undefined") for (const form of document.querySelectorAll<HTMLFormElement>("form[data-log-files]")) begin(form);
