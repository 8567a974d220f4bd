"""The transactions of a branch, computed from its stored steps, are the same however far they were computed before."""

from __future__ import annotations

import uuid
from collections.abc import Callable

import pytest

from engine.scenario.shelf import entry
from engine.simulation import Simulation
from engine.transaction_lines import TransactionLines
from eosviz.refusals import Problem
from eosviz.walkthroughs import questions, transactions
from eosviz.walkthroughs.models import Branch, Session
from tests.walkthroughs.conftest import carry_out, root

pytestmark = pytest.mark.django_db


@pytest.fixture
def fenced(start: Callable[..., Session]) -> Session:
    """Two producers have the same transactional id: the second one finds the first one's transaction open."""
    return start("SC-61", "k28")


def lines_of(session: Session, branch: Branch) -> dict[str, object]:
    return transactions.transactions_of(Branch.objects.get(id=branch.id))


def by_engine(until: int) -> dict[str, object]:
    simulation = Simulation(entry("SC-61").scenario("k28"))
    lines = TransactionLines(simulation.view())
    while simulation.number < until and (step := simulation.step()) is not None:
        lines.take(step.to_json())
    return lines.to_json()


def advance(session: Session, branch: Branch, count: int) -> None:
    newest = Branch.objects.get(id=branch.id).newest
    carry_out(session, "advance", branch, after=newest, count=count)


def test_they_are_the_engine_s_at_every_stop(fenced: Session) -> None:
    branch = root(fenced)
    for until in (0, 20, 90, 134):
        if until:
            advance(fenced, branch, until - Branch.objects.get(id=branch.id).newest)
        assert lines_of(fenced, branch) == by_engine(until)


def test_what_another_process_folded_meanwhile_is_not_lost(fenced: Session) -> None:
    branch = root(fenced)
    advance(fenced, branch, 134)
    first = lines_of(fenced, branch)
    taken = transactions._kept.take((fenced.id, branch.id))
    assert taken is not None and taken.through == 134
    assert lines_of(fenced, branch) == first
    older = TransactionLines({})
    transactions._kept.keep((fenced.id, branch.id), older)
    assert lines_of(fenced, branch) == first


def test_a_branch_has_its_parent_s_transactions_up_to_where_it_left(fenced: Session) -> None:
    branch = root(fenced)
    advance(fenced, branch, 134)
    carry_out(fenced, "branch", branch, at=40)
    child = Branch.objects.get(session=fenced, parent=branch)
    lines = lines_of(fenced, child)["lines"]
    assert isinstance(lines, list)
    (line,) = lines
    assert (line["first_step"], line["result"]) == (14, "open")


def test_an_answer_is_bounded_and_names_its_branch(fenced: Session) -> None:
    branch = root(fenced)
    advance(fenced, branch, 134)
    answer = questions.transaction_lines(fenced.id, str(branch.id), "r")
    assert (answer.re, answer.branch, answer.through, answer.folded) == ("r", str(branch.id), 134, 0)
    assert [(line["id"], line["producer_epoch"], line["result"]) for line in answer.lines] == [
        ("txn-1", 0, "aborted"),
        ("txn-1", 2, "committed"),
    ]
    with pytest.raises(Problem):
        questions.transaction_lines(uuid.uuid4(), str(branch.id), "r")
