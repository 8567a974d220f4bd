"""Interventions are stored as rows. A site that is updated, or goes back to the previous release, keeps its sessions
unchanged to the byte, and they can be stepped further.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from eosviz.launch.places import ROOT
from eosviz.replays.actions import export_session
from eosviz.server_message import ErrorMessage
from eosviz.walkthroughs.limits import LIMITS
from eosviz.walkthroughs.messages import Done
from eosviz.walkthroughs.models import Branch, Intervention, Session
from eosviz.walkthroughs.simulations import recent
from tests.replays.conftest import imported
from tests.walkthroughs.conftest import carry_out, root
from tests.walkthroughs.stepping_process import SteppingProcess, environment_of

BEFORE = "0006"
CRASH = {"action": "crash", "actor": "broker-2"}
RESTART = {"action": "restart", "actor": "broker-2"}
STORED = """
import django; django.setup()
from django.db import connection
with connection.cursor() as cursor:
    cursor.execute("SELECT CAST(interventions AS TEXT) FROM walkthroughs_branch ORDER BY id")
    for (interventions,) in cursor.fetchall():
        print(interventions.replace(" ", ""))
"""


@pytest.mark.slow
def test_an_update_and_the_way_back_keep_sessions_to_the_byte(
    tmp_path: Path, site_database: Callable[[], dict[str, str]], redis_server: str
) -> None:
    environment = environment_of(tmp_path, REDIS_URL=redis_server, **site_database())

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, *words], cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE, text=True
        )
        return done.stdout

    process = SteppingProcess(environment)
    place = process.ask(scenario="SC-08")
    process.ask(**place, type="advance", after=0, count=20)
    process.ask(**place, type="intervene", after=20, intervention=CRASH)
    process.ask(**place, type="advance", after=21, count=20)
    process.ask(**place, type="intervene", after=41, intervention=RESTART)
    child = process.ask(**place, type="intervene", after=30, intervention=RESTART)
    before = process.ask(replay=place["session"])
    assert before["state"] == "verified"
    process.end()

    run("manage.py", "migrate", "walkthroughs", BEFORE, "-v", "0")
    lists = run("-c", STORED).split()
    assert [branch.count('"after"') for branch in lists] == [2, 1]
    run("manage.py", "migrate", "-v", "0")
    # The previous release reads the lists until its processes have ended.
    assert run("-c", STORED).split() == lists

    process = SteppingProcess(environment)
    assert process.ask(replay=place["session"]) == before
    answer = process.ask(**place, type="advance", after=42, count=5)
    assert (answer["type"], answer["newest"]) == ("done", 47)
    other = process.ask(
        **{**place, "branch": child["created"]}, type="intervene", after=31, intervention=CRASH
    )
    assert (other["type"], other["created"]) == ("done", None)
    process.end()

    run("manage.py", "migrate", "walkthroughs", BEFORE, "-v", "0")
    assert [branch.count('"after"') for branch in run("-c", STORED).split()] == [2, 2]


def test_what_a_process_of_the_release_before_adds_is_read(session: Session) -> None:
    """While a site is updated, a process of the previous release may still run: it writes the list, and no row."""
    branch = root(session)
    carry_out(session, "advance", branch, after=0, count=10)
    carry_out(session, "intervene", branch, after=10, intervention=CRASH)
    made = Intervention.objects.on(branch)
    Intervention.objects.all().delete()
    Branch.objects.filter(id=branch.id).update(earlier_interventions=made)
    recent.clear()
    answer = carry_out(session, "intervene", branch, after=11, intervention=RESTART)
    branch = root(session)
    assert isinstance(answer, Done) and answer.newest == 12
    assert Intervention.objects.on(branch) == [*made, {"after": 11, "intervention": RESTART}]
    assert Intervention.objects.count_on(branch) == 2
    assert imported(b"".join(export_session(session))).state == "verified"


def test_the_bound_is_the_documented_one(session: Session) -> None:
    branch, most = root(session), LIMITS.interventions_per_branch
    for after in range(most):
        answer = carry_out(
            session, "intervene", branch, after=after, intervention=(CRASH, RESTART)[after % 2]
        )
        assert isinstance(answer, Done)
    refused = carry_out(session, "intervene", branch, after=most, intervention=CRASH)
    assert isinstance(refused, ErrorMessage)
    assert (refused.key, refused.params) == ("problem.too_many_interventions", {"most": most})
    assert Intervention.objects.count_on(branch) == most


def test_an_intervention_writes_one_row_whatever_came_before(session: Session) -> None:
    branch = root(session)
    carry_out(session, "intervene", branch, after=0, intervention=CRASH)
    with CaptureQueriesContext(connection) as queries:
        carry_out(session, "intervene", branch, after=1, intervention=RESTART)
    written_to = [query["sql"] for query in queries if "intervention" in query["sql"].partition("WHERE")[0]]
    written = [sql for sql in written_to if sql.startswith(("INSERT", "UPDATE"))]
    assert len(written) == 1
    assert written[0].startswith('INSERT INTO "walkthroughs_intervention"')
    assert "crash" not in written[0]
