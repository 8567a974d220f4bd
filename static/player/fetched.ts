/**
 * Parts of the page that come when they are wanted, as most readers of a page never want them. Their elements may stand
 * in the page before: they keep what they were given, and draw it once they are there.
 */

/** Once it is there it stays. Where it could not be had it rejects, and is asked for anew the next time. */
function part(bring: () => Promise<unknown>): () => Promise<void> {
  let brought: Promise<unknown> | null = null;
  return async () => {
    brought ??= bring();
    try {
      await brought;
    } catch (error) {
      brought = null;
      throw error;
    }
  };
}

export const besideStage = part(() => import("./beside-stage.ts"));
export const withOthers = part(() => import("./with-others.ts"));
