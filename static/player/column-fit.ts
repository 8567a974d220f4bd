/**
 * A side column shows every panel in the height it has. Panels that the step is not about fold to their headings,
 * which state their facts, from below, until the rest fits. What the reader opened stays open until Escape.
 * Which ones is decided here, without a page; `column-folds.ts` carries it out.
 */

export const defaults = {
  /** px: a panel that would save less than this is not worth folding. */
  saves: 12,
};

export interface Fitted {
  tag: string;
  /** px, open and folded, with the margin under it. */
  open: number;
  folded: number;
  about: boolean;
  kept: boolean;
}

/**
 * The panels to fold so that all of them fit into `room` px, in the order of folding: first those that the step is
 * not about, from below. One that has room after all, because a later one made enough, stays open.
 */
export function toFold(panels: readonly Fitted[], room: number): string[] {
  let height = panels.reduce((sum, panel) => sum + panel.open, 0);
  const saves = (panel: Fitted): number => panel.open - panel.folded;
  const fromBelow = [...panels].reverse().filter((panel) => !panel.kept && saves(panel) >= defaults.saves);
  const chosen: Fitted[] = [];
  for (const panel of [...fromBelow.filter((one) => !one.about), ...fromBelow.filter((one) => one.about)]) {
    if (height <= room) break;
    chosen.push(panel);
    height -= saves(panel);
  }
  const kept = new Set<Fitted>();
  for (const panel of [...chosen].reverse()) {
    if (height + saves(panel) > room) continue;
    kept.add(panel);
    height += saves(panel);
  }
  return chosen.filter((panel) => !kept.has(panel)).map((panel) => panel.tag);
}
