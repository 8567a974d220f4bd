"""Facts derived from a recording are kept beside its steps: in no line of the replay file, and so in no digest."""

from __future__ import annotations

import io
import json
from collections.abc import Callable

import msgspec
import pytest

from eosviz.replays import actions, format
from eosviz.replays.branch_derived import DerivedByBranch
from eosviz.walkthroughs.models import Branch, Session
from tests.replays.stories import branch, counting_step, header
from tests.replays.test_round_trip import played
from tests.walkthroughs.conftest import carry_out, line_bodies, line_sent, root


@pytest.mark.django_db
def test_a_recording_has_the_derived_facts_of_its_session(start: Callable[..., Session]) -> None:
    session = start("SC-03")
    main = root(session)
    carry_out(session, "advance", main, after=0, count=130)
    carry_out(session, "branch", main, at=60)
    child = Branch.objects.get(session=session, parent=main)
    carry_out(session, "advance", child, after=60, count=20)
    file = b"".join(actions.export_session(session))
    replay = played(actions.import_replay(io.BytesIO(file), ""))
    sent = {one: [json.loads(body)["derived"] for body in line_sent(one)] for one in (main, child)}
    derived = replay["derived"]
    assert derived[str(main.id)]["steps"] == sent[main]
    assert derived[str(child.id)]["steps"] == sent[child][60:]
    assert derived[str(main.id)]["view"]["pending"]
    assert "view" not in derived[str(child.id)]
    assert replay["steps"][str(main.id)] == [json.loads(body) for body in line_bodies(main)]


def test_a_branch_with_strange_steps_has_none_and_others_have() -> None:
    made = format.convert(header(branch(newest=2), branch("2", 2, parent="1", leaves_at=1)), format.Header)
    witness = DerivedByBranch(made, lambda *_: None)
    witness.take("1", 1, json.dumps(counting_step(1)).encode())
    witness.take("1", 2, json.dumps(counting_step(2, changes=[{"path": []}, {"after": 1}])).encode())
    witness.take("2", 2, json.dumps(counting_step(2)).encode())
    assert json.loads(msgspec.json.encode(witness.results())) == {"2": {"steps": [{}]}}
