"""Benchmark `recovery`: how soon pages step again after a `kill -9`, with fifty sessions on one machine and a kill
every 13 s.

Redis, the worker or the web process is killed, each equally often, in an order that a seed decides; pages may still
be recovering from an earlier kill. For each kill and each page, the time runs from the kill (or from the page's next
command, if it was sent later) to the command's `done`. For comparison, the time that a bare uvicorn and a bare Celery
need from the kill to the first answer is measured.
"""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benchmarks.floor.bare import bare_celery_seconds, bare_uvicorn_seconds
from benchmarks.paging import Paging
from benchmarks.processes import memory_megabytes, peak_megabytes
from benchmarks.report import percentile, print_figure, remark
from eosviz.launch.places import ROOT, environment_python
from tests.running_site import RunningSite

SESSIONS = 50
SERVICES = ("redis", "worker", "web")
SECONDS_BETWEEN_KILLS = 13.0
KILLS = 12
KILLS_LONG = 45
SEED = 7
BARE_ROUNDS = 5
P50_SECONDS_GOAL = 2.0
P99_SECONDS_GOAL = 5.0
MEGABYTES_GOAL = 512.0
RECOVERY_SECONDS_MAX = 60.0
"""How long every page may take, after the last kill, to step again."""


@dataclass(frozen=True)
class Kill:
    service: str
    at: float
    """The time of the kill, in seconds of the monotonic clock."""


class Memory:
    """The most memory that each service was seen to hold, in megabytes."""

    def __init__(self) -> None:
        self.resident: dict[str, float] = {}
        self.shared_out: dict[str, float] = {}
        """Service → megabytes, where a page of memory that several processes share counts as a fraction for each
        (`Pss`).
        """

    def look(self, processes: Mapping[str, int]) -> None:
        for service, process in processes.items():
            resident = max(memory_megabytes(process, "Rss"), peak_megabytes(process))
            self._note(self.resident, service, resident)
            self._note(self.shared_out, service, memory_megabytes(process, "Pss"))

    @staticmethod
    def _note(most: dict[str, float], service: str, megabytes: float) -> None:
        most[service] = max(most.get(service, 0.0), megabytes)


def main() -> None:
    measure(KILLS)


def long() -> None:
    measure(KILLS_LONG)


def measure(kills: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        site = RunningSite(data, EOSVIZ_QUOTAS=f"sessions={SESSIONS}")
        try:
            site.wait_until_ready()
            with beat(data) as beat_process:
                made, pages, memory = asyncio.run(step_and_kill(site, kills, beat_process))
            faults = [fault for page in pages for fault in page.check()]
        finally:
            site.stop()
        report_all(made, pages, memory, faults)
        (Path(folder) / "bare").mkdir()
        report_bare("uvicorn", bare_uvicorn_seconds(Path(folder) / "bare", BARE_ROUNDS))
        report_bare("celery", bare_celery_seconds(Path(folder) / "bare", BARE_ROUNDS))


async def step_and_kill(
    site: RunningSite, kills: int, beat_process: int
) -> tuple[list[Kill], list[Paging], Memory]:
    """Let all pages step, and kill services `kills` times in all, each service equally often. Returns the kills, the
    pages and the services' memory.
    """
    chance = random.Random(SEED)
    memory = Memory()
    pages = [Paging(site.address, random.Random(chance.random())) for _ in range(SESSIONS)]
    stepping = [asyncio.create_task(page.run()) for page in pages]
    await until(lambda: all(page.answered for page in pages), "every page has stepped")
    services = [*SERVICES] * (kills // len(SERVICES))
    chance.shuffle(services)
    made: list[Kill] = []
    for service in services:
        await asyncio.sleep(SECONDS_BETWEEN_KILLS)
        memory.look({**processes_of(site), "beat": beat_process})
        process = await running(site, service)
        if made:
            report_kill(made[-1], pages)
        made.append(Kill(service, time.monotonic()))
        os.kill(process, signal.SIGKILL)
    last = made[-1].at
    await until(
        lambda: all(page.answered and page.answered[-1].sent > last for page in pages), "every page is back"
    )
    report_kill(made[-1], pages)
    memory.look({**processes_of(site), "beat": beat_process})
    for page in pages:
        page.stop()
    await asyncio.gather(*stepping)
    return made, pages, memory


async def until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + RECOVERY_SECONDS_MAX
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"waited {RECOVERY_SECONDS_MAX:g} s in vain until {what}")
        await asyncio.sleep(0.05)


async def running(site: RunningSite, service: str) -> int:
    """Wait until the service runs, and return its process id."""
    await until(lambda: service in site.state.children, f"{service} runs")
    return site.state.children[service].pid


def processes_of(site: RunningSite) -> dict[str, int]:
    return {name: child.pid for name, child in site.state.children.items()}


def waits(kill: Kill, pages: list[Paging]) -> list[float]:
    """Return, for each page that got a `done` after the kill, the seconds until its first one."""
    found = (next((one for one in page.answered if one.done > kill.at), None) for page in pages)
    return [one.done - max(kill.at, one.sent) for one in found if one is not None]


def report_kill(kill: Kill, pages: list[Paging]) -> None:
    seconds = waits(kill, pages)
    remark(
        f"{kill.service} killed: {len(seconds)} of {len(pages)} pages stepped again;"
        f" p50 {percentile(seconds, 0.5):.2f} s, max {max(seconds):.2f} s"
    )


def report_all(made: list[Kill], pages: list[Paging], memory: Memory, faults: list[str]) -> None:
    every = {service: [kill for kill in made if kill.service == service] for service in SERVICES}
    for name, kills in {**every, "all": made}.items():
        seconds = [second for kill in kills for second in waits(kill, pages)]
        print_figure(f"recovery_{name}_kills", len(kills), "kills")
        if not seconds:
            continue
        print_figure(f"recovery_{name}_p50", percentile(seconds, 0.50), "s", P50_SECONDS_GOAL)
        print_figure(f"recovery_{name}_p99", percentile(seconds, 0.99), "s", P99_SECONDS_GOAL)
        print_figure(f"recovery_{name}_max", max(seconds), "s")
    print_figure("recovery_commands", sum(len(page.answered) for page in pages), "commands")
    print_figure("recovery_steps", sum(page.steps_seen for page in pages), "steps")
    print_figure("recovery_lost_or_doubled", len(faults), "steps", 0)
    for fault in faults[:10]:
        remark(fault)
    for service in sorted(memory.resident):
        goal = None if service in ("redis", "template") else MEGABYTES_GOAL
        print_figure(f"recovery_memory_{service}", memory.resident[service], "MB", goal)
        print_figure(f"recovery_memory_{service}_shared_out", memory.shared_out[service], "MB")


def report_bare(name: str, seconds: list[float]) -> None:
    print_figure(f"recovery_bare_{name}_p50", percentile(seconds, 0.5), "s")
    print_figure(f"recovery_bare_{name}_max", max(seconds), "s")


@contextmanager
def beat(data: Path) -> Iterator[int]:
    """Run a Celery beat on the site's data and yield its process id, to measure its memory; `make run` starts no
    beat.
    """
    command = [environment_python(), "-m", "celery", "-A", "eosviz", "beat", "--schedule", data / "beat"]
    environment = {
        **os.environ,
        "EOSVIZ_DATA": str(data),
        "DJANGO_SETTINGS_MODULE": "eosviz.settings.development",
    }
    with (data / "beat.log").open("wb") as log:
        process = subprocess.Popen(
            [str(word) for word in command], cwd=ROOT, env=environment, stdout=log, stderr=log
        )
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()
