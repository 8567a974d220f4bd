/**
 * Parts of the page that are loaded on demand, because most readers never need them. Their elements may be in the page
 * before that: they keep their properties and draw once their code is loaded. `everywhere.ts` says where most of these
 * parts are: each of them imports the player, so that the bundler puts the code that they share with it in one file.
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
   * Loads the part, once. If it cannot be loaded, this rejects, and the next call tries again; some browsers then fail
   * without a request until the page is reloaded.
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
