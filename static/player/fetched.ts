/**
 * Parts of the page that come when they are wanted, as most readers of a page never want them. Their elements may stand
 * in the page before: they keep what they were given, and draw it once they are there. `offline.ts` says where they
 * come from: each of them imports the player, so that the bundler keeps what they share with it in one file.
 */

export class Part {
  #tell: (bring: () => Promise<unknown>) => void = () => undefined;
  readonly #way = new Promise<() => Promise<unknown>>((tell) => { this.#tell = tell; });
  #brought: Promise<unknown> | null = null;
  #isHere = false;

  /** Says how it comes. A player that stands in the page may want it before. */
  from(bring: () => Promise<unknown>): void {
    this.#tell(bring);
  }

  /** Whether it is there or under way. */
  get isWanted(): boolean {
    return this.#brought !== null;
  }

  get isHere(): boolean {
    return this.#isHere;
  }

  /** Once it is there it stays. Where it could not be had it rejects, and is asked for anew the next time. */
  async come(): Promise<void> {
    this.#brought ??= this.#way.then((bring) => bring());
    try {
      await this.#brought;
      this.#isHere = true;
    } catch (error) {
      this.#brought = null;
      throw error;
    }
  }
}

export const atHand = new Part();
export const besideStage = new Part();
export const nodesDrawn = new Part();
export const withOthers = new Part();
export const withQuestions = new Part();
