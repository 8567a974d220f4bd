"""``make search``: play random worlds until they have made so many steps, print a line now and then, and a table at
the end.

The exit code is 1 if a violated property was found, or if an event that must happen sometimes never happened. Every
find is written below the folder, as it was and shrunk, with the command that plays it again. ``--again FOLDER`` plays
a find again with all checks.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from engine.profiles import PROFILES
from tests.engine.search.again import Shrinking, differences, found_again
from tests.engine.search.hunt import Found, Hunt
from tests.engine.search.sometimes import RARE_FROM_STEPS, SOMETIMES
from tests.engine.search.worlds import ANY, Version, world

WORLDS = 100
"""How many worlds one process plays before it returns its results."""
FOUND_MAX = 20
"""The search stops after so many finds, because they probably have one cause."""
RECORDED_EVERY = 3
"""Every third world is recorded: its views are compared with the steps, and its sentences are checked. Kinds of
worlds alternate in tens, so all kinds are recorded.
"""
AGAIN_EVERY = 7
"""Every seventh world is played again and compared."""


@dataclass(slots=True)
class Portion:
    """The results of some worlds."""

    steps: int = 0
    worlds: int = 0
    said: Counter[str] = field(default_factory=Counter)
    done: Counter[str] = field(default_factory=Counter)
    ended: Counter[str] = field(default_factory=Counter)
    excused: Counter[str] = field(default_factory=Counter)
    finds: list[str] = field(default_factory=list)

    def add(self, other: Portion) -> None:
        self.steps += other.steps
        self.worlds += other.worlds
        for name in ("said", "done", "ended", "excused"):
            getattr(self, name).update(getattr(other, name))
        self.finds += other.finds

    def never(self) -> list[str]:
        """Return the events that have not happened, although they should have in so many steps."""
        enough = self.steps >= RARE_FROM_STEPS
        asked = [row for row in SOMETIMES if enough or not row.rare]
        return [row.what for row in asked if not any(self.said[key] for key in row.keys)]

    def lines(self) -> list[str]:
        """Return lines with how often each event happened that must happen sometimes, and which actions were carried
        out to cause it.
        """
        rows = [(sum(self.said[key] for key in row.keys), row.what) for row in SOMETIMES]
        lines = [f"{count:>12,}  {what}" for count, what in rows]
        for title, counts in (("done", self.done), ("ended", self.ended), ("excused", self.excused)):
            listed = ", ".join(f"{name} {count:,}" for name, count in sorted(counts.items()))
            lines.append(f"{title}: {listed or 'nothing'}")
        return lines


def hunted(seed: int, folder: Path, portion: Portion, version: Version = ANY, *, shrink: bool = True) -> None:
    """Play the world of one seed, and add its results to the portion."""
    document, generator = world(seed, version)
    recorded = seed % RECORDED_EVERY == RECORDED_EVERY - 1
    hunt = Hunt(document, folder / str(seed), watching="recorded" if recorded else "judged")
    try:
        hunt.run(generator)
        if seed % AGAIN_EVERY == AGAIN_EVERY - 1:
            for what in differences(hunt):
                raise hunt.found("again", what)
    except Found as found:
        portion.finds.append(f"seed {seed}: {found}")
        if shrink and found.name not in ("again", "folded"):
            smaller = folder / f"{seed}-shrunk"
            smaller.mkdir(parents=True, exist_ok=True)
            portion.finds.append(f"seed {seed}, shrunk: {Shrinking(found, hunt, smaller).shrink()}")
    portion.steps += hunt.simulation.number
    portion.worlds += 1
    portion.said += hunt.said
    portion.done += hunt.done
    portion.ended[str(hunt.simulation.finished)] += 1
    portion.excused += hunt.excused


def portion_of(first: int, folder: Path, version: Version) -> Portion:
    portion = Portion()
    for seed in range(first, first + WORLDS):
        hunted(seed, folder, portion, version)
    return portion


def search(wanted: int, first: int, folder: Path, processes: int, version: Version) -> int:
    """Play portions of worlds on all cores. Their results are taken in the order of their seeds, so that a search can
    be repeated.
    """
    whole, printed = Portion(), 0
    with ProcessPoolExecutor(processes) as pool:
        waiting: list[Future[Portion]] = []
        while whole.steps < wanted and len(whole.finds) < FOUND_MAX:
            while len(waiting) < 2 * processes:
                waiting.append(pool.submit(portion_of, first, folder, version))
                first += WORLDS
            portion = waiting.pop(0).result()
            whole.add(portion)
            for text in portion.finds:
                print(text, flush=True)
            if whole.steps * 50 // wanted > printed:
                printed = whole.steps * 50 // wanted
                print(
                    f"{whole.steps:,} of {wanted:,} steps, {whole.worlds:,} worlds, "
                    f"{len(whole.finds)} found, next seed {first - len(waiting) * WORLDS}",
                    flush=True,
                )
        pool.shutdown(cancel_futures=True)
    for line in whole.lines():
        print(line)
    never = whole.never() if version == ANY else []
    print(
        f"search: {whole.steps:,} steps in {whole.worlds:,} worlds, {len(whole.finds)} found, "
        f"never happened: {', '.join(never) or 'nothing'}"
    )
    return 1 if whole.finds or never else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.engine.search", description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first world")
    parser.add_argument("--folder", type=Path, default=Path("var/search"), help="where finds are written")
    parser.add_argument("--processes", type=int, default=os.cpu_count() or 1)
    parser.add_argument(
        "--profile", choices=sorted(PROFILES), help="of all clusters; else each draws its own"
    )
    parser.add_argument("--level", type=int, help="of the clusters' transaction.version, with --profile")
    parser.add_argument("--again", type=Path, metavar="FOLDER", help="play what was found there again")
    options = parser.parse_args()
    if options.again is not None:
        found = found_again(options.again)
        print(found or "everything holds")
        return 1 if found else 0
    version = Version(options.profile, options.level)
    if version.level is not None:
        highest = 0 if version.profile is None else PROFILES[version.profile].transaction_version
        if not 0 <= version.level <= highest:
            parser.error(f"--level: {version.profile or 'without --profile'} has levels 0 to {highest}")
    return search(options.steps, options.seed, options.folder, options.processes, version)


if __name__ == "__main__":
    sys.exit(main())
