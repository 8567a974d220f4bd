"""The table of transaction states is complete and unambiguous, and everything that it does not allow is refused."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from engine.coordinator.transaction_states import (
    ABORT,
    ABORT_FENCED,
    ADD,
    COMMIT,
    GUARDS,
    INIT,
    RAISING,
    TIME_OUT,
    TRANSACTION_STATES,
)
from engine.explain.sentences import catalogue
from engine.telling.rows import row_key


@pytest.mark.parametrize("on", [INIT, ADD, COMMIT, ABORT])
@pytest.mark.parametrize("state", TRANSACTION_STATES.states)
def test_every_request_is_answered_or_carried_out_in_every_state(state: str, on: str) -> None:
    rows = TRANSACTION_STATES.candidates(state, on)
    assert rows
    for row in rows:
        assert row.effects or row.reply
        if row.refused:
            assert row.reply not in ("", "NONE")
            assert not row.effects


def test_a_row_without_effects_keeps_the_state() -> None:
    """Only effects write, and a new state takes effect when it is written; so a row without effects cannot change the
    state.
    """
    assert [
        row for row in TRANSACTION_STATES.rows if not row.effects and row.target not in (None, row.source)
    ] == []


def test_a_fence_is_pending_until_the_coordinator_s_own_abort_replaces_it() -> None:
    """``prepareFenceProducerEpoch``, then ``endTransaction`` that does not come from a client (TXC-10, TXC-11)."""
    into = [row for row in TRANSACTION_STATES.rows if row.target == "PrepareEpochFence"]
    assert {(row.source, row.on) for row in into} == {("Ongoing", INIT), ("Ongoing", TIME_OUT)}
    out = TRANSACTION_STATES.candidates("PrepareEpochFence", ABORT_FENCED)
    assert [row.target for row in out] == ["PrepareAbort", "PrepareAbort"]


def test_every_row_says_why_in_both_languages() -> None:
    for row in TRANSACTION_STATES.rows:
        assert catalogue()[row_key(row)].text("zh-Hans"), row


def test_nothing_decided_is_ever_taken_back() -> None:
    """TXC-4: after a decision, only its own completion can follow."""
    for source, targets in (("PrepareCommit", {"CompleteCommit"}), ("PrepareAbort", {"CompleteAbort"})):
        assert {
            row.target for row in TRANSACTION_STATES.rows if row.source == source and row.target
        } == targets


@pytest.mark.parametrize("on", sorted(RAISING))
@pytest.mark.parametrize("state", ["Empty", "Ongoing", "PrepareCommit", "CompleteAbort"])
def test_an_end_of_version_2_compares_no_epoch_while_a_change_is_written(state: str, on: str) -> None:
    """The change that is being written may have the epoch that the request names (KAFKA-18464)."""

    def replies(pending: str | None) -> list[str]:
        metadata = SimpleNamespace(
            pending_state=pending, is_this=lambda *_: False, is_repeated=lambda *_: False
        )
        asked = SimpleNamespace(metadata=metadata, claimed=(1, 0))
        return [row.reply for row in TRANSACTION_STATES.candidates(state, on) if GUARDS[row.when](asked)]

    assert replies("Ongoing") == ["CONCURRENT_TRANSACTIONS"]
    assert replies(None) == ["PRODUCER_FENCED"]
