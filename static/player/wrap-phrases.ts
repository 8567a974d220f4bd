/**
 * Divides a text into lines as a browser does. This is not in `phrases.ts`, because every page loads that file. Pure,
 * no DOM.
 */

import { wrap, wrapPieces } from "../diagrams/geometry.ts";
import { isChinese, phrasesOf } from "./phrases.ts";

/** The lines of a text in `width` px; Chinese breaks between phrases. */
export function wrapPhrases(text: string, width: number, size: number, bold = false): string[] {
  return isChinese(text) ? wrapPieces(phrasesOf(text), width, size, bold) : wrap(text, width, size, bold);
}
