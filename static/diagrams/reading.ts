/**
 * Records which values a panel reads of a frame while it draws. If a later frame has the same values, the panel need
 * not be drawn again.
 *
 * A panel does not declare on what it depends: the frame that it gets is a proxy, which records what is read. A
 * recorded value is one field of a view (`clients`), of a step (`actor`) or of its parameters. Views share unchanged
 * fields, so a field that is the same object did not change. A panel that needs little of a field that changes with
 * most steps reads it by `found`, and depends only on the result. A panel of many similar pieces uses `piece`, which
 * makes only those again whose inputs changed.
 */

import type { Frame } from "../player/frame.ts";

type Names = Set<PropertyKey>;
type Find<T> = (frame: Frame, last: T | undefined) => T;
/** Name of an object whose fields are recorded → the function that gets it from a frame. */
const PARTS = {
  view: (frame: Frame) => frame.view,
  previousView: (frame: Frame) => frame.previousView,
  step: (frame: Frame) => frame.step,
  params: (frame: Frame) => frame.step?.params ?? null,
};
type Part = keyof typeof PARTS;

/** The proxy of a frame that a panel gets → its `Reading`. */
const readings = new WeakMap<Frame, Reading>();

/**
 * The result of `find` for a frame, which must consist of plain values. The panel depends only on this result. `find`
 * gets the frame itself and `last`; it is called again for later frames, to see whether they give the same result, and
 * then gets its earlier result as `last`. It must not keep a frame. `name` tells the results of one panel apart.
 */
export function found<T>(frame: Frame, name: string, find: Find<T>, last?: T): T {
  const reading = readings.get(frame);
  return reading === undefined ? find(frame, last) : reading.find(name, find, last);
}

/** A piece of a drawing (`made`), its inputs besides the frame (`of`), and what was read of the frame to make it. */
interface Piece {
  of: readonly unknown[];
  reading: Reading;
  made: unknown;
}

/**
 * The result of `make` for a frame and the other inputs `of`. If the panel's drawing before had the same inputs and
 * read the same values of its frame, its result is used again, so a result must not be changed.
 */
export function piece<T>(frame: Frame, name: string, of: readonly unknown[], make: (frame: Frame) => T): T {
  const reading = readings.get(frame);
  return reading === undefined ? make(frame) : reading.piece(name, of, make);
}

export class Reading {
  /** The frame that the panel gets, which records what is read. */
  frame: Frame;
  #of: Frame;
  readonly #plain: Names = new Set();
  /** Part → the names of its fields that were read. `#whole`: parts whose names were listed; all their fields count. */
  readonly #parts = new Map<Part, Names>();
  readonly #whole = new Set<Part>();
  readonly #changed = new Set<string>();
  readonly #found = new Map<string, { find: Find<unknown>; value: unknown }>();
  readonly #pieces = new Map<string, Piece>();
  /** Name → piece, of the drawing before. */
  readonly #earlier: ReadonlyMap<string, Piece>;

  constructor(frame: Frame, before: Reading | null = null) {
    this.#of = frame;
    this.#earlier = before === null ? new Map() : before.#pieces;
    const changed = { has: (key: string) => frame.changed.has(this.#note(key)) };
    const params = this.#noting("params");
    const seen = { view: this.#noting("view"), previousView: this.#noting("previousView"), step: this.#noting("step", { params }) };
    this.frame = new Proxy(frame, {
      get: (of, name) => {
        if (name === "changed") return changed;
        if (name in seen) return this.#open(name as keyof typeof seen, seen);
        this.#plain.add(name);
        return Reflect.get(of, name);
      },
    });
    readings.set(this.frame, this);
  }

  /** The result of `find`, which is computed once for a frame. */
  find<T>(name: string, find: Find<T>, last: T | undefined): T {
    let known = this.#found.get(name);
    if (known === undefined) {
      known = { find: find as Find<unknown>, value: find(this.#of, last) };
      this.#found.set(name, known);
    }
    return known.value as T;
  }

  piece<T>(name: string, of: readonly unknown[], make: (frame: Frame) => T): T {
    const known = this.#earlier.get(name);
    if (known !== undefined && isOfSame(known.of, of) && known.reading.holdsFor(this.#of)) {
      known.reading.#goOn(this.#of);
      this.#pieces.set(name, known);
      return known.made as T;
    }
    const reading = new Reading(this.#of);
    const made = make(reading.frame);
    this.#pieces.set(name, { of, reading, made });
    return made;
  }

  /** Replaces the frame by a later one with the same values, so that the old one can be freed. */
  #goOn(frame: Frame): void {
    this.#of = this.frame = frame;
  }

  /** Whether a panel that draws this frame would read the same values again. */
  holdsFor(frame: Frame): boolean {
    const before = this.#of;
    if (frame === before) return true;
    if (frame.header !== before.header || frame.language !== before.language) return false;
    for (const name of this.#plain) if (Reflect.get(frame, name) !== Reflect.get(before, name)) return false;
    for (const [part, names] of this.#parts) if (!this.#isSame(part, names, PARTS[part](frame), PARTS[part](before))) return false;
    for (const key of this.#changed) if (frame.changed.has(key) !== before.changed.has(key)) return false;
    for (const { find, value } of this.#found.values()) if (!isAlike(find(frame, value), value)) return false;
    for (const { reading } of this.#pieces.values()) if (!reading.holdsFor(frame)) return false;
    return true;
  }

  #isSame(part: Part, names: Names, now: object | null, before: object | null): boolean {
    if (now === before) return true;
    if (now === null || before === null || this.#whole.has(part)) return false;
    for (const name of names) if (!isSameValue(Reflect.get(now, name), Reflect.get(before, name))) return false;
    return true;
  }

  #open<P extends Part>(part: P, seen: Partial<Record<Part, unknown>>): unknown {
    if (!this.#parts.has(part)) this.#parts.set(part, new Set());
    return seen[part];
  }

  #note(key: string): string {
    this.#changed.add(key);
    return key;
  }

  /** A proxy of a part that records what is read of it; `inner` has proxies of its own parts. */
  #noting(part: Part, inner: Partial<Record<Part, unknown>> = {}): unknown {
    const of: object | null = PARTS[part](this.#of);
    if (of === null) return null;
    const note = (name: PropertyKey): void => void this.#parts.get(part)?.add(name);
    return new Proxy(of, {
      get: (target, name) => {
        if (name in inner) return this.#open(name as Part, inner);
        note(name);
        return Reflect.get(target, name);
      },
      has: (target, name) => {
        note(name);
        return Reflect.has(target, name);
      },
      ownKeys: (target) => {
        this.#whole.add(part);
        return Reflect.ownKeys(target);
      },
    });
  }
}

/**
 * Whether two values are the same, or both are empty lists, because every step without notes has its own empty list.
 */
function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  return Array.isArray(one) && Array.isArray(other) && one.length === 0 && other.length === 0;
}

function isOfSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((item, place) => item === other[place]);
}

/** Whether two values are the same, or are objects or lists with alike values under the same keys. */
function isAlike(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length || Array.isArray(one) !== Array.isArray(other)) return false;
  return names.every((name) => Object.hasOwn(other, name) && isAlike(Reflect.get(one, name), Reflect.get(other, name)));
}
