"""Fixtures for all tests."""

import gc
import os
import signal
import subprocess
import time
from collections.abc import Callable, Generator, Iterator
from functools import cache
from importlib import import_module
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
from django.conf import settings
from hypothesis import settings as hypothesis_settings
from pytest_django import DjangoDbBlocker
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

from eosviz.launch.browser import INSTALL_REMEDY, browser_options, find_browser
from eosviz.launch.embedded import embedded_redis_socket
from eosviz.launch.services import answers_ping, redis_command
from tests.first_database import put_first_database
from tests.kept_rows import KeptRows
from tests.postgresql import PostgreSQL
from tests.running_site import RunningSite, site_of_its_own

BROWSER_TESTS = Path(__file__).parent / "e2e"
REDIS_SECONDS_MAX = 10.0
REPORT_SECONDS = 10.0
"""How many seconds before pytest ends the whole process a test that hangs is failed."""
MOSTLY_WAIT = (
    "tests/walkthroughs/test_kills.py",
    "tests/walkthroughs/test_two_processes.py",
    "tests/walkthroughs/test_two_workers.py",
    "tests/setup/test_run.py",
)
"""Tests that wait for other processes. They come first, so that they run beside tests that need the processor."""

SHARING = ("tests/reference/test_asking.py",)
"""Files whose tests share things that take long to make; so all tests of such a file run in one process."""

# Hypothesis makes the same examples on every run, so that a test that failed fails again. It has no deadline, because
# machines differ.
hypothesis_settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
hypothesis_settings.load_profile("repeatable")

# Garbage collection would take a tenth of the time in which the tests are loaded, and find little.
gc.disable()


class InGroups(LoadScopeScheduling):
    """Tests that share expensive things run in the same process; the others may run in any process.

    The groups are derived from the names of the tests: pytest-xdist 3.8 writes its own groups where pytest 9.2 does
    not look.
    """

    def _split_scope(self, nodeid: str) -> str:
        path, _, _ = nodeid.partition("::")
        file = PurePosixPath(path)
        if file.is_relative_to("tests/pipeline") and _starts_spark(file):
            return "spark"  # only one process starts Java
        for name in ("TestEverybody", "TestAdministration"):
            if f"::{name}::" in nodeid:
                return f"{path}::{name}"  # only one process makes the objects that these tests request
        if path in SHARING or (file.is_relative_to("tests/e2e") and file.name != "test_first_track.py"):
            return path
        # The tests of the first track share only the site. Together they would take longer than the rest of the run,
        # so they may run in different processes.
        return nodeid

    def _reschedule(self, node: WorkerController) -> None:
        """Give this process more tests until it knows of two, or until there are no more.

        A process begins a test only when it knows of a following one or of the end. pytest-xdist 3.8 gives a process
        that replaces an ended one a single group, which may have only one test left, or none: then the process and
        pytest-xdist would wait for each other for ever.
        """
        super()._reschedule(node)
        while not node.shutting_down and self._pending_of(self.assigned_work[node]) < 2:
            super()._reschedule(node)


@cache
def _starts_spark(file: PurePosixPath) -> bool:
    return "spark: SparkSession" in (BROWSER_TESTS.parents[1] / file).read_text(encoding="utf-8")


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> InGroups | None:
    return InGroups(config, log) if config.getvalue("dist") == "loadgroup" else None


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests that mostly wait first. Without a browser, skip the browser tests; the reason says how to get
    one.
    """
    items.sort(key=lambda item: not item.nodeid.startswith(MOSTLY_WAIT))
    if find_browser() is not None:
        return
    skip = pytest.mark.skip(reason=f"no browser is installed: {INSTALL_REMEDY}")
    for item in items:
        if BROWSER_TESTS in item.path.parents:
            item.add_marker(skip)


def pytest_collection_finish() -> None:
    """Freeze all objects that exist after the collection, because they stay to the end: searching them at each
    garbage collection takes a sixth of the processor time of a run. The thresholds are raised because the catalogues,
    runs and grids that tests keep later stay, too: with Python's own thresholds, a full collection every 70,000
    objects takes a fifth of the time of the engine's tests.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5000, 10, 100)
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Let a test that does not end fail alone. With pytest-xdist, pytest ends the test's process after
    `faulthandler_timeout`, and pytest-xdist starts another process for the other tests. Without it, the test fails in
    its own process shortly before that time.
    """
    timeout = float(item.config.getini("faulthandler_timeout"))
    seconds = timeout - min(REPORT_SECONDS, timeout / 2)
    if not seconds or "PYTEST_XDIST_WORKER" in os.environ:
        return (yield)
    before = signal.signal(signal.SIGALRM, lambda *_: pytest.fail(f"it was not over after {seconds:g} s"))
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="session")
def takes_a_part(request: pytest.FixtureRequest) -> bool:
    """Whether slow tests are left out, as in `make test`. Then some other tests also run only some of their cases."""
    return "not slow" in request.config.option.markexpr


@pytest.fixture(scope="session", autouse=True)
def redis_server() -> Iterator[str]:
    """Runs the embedded Redis-compatible server at the address in the settings, and gives that address."""
    socket_path = embedded_redis_socket(Path(settings.DATA_DIR))
    socket_path.parent.mkdir(parents=True, exist_ok=True)
    server = subprocess.Popen(
        [str(word) for word in redis_command(socket_path, socket_path.parent)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + REDIS_SECONDS_MAX
    while not answers_ping(socket_path):
        assert server.poll() is None and time.monotonic() < deadline, "the embedded server did not start"
        time.sleep(0.01)
    yield settings.REDIS_URL
    server.kill()
    server.wait()


@pytest.fixture(scope="session")
def postgresql_server() -> Iterator[PostgreSQL | None]:
    """The server of the database in the settings if that is PostgreSQL; otherwise None."""
    if "postgresql" not in settings.DATABASES["default"]["ENGINE"]:
        yield None
        return
    server = PostgreSQL(Path(settings.POSTGRESQL_FOLDER))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(postgresql_server: PostgreSQL | None) -> None:
    """pytest-django requests this fixture before it makes the tests' database. For SQLite, it copies a migrated file
    into place, so that no migration runs.
    """
    if postgresql_server is None:
        put_first_database(Path(settings.DATABASES["default"]["TEST"]["NAME"]))


@pytest.fixture(scope="session")
def django_db_keepdb() -> bool:
    """Keep the database. With SQLite, its file exists already. A PostgreSQL database cannot be dropped while threads
    of sockets still use it; it is deleted with its server.
    """
    return True


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    with django_db_blocker.unblock():
        kept = KeptRows()
    with pytest.MonkeyPatch.context() as patch:
        kept.follow_a_flush(patch)
        yield


@pytest.fixture(autouse=True)
def _nothing_left_over(request: pytest.FixtureRequest) -> None:
    """Reset budgets, caches and language, so that no test gets what the test before it left."""
    import_module("eosviz.buckets").buckets.forget()  # once Django is set up
    import_module("django.utils.translation").deactivate()
    import_module("eosviz.rights").Announcer.silent_until = 0.0
    if "db" in request.fixturenames or request.node.get_closest_marker("django_db"):
        import_module("django.core.cache").cache.clear()


@pytest.fixture(scope="session")
def site_database(postgresql_server: PostgreSQL | None) -> Callable[[], dict[str, str]]:
    """A function that returns environment variables for the database of a site: a new database in the tests'
    PostgreSQL, or nothing.
    """
    numbers = count()

    def environment() -> dict[str, str]:
        if postgresql_server is None:
            return {}
        return {"DATABASE_URL": postgresql_server.new_database(f"site_{next(numbers)}")}

    return environment


@pytest.fixture
def start_site(
    tmp_path: Path, site_database: Callable[[], dict[str, str]]
) -> Iterator[Callable[..., RunningSite]]:
    """A function that starts a whole eosviz in real processes: `start_site(EOSVIZ_WORKER_THREADS="1")`."""
    sites: list[RunningSite] = []

    def start(**environment: str) -> RunningSite:
        chosen = {**site_database(), **environment}
        sites.append(RunningSite(tmp_path / f"site-{len(sites)}", **chosen))
        return sites[-1].wait_until_ready()

    yield start
    for site in sites:
        site.stop()


@pytest.fixture(scope="session")
def running_site(
    tmp_path_factory: pytest.TempPathFactory, site_database: Callable[[], dict[str, str]]
) -> Iterator[RunningSite]:
    """One eosviz in real processes, for the tests that only use it. A test that breaks things starts its own."""
    with site_of_its_own(tmp_path_factory.mktemp("site"), **site_database()) as site:
        yield site


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    """Makes Playwright use the installed browser; it installs none of its own."""
    found = find_browser()
    assert found is not None, INSTALL_REMEDY
    return {**browser_type_launch_args, "executable_path": str(found), "args": list(browser_options())}
