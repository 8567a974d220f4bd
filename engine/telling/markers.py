"""Sentences of transaction markers."""

from __future__ import annotations

from typing import Any

from engine.happenings import markers as happened
from engine.happenings.base import Happening
from engine.messages import broker_number
from engine.telling.machines import tell_row
from engine.telling.rows import row_key
from engine.telling.telling import Tell, Teller, notes, phrase, says


def missing_markers(teller: Teller, coordinator: str, transactional_id: str | None) -> list[str]:
    """The partitions whose acknowledgement of the id's marker has not reached the coordinator yet; empty if the
    coordinator waits for none."""
    board = teller.shown("brokers", str(broker_number(coordinator)), "markers") or {}
    waiting = (board.get("waiting") or {}).get(transactional_id)
    return [] if waiting is None else list(waiting["remaining"])


def _word(partitions: tuple[str, ...]) -> dict[str, Any]:
    return phrase("word.marker.one" if len(partitions) == 1 else "word.marker.many")


def _markers_sent(h: happened.MarkersSent, teller: Teller) -> None:
    teller.say(
        row_key(h.row),
        (h.row.spec,),
        coordinator=h.coordinator,
        broker=h.broker,
        transactions=[f"{transactional_id} {result}" for transactional_id, result in h.transactions],
        partitions=list(dict.fromkeys(h.partitions)),
    )
    if h.again:
        teller.note("markers.sent_before", ("MRK-10",), partitions=list(h.again))
    tell_row(h.row, h.transactions[0][0], teller)


def _marker_moved(h: happened.MarkerMoved, teller: Teller) -> None:
    answer = {} if h.answer is None else {"broker": h.answer[0], "error": h.answer[1]}
    teller.say(
        row_key(h.row),
        (h.row.spec, "MSG-4") if h.row.refused else (h.row.spec,),
        coordinator=h.coordinator,
        transactional_id=h.transactional_id,
        result=h.result,
        coordinator_epoch=h.coordinator_epoch,
        current=h.current,
        partitions=list(h.partitions),
        markers=_word(h.partitions),
        **answer,
    )
    tell_row(h.row, h.transactional_id, teller)


def _marker_queued(h: happened.MarkerQueued, teller: Teller) -> None:
    teller.note(
        row_key(h.row),
        (h.row.spec,),
        coordinator=h.coordinator,
        transactional_id=h.transactional_id,
        result=h.result,
        partitions=list(h.partitions),
        markers=_word(h.partitions),
        broker=h.broker,
    )
    tell_row(h.row, h.transactional_id, teller)


def _marker_dropped(h: happened.MarkerDropped, teller: Teller) -> None:
    teller.note(
        row_key(h.row),
        (h.row.spec,),
        coordinator=h.coordinator,
        transactional_id=h.transactional_id,
        result=h.result,
        partitions=list(h.partitions),
        markers=_word(h.partitions),
        coordinator_epoch=h.coordinator_epoch,
        current=None,
    )
    tell_row(h.row, h.transactional_id, teller)


def _markers_sent_again(h: happened.MarkersSentAgain, teller: Teller) -> None:
    teller.note(row_key(h.row), (h.row.spec,), transactional_id=h.transactional_id, retries=h.retries)


TELLINGS: dict[type[Happening], Tell] = {
    happened.MarkersSent: _markers_sent,
    happened.MarkerMoved: _marker_moved,
    happened.MarkerQueued: _marker_queued,
    happened.MarkerDropped: _marker_dropped,
    happened.MarkersSentAgain: _markers_sent_again,
    happened.NewerForgotten: notes("markers.newer_forgotten_too", "MRK-9"),
    happened.LateAnswer: says("markers.answer_for_nobody", "MRK-8"),
    happened.SameEverywhere: notes("markers.same_everywhere", "CPT-4"),
}
