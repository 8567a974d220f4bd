"""The checks of a partition log on a batch before it is stored, as ordered tables: one for data, one for
markers (SEQ-10 to SEQ-18, MRK-5).

Owns the rows and their guards. The first row whose guard holds decides; when none holds, the batch is stored.
The response and the decision that a step shows come from the same rows: :func:`judge` returns the deciding
row, and ``telling.appends`` lists the rows that were tried.

Kafka spreads these tests over ``Log.analyzeAndValidateProducerState``,
``ProducerStateEntry.findDuplicateBatch`` and ``ProducerAppendInfo.checkProducerEpoch``, ``checkSequence`` and
``checkCoordinatorEpoch``. The tables hold the sequence checks of all versions: ``only_if`` and ``unless`` name
the field of ``Profile`` that includes or excludes a row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Any

from engine.broker.sequence import follows, precedes
from engine.errors import EngineError, Error
from engine.happenings.codes import Next, Reason
from engine.profile import Profile, holds
from engine.switches import Switches

MACHINE = "producer_append"
ACCEPTED = "accepted"
ACCEPTED_UNNUMBERED = "accepted_unnumbered"
"""In the decision that a step shows: the name of the last row if a batch without a sequence number passed all
rules."""
MARKER_ACCEPTED = "marker_accepted"
"""In the decision that a step shows: the name of the last row if a marker passed all rules."""


class Level(IntEnum):
    """How strictly an append is checked (SEQ-9). An append tries the rows of its own level and of lower
    levels."""

    NONE = 0
    """Of the rules for data, only the one of LOG-6 is checked: a batch outside transactions is refused while
    its producer has an open transaction. Markers never have this level (CTR-26)."""
    LOGGED = 1
    """The level of a batch that a follower copies from its leader: of the rules for data, only the one of
    LOG-6 is checked. A stale epoch is logged, but not refused."""
    EPOCH_ONLY = 2
    FULL = 3


class Arrival:
    """The values of a batch and of its producer's state that the guards read.

    An absent epoch or sequence is -1. ``running_*``, ``last_sequence`` and ``transaction_first_offset``
    (None: no open transaction) take the earlier batches of the same append into account; ``stored_epoch`` and
    ``cached`` do not (SEQ-16)."""

    __slots__ = (
        "cached",
        "coordinator_epoch",
        "duplicate_of",
        "epoch",
        "first_sequence",
        "is_transactional",
        "last_sequence",
        "last_sequence_arrived",
        "producer_id",
        "running_coordinator_epoch",
        "running_epoch",
        "stored_epoch",
        "transaction_first_offset",
    )

    producer_id: int
    epoch: int
    first_sequence: int
    last_sequence_arrived: int
    is_transactional: bool
    coordinator_epoch: int
    cached: list[Any]
    duplicate_of: Any
    stored_epoch: int
    running_epoch: int
    running_coordinator_epoch: int
    last_sequence: int
    transaction_first_offset: int | None


Guard = Callable[[Arrival], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendRule:
    """One row. ``when``: the name of the guard. ``answer``: the error that the sender gets if the guard
    holds.

    ``asks``: the name of the row's question in the catalogue. ``spec``: the requirement. ``why``: the reason
    for the decision. ``level``: the lowest level at which the row is tried. ``switch``: the field of
    ``Switches`` that turns the row off when it is false. ``only_if`` (``unless``): a version has the row only
    if this field of ``Profile`` is true (false).
    """

    asks: str
    spec: str
    when: str
    answer: Error
    why: Reason
    level: Level = Level.FULL
    switch: str | None = None
    only_if: str | None = None
    unless: str | None = None
    then: Next | None = None
    """What the sender does after the refusal; None for a duplicate, because that is no refusal."""


# Guards -------------------------------------------------------------------------------------------


def in_cache(arrival: Arrival) -> bool:
    """Whether a cached batch of the same epoch has the same first and last sequence (``findDuplicateBatch``).
    Sets ``duplicate_of`` to that batch."""
    if arrival.epoch != arrival.stored_epoch:
        return False
    last = arrival.last_sequence_arrived
    first = arrival.first_sequence
    for batch in arrival.cached:
        if batch.last_sequence == last and batch.first_sequence == first:
            arrival.duplicate_of = batch
            return True
    return False


def lower_epoch(arrival: Arrival) -> bool:
    return arrival.epoch < arrival.running_epoch


def unknown_producer(arrival: Arrival) -> bool:
    """The batch does not start at sequence 0, and its producer has no entry or an entry without an epoch."""
    return (
        arrival.first_sequence != 0 and arrival.running_epoch == -1 and arrival.epoch != arrival.running_epoch
    )


def raised_epoch_past_zero(arrival: Arrival) -> bool:
    """The producer's epoch is known. The batch has another epoch and does not start at sequence 0."""
    return (
        arrival.first_sequence != 0 and arrival.running_epoch != -1 and arrival.epoch != arrival.running_epoch
    )


def nothing_cached_past_zero(arrival: Arrival) -> bool:
    """The batch does not start at sequence 0, and no batch of its epoch is cached (CTR-14)."""
    return (
        arrival.first_sequence != 0 and arrival.last_sequence == -1 and arrival.epoch == arrival.running_epoch
    )


def behind(arrival: Arrival) -> bool:
    """The batch has the producer's epoch. Its first sequence is the producer's last one or an earlier one."""
    last = arrival.last_sequence
    return arrival.epoch == arrival.running_epoch and last != -1 and precedes(arrival.first_sequence, last)


def ahead(arrival: Arrival) -> bool:
    """The batch has the producer's epoch. Its first sequence comes after the next one, so there is a gap."""
    last = arrival.last_sequence
    return (
        arrival.epoch == arrival.running_epoch
        and last != -1
        and not precedes(arrival.first_sequence, last)
        and not follows(last, arrival.first_sequence)
    )


def behind_known(arrival: Arrival) -> bool:
    """Like :func:`behind`, but never holds in the first append of an unknown producer (SEQ-15)."""
    return arrival.stored_epoch != -1 and behind(arrival)


def ahead_known(arrival: Arrival) -> bool:
    """Like :func:`ahead`, but never holds in the first append of an unknown producer (SEQ-15)."""
    return arrival.stored_epoch != -1 and ahead(arrival)


def plain_inside_transaction(arrival: Arrival) -> bool:
    return arrival.transaction_first_offset is not None and not arrival.is_transactional


def lower_coordinator_epoch(arrival: Arrival) -> bool:
    return arrival.coordinator_epoch < arrival.running_coordinator_epoch


GUARDS: dict[str, Guard] = {
    guard.__name__: guard
    for guard in (
        in_cache,
        lower_epoch,
        unknown_producer,
        raised_epoch_past_zero,
        nothing_cached_past_zero,
        behind,
        ahead,
        behind_known,
        ahead_known,
        plain_inside_transaction,
        lower_coordinator_epoch,
    )
}


# The table ----------------------------------------------------------------------------------------

DATA_RULES: tuple[AppendRule, ...] = (
    AppendRule(
        asks="duplicate_lookup",
        spec="SEQ-11",
        when="in_cache",
        answer=Error.NONE,
        why=Reason.DUPLICATE_FOUND,
        switch="duplicate_lookup",
    ),
    AppendRule(
        asks="epoch",
        spec="SEQ-12",
        when="lower_epoch",
        answer=Error.INVALID_PRODUCER_EPOCH,
        why=Reason.STALE_EPOCH_REFUSED,
        level=Level.EPOCH_ONLY,
        switch="epoch_check",
        then=Next.CLIENT_EPOCH_IS_STALE,
    ),
    AppendRule(
        asks="unknown_producer",
        spec="SEQ-14",
        when="unknown_producer",
        answer=Error.UNKNOWN_PRODUCER_ID,
        why=Reason.UNKNOWN_PRODUCER_REFUSED,
        switch="sequence_check",
        unless="accepts_unknown_producer",
        then=Next.CLIENT_COMPARES_LOG_START,
    ),
    AppendRule(
        asks="new_epoch_starts_at_zero",
        spec="SEQ-14",
        when="raised_epoch_past_zero",
        answer=Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
        why=Reason.NEW_EPOCH_REFUSED,
        switch="sequence_check",
        unless="accepts_unknown_producer",
        then=Next.CLIENT_RETRIES_IN_ORDER,
    ),
    AppendRule(
        asks="new_epoch_starts_at_zero",
        spec="SEQ-15",
        when="raised_epoch_past_zero",
        answer=Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
        why=Reason.NEW_EPOCH_REFUSED,
        switch="sequence_check",
        only_if="accepts_unknown_producer",
        then=Next.CLIENT_RETRIES_IN_ORDER,
    ),
    AppendRule(
        asks="nothing_cached",
        spec="SEQ-14",
        when="nothing_cached_past_zero",
        answer=Error.UNKNOWN_PRODUCER_ID,
        why=Reason.NOTHING_CACHED_REFUSED,
        switch="sequence_check",
        only_if="unknown_when_cache_empty",
        then=Next.CLIENT_COMPARES_LOG_START,
    ),
    AppendRule(
        asks="nothing_cached",
        spec="SEQ-15",
        when="nothing_cached_past_zero",
        answer=Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
        why=Reason.NOTHING_CACHED_REFUSED,
        switch="sequence_check",
        unless="unknown_when_cache_empty",
        then=Next.CLIENT_RETRIES_IN_ORDER,
    ),
    AppendRule(
        asks="stale_sequence_is_duplicate",
        spec="SEQ-18",
        when="behind",
        answer=Error.DUPLICATE_SEQUENCE_NUMBER,
        why=Reason.STALE_SEQUENCE_CALLED_DUPLICATE,
        switch="stale_sequence_is_duplicate",
        then=Next.CLIENT_STOPS_RESENDING,
    ),
    AppendRule(
        asks="stale_sequence",
        spec="SEQ-14",
        when="behind",
        answer=Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
        why=Reason.STALE_SEQUENCE_REFUSED,
        switch="sequence_check",
        unless="accepts_unknown_producer",
        then=Next.CLIENT_RETRIES_IN_ORDER,
    ),
    AppendRule(
        asks="stale_sequence",
        spec="SEQ-15",
        when="behind_known",
        answer=Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
        why=Reason.STALE_SEQUENCE_REFUSED,
        switch="sequence_check",
        only_if="accepts_unknown_producer",
        then=Next.CLIENT_RETRIES_IN_ORDER,
    ),
    AppendRule(
        asks="sequence_gap",
        spec="SEQ-14",
        when="ahead",
        answer=Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
        why=Reason.SEQUENCE_GAP_REFUSED,
        switch="sequence_check",
        unless="accepts_unknown_producer",
        then=Next.CLIENT_RETRIES_IN_ORDER,
    ),
    AppendRule(
        asks="sequence_gap",
        spec="SEQ-15",
        when="ahead_known",
        answer=Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
        why=Reason.SEQUENCE_GAP_REFUSED,
        switch="sequence_check",
        only_if="accepts_unknown_producer",
        then=Next.CLIENT_RETRIES_IN_ORDER,
    ),
    AppendRule(
        asks="transaction_open",
        spec="LOG-6",
        when="plain_inside_transaction",
        answer=Error.INVALID_TXN_STATE,
        why=Reason.PLAIN_BATCH_IN_TRANSACTION_REFUSED,
        level=Level.NONE,
        then=Next.CLIENT_FAILS_BATCH,
    ),
)

MARKER_RULES: tuple[AppendRule, ...] = (
    AppendRule(
        asks="marker_epoch",
        spec="MRK-5",
        when="lower_epoch",
        answer=Error.INVALID_PRODUCER_EPOCH,
        why=Reason.STALE_MARKER_REFUSED,
        level=Level.EPOCH_ONLY,
        switch="epoch_check",
        then=Next.COORDINATOR_STOPS_MARKERS,
    ),
    AppendRule(
        asks="marker_coordinator_epoch",
        spec="MRK-5",
        when="lower_coordinator_epoch",
        answer=Error.TRANSACTION_COORDINATOR_FENCED,
        why=Reason.STALE_COORDINATOR_REFUSED,
        level=Level.EPOCH_ONLY,
        switch="coordinator_epoch_check",
        then=Next.COORDINATOR_STOPS_MARKERS,
    ),
)

OPTIONAL_SWITCHES = frozenset({"stale_sequence_is_duplicate"})
"""Switches that add a row; while such a switch is off, its row is not shown at all."""


class Rules:
    """The rows for one profile and one setting of the switches.

    ``data[level]`` and ``markers[level]``: the rows that decide, as (guard, row). ``shown_data[level]`` and
    ``shown_markers[level]``: the rows that a step shows, as (row, False if a switch turned it off).
    """

    __slots__ = ("data", "markers", "shown_data", "shown_markers")

    def __init__(self, profile: Profile, switches: Switches) -> None:
        self.data = tuple(_tried(DATA_RULES, level, profile, switches) for level in Level)
        self.markers = tuple(_tried(MARKER_RULES, level, profile, switches) for level in Level)
        self.shown_data = tuple(_shown(DATA_RULES, level, profile, switches) for level in Level)
        self.shown_markers = tuple(_shown(MARKER_RULES, level, profile, switches) for level in Level)


@lru_cache(maxsize=256)
def rules_in_force(profile: Profile, switches: Switches) -> Rules:
    """The rows for a profile and a setting of the switches. They never change, so all runs of a process share
    them."""
    return Rules(profile, switches)


Tried = tuple[tuple[Guard, AppendRule], ...]
Shown = tuple[tuple[AppendRule, bool], ...]


def _shown(rules: tuple[AppendRule, ...], level: Level, profile: Profile, switches: Switches) -> Shown:
    shown = []
    for rule in rules:
        if rule.level > level or not holds(profile, rule.only_if, rule.unless):
            continue
        is_on = rule.switch is None or bool(getattr(switches, rule.switch))
        if is_on or rule.switch not in OPTIONAL_SWITCHES:
            shown.append((rule, is_on))
    return tuple(shown)


def _tried(rules: tuple[AppendRule, ...], level: Level, profile: Profile, switches: Switches) -> Tried:
    return tuple(
        (GUARDS[rule.when], rule) for rule, is_on in _shown(rules, level, profile, switches) if is_on
    )


def judge(tried: Tried, arrival: Arrival) -> AppendRule | None:
    """The row that decides, or None when the batch may be stored."""
    for guard, rule in tried:
        if guard(arrival):
            return rule
    return None


def check_tables() -> None:
    """Raises EngineError when a row names an unknown guard; called once when the module loads."""
    for rule in (*DATA_RULES, *MARKER_RULES):
        if rule.when not in GUARDS:
            raise EngineError(f"{MACHINE}: row {rule.asks} names the unknown guard {rule.when!r}")


check_tables()
