"""The plans that come with a recording: the beats of every branch."""

from __future__ import annotations

import io
import json
from collections.abc import Callable

import pytest

from engine.scenario.shelf import entry
from engine.view.run_ahead import plan_ahead
from eosviz.replays import actions, branch_plans, format
from eosviz.replays.branch_plans import PlansByBranch
from eosviz.walkthroughs.models import Branch, Session
from tests.replays.stories import branch, counting_step, header
from tests.replays.test_round_trip import played
from tests.walkthroughs.conftest import carry_out, root


@pytest.mark.django_db
def test_a_recording_has_the_beats_of_its_run(start: Callable[..., Session]) -> None:
    session = start("SC-61", "k28")
    main = root(session)
    carry_out(session, "advance", main, after=0, count=135)  # one more than the run has, so that it ends
    carry_out(session, "branch", main, at=40)
    child = Branch.objects.get(session=session, parent=main)
    replay = actions.import_replay(io.BytesIO(b"".join(actions.export_session(session))), "")
    plans = played(replay)["plans"]
    assert plans[str(main.id)] == plan_ahead(entry("SC-61").scenario("k28"))
    of_child = plans[str(child.id)]
    assert (of_child["steps"], of_child["beats"][-1]["last"]) == (40, 40)
    assert of_child["lanes"] == plans[str(main.id)]["lanes"], "what its parent has keeps its place"


def test_a_branch_without_known_steps_has_no_plan_and_others_have() -> None:
    made = format.convert(header(branch(newest=2), branch("2", 2, parent="1", leaves_at=1)), format.Header)
    witness = PlansByBranch(made, lambda *_: None)
    witness.take("1", 1, json.dumps(counting_step(1)).encode())
    witness.take("1", 2, json.dumps(counting_step(2, changes=[{"path": []}, {"after": 1}])).encode())
    witness.take("2", 2, json.dumps(counting_step(2)).encode())
    assert {name: plan["steps"] for name, plan in witness.results().items()} == {"2": 2}


def test_a_very_long_recording_has_the_beats_of_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(branch_plans, "STEPS_MOST", 2)
    witness = PlansByBranch(format.convert(header(branch()), format.Header), lambda *_: None)
    for number in (1, 2, 3):
        witness.take("1", number, json.dumps(counting_step(number)).encode())
    plan = witness.results()["1"]
    assert (plan["steps"], plan["complete"]) == (2, False)
