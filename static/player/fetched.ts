/**
 * Parts of the page that come when they are wanted, as most readers of a page never want them. Their elements may stand
 * in the page before: they keep what they were given, and draw it once they are there. `offline.ts` says where they
 * come from: each of them imports the player, so that the bundler keeps what they share with it in one file.
 */

export class Part {
  /** How it comes. */
  bring: () => Promise<unknown> = () => Promise.reject(new Error("This page has no such part."));
  #brought: Promise<unknown> | null = null;
  #isHere = false;

  /** Whether it is there or under way. */
  get isWanted(): boolean {
    return this.#brought !== null;
  }

  get isHere(): boolean {
    return this.#isHere;
  }

  /** Once it is there it stays. Where it could not be had it rejects, and is asked for anew the next time. */
  async come(): Promise<void> {
    this.#brought ??= this.bring();
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
