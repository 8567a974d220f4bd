/**
 * The side columns of a player on the page: when their panels are fitted, and which of them the reader keeps open.
 *
 * How panels fold so that all fit is `column-folds.ts`; here is what reads and observes the page for it.
 */

import type { LitElement } from "lit";
import { ColumnFolds, FitTimes, contentsOf } from "./column-folds.ts";
import type { Wanted } from "./column-folds.ts";

export class SideColumns {
  readonly #player: HTMLElement;
  readonly #wanted: () => Omit<Wanted, "kept">;
  readonly #isHeld: () => boolean;
  /** Panels that the reader opened, which therefore do not fold. */
  readonly #kept = new Set<string>();
  readonly #folds = new ColumnFolds();
  readonly #fitting = new FitTimes(
    () => this.#each((column, wanted) => this.#folds.fit(column, wanted)),
    () => this.#each((column, wanted) => this.#folds.fitAnew(column, wanted)),
    () => this.#isHeld(),
  );
  /** A panel may grow without a frame: the reader opens what is in it, or the window changes. */
  readonly #resized = new ResizeObserver((entries) => {
    const sizes = entries.map(({ target, borderBoxSize: [box] }) => ({ target, height: box?.blockSize ?? 0 }));
    if (!this.#folds.knows(sizes)) requestAnimationFrame(() => this.#fitting.resized());
  });
  readonly #observed = new WeakSet<Element>();
  #found: { in: Element | null; columns: readonly HTMLElement[] } = { in: null, columns: [] };

  /** `isHeld`: whether the reader drags through the run. */
  constructor(player: HTMLElement, wanted: () => Omit<Wanted, "kept">, isHeld: () => boolean) {
    this.#player = player;
    this.#wanted = wanted;
    this.#isHeld = isHeld;
  }

  /** Once the panels have drawn what the player handed them. */
  async drawn(): Promise<void> {
    const panels = this.#columns().flatMap((column) => contentsOf(column)) as LitElement[];
    await Promise.resolve(); // They draw in the turn after the player's; few are waited for beyond it.
    await Promise.all(panels.filter((panel) => panel.isUpdatePending).map((panel) => panel.updateComplete));
    this.#fitting.frame();
    for (const panel of panels) {
      if (this.#observed.has(panel)) continue; // Observing it again would report its size again.
      this.#observed.add(panel);
      this.#resized.observe(panel);
    }
  }

  keepOpen(tag: string): void {
    this.#kept.add(tag);
    this.#fit();
    this.#player.querySelector<HTMLElement>(`#panel-${tag}`)?.focus();
  }

  /** Panels fold again as they have to. */
  release(): void {
    this.#kept.clear();
    this.#fit();
  }

  stop(): void {
    this.#resized.disconnect();
    this.#fitting.stop();
  }

  #fit(): void {
    this.#each((column, wanted) => this.#folds.fit(column, wanted));
  }

  #each(act: (column: HTMLElement, wanted: Wanted) => void): void {
    const wanted = { ...this.#wanted(), kept: this.#kept };
    for (const column of this.#columns()) act(column, wanted);
  }

  /** Looked for once in what the player drew: they stay as long as it does, and every step asks for them. */
  #columns(): readonly HTMLElement[] {
    const drawn = this.#player.firstElementChild;
    if (drawn !== this.#found.in) this.#found = { in: drawn, columns: [...(drawn?.querySelectorAll<HTMLElement>(":scope > :is(.left, .right)") ?? [])] };
    return this.#found.columns;
  }
}
