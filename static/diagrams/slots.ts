/**
 * Keys for lit's `repeat` over things that appear and disappear. A thing that stays keeps its key; a new thing takes
 * the key of one that disappeared.
 *
 * If the key were the thing's id, forty things in place of forty others would remove forty elements and make forty new
 * ones; while the reader drags the time slider, this is most of a panel's work. With these keys, the elements are used
 * again, and an element with the focus keeps its thing as long as the thing is on show.
 */

export class Slots<Id> {
  #keys = new Map<Id, number>();

  /** The key of each id, in the order of `ids`. */
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
