"""Benchmark `school`: 50 sessions step at the same time, on PostgreSQL, with two workers of four threads and two web
processes; `EOSVIZ_WORKERS` sets another number of workers.

It measures the time from a click to the painted frame in one session, in turns with a floor that has the same
database and as many processes; the other 49 sessions are socket clients, distributed over both web processes. It also
measures the page that lists 1,000 stored sessions.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.click_to_frame import floor_folder, measured, messages_of_clicks, report_clicks
from benchmarks.floor.processes import free_port, running_floor, start
from benchmarks.report import percentile, print_figure, remark
from eosviz.launch.places import ROOT
from tests.postgresql import PostgreSQL
from tests.running_site import site_of_its_own

OTHERS = 49
LISTED = 1_000
LIST_MILLISECONDS_MAX = 150.0
LIST_READS = 30
WORKER_THREADS = "4"
WORKERS = os.environ.get("EOSVIZ_WORKERS") or "2"
READY_SECONDS_MAX = 120.0


def main() -> None:
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = PostgreSQL(Path(stack.enter_context(tempfile.TemporaryDirectory())))
        stack.callback(server.stop)
        environment = {
            "DATABASE_URL": server.new_database("product"),
            "EOSVIZ_WORKER_THREADS": WORKER_THREADS,
            "EOSVIZ_WORKERS": WORKERS,
            "EOSVIZ_QUOTAS": f"sessions={LISTED + OTHERS}",
        }
        folder = place / "product"
        address = stack.enter_context(site_of_its_own(folder, **environment)).address
        second = stack.enter_context(another_web(folder, environment))
        listed = list_milliseconds(address, environment, folder)
        print_figure(f"school_list_{LISTED}_p50", percentile(listed, 0.50), "ms", LIST_MILLISECONDS_MAX)
        print_figure(f"school_list_{LISTED}_p99", percentile(listed, 0.99), "ms")
        port = free_port()
        floor_data = floor_folder(place, messages_of_clicks(address))
        floor = stack.enter_context(
            running_floor(floor_data, server.new_database("floor"), [port], int(WORKERS))
        )
        found = measured([address, second], [floor, f"http://127.0.0.1:{port}/"], OTHERS)
        report_clicks("school_click", "school_click_floor", found)


@contextmanager
def another_web(folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """Run a second web process of the same site and yield its address."""
    port = free_port()
    chosen = {
        **{name: value for name, value in os.environ.items() if name != "REDIS_URL"},
        **environment,
        "EOSVIZ_DATA": str(folder),
        "DJANGO_SETTINGS_MODULE": "eosviz.settings.development",
    }
    web = "-m uvicorn eosviz.asgi:application --log-level warning --no-access-log --lifespan off"
    process = start([sys.executable, *web.split(), "--port", str(port)], chosen)
    address = f"http://127.0.0.1:{port}/"
    deadline = time.monotonic() + READY_SECONDS_MAX
    try:
        while True:
            try:
                if urllib.request.urlopen(address).status == 200:
                    break
            except OSError:
                if time.monotonic() > deadline:
                    raise SystemExit("the second web process did not start") from None
                time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(20)


def list_milliseconds(address: str, environment: dict[str, str], folder: Path) -> list[float]:
    """Read the page that lists the 1,000 sessions of one browser several times, one after the other. Returns the
    milliseconds of each reading.
    """
    command = [sys.executable, "-m", "benchmarks.stored_session", "many", str(LISTED)]
    chosen = {**os.environ, **environment, "EOSVIZ_DATA": str(folder)}
    stored = json.loads(
        subprocess.run(command, cwd=ROOT, env=chosen, check=True, stdout=subprocess.PIPE).stdout
    )
    request = urllib.request.Request(
        f"{address}sessions/?sessions=all", headers={"Cookie": f"sessionid={stored['cookie']}"}
    )
    found = []
    for number in range(LIST_READS + 1):
        begin = time.perf_counter()
        page = urllib.request.urlopen(request).read().decode()
        if number:  # The first reading compiles templates and does not count.
            found.append(1000 * (time.perf_counter() - begin))
    held = len(re.findall(r'class="session"', page))
    if held != LISTED:
        raise SystemExit(f"the page lists {held} sessions instead of {LISTED}")
    remark(f"a page of {held} sessions, {len(page)} characters")
    return found


if __name__ == "__main__":
    main()
