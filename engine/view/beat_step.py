"""The data of a run's step that beats and their lines use."""

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
    """The error of the step's refusal; None if the step refuses nothing."""
    opener: Opener | None = None
    opener_params: dict[str, Any] = field(default_factory=dict)
    sentences: tuple[tuple[str, Mapping[str, Any]], ...] = ()
    """The step's sentence and its notes, with their parameters."""
    repeats: bool = False
    """Whether a step of the same actor had the same sentences shortly before (``repeats.py``)."""
    broken: tuple[tuple[str, str, tuple[int, ...]], ...] = ()
    """(guarantee, partition, serials of the records that break the guarantee in this step)."""
    resent: tuple[str, ...] = ()
    """The clients whose resent batch this step appends."""
    settled: tuple[Any, ...] = ()
    """For each batch that was in doubt at its client, and that this client now learns to be stored: the names of its
    records."""
    held: tuple[tuple[Any, str, int], ...] = ()
    """(client, partition, number of records) for records that wait, from this step on, behind the transaction of
    another producer: they are replicated, but read_committed consumers do not get them."""
    held_by: Mapping[str, Any] | None = None
    """If records wait from this step on: the parameters of the sentence that says why read_committed consumers do not
    get them (``broker.readers_wait_for_transaction``)."""
    marked_again: tuple[str, ...] = ()
    """The partitions in which this step stores the same marker that is already there."""
    released: tuple[tuple[str, str], ...] = ()
    """(partition, result) for each partition whose last stable offset advanced in this step, so that consumers can
    continue. The result is that of the transaction that held the offset back: COMMIT, ABORT, BOTH if several
    transactions with different results held it back, or empty if it is not known."""
    ended: tuple[tuple[str, int, tuple[int, ...]], ...] = ()
    """(client, number of records, serials) for the records of the transactions in ``released``."""
    freed: tuple[tuple[Any, int], ...] = ()
    """(client, number of records) for records outside transactions that waited behind the transactions in ``released``
    and that consumers can get from this step on."""
    unmarked: tuple[str, ...] = ()
    """The other partitions in which the transactions in ``released`` have records and no marker yet."""
    stored: tuple[tuple[str, int], ...] = ()
    """(partition, serial) of each record that this step appends to a log."""


def said_in(steps: Sequence[BeatStep], *keys: str) -> Iterator[Mapping[str, Any]]:
    """The parameters of every sentence and note of the steps whose key is one of ``keys``, in order."""
    for step in steps:
        if not step.said.isdisjoint(keys):
            yield from (params for key, params in step.sentences if key in keys)
