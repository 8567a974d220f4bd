"""The fields of one step that beats and their lines use."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engine.view.openers import Opener


@dataclass(slots=True)
class BeatStep:
    number: int
    time: int
    actor: str
    key: str
    said: frozenset[str]
    """The keys of the step's sentence and of its notes."""
    params: Mapping[str, Any]
    stands_out: bool
    refusal: str | None = None
    """The error of the step's refusal."""
    opener: Opener | None = None
    opener_params: dict[str, Any] = field(default_factory=dict)
    sentences: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    """The step's sentence and its notes, with their parameters."""
    repeats: bool = False
    """Whether a step of the same actor had the same sentences shortly before (``repeats.py``)."""
    broken: tuple[tuple[str, str, tuple[int, ...]], ...] = ()
    """(Guarantee, partition, records that break it in this step)."""
    resent: tuple[str, ...] = ()
    """The clients of which this step appends a resent batch."""
    settled: tuple[Any, ...] = ()
    """The names of the batches that were in doubt at their client, which learns in this step that they are stored."""
    held: tuple[tuple[Any, str, int], ...] = ()
    """(Client, partition, number) of records that wait, from this step on, behind the transaction of another
    producer: they are replicated, but read_committed consumers do not get them."""
    held_by: Mapping[str, Any] | None = None
    """If records wait from this step on: the parameters of the sentence on why read_committed consumers do not get
    them (``broker.readers_wait_for_transaction``)."""
    marked_again: tuple[str, ...] = ()
    """The partitions to which this step writes a marker that is already there."""
    released: tuple[tuple[str, str], ...] = ()
    """(Partition, result) for each partition whose last stable offset advanced in this step, so that
    consumers can continue. The result is that of the transaction that held the offset: COMMIT, ABORT, BOTH if
    several transactions with different results held it, or empty if it is not known."""
    ended: tuple[tuple[str, int, tuple[int, ...]], ...] = ()
    """(Client, number, serials) of the records of these transactions."""
    unmarked: tuple[str, ...] = ()
    """The other partitions in which these transactions have records and no marker yet."""
    stored: tuple[tuple[str, int], ...] = ()
    """(Partition, serial) of each record that this step appends to a log."""


def said_in(steps: Sequence[BeatStep], *keys: str) -> Iterator[Mapping[str, Any]]:
    """The parameters of every sentence and note with one of these keys."""
    for step in steps:
        if not step.said.isdisjoint(keys):
            yield from (params for key, params in step.sentences if key in keys)
