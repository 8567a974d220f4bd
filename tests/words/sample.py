"""Draws texts at random, to be rated: `python -m tests.words.sample LANGUAGE SEED [--count N] [--of PATTERN]`.

The same seed draws the same texts from the same catalogues. LANGUAGE is `en` or `zh-Hans`. Each text is printed with
its file, its key, and the text of the same key in the other language, which shows what it must mean.
"""

from __future__ import annotations

import argparse
import re
from random import Random

from tests.words.table import CHINESE, ENGLISH, Said, texts


def drawn(language: str, seed: int, count: int, pattern: str = "") -> list[tuple[Said, str]]:
    """Return `count` texts of a language, each with the same text in the other language. `pattern`: only texts of
    files whose path it matches.
    """
    everything = [said for said in texts() if re.search(pattern, said.file)]
    own = [said for said in everything if said.language == language]
    others = [said.text for said in everything if said.language != language]
    return Random(seed).sample(list(zip(own, others, strict=True)), min(count, len(own)))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("language", choices=(ENGLISH, CHINESE))
    parser.add_argument("seed", type=int)
    parser.add_argument("--count", type=int, default=150)
    parser.add_argument("--of", default="", help="a pattern that the file's path has to match")
    given = parser.parse_args()
    chosen = drawn(given.language, given.seed, given.count, given.of)
    for number, (said, counterpart) in enumerate(chosen, start=1):
        print(f"{number}. {said.file} {said.key}\n   {said.text}\n   [{counterpart}]\n")


if __name__ == "__main__":
    main()
