/**
 * Keys for things that appear and disappear: a thing that stays keeps its key, a new one takes the key of one that
 * disappeared.
 *
 * With keys by identity, replacing forty things by forty others removes forty elements and makes forty; in a drag, this
 * is most of a panel's work. With these keys, elements are used again, and an element with the focus stays with its
 * thing as long as the thing is on show.
 */

export class Slots<Id> {
  #keys = new Map<Id, number>();

  /** One key for each id, in order. */
  keysFor(ids: readonly Id[]): number[] {
    const staying = new Map<Id, number>();
    for (const id of ids) {
      const key = this.#keys.get(id);
      if (key !== undefined) staying.set(id, key);
    }
    const taken = new Set(staying.values());
    const free = [...this.#keys.values()].filter((key) => !taken.has(key)).values();
    const known = new Set(this.#keys.values());
    let next = 0;
    const made = (): number => {
      while (known.has(next)) next += 1;
      return next++;
    };
    const keys = new Map<Id, number>();
    for (const id of ids) keys.set(id, staying.get(id) ?? free.next().value ?? made());
    this.#keys = keys;
    return ids.map((id) => keys.get(id) as number);
  }
}
