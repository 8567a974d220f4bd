/** Stores breakpoints: in this browser by session, and in the address of the page. */

export const defaults = {
  /** The most sessions whose breakpoints this browser stores; the one changed longest ago is dropped first. */
  sessions: 50,
};

export interface Keeper {
  /** The stored breakpoints as short texts (`conditions.ts`); the text of one that is off begins with `-`. */
  read(): string[];
  write(texts: string[]): void;
}

const KEPT_AS = "eosviz-breakpoints";

/** Stores the breakpoints of a session in this browser and in the page's address. Those in the address count first. */
export class PageKeeper implements Keeper {
  readonly #session: string;

  constructor(session: string) {
    this.#session = session;
  }

  read(): string[] {
    const inAddress = new URL(location.href).searchParams.getAll("stop");
    return inAddress.length > 0 ? inAddress : (kept()[this.#session] ?? []);
  }

  write(texts: string[]): void {
    const address = new URL(location.href);
    address.searchParams.delete("stop");
    for (const text of texts) address.searchParams.append("stop", text);
    history.replaceState(history.state, "", address);
    const { [this.#session]: _, ...others } = kept();
    const newest = Object.entries(others).slice(-(defaults.sessions - 1));
    keep(Object.fromEntries(texts.length === 0 ? newest : [...newest, [this.#session, texts]]));
  }
}

function kept(): Record<string, string[]> {
  try {
    return JSON.parse(localStorage.getItem(KEPT_AS) ?? "{}") as Record<string, string[]>;
  } catch {
    return {}; // The browser stores nothing, or something else under this name.
  }
}

function keep(all: Record<string, string[]>): void {
  try {
    localStorage.setItem(KEPT_AS, JSON.stringify(all));
  } catch {
    // The browser stores nothing; the address still has the breakpoints.
  }
}
