/** Stores breakpoints: in this browser by session, and in the address of the page. */

import { KeptBySession } from "./kept-by-session.ts";

export interface Keeper {
  /** The stored breakpoints as short texts (`conditions.ts`); the text of one that is off begins with `-`. */
  read(): string[];
  write(texts: string[]): void;
}

const kept = new KeptBySession<string[]>("eosviz-breakpoints");

/** Stores the breakpoints of a session in this browser and in the page's address. Those in the address count first. */
export class PageKeeper implements Keeper {
  readonly #session: string;

  constructor(session: string) {
    this.#session = session;
  }

  read(): string[] {
    const inAddress = new URL(location.href).searchParams.getAll("stop");
    return inAddress.length > 0 ? inAddress : (kept.read(this.#session) ?? []);
  }

  write(texts: string[]): void {
    const address = new URL(location.href);
    address.searchParams.delete("stop");
    for (const text of texts) address.searchParams.append("stop", text);
    history.replaceState(history.state, "", address);
    kept.write(this.#session, texts.length === 0 ? undefined : texts);
  }
}
