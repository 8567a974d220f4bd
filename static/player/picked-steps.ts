/** Converts the steps for the handout between the text that the reader types, `3, 12–14`, and numbers. Pure. */

/** The step numbers in a text, ascending, each once. Parts that are no number from 1 to `newest` are left out. */
export function readSteps(text: string, newest: number): number[] {
  const found = new Set<number>();
  for (const part of text.split(/[^\d–-]+/)) {
    const [, first, last] = /^(\d+)(?:[–-](\d+))?$/.exec(part) ?? [];
    if (first === undefined) continue;
    const until = Math.min(Number(last ?? first), newest);
    for (let number = Number(first); number <= until; number += 1) found.add(number);
  }
  return [...found].sort((one, other) => one - other);
}

/** The text for these numbers, with consecutive ones as a range: `3, 12–14`. */
export function writeSteps(numbers: readonly number[]): string {
  const ranges: [number, number][] = [];
  for (const number of numbers) {
    const last = ranges[ranges.length - 1];
    if (last !== undefined && last[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  return ranges.map(([first, last]) => (first === last ? String(first) : `${first}–${last}`)).join(", ");
}
