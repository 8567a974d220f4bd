"""``make search``: random worlds until so many steps are made, with a line now and then and one at the end.

Exit code 1 when something was found; every find is written below the folder and names its command.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from random import Random

from tests.engine.search.hunt import ABORT_HIDDEN, SOMETIMES, SOMETIMES_OVER_MIDDLEWARE, Found, Hunt
from tests.engine.search.worlds import kafka, middleware

WORLDS = 100
"""Of one portion of work."""
FOUND_MAX = 20
"""Finds after which it stops: they are likely one."""
EXPECTED = {**SOMETIMES, **SOMETIMES_OVER_MIDDLEWARE, ABORT_HIDDEN: ABORT_HIDDEN}


def portion(first: int, folder: Path) -> tuple[int, Counter[str], list[str]]:
    """(steps, sentences by key, finds) of the worlds of these seeds, one middleware among five."""
    steps, said, finds = 0, Counter[str](), []
    for seed in range(first, first + WORLDS):
        generator = Random(seed)
        hunt = Hunt((middleware if seed % 5 == 4 else kafka)(generator), folder / str(seed))
        try:
            hunt.run(generator)
        except Found as found:
            finds.append(f"seed {seed}: {found}")
        steps += hunt.simulation.number
        said += hunt.said
    return steps, said, finds


def search(wanted: int, first: int, folder: Path) -> int:
    """Portions on all cores, taken up in the order of their seeds, so that a search can be repeated."""
    cores = os.cpu_count() or 1
    steps, said, finds, told = 0, Counter[str](), list[str](), 0
    with ProcessPoolExecutor(cores) as pool:
        waiting: list[Future[tuple[int, Counter[str], list[str]]]] = []
        while steps < wanted and len(finds) < FOUND_MAX:
            while len(waiting) < 2 * cores:
                waiting.append(pool.submit(portion, first, folder))
                first += WORLDS
            made, spoken, found = waiting.pop(0).result()
            steps += made
            said += spoken
            finds += found
            for text in found:
                print(text, flush=True)
            if steps * 20 // wanted > told:
                told = steps * 20 // wanted
                print(f"{steps:,} of {wanted:,} steps, {len(finds)} found", flush=True)
        pool.shutdown(cancel_futures=True)
    for what, key in EXPECTED.items():
        print(f"{said[key]:>12,}  {what}")
    never = [what for what, key in EXPECTED.items() if not said[key]]
    print(f"search: {steps:,} steps, {len(finds)} found, never happened: {', '.join(never) or 'nothing'}")
    return 1 if finds or never else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.engine.search", description=__doc__)
    parser.add_argument("--steps", type=int, default=10_000_000)
    parser.add_argument("--seed", type=int, default=0, help="of the first world")
    parser.add_argument("--folder", type=Path, default=Path("var/search"), help="where finds are written")
    options = parser.parse_args()
    return search(options.steps, options.seed, options.folder)


if __name__ == "__main__":
    sys.exit(main())
