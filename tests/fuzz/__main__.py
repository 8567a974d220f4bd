"""`python -m tests.fuzz --count 1000000`: so many inputs, distributed over all targets; exit code 1 if one caused a
fault.

`--only toml --first 17 --count 1` repeats a single input, as the report of a failure names it.
"""

from __future__ import annotations

import argparse
import os
import resource
import signal
import sys
import time

import django

MEMORY_BYTES_MAX = 1536 * 2**20
STRETCH = 200
REPORTED_EVERY = 20_000
SECONDS_OF_ONE_MAX = 5.0
"""The most processor time that one input may take, in seconds; the largest inputs have some kilobytes."""


def main() -> int:
    options = _options()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY_BYTES_MAX, MEMORY_BYTES_MAX))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "eosviz.settings.test")
    django.setup()
    from tests.fuzz.running import Found, run
    from tests.fuzz.targets import TARGETS

    names = options.only or list(TARGETS)
    whole = {name: Found() for name in names}
    spent = dict.fromkeys(names, 0.0)
    done, first = 0, options.first
    try:
        while done < options.count:
            for name in names:
                count = min(STRETCH, options.count - done)
                began = time.process_time()
                found = run(name, range(first, first + count))
                spent[name] += time.process_time() - began
                done += count
                whole[name].outcomes += found.outcomes
                whole[name].slowest = max(whole[name].slowest, found.slowest)
                for number, fault in found.faults.items():
                    if len(whole[name].faults) < options.faults:
                        print(f"FAULT --only {name} --first {number} --count 1\n{fault}", flush=True)
                    whole[name].faults[number] = fault
            first += STRETCH
            if done % REPORTED_EVERY < STRETCH * len(names):
                print(f"{done} inputs, {sum(spent.values()):.0f} s", flush=True)
    except KeyboardInterrupt:
        print("stopped", flush=True)
    slow = 0
    for name, found in whole.items():
        seconds, number = found.slowest
        slow += seconds > SECONDS_OF_ONE_MAX
        print(
            f"{name}: {found.outcomes.total() + len(found.faults)} in {spent[name]:.0f} s, {dict(found.outcomes)},"
            f" {len(found.faults)} faults, slowest {seconds:.2f} s (--first {number})",
            flush=True,
        )
    print(f"{done} inputs, {sum(len(found.faults) for found in whole.values())} faults, {slow} too slow")
    return int(slow > 0 or any(found.faults for found in whole.values()))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=1_000_000)
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--only", action="append", metavar="TARGET")
    parser.add_argument("--faults", type=int, default=5, help="faults of a target that are printed whole")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
