"""The worker, the embedded Redis and the web process are killed in the middle of stepping, with real processes.

No step may be lost or doubled, and the page must continue by itself from the right step.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from tests.running_site import RunningSite, site_of_its_own
from tests.walkthroughs.stepping_page import SteppingPage, page_of, steps_of_engine

STEPS = 90
KILL_AT = 25
GO_ON_SECONDS_MAX = 5.0
"""How long the next step may take after the site is healthy again."""


@pytest.fixture(scope="module")
def site(
    tmp_path_factory: pytest.TempPathFactory, site_database: Callable[[], dict[str, str]]
) -> Iterator[RunningSite]:
    with site_of_its_own(tmp_path_factory.mktemp("killed"), **site_database()) as site:
        yield site


@pytest.fixture
def stepping(site: RunningSite) -> SteppingPage:
    return page_of(site, STEPS)


@pytest.mark.parametrize("child", ["worker", "redis", "web"])
def test_no_step_is_lost_and_none_doubled(site: RunningSite, stepping: SteppingPage, child: str) -> None:
    stepping.start()
    stepping.wait_for(KILL_AT)
    site.kill(child)
    held = max(stepping.steps)
    assert held < STEPS, "the page was done before anything was killed"
    site.wait_until_healthy()
    well_at = time.monotonic()
    stepping.wait_for(held + 1)
    assert time.monotonic() - well_at < GO_ON_SECONDS_MAX
    stepping.join(60)
    assert not stepping.is_alive(), f"stopped at step {max(stepping.steps)}"
    assert stepping.problems == []
    assert [stepping.steps[number] for number in sorted(stepping.steps)] == steps_of_engine(STEPS)
    assert _stored(stepping) == steps_of_engine(STEPS)


def test_losing_redis_in_the_middle_of_a_task_ends_no_other_process(
    site: RunningSite, stepping: SteppingPage
) -> None:
    others = {child: site.pid(child) for child in ("worker", "web")}
    end = {"type": "run_until", "branch": stepping.branch, "after": 0, "until": "end"}
    stepping.ask_once(end, steps=50)
    site.kill("redis")
    site.wait_until_healthy()
    assert {child: site.pid(child) for child in others} == others, site.output()
    stepping.start()
    stepping.join(60)
    counts = f"{stepping.done} done, {stepping.connections} connections, {stepping.resent} sent again"
    assert not stepping.is_alive(), counts
    assert stepping.problems == []
    assert [stepping.steps[number] for number in range(1, STEPS + 1)] == steps_of_engine(STEPS)


def test_a_site_heals_itself_and_says_so(site: RunningSite) -> None:
    """All processes are killed, one right after the other."""
    before = site.output()
    for child in ("template", "redis", "worker", "web"):
        site.kill(child)
    site.wait_until_healthy()
    printed = site.output().removeprefix(before)
    for child in ("template", "redis", "worker", "web"):
        assert f"{child} was killed by SIGKILL; starting it again" in printed


def _stored(page: SteppingPage) -> list[dict[str, object]]:
    session = page.socket_address.split("/")[-2]
    stored = page.caller.get(f"api/sessions/{session}/branches/{page.branch}/steps?from=1&to=500")
    assert (stored["newest"], [step["number"] for step in stored["steps"]]) == (
        STEPS,
        list(range(1, STEPS + 1)),
    )
    steps: list[dict[str, object]] = stored["steps"]
    return steps
