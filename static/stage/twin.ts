/**
 * Makes the text of the stage: a sentence with name and content for each thing, from the same objects as the picture.
 */

import type { Places, StageObject } from "./contract.ts";
import { say } from "../player/text.ts";

/**
 * The most sentences about a picture, so that a long log does not fill a page. If there are more, a last sentence says
 * how many are left out.
 */
const MOST = 120;

export function twinOf(objects: readonly StageObject[], here: Places): string[] {
  const said = objects.map(({ label }) => label).filter((label) => label !== "");
  const shown = said.slice(0, MOST);
  const rest = awayText(here);
  return [...shown, ...(said.length > MOST ? [say("stage.twin_more", { count: said.length - MOST })] : []), ...(rest === null ? [] : [rest])];
}

export function awayText({ away, upright }: Places): string | null {
  if (!upright) return null;
  const names = [...away.clients, ...away.brokers, ...away.lanes];
  return names.length === 0 ? null : say("stage.not_here", { names });
}
