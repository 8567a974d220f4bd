"""The table of transaction states: complete, unambiguous, and illegal means refused."""

from __future__ import annotations

import pytest

from engine.coordinator import TRANSACTION_STATES
from engine.coordinator.transaction_states import (
    ABORT,
    ADD,
    ALL_KNOWN,
    CLAIM_HOLDS,
    CLAIM_REPLACED,
    CLAIM_TOO_LATE,
    COMMIT,
    EPOCH_LEFT,
    IN_TRANSITION,
    INIT,
    NEW_PARTITIONS,
    NO_EPOCH_LEFT,
    SETTLED,
)
from engine.explain import catalogue

QUIET = dict.fromkeys(TRANSACTION_STATES.guards, False)
SITUATIONS = [
    {**QUIET, IN_TRANSITION: True},
    *(
        {**QUIET, SETTLED: True, known: True, left: True, claim: True}
        for known in (NEW_PARTITIONS, ALL_KNOWN)
        for left in (EPOCH_LEFT, NO_EPOCH_LEFT)
        for claim in (CLAIM_HOLDS, CLAIM_REPLACED, CLAIM_TOO_LATE)
    ),
]


@pytest.mark.parametrize("on", [INIT, ADD, COMMIT, ABORT])
@pytest.mark.parametrize("state", TRANSACTION_STATES.states)
def test_every_request_has_exactly_one_answer_in_every_state(state, on):
    for holds in SITUATIONS:
        deciding = [
            row for row in TRANSACTION_STATES.candidates(state, on) if not row.when or holds[row.when]
        ]
        assert len(deciding) == 1, (state, on, holds)
        row = deciding[0]
        assert row.effects or row.reply, "a request is answered or carried out"
        if row.refused:
            assert row.reply not in ("", "NONE")
            assert not row.effects


def test_every_row_says_why_in_both_languages():
    for row in TRANSACTION_STATES.rows:
        assert catalogue()[row.why].text("zh-Hans"), row


def test_nothing_decided_is_ever_taken_back():
    """TXC-4: from a decision only its own completion follows."""
    for source, targets in (("PrepareCommit", {"CompleteCommit"}), ("PrepareAbort", {"CompleteAbort"})):
        assert {
            row.target for row in TRANSACTION_STATES.rows if row.source == source and row.target
        } == targets
