"""How many engine steps a click costs, with one, two and four workers. 50 sessions step once a second each, and the
workers' own metrics say how many engine steps each click took. These are counts, so they do not depend on other load
of the machine.

The floor is one engine step for a click: the step itself. In the last measurement, one of the workers is killed every
few seconds.
"""

import tempfile
import time
from pathlib import Path

from benchmarks.click_to_frame import steppers
from benchmarks.report import print_figure, remark
from tests.clicks_of_workers import Clicks, Workers
from tests.running_site import RunningSite

SESSIONS = 50
SECONDS = 30
STEPS_MAX = 2
KILLS = 4


def main() -> None:
    for count in (1, 2, 4):
        report_clicks(f"click_engine_steps_{count}_workers", measured(count))
    report_clicks("click_engine_steps_2_workers_killed", measured(2, KILLS), has_goal=False)


def report_clicks(name: str, clicks: Clicks, *, has_goal: bool = True) -> None:
    print_figure(f"{name}_p99", clicks.percentile(0.99), "steps", STEPS_MAX if has_goal else None)
    print_figure(f"{name}_mean", clicks.engine_steps / clicks.count, "steps")


def measured(count: int, kills: int = 0) -> Clicks:
    """Return the clicks of all workers together. A killed worker loses its metrics, so they are read just before each
    kill.
    """
    workers = Workers(count)
    lost = Clicks()
    with tempfile.TemporaryDirectory() as name:
        site = RunningSite(Path(name), **workers.environment)
        try:
            address = site.wait_until_ready().address
            workers.wait_until_shared()
            with steppers("product", address, SESSIONS):
                before = sum(workers.clicks().values(), Clicks())
                for number in range(kills):
                    time.sleep(SECONDS / (kills + 1))
                    killed = workers.names[number % count]
                    lost += workers.clicks()[killed]
                    site.kill(killed)
                time.sleep(SECONDS / (kills + 1))
                clicks = sum(workers.clicks().values(), lost) - before
        finally:
            site.stop()
    remark(f"{count} workers: {clicks.count} clicks, {clicks.engine_steps} engine steps")
    return clicks


if __name__ == "__main__":
    main()
