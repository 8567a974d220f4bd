"""`python -m benchmarks [NAME…|all-long]` runs the named benchmarks one after the other; without a name, all that are
not long. A benchmark that fails does not stop the others; the exit code is then 1.
"""

import os
import sys
import traceback
from collections.abc import Callable, Mapping

from benchmarks import (
    click_steps,
    click_to_frame,
    decode,
    engine_speed,
    followers,
    kafka_logs,
    lighthouse,
    logs_cold,
    long_cases,
    long_logs,
    long_session,
    long_sweeps,
    longest_scenario,
    memory_sessions,
    own_parts,
    page_weight,
    recovery,
    replays,
    school,
    stage_frames,
    sweeps,
    transactions,
)
from benchmarks.report import remark

BENCHMARKS: Mapping[str, Callable[[], None]] = {
    "engine": engine_speed.main,
    "transactions": transactions.main,
    "memory": longest_scenario.main,
    "memory-sessions": memory_sessions.main,
    "decode": decode.main,
    "logs": kafka_logs.main,
    "logs-cold": logs_cold.main,
    "long-cases": long_cases.main,
    "replays": replays.main,
    "sweep": sweeps.main,
    "sweep-cluster": sweeps.on_cluster,
    "click": click_to_frame.main,
    "click-steps": click_steps.main,
    "followers": followers.main,
    "school": school.main,
    "stage": stage_frames.main,
    "long": long_session.main,
    "recovery": recovery.main,
    "page": page_weight.main,
    "lighthouse": lighthouse.main,
}

LONG: Mapping[str, Callable[[], None]] = {
    "long-logs": long_logs.main,
    "long-sweep": long_sweeps.main,
    "long-recovery": recovery.long,
    "own-parts": own_parts.main,
    "lighthouse-people": lighthouse.people,
}
"""Benchmarks that take minutes each: they run only by their name, or all of them with `all-long`."""

ONCE: Mapping[str, Callable[[], None]] = {
    "million-sweep": long_sweeps.million,
}
"""Benchmarks that take hours: they run only by their name, and continue at the next call if they were stopped."""


def main(names: list[str]) -> int:
    every = {**BENCHMARKS, **LONG, **ONCE}
    unknown = [name for name in names if name not in (*every, "all-long")]
    if unknown:
        remark(f"no benchmark is called {', '.join(unknown)}: there are {', '.join(every)} and all-long")
        return 2
    failed = []
    for name in [*LONG] if "all-long" in names else names or [*BENCHMARKS]:
        remark(f"== {name}, at load {os.getloadavg()[0]:.1f}")
        try:
            every[name]()
        except (Exception, SystemExit):
            remark(traceback.format_exc().rstrip())
            failed.append(name)
    if failed:
        remark(f"these benchmarks failed: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
