"""What a partition log decides about a batch before it stores it, as one ordered table (SEQ-10 to SEQ-18).

Owns the rows, their guards and the trace that a learner reads. The first row whose guard holds decides;
when none holds the batch is stored. Both the answer and the recorded decision come from the same rows:
:func:`judge` returns the deciding row, :func:`trace` writes down how the rows were tried.

Kafka spreads these tests over ``Log.analyzeAndValidateProducerState``,
``ProducerStateEntry.findDuplicateBatch`` and ``ProducerAppendInfo.checkProducerEpoch``, ``checkSequence``
and ``checkCoordinatorEpoch``. Both generations of the sequence check stand here side by side: ``only_if``
and ``unless`` name the profile's field that picks a row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from engine.broker.sequence import follows, increment
from engine.errors import EngineError, Error
from engine.profile import Profile
from engine.shapes.steps import Decision, DecisionRow, RowOutcome
from engine.switches import Switches

MACHINE = "producer_append"
ACCEPTED = "decision.accepted"
ACCEPTED_UNNUMBERED = "decision.accepted_unnumbered"
"""Of a batch without a sequence: nothing could stand against it."""
MARKER_ACCEPTED = "decision.marker_accepted"
"""What is recorded behind the rows; reached when none of them decides."""


class Level(IntEnum):
    """How much of the table an append goes through (SEQ-9)."""

    NONE = 0
    """Nothing about a data batch is compared but LOG-6; markers are still checked (CTR-26)."""
    LOGGED = 1
    """Copied from the leader: a stale epoch is written to the broker's log and passes."""
    EPOCH_ONLY = 2
    FULL = 3


class Arrival:
    """A batch beside what is known of its producer: all that a guard may look at.

    Epochs, sequences and offsets are -1 where there is none. ``running_*`` and ``last_sequence`` include the
    batches that came before in the same append, ``stored_epoch`` does not (SEQ-16).
    """

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
Numbers = Callable[[Arrival], dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendRule:
    """One row: ``when`` names the guard, ``answer`` what the sender gets if it holds.

    ``level`` is the lowest level that tries the row. ``switch`` names the field of ``Switches`` that must
    have the value ``switch_on`` (else the row is off), ``only_if`` and ``unless`` a field of ``Profile``.
    ``key`` is the row's sentence in the trace, ``why`` the sentence of the step it decides.
    """

    key: str
    spec: str
    when: str
    answer: Error
    why: str
    level: Level = Level.FULL
    switch: str | None = None
    switch_on: bool = True
    only_if: str | None = None
    unless: str | None = None
    next_key: str = ""
    """What the sender does about a refusal; empty for a duplicate, which is none."""


# Guards -------------------------------------------------------------------------------------------


def in_cache(arrival: Arrival) -> bool:
    """Some cached batch of this epoch has the same first and last sequence (``findDuplicateBatch``)."""
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
    """No entry, or one without an epoch, and the numbering does not start at 0."""
    return (
        arrival.first_sequence != 0 and arrival.running_epoch == -1 and arrival.epoch != arrival.running_epoch
    )


def raised_epoch_past_zero(arrival: Arrival) -> bool:
    """A new epoch of a known producer must start its numbering at 0."""
    return (
        arrival.first_sequence != 0 and arrival.running_epoch != -1 and arrival.epoch != arrival.running_epoch
    )


def nothing_cached_past_zero(arrival: Arrival) -> bool:
    """The epoch is known, from a marker or a snapshot, but no batch of it (CTR-14)."""
    return (
        arrival.first_sequence != 0 and arrival.last_sequence == -1 and arrival.epoch == arrival.running_epoch
    )


def behind(arrival: Arrival) -> bool:
    """Same epoch, not next in sequence, at or below the last one."""
    last = arrival.last_sequence
    return (
        arrival.epoch == arrival.running_epoch
        and last != -1
        and arrival.first_sequence <= last
        and not follows(last, arrival.first_sequence)
    )


def ahead(arrival: Arrival) -> bool:
    """Same epoch, not next in sequence, above the last one: a gap."""
    last = arrival.last_sequence
    return (
        arrival.epoch == arrival.running_epoch
        and last != -1
        and arrival.first_sequence > last
        and not follows(last, arrival.first_sequence)
    )


def behind_known(arrival: Arrival) -> bool:
    """:func:`behind`, but the later batches of a producer's very first append are not checked (SEQ-15)."""
    return arrival.stored_epoch != -1 and behind(arrival)


def ahead_known(arrival: Arrival) -> bool:
    """:func:`ahead`, but the later batches of a producer's very first append are not checked (SEQ-15)."""
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


# What each guard compared, for the trace and the refusal ------------------------------------------


def _range(arrival: Arrival) -> dict[str, Any]:
    return {
        "first": arrival.first_sequence,
        "last": arrival.last_sequence_arrived,
        "cached": [_numbers(batch.first_sequence, batch.last_sequence) for batch in arrival.cached] or None,
    }


def _numbers(first: int, last: int) -> str:
    return str(first) if first == last else f"{first}–{last}"


def _known(number: int) -> int | None:
    return None if number == -1 else number


def _epochs(arrival: Arrival) -> dict[str, Any]:
    return {"arrived": arrival.epoch, "stored": _known(arrival.running_epoch)}


def _first(arrival: Arrival) -> dict[str, Any]:
    return {"producer_id": arrival.producer_id, "first": arrival.first_sequence}


def _raised(arrival: Arrival) -> dict[str, Any]:
    return {**_epochs(arrival), "first": arrival.first_sequence}


def _expected(arrival: Arrival) -> dict[str, Any]:
    last = arrival.last_sequence
    return {"expected": 0 if last == -1 else increment(last, 1), "first": arrival.first_sequence}


def _transaction(arrival: Arrival) -> dict[str, Any]:
    return {"first_offset": arrival.transaction_first_offset}


def _coordinator_epochs(arrival: Arrival) -> dict[str, Any]:
    return {"arrived": arrival.coordinator_epoch, "stored": _known(arrival.running_coordinator_epoch)}


NUMBERS: dict[str, Numbers] = {
    "in_cache": _range,
    "lower_epoch": _epochs,
    "unknown_producer": _first,
    "raised_epoch_past_zero": _raised,
    "nothing_cached_past_zero": _expected,
    "behind": _expected,
    "ahead": _expected,
    "behind_known": _expected,
    "ahead_known": _expected,
    "plain_inside_transaction": _transaction,
    "lower_coordinator_epoch": _coordinator_epochs,
}

COMPARED_NAMES = {
    "in_cache": (("arrived first sequence", "first"), ("arrived last sequence", "last")),
    "lower_epoch": (("stored producer epoch", "stored"), ("arrived producer epoch", "arrived")),
    "unknown_producer": (("producer id", "producer_id"), ("arrived first sequence", "first")),
    "raised_epoch_past_zero": (
        ("stored producer epoch", "stored"),
        ("arrived producer epoch", "arrived"),
        ("arrived first sequence", "first"),
    ),
    "plain_inside_transaction": (("transaction's first offset", "first_offset"),),
    "lower_coordinator_epoch": (
        ("stored coordinator epoch", "stored"),
        ("arrived coordinator epoch", "arrived"),
    ),
}
EXPECTED_NAMES = (("expected first sequence", "expected"), ("arrived first sequence", "first"))


# The table ----------------------------------------------------------------------------------------

DATA_RULES: tuple[AppendRule, ...] = (
    AppendRule(
        key="decision.duplicate_lookup",
        spec="SEQ-11",
        when="in_cache",
        answer=Error.NONE,
        why="broker.duplicate_found",
        switch="duplicate_lookup",
    ),
    AppendRule(
        key="decision.epoch",
        spec="SEQ-12",
        when="lower_epoch",
        answer=Error.INVALID_PRODUCER_EPOCH,
        why="broker.stale_epoch_refused",
        level=Level.EPOCH_ONLY,
        switch="epoch_check",
        next_key="refusal.client_epoch_is_stale",
    ),
    AppendRule(
        key="decision.unknown_producer",
        spec="SEQ-14",
        when="unknown_producer",
        answer=Error.UNKNOWN_PRODUCER_ID,
        why="broker.unknown_producer_refused",
        switch="sequence_check",
        unless="accepts_unknown_producer",
        next_key="refusal.client_compares_log_start",
    ),
    AppendRule(
        key="decision.new_epoch_starts_at_zero",
        spec="SEQ-14",
        when="raised_epoch_past_zero",
        answer=Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
        why="broker.new_epoch_refused",
        switch="sequence_check",
        unless="accepts_unknown_producer",
        next_key="refusal.client_retries_in_order",
    ),
    AppendRule(
        key="decision.new_epoch_starts_at_zero",
        spec="SEQ-15",
        when="raised_epoch_past_zero",
        answer=Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
        why="broker.new_epoch_refused",
        switch="sequence_check",
        only_if="accepts_unknown_producer",
        next_key="refusal.client_retries_in_order",
    ),
    AppendRule(
        key="decision.nothing_cached",
        spec="SEQ-14",
        when="nothing_cached_past_zero",
        answer=Error.UNKNOWN_PRODUCER_ID,
        why="broker.nothing_cached_refused",
        switch="sequence_check",
        only_if="unknown_when_cache_empty",
        next_key="refusal.client_compares_log_start",
    ),
    AppendRule(
        key="decision.nothing_cached",
        spec="SEQ-15",
        when="nothing_cached_past_zero",
        answer=Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
        why="broker.nothing_cached_refused",
        switch="sequence_check",
        unless="unknown_when_cache_empty",
        next_key="refusal.client_retries_in_order",
    ),
    AppendRule(
        key="decision.stale_sequence_is_duplicate",
        spec="SEQ-18",
        when="behind",
        answer=Error.DUPLICATE_SEQUENCE_NUMBER,
        why="broker.stale_sequence_called_duplicate",
        switch="stale_sequence_is_duplicate",
        next_key="refusal.client_stops_resending",
    ),
    AppendRule(
        key="decision.stale_sequence",
        spec="SEQ-14",
        when="behind",
        answer=Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
        why="broker.stale_sequence_refused",
        switch="sequence_check",
        unless="accepts_unknown_producer",
        next_key="refusal.client_retries_in_order",
    ),
    AppendRule(
        key="decision.stale_sequence",
        spec="SEQ-15",
        when="behind_known",
        answer=Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
        why="broker.stale_sequence_refused",
        switch="sequence_check",
        only_if="accepts_unknown_producer",
        next_key="refusal.client_retries_in_order",
    ),
    AppendRule(
        key="decision.sequence_gap",
        spec="SEQ-14",
        when="ahead",
        answer=Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
        why="broker.sequence_gap_refused",
        switch="sequence_check",
        unless="accepts_unknown_producer",
        next_key="refusal.client_retries_in_order",
    ),
    AppendRule(
        key="decision.sequence_gap",
        spec="SEQ-15",
        when="ahead_known",
        answer=Error.OUT_OF_ORDER_SEQUENCE_NUMBER,
        why="broker.sequence_gap_refused",
        switch="sequence_check",
        only_if="accepts_unknown_producer",
        next_key="refusal.client_retries_in_order",
    ),
    AppendRule(
        key="decision.transaction_open",
        spec="LOG-6",
        when="plain_inside_transaction",
        answer=Error.INVALID_TXN_STATE,
        why="broker.plain_batch_in_transaction_refused",
        level=Level.NONE,
        next_key="refusal.client_fails_batch",
    ),
)

MARKER_RULES: tuple[AppendRule, ...] = (
    AppendRule(
        key="decision.marker_epoch",
        spec="MRK-5",
        when="lower_epoch",
        answer=Error.INVALID_PRODUCER_EPOCH,
        why="broker.stale_marker_refused",
        level=Level.EPOCH_ONLY,
        switch="epoch_check",
        next_key="refusal.coordinator_stops_markers",
    ),
    AppendRule(
        key="decision.marker_coordinator_epoch",
        spec="MRK-5",
        when="lower_coordinator_epoch",
        answer=Error.TRANSACTION_COORDINATOR_FENCED,
        why="broker.stale_coordinator_refused",
        level=Level.EPOCH_ONLY,
        switch="coordinator_epoch_check",
        next_key="refusal.coordinator_stops_markers",
    ),
)

OPTIONAL_SWITCHES = frozenset({"stale_sequence_is_duplicate"})
"""Switches that add a row; their row is not shown at all while they are off."""


class Rules:
    """The rows in force for one profile and one setting of the switches; ``data[level]`` and
    ``markers[level]``.

    ``tried`` rows decide; ``shown`` rows also hold those that a switch turned off, for the trace.
    """

    __slots__ = ("data", "markers", "shown_data", "shown_markers")

    def __init__(self, profile: Profile, switches: Switches) -> None:
        self.data = tuple(_tried(DATA_RULES, level, profile, switches) for level in Level)
        self.markers = tuple(_tried(MARKER_RULES, level, profile, switches) for level in Level)
        self.shown_data = tuple(_shown(DATA_RULES, level, profile, switches) for level in Level)
        self.shown_markers = tuple(_shown(MARKER_RULES, level, profile, switches) for level in Level)


Tried = tuple[tuple[Guard, AppendRule], ...]
Shown = tuple[tuple[AppendRule, bool], ...]


def _shown(rules: tuple[AppendRule, ...], level: Level, profile: Profile, switches: Switches) -> Shown:
    shown = []
    for rule in rules:
        if rule.level > level:
            continue
        if rule.only_if is not None and not getattr(profile, rule.only_if):
            continue
        if rule.unless is not None and getattr(profile, rule.unless):
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


def trace(shown: Shown, arrival: Arrival, decided: AppendRule | None) -> list[DecisionRow]:
    """How the rows were tried, as ``decision.rows`` of docs/frame.md."""
    rows = []
    outcome: RowOutcome = "passed"
    for rule, is_on in shown:
        if not is_on:
            rows.append(_row(rule, arrival, "off"))
            continue
        if rule is decided:
            rows.append(_row(rule, arrival, "decided"))
            outcome = "not_reached"
            continue
        rows.append(_row(rule, arrival, outcome))
    return rows


def _row(rule: AppendRule, arrival: Arrival, outcome: RowOutcome) -> DecisionRow:
    return {"rule": rule.spec, "key": rule.key, "params": NUMBERS[rule.when](arrival), "outcome": outcome}


def decision(
    by: str, subject: str, shown: Shown, arrival: Arrival, decided: AppendRule | None, marker: bool = False
) -> Decision:
    """The whole decision as docs/frame.md has it; its last row is the acceptance, reached when no rule
    decides."""
    rows = trace(shown, arrival, decided)
    last = arrival.last_sequence
    numbered = ACCEPTED if arrival.first_sequence >= 0 else ACCEPTED_UNNUMBERED
    accepted: DecisionRow = {
        "rule": "MRK-6" if marker else "SEQ-13",
        "key": MARKER_ACCEPTED if marker else numbered,
        "params": _epochs(arrival)
        if marker
        else {"first": arrival.first_sequence, "last": arrival.last_sequence_arrived},
        "outcome": "decided" if decided is None else "not_reached",
    }
    return {
        "by": by,
        "subject": subject,
        "machine": MACHINE,
        "arrived": {
            "producer_id": arrival.producer_id,
            "producer_epoch": arrival.epoch,
            "first_sequence": arrival.first_sequence,
            "last_sequence": arrival.last_sequence_arrived,
        },
        "stored": None
        if arrival.stored_epoch == -1
        else {"producer_epoch": arrival.stored_epoch, "last_sequence": None if last == -1 else last},
        "rows": [*rows, accepted],
    }


def compared(rule: AppendRule, arrival: Arrival) -> list[list[Any]]:
    """The numbers that a refusing row compared, as ``refusal.compared`` of docs/frame.md."""
    numbers = NUMBERS[rule.when](arrival)
    return [[name, numbers[field]] for name, field in COMPARED_NAMES.get(rule.when, EXPECTED_NAMES)]


def check_tables() -> None:
    """Every guard of every row is known and has its numbers; called once when the module loads."""
    for rule in (*DATA_RULES, *MARKER_RULES):
        if rule.when not in GUARDS or rule.when not in NUMBERS:
            raise EngineError(f"{MACHINE}: row {rule.key} names the unknown guard {rule.when!r}")


check_tables()
