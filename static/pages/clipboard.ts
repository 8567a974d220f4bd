/**
 * Puts a text into the clipboard and resolves to whether this worked. If the browser offers no clipboard, as over plain
 * HTTP from another machine, the content of `field` is selected and copied by the browser's older command.
 */
export async function copyText(text: string, field: HTMLInputElement | HTMLTextAreaElement | null): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    field?.select();
    return field !== null && document.execCommand("copy");
  }
}
