/**
 * Parts of the page that come when they are wanted, as most readers of a page never want them. Their elements may stand
 * in the page before: they keep what they were given, and draw it once they are there.
 */

let fetched: Promise<unknown> | null = null;

/** `beside-stage.ts`. Where it could not be had it rejects, and is asked for anew the next time. */
export async function besideStage(): Promise<void> {
  fetched ??= import("./beside-stage.ts");
  try {
    await fetched;
  } catch (error) {
    fetched = null;
    throw error;
  }
}
