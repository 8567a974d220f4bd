/**
 * Puts a text into the clipboard; returns whether it is there now. Over plain HTTP from another machine, a browser
 * offers no clipboard.
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
