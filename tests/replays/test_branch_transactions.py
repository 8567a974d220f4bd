"""The list of transactions that comes with a recording: for every branch, the list of its session."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from eosviz.replays import actions, format
from eosviz.replays.branch_transactions import TransactionsByBranch
from eosviz.walkthroughs.models import Branch, Session
from eosviz.walkthroughs.transactions import transactions_of
from tests.replays.stories import branch, counting_step, header
from tests.replays.test_round_trip import played
from tests.walkthroughs.conftest import carry_out, root

pytestmark = pytest.mark.django_db


def test_every_branch_of_a_recording_has_the_transactions_of_its_session(
    start: Callable[..., Session],
) -> None:
    session = start("SC-61", "k28")
    main = root(session)
    carry_out(session, "advance", main, after=0, count=134)
    carry_out(session, "branch", main, at=40)
    carry_out(session, "branch", main, at=0)
    child = Branch.objects.get(session=session, parent=main, leaves_at=40)
    carry_out(session, "advance", child, after=40, count=40)
    file = io.BytesIO(b"".join(actions.export_session(session)))
    replay = actions.import_replay(file, "")
    lines = played(replay)["transactions"]
    assert {one.id for one in Branch.objects.filter(session=session)} == {int(name) for name in lines}
    for one in Branch.objects.filter(session=session):
        assert lines[str(one.id)] == transactions_of(one)
    assert len(lines[str(main.id)]["lines"]) == 2


MISSHAPEN: list[dict[str, Any]] = [
    {"changes": [{"path": ["brokers", "1", "transactions", "t"], "after": "soon"}]},
    {"changes": [{"path": [], "after": 1}]},
    {"changes": [{"path": ["clients", "p1", "transaction_manager"], "after": [1]}]},
    {"transition": {"machine": "transaction_states"}},
    {"transition": {"machine": "participant", "of": 7, "to": "DONE"}},
]


@pytest.mark.parametrize("wrong", MISSHAPEN)
def test_steps_of_any_shape_leave_their_branch_without_a_list(wrong: dict[str, Any]) -> None:
    made = format.convert(header(branch(newest=2), branch("2", 3, parent="1", leaves_at=1)), format.Header)
    passed: list[int] = []
    witness = TransactionsByBranch(made, lambda _branch, number, _step: passed.append(number))
    for number, fields in ((1, {}), (2, wrong)):
        witness.take("1", number, json.dumps(counting_step(number, **fields)).encode())
    for number in (2, 3):
        witness.take("2", number, json.dumps(counting_step(number)).encode())
    assert passed == [1, 2, 2, 3]
    assert witness.results() == {"2": {"through": 3, "folded": 0, "lines": []}}
