/** Values that this browser stores by session, for the newest sessions. A browser that stores nothing gives none. */

export const defaults = {
  /** The most sessions of which a value is stored; the one stored longest ago is dropped first. */
  sessions: 50,
};

/** `name`: the item of the browser's storage that holds the values. */
export class KeptBySession<Value> {
  readonly #name: string;

  constructor(name: string) {
    this.#name = name;
  }

  read(session: string): Value | undefined {
    return this.#all()[session];
  }

  /** `value`: undefined removes what is stored. */
  write(session: string, value: Value | undefined): void {
    const { [session]: _, ...others } = this.#all();
    const newest = Object.entries(others).slice(1 - defaults.sessions);
    try {
      localStorage.setItem(this.#name, JSON.stringify({ ...Object.fromEntries(newest), [session]: value }));
    } catch {
      // The browser stores nothing.
    }
  }

  #all(): Record<string, Value> {
    try {
      return JSON.parse(localStorage.getItem(this.#name) ?? "{}") as Record<string, Value>;
    } catch {
      return {}; // The browser stores nothing, or something else under this name.
    }
  }
}
