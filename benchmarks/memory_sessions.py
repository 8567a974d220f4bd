"""Benchmark `memory-sessions`: how much memory a worker needs to hold a thousand live sessions, and whether it really
holds them.

The sessions run those library scenarios that have more than 60 steps. Each is brought to step 60; then all of them
are clicked in turn, as their pages would do it: through the queue to a real worker, which also makes the next step
ahead. A click on a session that the worker holds costs one engine step; if the worker has dropped the session, the
click costs the whole run again.

`python -m benchmarks.memory_sessions store COUNT` and `… step NEWEST` work on the data folder of a running site.
"""

import os
import sys
import tempfile
import time
import uuid
from pathlib import Path

from benchmarks.click_steps import STEPS_MAX
from benchmarks.processes import memory_megabytes, peak_megabytes, processor_seconds
from benchmarks.report import print_figure, remark
from tests.clicks_of_workers import Clicks, Workers
from tests.running_site import RunningSite, site_of_its_own

SESSIONS = 1_000
STEPS = 60
CLICKS = 3
"""How often each session is clicked after all of them were brought to step 60."""
MEGABYTES_GOAL = 1_000
SECONDS_MAX = 600.0
AWAY = "page.away"
"""The channel name of a page that reads no messages."""


def main(sessions: int = SESSIONS) -> None:
    workers = Workers(1)
    with (
        tempfile.TemporaryDirectory() as name,
        site_of_its_own(Path(name), **workers.environment, EOSVIZ_QUOTAS=f"sessions={sessions}") as site,
    ):
        workers.wait_until_shared()
        worker = site.pid("worker")
        empty = memory_megabytes(worker, "Rss")
        _run(site, "store", sessions)
        _run(site, "step", STEPS)
        before, spent = workers.clicks(), processor_seconds([worker])
        for click in range(1, CLICKS + 1):
            _run(site, "step", STEPS + click)
        clicks = workers.since(before)["worker"]
        spent = processor_seconds([worker]) - spent
        held = memory_megabytes(worker, "Rss")
        most = max(held, peak_megabytes(worker))
    print_figure("memory_sessions", sessions, "sessions")
    print_figure("memory_sessions_worker", most, "MB", MEGABYTES_GOAL)
    print_figure("memory_sessions_worker_empty", empty, "MB")
    print_figure("memory_sessions_each", 1000 * (held - empty) / sessions, "kB")
    print_figure("memory_sessions_click_processor", 1000 * spent / clicks.count, "ms")
    _report_steps(clicks)


def _report_steps(clicks: Clicks) -> None:
    remark(f"{clicks.count} clicks, {clicks.engine_steps} engine steps")
    print_figure("memory_sessions_click_engine_steps_p99", clicks.percentile(0.99), "steps", STEPS_MAX)
    print_figure("memory_sessions_click_engine_steps_mean", clicks.engine_steps / clicks.count, "steps")


def _run(site: RunningSite, what: str, number: int) -> None:
    if site.start("-m", "benchmarks.memory_sessions", what, str(number)).wait(SECONDS_MAX):
        raise SystemExit(f"sessions could not be brought there: {what} {number}")


def store(count: int) -> None:
    """Store ``count`` sessions that have not made a step."""
    from engine.scenario.document import load
    from engine.simulation import Simulation
    from eosviz.scenarios.models import ScenarioVersion
    from eosviz.walkthroughs import actions

    def is_long(version: ScenarioVersion) -> bool:
        if "expect_refused" in version.document:
            return False
        return (
            Simulation(load(version.document), watching="bare").run(steps=STEPS + CLICKS + 2) > STEPS + CLICKS
        )

    versions = [version for version in ScenarioVersion.objects.library() if is_long(version)]
    for number in range(count):
        actions.create_session("benchmark", versions[number % len(versions)])


def step(newest: int) -> None:
    """Ask a worker to bring every session to step ``newest``, as its page would, and wait until all have reached it."""
    import msgspec

    from eosviz.walkthroughs.messages import Advance
    from eosviz.walkthroughs.models import Branch
    from eosviz.walkthroughs.tasks import carry_out

    for branch in Branch.objects.all():
        command = Advance(
            v=1,
            id=uuid.uuid4(),
            branch=str(branch.id),
            after=branch.newest,
            count=newest - branch.newest,
            ahead=True,
        )
        carry_out.delay(str(branch.session_id), msgspec.json.encode(command).decode(), None, AWAY)
    deadline = time.monotonic() + SECONDS_MAX
    while Branch.objects.exclude(newest=newest).exists():
        if time.monotonic() > deadline:
            raise SystemExit("the worker did not carry out every command")
        time.sleep(0.1)


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "eosviz.settings.development")
    django.setup()
    {"store": store, "step": step}[sys.argv[1]](int(sys.argv[2]))
