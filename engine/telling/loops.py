"""Sentences of application loops."""

from __future__ import annotations

from engine.happenings import loops as happened
from engine.happenings.base import Happening
from engine.telling.telling import Tell, Teller, says


def _listed(offsets: tuple[tuple[str, int], ...]) -> list[str]:
    return [f"{partition} → {offset}" for partition, offset in offsets]


def _polled_first(h: happened.LoopPolledFirst, teller: Teller) -> None:
    teller.say(
        "loop.polls_first" if h.transactional else "loop.polls_first_plain",
        ("CON-9", "TXM-6", "TXM-7") if h.transactional else ("CON-9", "TXM-6"),
        application=h.application,
        consumer=h.consumer,
        group=h.group,
    )


def _polled(h: happened.LoopPolled, teller: Teller) -> None:
    teller.say(
        "loop.polls",
        ("TXM-6", "CON-8"),
        application=h.application,
        consumer=h.consumer,
        count=h.count,
        round=h.round,
        records=[f"{partition} {offset}" for partition, offset in h.records],
    )


def _sends_last_offset(h: happened.LoopSendsLastOffset, teller: Teller) -> None:
    positions = _listed(h.positions)
    teller.note("loop.sends_last_offset", ("CTR-46",), application=h.application, positions=positions)


def _committed(h: happened.LoopCommitted, teller: Teller) -> None:
    teller.say(
        "loop.commits_positions",
        ("OFS-6", "CON-8"),
        application=h.application,
        consumer=h.consumer,
        group=h.group,
        offsets=_listed(h.offsets),
    )


TELLINGS: dict[type[Happening], Tell] = {
    happened.LoopPolledFirst: _polled_first,
    happened.LoopPolled: _polled,
    happened.LoopPaused: says("loop.pauses", "TXM-5"),
    happened.LoopChangedItsMind: says("loop.changes_its_mind", "TXM-6"),
    happened.LoopSendsLastOffset: _sends_last_offset,
    happened.LoopCommitted: _committed,
    happened.LoopRewound: says("loop.rewinds", "CON-10", "TXM-6"),
    happened.LoopRestarted: says("loop.restarts", "CON-9", "TXM-6"),
    happened.LoopGaveUp: says("loop.gives_up", "CTR-28", "TXM-6"),
}
