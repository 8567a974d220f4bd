"""A site with two workers: each session is stepped by one of them, a click costs at most two engine steps, and when a
worker dies, the other one continues. These are counts, not times.
"""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator

import pytest

from eosviz.step_queues import queue_of, share_of
from tests.clicks_of_workers import Clicks, Workers
from tests.running_site import RunningSite, site_of_its_own
from tests.walkthroughs.stepping_page import SteppingPage, page_of, steps_of_engine

CLICKS = 60
PAGES = 6
KILL_AT = 20
DONE_SECONDS_MAX = 120


@pytest.fixture(scope="module")
def workers() -> Workers:
    return Workers(2)


@pytest.fixture(scope="module")
def site(
    workers: Workers,
    tmp_path_factory: pytest.TempPathFactory,
    site_database: Callable[[], dict[str, str]],
) -> Iterator[RunningSite]:
    with site_of_its_own(tmp_path_factory.mktemp("two"), **workers.environment, **site_database()) as site:
        yield site


@pytest.fixture(autouse=True)
def _each_has_its_share(site: RunningSite, workers: Workers) -> None:
    workers.wait_until_shared()


def finished(page: SteppingPage) -> None:
    page.join(DONE_SECONDS_MAX)
    assert not page.is_alive(), f"stopped at step {max(page.steps)}"
    assert page.problems == [], json.dumps(page.problems)
    assert [page.steps[number] for number in sorted(page.steps)] == steps_of_engine(CLICKS)


def test_one_worker_steps_a_session(site: RunningSite, workers: Workers) -> None:
    before = workers.clicks()
    page = page_of(site, CLICKS)
    page.start()
    finished(page)
    counts = sorted(clicks.count for clicks in workers.since(before).values())
    assert counts[0] == 0 and counts[1] > CLICKS / 2


def test_a_click_costs_at_most_two_engine_steps(site: RunningSite, workers: Workers) -> None:
    before = workers.clicks()
    pages = [page_of(site, CLICKS) for _ in range(PAGES)]
    for page in pages:
        page.start()
    for page in pages:
        finished(page)
    clicks = sum(workers.since(before).values(), Clicks())
    assert clicks.count > PAGES * CLICKS / 2
    assert clicks.percentile(0.99) <= 2
    assert clicks.engine_steps <= 2 * clicks.count


def test_a_session_goes_on_when_its_worker_dies_and_is_started_again(
    site: RunningSite, workers: Workers
) -> None:
    before = workers.clicks()
    page = page_of(site, CLICKS)
    page.start()
    page.wait_for(KILL_AT)
    clicks = workers.since(before)
    site.kill(max(clicks, key=lambda name: clicks[name].count))
    assert max(page.steps) < CLICKS, "the page was done before anything died"
    finished(page)


def test_another_worker_takes_over_the_sessions_of_one_that_stays_dead(
    site: RunningSite, workers: Workers
) -> None:
    third = site.start("-m", "eosviz.work", "4", workers.further)
    try:
        workers.wait_until_shared(workers.further)
        page = page_at(site, workers.further, [*workers.names, workers.further])
        page.start()
        page.wait_for(KILL_AT)
    finally:
        third.kill()
        third.wait()
    assert max(page.steps) < CLICKS, "the page was done before anything died"
    finished(page)
    workers.wait_until_shared()


def page_at(site: RunningSite, worker: str, workers: list[str]) -> SteppingPage:
    """Return a page whose session this worker steps."""
    host = socket.gethostname()
    share = share_of(f"{worker}@{host}", [f"{name}@{host}" for name in workers])
    while True:
        page = page_of(site, CLICKS)
        if queue_of(page.socket_address.split("/")[-2]) in share:
            return page
