"""A whole site on a small file system that fills up while a page steps: the site waits, says why, and continues by
itself when there is room.
"""

from __future__ import annotations

import sqlite3
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import redis

from eosviz.launch.embedded import embedded_redis_socket
from eosviz.launch.run import DATA_BYTES, ask_health
from eosviz.launch.storage import FREE_BYTES_MIN, LOW_BYTES
from eosviz.launch.supervisor import RESTARTS_MAX
from tests.running_site import RunningSite, site_of_its_own
from tests.small_disk import fill, small_disk
from tests.walkthroughs.stepping_page import SCENARIO, SteppingPage, page_of, steps_of_engine

STEPS = 400
"""More steps than the database can store in the pages that its file has already."""
GO_ON_SECONDS_MAX = 20.0
CHILDREN = ("redis", "worker", "web")

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with small_disk(tmp_path_factory.mktemp("small") / "disk", DATA_BYTES + 20_000_000) as disk:
        yield disk


@pytest.fixture(scope="module")
def site(disk: Path) -> Iterator[RunningSite]:
    with site_of_its_own(disk / "site") as site:
        yield site


@pytest.fixture
def stepping(site: RunningSite) -> SteppingPage:
    return page_of(site, STEPS)


def health(site: RunningSite) -> dict[str, str]:
    answer = ask_health(site.address)
    assert answer is not None
    return answer[1]


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + GO_ON_SECONDS_MAX
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def goes_on(stepping: SteppingPage, held: int) -> None:
    begin = time.monotonic()
    stepping.wait_for(held + 1)
    assert time.monotonic() - begin < GO_ON_SECONDS_MAX


def steps_are_whole(stepping: SteppingPage, site: RunningSite) -> None:
    """The page and the database have every step exactly once, as the engine makes it, and the database is not
    damaged.
    """
    stepping.join(60)
    assert not stepping.is_alive()
    assert stepping.problems == []
    assert [stepping.steps[number] for number in sorted(stepping.steps)] == steps_of_engine(STEPS)
    session = stepping.socket_address.split("/")[-2]
    stored = stepping.caller.get(f"api/sessions/{session}/branches/{stepping.branch}/steps?from=1&to=500")
    assert stored["steps"] == steps_of_engine(STEPS)
    with closing(sqlite3.connect(site.data_folder / "eosviz.sqlite3")) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def half_written(site: RunningSite) -> list[str]:
    found = site.data_folder.rglob("*")
    return [
        str(path) for path in found if path.name.startswith(".part-") or path.suffix in (".part", ".draft")
    ]


def test_a_warning_comes_before_the_disk_is_full(site: RunningSite, disk: Path) -> None:
    filler = fill(disk, leave_bytes=(LOW_BYTES + FREE_BYTES_MIN) // 2)
    try:
        answer = ask_health(site.address)
        assert answer is not None
        assert answer[0]
        assert answer[1]["storage"].startswith("low: 7")
    finally:
        filler.unlink()


def test_a_page_waits_while_the_disk_is_full_and_goes_on_when_there_is_room(
    site: RunningSite, disk: Path, stepping: SteppingPage
) -> None:
    """No process may end, each must say why it waits, and no step may be lost or doubled."""
    pids = {child: site.pid(child) for child in CHILDREN}
    stepping.start()
    stepping.wait_for(20)
    filler = fill(disk)
    try:
        stepping.wait_to_read("problem.no_room")
        assert "the disk is full: 0 MB free" in health(site)["storage"]
        # Redis refuses writes once the rest of the disk that it uses is full, too.
        until(lambda: "it takes no writes" in health(site)["redis"])
        assert urllib.request.urlopen(f"{site.address}reference/errors/").status == 200
        with urllib.request.urlopen(f"{site.address}readyz") as ready:
            assert ready.status == 200
        with pytest.raises(urllib.error.HTTPError) as refused:
            stepping.caller.post("api/sessions", {"scenario": SCENARIO})
        assert refused.value.code == 503
        held = max(stepping.steps)
        assert held < STEPS
    finally:
        filler.unlink()
    goes_on(stepping, held)
    steps_are_whole(stepping, site)
    site.wait_until_healthy()
    assert {child: site.pid(child) for child in CHILDREN} == pids, site.output()
    assert half_written(site) == []


def test_deaths_on_a_full_disk_end_nothing(site: RunningSite, disk: Path, stepping: SteppingPage) -> None:
    """A process that is killed while there is no room is started again, even more often than its budget allows, until
    there is room.
    """
    stepping.start()
    stepping.wait_for(20)
    filler = fill(disk)
    try:
        stepping.wait_to_read("problem.no_room")
        for child in CHILDREN:
            site.kill_unwatched(child)
        time.sleep(2.0 * RESTARTS_MAX / 4)
    finally:
        filler.unlink()
    site.wait_until_healthy()
    steps_are_whole(stepping, site)
    assert "nothing can be stored (the disk is full" in site.output()


def test_a_redis_without_memory_ends_nothing(site: RunningSite, stepping: SteppingPage) -> None:
    pids = {child: site.pid(child) for child in CHILDREN}
    stepping.start()
    stepping.wait_for(20)
    server = redis.Redis(unix_socket_path=str(embedded_redis_socket(site.data_folder)))
    usual = server.config_get("maxmemory")["maxmemory"]
    assert usual is not None
    server.config_set("maxmemory", 1)
    try:
        stepping.wait_to_read("problem.no_room")
        assert "it takes no writes" in health(site)["redis"]
    finally:
        server.config_set("maxmemory", usual)
    steps_are_whole(stepping, site)
    site.wait_until_healthy()
    assert {child: site.pid(child) for child in CHILDREN} == pids, site.output()
