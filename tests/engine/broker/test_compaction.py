"""The log cleaner: what it removes, what it keeps, and the effect on consumers and judges (LOG-13, CON-11)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engine.broker.compaction import compact
from engine.broker.configuration import BrokerConfiguration
from engine.broker.partition_log import PartitionLog
from engine.client.reading import Taken, take
from engine.codec.batch_message import bytes_of, read_back
from engine.errors import Error
from engine.messages import BatchContent, PartitionFetchResponse, RecordBatch
from engine.profiles import K28
from engine.switches import Switches
from engine.watching import Watch


def log() -> PartitionLog:
    return PartitionLog(
        "t-0",
        1,
        profile=K28,
        switches=Switches(),
        configuration=BrokerConfiguration(),
        watch=Watch(),
    )


def batch(
    serials: list[int],
    keys: str | list[str | None],
    *,
    producer_id: int = 1,
    sequence: int = 0,
    transactional: bool = True,
) -> RecordBatch:
    count = len(serials)
    return RecordBatch(
        record_count=count,
        last_offset_delta=count - 1,
        producer_id=producer_id,
        producer_epoch=0 if producer_id >= 0 else -1,
        base_sequence=sequence if producer_id >= 0 else -1,
        last_sequence=sequence + count - 1 if producer_id >= 0 else -1,
        is_transactional=transactional,
        size=61 + 10 * count,
        serials=tuple(serials),
        content=BatchContent(keys=tuple(keys)),
    )


def marker(kind: str, producer_id: int = 1) -> RecordBatch:
    return RecordBatch(
        record_count=1,
        last_offset_delta=0,
        producer_id=producer_id,
        producer_epoch=0,
        is_transactional=True,
        is_control=True,
        control_type=kind,
        coordinator_epoch=0,
        size=78,
    )


def append(store: PartitionLog, *batches: RecordBatch, now: int = 0) -> None:
    for one in batches:
        assert store.append_as_leader([one], now, leader_epoch=0).error is Error.NONE
    store.set_high_watermark(store.log_end)


def read(store: PartitionLog, isolation: str = "read_committed", position: int = 0) -> Taken:
    batches, aborted = store.read(position, committed=isolation == "read_committed", batches_max=100)
    answer = PartitionFetchResponse(error=Error.NONE, batches=batches, aborted=aborted)
    return take(answer, isolation, position)


def test_the_newest_value_of_a_key_stays_and_offsets_are_not_renumbered() -> None:
    store = log()
    append(store, batch([1, 2], "ab"), marker("COMMIT"), batch([3, 4], "bc", sequence=2), marker("COMMIT"))
    assert compact(store).records == 1
    assert store.log_end == 6
    taken = read(store)
    assert list(zip(taken.offsets, taken.serials, strict=True)) == [(0, 1), (3, 3), (4, 4)]
    assert (1, 1, "compacted") in taken.stretches
    assert taken.position == 6


def test_records_of_an_aborted_transaction_go_and_hide_no_older_value() -> None:
    store = log()
    append(store, batch([1], "a"), marker("COMMIT"), batch([2], "a", sequence=1), marker("ABORT"))
    append(store, batch([3], "z", sequence=2), marker("COMMIT"))
    assert compact(store).records == 1
    assert read(store).serials == [1, 3]
    assert read(store, "read_uncommitted").serials == [1, 3]


def test_nothing_at_or_above_the_last_stable_offset_is_touched() -> None:
    store = log()
    append(store, batch([1], "a"), marker("COMMIT"), batch([2], "a", sequence=1))
    assert store.last_stable_offset == 2
    assert compact(store).records == 0
    assert store.batches[0].serials == (1,)


def test_records_without_a_key_and_markers_stay() -> None:
    store = log()
    plain = batch([1, 2], [None, "a"], producer_id=-1, transactional=False)
    append(store, plain, batch([3], "a"), marker("COMMIT"))
    assert compact(store).records == 1
    assert [found.control_type for found in store.batches] == [None, None, "COMMIT"]
    assert read(store).serials == [1, 3]


def test_the_newest_batch_of_a_producer_stays_empty_so_that_its_sequence_is_known() -> None:
    store = log()
    append(store, batch([1], "a", producer_id=1, transactional=False))
    append(store, batch([2], "a", producer_id=2, transactional=False))
    assert compact(store).records == 1
    emptied = store.batches[0]
    assert (emptied.record_count, emptied.serials, emptied.last_offset) == (0, (), 0)
    store.close(clean=False)
    store.reopen(0, clean=False)
    assert store.producers.entries[1].last_sequence == 0


def test_what_is_left_survives_being_written_and_read() -> None:
    store = log()
    append(store, batch([1, 2, 3], "aba"), marker("COMMIT"))
    compact(store)
    (found,) = read_back(bytes_of(store.batches[0]))
    assert found.content is not None
    assert found.content.offset_deltas == (1, 2)
    assert (found.base_offset, found.last_offset, found.record_count) == (0, 2, 2)


def test_compacting_twice_changes_nothing_more() -> None:
    store = log()
    append(store, batch([1, 2], "aa"), marker("COMMIT"), batch([3], "a", sequence=2), marker("COMMIT"))
    assert compact(store).records == 2
    before = list(store.batches)
    assert compact(store).records == 0
    assert store.batches == before


def stored(store: PartitionLog) -> list[tuple[int, str | list[int]]]:
    return [(found.base_offset, found.control_type or list(found.serials)) for found in store.batches]


def test_a_marker_goes_only_when_nothing_of_its_transaction_is_left_and_it_is_old_enough() -> None:
    store = log()
    append(store, batch([1], "a"), marker("COMMIT"), batch([2], "a", sequence=1), marker("COMMIT"), now=100)
    first = compact(store, 500)
    assert (first.records, first.markers, first.waiting) == (1, 0, 0), (
        "its batch was still there in this pass"
    )
    second = compact(store, 500)
    assert (second.markers, second.waiting) == (0, 1), (
        "nothing is left of the first transaction, but too young"
    )
    append(store, batch([3], "b", sequence=2), marker("COMMIT"), now=601)
    assert compact(store, 500).waiting == 1, "the newer segment was not clean before this pass"
    last = compact(store, 500)
    assert (last.markers, last.waiting) == (1, 0)
    assert stored(store) == [(2, [2]), (3, "COMMIT"), (4, [3]), (5, "COMMIT")]
    assert read(store).serials + read(store, position=4).serials == [2, 3]


def test_an_aborted_transaction_leaves_the_index_before_its_marker_leaves_the_log() -> None:
    store = log()
    append(store, batch([1], "a"), marker("ABORT"), batch([2], "a", sequence=1), marker("COMMIT"), now=100)
    compact(store, 500)
    assert [line.last_offset for line in store.aborted.lines] == [1]
    compact(store, 500)
    assert store.aborted.lines == []
    assert (1, "ABORT") in stored(store)
    assert read(store).serials == [2]


def test_a_marker_stays_while_only_it_tells_the_epoch_of_its_producer() -> None:
    store = log()
    append(store, marker("ABORT", producer_id=7), batch([1], "a"), marker("COMMIT"), now=100)
    append(store, batch([2], "b", sequence=1), marker("COMMIT"), now=900)
    for _ in range(3):
        compact(store, 0)
    assert stored(store)[0] == (0, "ABORT")
    store.producers.entries.pop(7)
    compact(store, 0)
    assert stored(store)[0] == (1, [1])


def test_a_tombstone_takes_its_key_along_and_goes_itself_when_it_is_old() -> None:
    store = log()
    value = batch([1, 2], "ab", producer_id=-1, transactional=False)
    gone = replace(
        batch([3], "a", producer_id=-1, transactional=False),
        content=BatchContent(keys=("a",), values=(None,)),
    )
    append(store, value, gone, now=100)
    assert compact(store, 500).records == 1
    append(store, batch([4], "c", producer_id=-1, transactional=False), now=700)
    compact(store, 500)
    last = compact(store, 500)
    assert (last.records, last.tombstones) == (1, 1)
    assert stored(store) == [(0, [2]), (3, [4])]


def test_an_emptied_batch_goes_once_its_producer_has_a_newer_one() -> None:
    store = log()
    append(store, batch([1], "a", producer_id=1, transactional=False))
    append(store, batch([2], "a", producer_id=2, transactional=False))
    compact(store)
    append(store, batch([3], "b", producer_id=1, sequence=1, transactional=False))
    compact(store)
    assert stored(store) == [(1, [2]), (2, [3])]


def test_what_was_cut_off_is_not_taken_for_clean() -> None:
    store = log()
    append(store, batch([1], "a"), marker("COMMIT"), now=100)
    compact(store, 500)
    store.truncate(1, 200)
    append(store, marker("COMMIT"), now=900)
    assert store.cleaned.clean == {}


def test_a_follower_that_copies_across_a_gap_opens_the_transaction_where_it_is() -> None:
    leader, follower = log(), log()
    plain: dict[str, Any] = {"producer_id": -1, "transactional": False}
    append(
        leader, batch([1], "a", **plain), batch([2], "b", **plain), batch([3], "b", **plain), batch([4], "c")
    )
    assert compact(leader).records == 1
    assert (
        follower.append_as_follower(leader.read(0, committed=False, batches_max=100)[0], now=0).error
        is Error.NONE
    )
    assert follower.producers.open_transactions == leader.producers.open_transactions == {3: 1}
