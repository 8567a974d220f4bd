/**
 * Saves memory by sharing lists between changes. A change of a list holds the whole list, before and after, even if the
 * step only appended to it (docs/frame.md): while a batch fills up, each new record would cost two lists of all
 * records. Of such a series of changes, only the longest list is kept; each change knows how many of its items are its
 * own.
 */

import type { Change, Json, Step } from "./frame.ts";
import { pathKey } from "./frame.ts";

export const defaults = {
  /** The least length of a list that is shared; shorter lists are kept as they came. */
  items: 8,
};

/** The longest list so far of a series of changes that only append. */
interface Row {
  items: Json[];
}

/** A change whose two values are the first `#from` and the first `#to` items of the shared list. */
class Growth implements Change {
  readonly path: string[];
  readonly #row: Row;
  readonly #from: number;
  readonly #to: number;

  constructor(path: string[], row: Row, from: number, to: number) {
    this.path = path;
    this.#row = row;
    this.#from = from;
    this.#to = to;
  }

  get before(): Json {
    return this.#row.items.slice(0, this.#from);
  }

  get after(): Json {
    return this.#row.items.slice(0, this.#to);
  }

  toJSON(): Change {
    return { path: this.path, before: this.before, after: this.after };
  }
}

/** Makes changes of neighbouring steps share the lists that they add to. Modifies the steps. */
export function shareGrown(steps: readonly Step[]): void {
  const rows = new Map<string, Row>();
  for (const { changes } of steps) {
    for (let place = 0; place < changes.length; place += 1) {
      const { path, before, after } = changes[place] as Change;
      if (!Array.isArray(before) || !Array.isArray(after)) continue;
      if (after.length <= before.length || after.length < defaults.items || !beginsWith(after, before)) continue;
      const row = rowFor(rows, pathKey(path), before, after);
      changes[place] = new Growth(path, row, before.length, after.length);
    }
  }
}

function rowFor(rows: Map<string, Row>, key: string, before: Json[], after: Json[]): Row {
  const known = rows.get(key);
  if (known !== undefined && known.items.length === before.length && beginsWith(before, known.items)) {
    known.items = after;
    return known;
  }
  const row = { items: after };
  rows.set(key, row);
  return row;
}

/** Whether a list begins with these items, compared by identity; so lists of objects are never shared. */
function beginsWith(list: readonly Json[], beginning: readonly Json[]): boolean {
  return beginning.every((item, place) => item === list[place]);
}
