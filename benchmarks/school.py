"""A school's afternoon: 50 sessions step at once, on PostgreSQL, with two workers of four threads and two web
processes; `EOSVIZ_WORKERS` sets another number of workers.

From a click to the painted frame of one of them, beside the floor with the same database and as many processes; the
other 49 are socket clients, shared out over both web processes. And the list of 1,000 stored sessions as a page.
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

from benchmarks.browser import browser_context
from benchmarks.click_to_frame import (
    Clicks,
    clicks,
    collected,
    open_floor,
    open_product,
    steppers,
    tell_clicks,
)
from benchmarks.floor.processes import free_port, running_floor, start
from benchmarks.report import percentile, remark, tell
from eosviz.launch.places import ROOT
from tests.postgresql import PostgreSQL
from tests.running_site import RunningSite

OTHERS = 49
LISTED = 1_000
LIST_MILLISECONDS_MAX = 150.0
LIST_READS = 30
WORKER_THREADS = "4"
WORKERS = os.environ.get("EOSVIZ_WORKERS") or "2"
READY_SECONDS_MAX = 120.0


def main() -> None:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = PostgreSQL(Path(stack.enter_context(tempfile.TemporaryDirectory())))
        stack.callback(server.stop)
        product, payloads, listed = measure_product(folder / "product", server.new_database("product"))
        (folder / "floor").mkdir()
        (folder / "floor" / "payloads.json").write_text(json.dumps(payloads))
        floor = measure_floor(folder / "floor", server.new_database("floor"))
    tell_clicks("school_click", "", product, floor)
    tell(f"school_list_{LISTED}_p50", percentile(listed, 0.50), "ms", LIST_MILLISECONDS_MAX)
    tell(f"school_list_{LISTED}_p99", percentile(listed, 0.99), "ms")


def measure_product(folder: Path, database: str) -> tuple[Clicks, list[str], list[float]]:
    environment = {
        "DATABASE_URL": database,
        "EOSVIZ_WORKER_THREADS": WORKER_THREADS,
        "EOSVIZ_WORKERS": WORKERS,
        "EOSVIZ_QUOTAS": f"sessions={LISTED + OTHERS}",
    }
    payloads: list[str] = []
    site = RunningSite(folder, **environment)
    try:
        address = site.wait_until_ready().address
        with another_web(folder, environment) as second:
            listed = list_milliseconds(address, environment, folder)
            with browser_context() as context:
                page = context.new_page()
                page.on("websocket", lambda socket: collected(socket, payloads))
                open_product(page, address)
                here = OTHERS // 2
                with steppers("product", address, here), steppers("product", second, OTHERS - here):
                    return clicks(page, "school"), payloads, listed
    finally:
        site.stop()


def measure_floor(folder: Path, database: str) -> Clicks:
    port = free_port()
    with running_floor(folder, database, [port], int(WORKERS)) as address, browser_context() as context:
        page = context.new_page()
        open_floor(page, address)
        here = OTHERS // 2
        with (
            steppers("floor", address, here),
            steppers("floor", f"http://127.0.0.1:{port}/", OTHERS - here),
        ):
            return clicks(page, "floor of a school")


@contextmanager
def another_web(folder: Path, environment: dict[str, str]) -> Iterator[str]:
    """A second web process of the same site: its address."""
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
    """The page of one browser's 1,000 sessions, read one after the other."""
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
        if number:  # the first one compiles templates
            found.append(1000 * (time.perf_counter() - begin))
    held = len(re.findall(r'class="session"', page))
    if held != LISTED:
        raise SystemExit(f"the page lists {held} sessions instead of {LISTED}")
    remark(f"a page of {held} sessions, {len(page)} characters")
    return found


if __name__ == "__main__":
    main()
