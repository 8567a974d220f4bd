"""Which transaction version wrote a log, recognised by its bytes."""

from __future__ import annotations

import pytest

from engine.codec.log_case import log_case
from engine.codec.transaction_log_record import TransactionLogValue, TransactionStatus
from engine.codec.written_by import WrittenBy
from tests.engine.codec.kafka_dump import KAFKA_LOGS
from tests.engine.codec.test_log_case import folder


def written(*folders: str) -> tuple[str, str]:
    """Return the key of the sentence at the end of a log case, and its parameter `place`."""
    files: dict[str, bytes] = {}
    for name in folders:
        files |= {f"{name}/{path}": data for path, data in folder(KAFKA_LOGS / name).items()}
    note = log_case(files).steps[-1]["notes"][-1]
    return note["key"], note["params"].get("place", "")


@pytest.mark.parametrize(
    ("folders", "kind", "place"),
    [
        (("c_commit",), "unknown", ""),
        (("g_zombie",), "unknown", ""),
        (("_transaction_version_0/j_java_client",), "unknown", ""),
        (("j_java_client",), "marker_2", "java-0: 2"),
        (("wire_tv2/wire",), "marker_2", None),
        (("_transaction_version_0/_internal",), "value_0", None),
        (("wire_tv0/_internal",), "value_0", None),
        (("wire_tv2/_internal",), "client_2", None),
        (("incidents/live_copy_open",), "value_1", None),
        (("wire_tv0/wire",), "unknown", ""),
    ],
)
def test_the_bytes_say_which_version_wrote_them(
    folders: tuple[str, ...], kind: str, place: str | None
) -> None:
    found, at = written(*folders)
    assert found == f"log.written.{kind}"
    assert place is None or at == place


def value(status: TransactionStatus, client: int, version: int = 1) -> TransactionLogValue:
    return TransactionLogValue(
        producer_id=1,
        producer_epoch=0,
        timeout_ms=1,
        status=status,
        partitions=(),
        last_update_ms=0,
        start_ms=0,
        client_transaction_version=client,
        version=version,
    )


def test_an_abort_of_version_2_shows_the_level_and_no_client() -> None:
    """If an older client left a transaction open, the coordinator aborts it in the cluster's version, so an abort
    says nothing about the client.
    """
    seen = WrittenBy()
    seen.take_value(value(TransactionStatus.ONGOING, 0), "a")
    assert seen.sentence()[0] == "log.written.value_1"
    seen.take_value(value(TransactionStatus.PREPARE_ABORT, 2), "b")
    assert seen.sentence() == ("log.written.level_2", {"place": "b"})
    seen.take_value(value(TransactionStatus.PREPARE_COMMIT, 2), "c")
    assert seen.sentence() == ("log.written.client_2", {"place": "c"})


def test_what_comes_from_no_bytes_shows_no_version() -> None:
    """The output of `kafka-transactions.sh describe` contains no value of the log."""
    seen = WrittenBy()
    seen.take_value(value(TransactionStatus.ONGOING, 0, version=-1), "a")
    assert seen.sentence() == ("log.written.unknown", {})


def test_partitions_that_are_read_separately_say_the_same_in_any_order() -> None:
    one, other = WrittenBy(), WrittenBy()
    one.take_value(value(TransactionStatus.ONGOING, 2), "b")
    other.take_value(value(TransactionStatus.ONGOING, 2), "a")
    other.take_commit("t-0: offset 4")
    both, reverse = WrittenBy(), WrittenBy()
    for target, parts in ((both, (one, other)), (reverse, (other, one))):
        for part in parts:
            target.merge(part)
    assert both == reverse
    assert both.sentence() == ("log.written.client_2", {"place": "a"})
