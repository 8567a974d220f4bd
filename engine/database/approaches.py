"""The ways in which a service combines its database with Kafka: one row for each approach.

A round of a service takes work from ``source`` and carries out ``acts`` in their order. A crash does not undo
a commit of rows, a stored record or a committed offset. So after a crash between two such acts, the first has
its effect and the second has none.
"""

from __future__ import annotations

from typing import NamedTuple

WRITE, COMMIT, SEND, FLUSH, STORE, WORK = "write", "commit", "send", "flush", "store_offsets", "work"
ACTS = (WRITE, COMMIT, SEND, FLUSH, STORE, WORK)
"""The acts of a round: write rows; commit them; send records; wait for their results; commit offsets to the
consumer's group; let worker threads process records and insert their rows."""
ORDERS, TOPIC, OUTBOX = "orders", "topic", "outbox"
"""The sources of a round's work: one order from outside; the records of a consumer; the entries of the
outbox."""


OF_WORKERS = ("threads", "work_ms", "waits")
"""The fields of a service that only approaches with worker threads read."""


class Approach(NamedTuple):
    """One approach. ``fills_outbox``: whether the service writes an outbox entry with each row.
    ``empties_outbox``: whether it deletes the entries of the records that it has sent. ``keeps_offsets``:
    whether it writes the consumer's offsets in the local transaction of the rows. ``commits``: the rule by
    which a service with worker threads commits offsets (``commit_rules.py``); empty without worker
    threads."""

    source: str
    acts: tuple[str, ...]
    fills_outbox: bool = False
    empties_outbox: bool = False
    keeps_offsets: bool = False
    commits: str = ""


APPROACHES: dict[str, Approach] = {
    "row_then_record": Approach(ORDERS, (WRITE, COMMIT, SEND, FLUSH)),
    "record_then_row": Approach(ORDERS, (SEND, FLUSH, WRITE, COMMIT)),
    "record_before_commit": Approach(ORDERS, (WRITE, SEND, FLUSH, COMMIT)),
    "outbox": Approach(ORDERS, (WRITE, COMMIT), fills_outbox=True),
    "relay": Approach(OUTBOX, (SEND, FLUSH, WRITE, COMMIT), empties_outbox=True),
    "offsets_after_rows": Approach(TOPIC, (WRITE, COMMIT, STORE)),
    "offsets_before_rows": Approach(TOPIC, (STORE, WRITE, COMMIT)),
    "offsets_with_rows": Approach(TOPIC, (WRITE, COMMIT), keeps_offsets=True),
    "workers_highest_finished": Approach(TOPIC, (WORK,), commits="highest_finished"),
    "workers_lowest_unfinished": Approach(TOPIC, (WORK,), commits="lowest_unfinished"),
    "workers_polled": Approach(TOPIC, (WORK,), commits="polled"),
}
"""Dict of an approach's name (``services.….approach`` of a scenario) → the approach."""


def fields_of(approach: Approach) -> tuple[str, ...]:
    """The fields of a service that this approach reads and some other approach does not."""
    sends = ("producer", "output") if SEND in approach.acts else ()
    reads = ("consumer",) if approach.source == TOPIC else ()
    return (*sends, *reads, *(OF_WORKERS if approach.commits else ()))
