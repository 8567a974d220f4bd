"""Sessions of an older engine: they open as recorded, continue if today's engine makes the same steps, and lead to a
new run if it does not.

`versions/engine-2.json.gz` contains sessions as engine 2 stored them: one that ended, one with a branch on which a
message was dropped, and two that stopped at step 60. The file is never made again.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from engine.errors import Refused
from eosviz.browser import BROWSER_KEY
from eosviz.replays import actions as replay_actions
from eosviz.scenarios.models import ScenarioVersion
from eosviz.server_message import ErrorMessage
from eosviz.walkthroughs.beside import beside
from eosviz.walkthroughs.made_steps import encode_step
from eosviz.walkthroughs.messages import CommandAnswer, Done
from eosviz.walkthroughs.models import Branch, Intervention, Keyframe, Session, Step, line_interventions
from eosviz.walkthroughs.questions import welcome
from eosviz.walkthroughs.simulations import recent, scenario_of, simulate
from tests.replays.conftest import imported
from tests.walkthroughs.conftest import BROWSER, carry_out, line_bodies, root, version

KEPT = json.loads(
    gzip.decompress((Path(__file__).parent / "versions" / "engine-2.json.gz").read_bytes()).decode()
)

pytestmark = pytest.mark.django_db


def stored(kept: dict[str, Any]) -> Session:
    """Store the session in today's database."""
    document = ScenarioVersion.objects.of_document(kept["scenario"], kept["document"])
    session = Session.objects.create(
        owner=BROWSER, version=document, variant=kept["variant"], header=kept["header"].encode()
    )
    named: dict[str | None, Branch | None] = {None: None}
    for own in kept["branches"]:
        fields = {name: own[name] for name in ("name", "leaves_at", "newest", "finished")}
        branch = Branch.objects.create(session=session, parent=named[own["parent"]], **fields)
        Intervention.objects.add(branch, own["interventions"])
        named[branch.name] = branch
        for step in own["steps"]:
            Step.objects.create(branch=branch, **{**step, "body": step["body"].encode()})
        for keyframe in own["keyframes"]:
            packed = Keyframe.pack(json.loads(keyframe["view"]))
            Keyframe.objects.create(
                branch=branch, number=keyframe["number"], digest=keyframe["digest"], packed=packed
            )
    return session


def first_difference(branch: Branch) -> int | None:
    """Return the first step of the line that today's engine makes differently; None if there is none."""
    line = Branch.objects.line(branch)
    session = branch.session
    simulation = simulate(scenario_of(session.version, session.variant), line_interventions(line))
    for number, body in enumerate(line_bodies(branch), 1):
        try:
            made = simulation.step()
        except Refused:
            return number
        if made is None or encode_step(made) != body:
            return number
    return None


def advance(branch: Branch) -> CommandAnswer:
    return carry_out(branch.session, "advance", branch, after=branch.newest, count=1)


@pytest.fixture(params=KEPT, ids=lambda kept: kept["scenario"])
def old(request: pytest.FixtureRequest) -> Session:
    return stored(request.param)


@pytest.fixture
def browser() -> Client:
    """The browser of the person who owns these sessions."""
    client = Client()
    data = client.session
    data[BROWSER_KEY] = BROWSER
    data.save()
    return client


def test_it_opens_and_says_which_engine_made_it(old: Session, browser: Client) -> None:
    page = browser.get(f"/sessions/{old.id}/")
    assert page.status_code == 200
    assert f'rerun="/sessions/{old.id}/rerun"' in page.content.decode()
    assert welcome(old, "").other_engine == "2"


def test_its_file_plays_as_recorded(old: Session) -> None:
    replay = imported(b"".join(replay_actions.export_session(old)))
    assert (replay.state, replay.engine) == ("recorded", "2")


def test_it_goes_on_only_after_steps_that_are_all_the_same(old: Session) -> None:
    for branch in Branch.objects.of_session(old.id):
        before, differs, answer = line_bodies(branch), first_difference(branch), advance(branch)
        after = line_bodies(branch)
        if branch.finished is not None:
            assert isinstance(answer, Done) and (answer.stopped, after) == ("end", before)
        elif differs is not None:
            assert isinstance(answer, ErrorMessage) and after == before
            assert (answer.key, answer.params) == ("problem.engine_differs", {"number": differs})
        else:
            assert isinstance(answer, Done) and answer.newest == len(before) + 1
            assert after[:-1] == before
    # Whatever was added fits the recorded steps.
    assert imported(b"".join(replay_actions.export_session(old))).state == "recorded"


def test_a_last_step_that_is_the_same_does_not_hide_one_that_differs(session: Session) -> None:
    branch = root(session)
    carry_out(session, "advance", branch, after=0, count=5)
    Step.objects.filter(branch=branch, number=3).update(body=b'{"number":3}')
    header = {**session.decoded_header, "engine": "2"}
    Session.objects.update(header=json.dumps(header).encode())
    recent.clear()
    branch = root(session)
    answer = advance(branch)
    assert isinstance(answer, ErrorMessage)
    assert (answer.key, answer.params) == ("problem.engine_differs", {"number": 3})


def test_the_rerun_that_is_offered_goes_on(old: Session, browser: Client) -> None:
    for branch in Branch.objects.of_session(old.id):
        offered = browser.get(f"/sessions/{old.id}/rerun", {"branch": branch.id, "step": branch.newest})
        assert offered.status_code == 302
        opened = browser.post(offered["Location"])
        assert opened.status_code == 302, opened.content
        made = Session.objects.get(id=opened["Location"].split("/")[2])
        again = root(made)
        assert made.id != old.id and made.other_engine is None
        assert (made.version, made.variant) == (old.version, old.variant)
        assert again.newest == branch.newest
        assert Intervention.objects.on(again) == line_interventions(Branch.objects.line(branch))
        assert isinstance(advance(again), Done)


def test_a_session_of_this_engine_says_nothing_of_another(browser: Client) -> None:
    browser.post("/sessions/new", {"scenario": "SC-03"})
    session = Session.objects.get()
    assert session.version == version("SC-03")
    assert welcome(session, "").other_engine is None


def test_two_branches_of_an_older_engine_stand_beside_each_other_as_far_as_they_are_stored() -> None:
    kept = next(one for one in KEPT if len(one["branches"]) == 2)
    left, right = Branch.objects.of_session(stored(kept).id)
    aligned = json.loads(beside(left, right))
    assert aligned["ends"] == [left.newest, right.newest]
    assert aligned["same"] == right.leaves_at
