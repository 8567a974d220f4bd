/**
 * Parts of the page whose code is loaded on demand, because most readers never need them. Their elements may be in the
 * page before that: they keep their properties, and are drawn once their code is loaded. `everywhere.ts` says from
 * which file most of these parts come. Each of these files imports the player, so that the bundler does not put the
 * code that they share with it in twice.
 */

import type { Company } from "./company.ts";
import type { FileSource } from "./file-source.ts";
import type { SideColumns } from "./side-columns.ts";

export class Part<Content = unknown> {
  #tell: (bring: () => Promise<Content>) => void = () => undefined;
  readonly #way = new Promise<() => Promise<Content>>((tell) => { this.#tell = tell; });
  #brought: Promise<Content> | null = null;
  #isHere = false;

  /** Sets the function that loads the part. A player may call `come` before this. */
  from(bring: () => Promise<Content>): void {
    this.#tell(bring);
  }

  /** Whether the part is loaded or being loaded. */
  get isWanted(): boolean {
    return this.#brought !== null;
  }

  get isHere(): boolean {
    return this.#isHere;
  }

  /**
   * Loads the part at the first call, and resolves to its content. Rejects if it cannot be loaded; the next call then
   * tries again, although some browsers remember the failure until the page is reloaded.
   */
  async come(): Promise<Content> {
    this.#brought ??= this.#way.then((bring) => bring());
    try {
      const content = await this.#brought;
      this.#isHere = true;
      return content;
    } catch (error) {
      this.#brought = null;
      throw error;
    }
  }
}

export const atHand = new Part();
export const besideStage = new Part<{ SideColumns: typeof SideColumns }>();
export const fromFile = new Part<{ FileSource: typeof FileSource }>();
export const nodesDrawn = new Part();
export const phonePlaced = new Part();
export const withOthers = new Part<{ Company: typeof Company }>();
export const withQuestions = new Part();
