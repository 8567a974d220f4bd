/** Saves a file that the page itself made; nothing is sent. */

import type { Header } from "./frame.ts";

export function save(name: string, content: Blob | string, type: string): void {
  const address = URL.createObjectURL(typeof content === "string" ? new Blob([content], { type }) : content);
  download(address, name);
  // A minute later, the browser has begun to save the file, so the memory can be freed.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Saves the content of an address under a name; a name given by the server has precedence. */
export function download(address: string, name: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
}

/** The name of a step's file without its ending: `SC-03-acks-1-step-12`. */
export function fileName(header: Header, step: number): string {
  const run = header.variant === null ? header.scenario : `${header.scenario}-${header.variant}`;
  return `${run}-step-${step}`.replace(/[^\w.-]+/g, "-");
}
