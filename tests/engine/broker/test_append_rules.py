"""The rules for an append: every row of SEQ-17 in both versions, every row of the table in the code, and every
switch.
"""

from __future__ import annotations

from typing import Any

import pytest
from _pytest.mark import ParameterSet
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.broker.append_rules import (
    DATA_RULES,
    GUARDS,
    MARKER_RULES,
    OPTIONAL_SWITCHES,
    AppendRule,
    Arrival,
    Level,
    Rules,
    judge,
)
from engine.broker.appended import Appended
from engine.broker.configuration import BrokerConfiguration
from engine.broker.partition_log import PartitionLog
from engine.broker.validation import Origin, data_level, marker_level
from engine.messages import INT_MAX, RecordBatch
from engine.profile import Profile
from engine.profiles import K20, K28
from engine.switches import Switches
from engine.telling.appends import decision, trace
from engine.watching import Watch
from tests.engine.broker.watched import Cluster, answer, batch_of
from tests.engine.narrowing import of, present


def new_log(profile: Profile = K28, switches: Switches | None = None, partition: str = "t-0") -> PartitionLog:
    return PartitionLog(
        partition,
        1,
        profile=profile,
        switches=switches or Switches(),
        configuration=BrokerConfiguration(),
        watch=Watch(),
    )


def append(
    log: PartitionLog, *batches: RecordBatch, origin: Origin = Origin.CLIENT, now: int = 0
) -> Appended:
    return log.append_as_leader(batches, now, leader_epoch=0, origin=origin)


def marker(
    epoch: int = 0, kind: str = "COMMIT", coordinator_epoch: int = 0, producer_id: int = 0
) -> RecordBatch:
    return RecordBatch(
        record_count=1,
        last_offset_delta=0,
        producer_id=producer_id,
        producer_epoch=epoch,
        is_transactional=True,
        is_control=True,
        control_type=kind,
        coordinator_epoch=coordinator_epoch,
    )


def known(log: PartitionLog, *, last: int | None = None, epoch: int = 0) -> None:
    """Give the log a producer entry at ``epoch`` whose five cached batches end with sequence ``last``; with ``last``
    None, no batch is cached.
    """
    log.preset_producer(0, epoch, last, None, 0)


UNKNOWN = "UNKNOWN_PRODUCER_ID"
OUT_OF_ORDER = "OUT_OF_ORDER_SEQUENCE_NUMBER"
STALE = "INVALID_PRODUCER_EPOCH"

SEQ_17 = [
    # (case, epoch and last sequence of the entry or None, arriving epoch, first, k20, k28)
    ("no entry, f = 0", None, 0, 0, "NONE", "NONE"),
    ("no entry, f ≠ 0", None, 0, 7, UNKNOWN, "NONE"),
    ("e < E", (1, 4), 0, 5, STALE, STALE),
    ("e > E, f = 0", (0, 4), 1, 0, "NONE", "NONE"),
    ("e > E, f ≠ 0", (0, 4), 1, 5, OUT_OF_ORDER, OUT_OF_ORDER),
    ("e = E, cache empty, f = 0", (0, None), 0, 0, "NONE", "NONE"),
    ("e = E, cache empty, f ≠ 0", (0, None), 0, 3, UNKNOWN, OUT_OF_ORDER),
    ("e = E, exact cached range", (0, 4), 0, 4, "DUPLICATE", "DUPLICATE"),
    ("e = E, f = L + 1", (0, 4), 0, 5, "NONE", "NONE"),
    ("e = E, L = INT_MAX, f = 0", (0, INT_MAX), 0, 0, "NONE", "NONE"),
    ("e = E, gap", (0, 4), 0, 6, OUT_OF_ORDER, OUT_OF_ORDER),
    ("e = E, f ≤ L, not cached", (0, 4), 0, 2, OUT_OF_ORDER, OUT_OF_ORDER),
]


@pytest.mark.parametrize("profile", [K20, K28], ids=lambda profile: profile.name)
@pytest.mark.parametrize(
    ("case", "entry", "epoch", "first", "k20", "k28"), SEQ_17, ids=[row[0] for row in SEQ_17]
)
def test_seq_17(
    profile: Profile,
    case: str,
    entry: tuple[int, int | None] | None,
    epoch: int,
    first: int,
    k20: str,
    k28: str,
) -> None:
    log = new_log(profile)
    if entry is not None:
        known(log, epoch=entry[0], last=entry[1])
    stored = log.producers.entries.get(0)
    before = None if stored is None else (stored.producer_epoch, list(stored.batches), stored.last_timestamp)
    appended = append(log, batch_of(first, epoch=epoch, timestamp=9))
    expected = k20 if profile is K20 else k28
    assert ("DUPLICATE" if appended.is_duplicate else appended.error.name) == expected
    after = log.producers.entries.get(0)
    if expected == "NONE":
        assert log.log_end == 1
        assert present(after).producer_epoch == epoch
        if entry is not None and epoch != entry[0]:
            assert len(present(after).batches) == 1, "a new epoch empties the cache"
    else:
        assert log.log_end == 0
        assert (
            None if after is None else (after.producer_epoch, after.batches, after.last_timestamp)
        ) == before


DECIDED_BY = {
    # guard: (epoch and last sequence of the entry, or None; the arriving batch)
    "in_cache": ((0, 4), batch_of(4)),
    "lower_epoch": ((2, 4), batch_of(5, epoch=1)),
    "unknown_producer": (None, batch_of(3)),
    "raised_epoch_past_zero": ((0, 4), batch_of(5, epoch=1)),
    "nothing_cached_past_zero": ((0, None), batch_of(3)),
    "behind": ((0, 4), batch_of(2)),
    "behind_known": ((0, 4), batch_of(2)),
    "ahead": ((0, 4), batch_of(9)),
    "ahead_known": ((0, 4), batch_of(9)),
}

DATA_CASES = []
for row in DATA_RULES:
    for profile in (K20, K28):
        if row.only_if is not None and not getattr(profile, row.only_if):
            continue
        if row.unless is not None and getattr(profile, row.unless):
            continue
        DATA_CASES.append(pytest.param(row, profile, id=f"{row.asks}-{row.spec}-{profile.name}"))


def _arrange(row: AppendRule, profile: Profile, switches: Switches) -> tuple[PartitionLog, RecordBatch]:
    log = new_log(profile, switches)
    if row.when == "plain_inside_transaction":
        append(log, batch_of(0, transactional=True))
        return log, batch_of(1)
    entry, batch = DECIDED_BY[row.when]
    if entry is not None:
        known(log, epoch=entry[0], last=entry[1])
    return log, batch


def turned(row: AppendRule, on: bool) -> Switches:
    """Return switches in which only this row's switch is set, to ``on``."""
    given: dict[str, Any] = {present(row.switch): on}
    return Switches(**given)


def row_of(case: ParameterSet) -> AppendRule:
    return of(AppendRule, case.values[0])


@pytest.mark.parametrize(("row", "profile"), DATA_CASES)
def test_every_data_row_decides(row: AppendRule, profile: Profile) -> None:
    switches = turned(row, True) if row.switch in OPTIONAL_SWITCHES else Switches()
    log, batch = _arrange(row, profile, switches)
    appended = append(log, batch)
    assert appended.rule is row
    assert appended.error is row.answer


@pytest.mark.parametrize(
    ("row", "profile"),
    [case for case in DATA_CASES if row_of(case).switch not in (None, *OPTIONAL_SWITCHES)],
)
def test_every_switch_turns_its_row_off(row: AppendRule, profile: Profile) -> None:
    log, batch = _arrange(row, profile, turned(row, False))
    appended = append(log, batch)
    assert appended.rule is not row
    if row.switch == "sequence_check":
        assert appended.rule is None, "nothing else stands against it"
        assert log.log_end == 1


def test_stale_sequence_is_called_duplicate_only_when_asked() -> None:
    for is_on, error in ((False, OUT_OF_ORDER), (True, "DUPLICATE_SEQUENCE_NUMBER")):
        log = new_log(switches=Switches(stale_sequence_is_duplicate=is_on))
        known(log, last=4)
        assert append(log, batch_of(2)).error.name == error
        assert append(log, batch_of(9)).error.name == OUT_OF_ORDER, "a gap stays a gap"


def test_earlier_and_later_sequences_are_distinguished_across_the_wrap() -> None:
    for last, first, asks in ((INT_MAX, 1, "sequence_gap"), (3, INT_MAX - 1, "stale_sequence")):
        log = new_log()
        known(log, last=last)
        assert present(append(log, batch_of(first)).rule).asks == asks


@pytest.mark.parametrize("row", MARKER_RULES, ids=lambda row: row.asks)
@pytest.mark.parametrize("profile", [K20, K28], ids=lambda profile: profile.name)
def test_every_marker_row(row: AppendRule, profile: Profile) -> None:
    def arranged(switches: Switches) -> tuple[PartitionLog, RecordBatch]:
        log = new_log(profile, switches)
        append(log, marker(epoch=2, coordinator_epoch=5))
        return log, marker(epoch=1 if row.when == "lower_epoch" else 2, coordinator_epoch=4)

    log, batch = arranged(Switches())
    appended = append(log, batch, origin=Origin.COORDINATOR)
    assert appended.rule is row
    assert log.log_end == 1
    log, batch = arranged(turned(row, False))
    assert append(log, batch, origin=Origin.COORDINATOR).rule is not row


def test_no_row_is_left_out() -> None:
    """Together, the cases above cover all guards and rows; a row without a case could be wrong without a failure."""
    assert {row_of(case).asks for case in DATA_CASES} == {row.asks for row in DATA_RULES}
    used = {row.when for row in (*DATA_RULES, *MARKER_RULES)}
    assert used == set(GUARDS)


@pytest.mark.parametrize(
    ("profile", "origin", "topic", "level"),
    [
        (K28, Origin.CLIENT, "t", Level.FULL),
        (K28, Origin.CLIENT, "__consumer_offsets", Level.FULL),
        (K28, Origin.COORDINATOR, "__consumer_offsets", Level.EPOCH_ONLY),
        (K28, Origin.REPLICATION, "t", Level.LOGGED),
        (K20, Origin.CLIENT, "t", Level.FULL),
        (K20, Origin.CLIENT, "__consumer_offsets", Level.EPOCH_ONLY),
        (K20, Origin.COORDINATOR, "__consumer_offsets", Level.NONE),
        (K20, Origin.REPLICATION, "t", Level.NONE),
    ],
)
def test_levels_of_data(profile: Profile, origin: Origin, topic: str, level: Level) -> None:
    assert data_level(profile, origin, topic) is level


def test_levels_of_markers() -> None:
    assert marker_level(K28, Origin.REPLICATION) is Level.LOGGED
    assert marker_level(K28, Origin.COORDINATOR) is Level.EPOCH_ONLY
    assert marker_level(K20, Origin.REPLICATION) is Level.EPOCH_ONLY


def test_only_the_epoch_is_checked_at_that_level() -> None:
    log = new_log(K20, partition="__consumer_offsets-0")
    known(log, epoch=1, last=4)
    assert append(log, batch_of(9, epoch=1)).error.name == "NONE"
    assert append(log, batch_of(10, epoch=0)).error.name == STALE


def test_several_batches_in_one_append_run_on() -> None:
    log = new_log(K20)
    appended = append(log, batch_of(0, 2), batch_of(2, 3))
    assert (appended.base_offset, appended.last_offset) == (0, 4)
    assert append(log, batch_of(5), batch_of(7)).error.name == OUT_OF_ORDER
    assert log.log_end == 5, "nothing of a refused append is stored"
    assert log.producers.entries[0].last_sequence == 4


def test_a_leader_of_28_takes_one_batch_at_once() -> None:
    """``LogValidator`` of 2.8 refuses a request with more than one batch for a partition, from any producer. 2.0
    checks only their sequences.
    """
    log = new_log(K28)
    assert append(log, batch_of(0), batch_of(1)).error.name == "INVALID_RECORD"
    assert log.log_end == 0
    assert append(new_log(K20), batch_of(0), batch_of(9)).error.name == OUT_OF_ORDER


def test_a_switched_off_epoch_check_lets_a_zombie_meet_the_sequence_check() -> None:
    """FEN-8: with only the epoch check off the zombie is stopped by its sequence, unless that is 0."""
    switches = Switches(epoch_check=False)
    log = new_log(K28, switches)
    known(log, epoch=2, last=4)
    assert append(log, batch_of(7, epoch=1)).error.name == OUT_OF_ORDER
    assert append(log, batch_of(0, epoch=1)).error.name == "NONE"


def test_cache_size_is_a_switch() -> None:
    for size, found in ((5, False), (6, True)):
        log = new_log(switches=Switches(duplicate_cache_size=size))
        for first in range(6):
            append(log, batch_of(first))
        assert append(log, batch_of(0)).is_duplicate is found


ARRIVALS: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict,
    epoch=st.integers(-1, 3),
    first_sequence=st.integers(0, 6) | st.just(INT_MAX),
    running_epoch=st.integers(-1, 3),
    last_sequence=st.integers(-1, 6) | st.just(INT_MAX),
    is_transactional=st.booleans(),
    transaction_first_offset=st.none() | st.just(0),
)


@given(fields=ARRIVALS, profile=st.sampled_from([K20, K28]), level=st.sampled_from(list(Level)))
@settings(max_examples=300, deadline=None)
def test_the_trace_tells_what_was_decided(fields: dict[str, Any], profile: Profile, level: Level) -> None:
    """At most one row decides: the rows before it passed, and the rows after it were not reached."""
    arrival = Arrival()
    for name, value in fields.items():
        setattr(arrival, name, value)
    arrival.producer_id = 1
    arrival.stored_epoch = arrival.running_epoch
    arrival.last_sequence_arrived = arrival.first_sequence
    arrival.cached = []
    arrival.duplicate_of = None
    arrival.running_coordinator_epoch = arrival.coordinator_epoch = -1
    rules = Rules(profile, Switches())
    rule = judge(rules.data[level], arrival)
    outcomes = [row["outcome"] for row in trace(rules.shown_data[level], arrival, rule)]
    assert outcomes.count("decided") == (rule is not None)
    if rule is not None:
        at = outcomes.index("decided")
        assert outcomes == ["passed"] * at + ["decided"] + ["not_reached"] * (len(outcomes) - at - 1)
    whole = decision("broker-1", "t-0", rules.shown_data[level], arrival, rule)
    assert [row["outcome"] for row in whole["rows"]].count("decided") == 1


def test_a_step_of_a_duplicate_tells_rule_numbers_and_offset() -> None:
    cluster = Cluster()
    cluster.produce(1, batch_of(0, 3, serials=(1, 2, 3)))
    cluster.replicate()
    cluster.strict.finished()
    sends = cluster.produce(1, batch_of(0, 3, serials=(1, 2, 3)))
    assert answer(sends) == ("NONE", 0)
    step = cluster.strict.finished()
    assert step.key == "broker.duplicate_found"
    assert step.params["base_offset"] == 0
    assert {"SEQ-10", "SEQ-11", "LOG-3"} <= set(step.rules)
    rows = present(step.decision)["rows"]
    assert rows[0] == {
        "rule": "SEQ-11",
        "key": "decision.duplicate_lookup",
        "params": {"first": 0, "last": 2, "cached": ["0–2"]},
        "outcome": "decided",
    }
    assert step.refusal is None
    assert [path for path, _, _ in step.changes] == [("counters",)]


def test_a_decision_shows_only_cached_batches_of_the_arriving_epoch() -> None:
    cluster = Cluster()
    cluster.produce(1, batch_of(0))
    cluster.strict.finished()
    cluster.produce(1, batch_of(0, epoch=1))
    row = present(cluster.strict.finished().decision)["rows"][0]
    assert row["params"] == {"first": 0, "last": 0, "cached": None}
    assert row["outcome"] == "passed"


def test_a_step_of_a_refusal_compares_numbers_and_changes_nothing() -> None:
    cluster = Cluster()
    cluster.produce(1, batch_of(0, 3))
    cluster.replicate()
    cluster.strict.finished()
    assert answer(cluster.produce(1, batch_of(5, 2))) == (OUT_OF_ORDER, -1)
    step = cluster.strict.finished()
    assert present(step.refusal)["rule"] == "SEQ-15"
    assert [list(pair) for pair in present(step.refusal)["compared"]] == [
        ["expected first sequence", 3],
        ["arrived first sequence", 5],
    ]
    assert present(step.refusal)["next"] == "refusal.client_retries_in_order"
    assert [path for path, _, _ in step.changes] == [("counters",)]


def test_a_row_turned_off_is_shown_as_off() -> None:
    cluster = Cluster(switches=Switches(duplicate_lookup=False))
    cluster.produce(1, batch_of(0))
    cluster.strict.finished()
    assert answer(cluster.produce(1, batch_of(0)))[0] == OUT_OF_ORDER
    rows = present(cluster.strict.finished().decision)["rows"]
    assert rows[0]["outcome"] == "off"
    assert [row["outcome"] for row in rows].count("decided") == 1
