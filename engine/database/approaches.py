"""The ways in which a service combines its database with Kafka: one row for each approach.

A round of a service takes work from ``source`` and carries out ``acts`` in their order. A commit of rows, a
stored record and a committed offset stay after a crash. So a crash between two of these acts leaves the
effect of the first without that of the second.
"""

from __future__ import annotations

from typing import NamedTuple

WRITE, COMMIT, SEND, FLUSH, STORE = "write", "commit", "send", "flush", "store_offsets"
ACTS = (WRITE, COMMIT, SEND, FLUSH, STORE)
"""The acts of a round: write rows; commit them; send records; wait for their results; commit offsets to the
consumer's group."""
ORDERS, TOPIC, OUTBOX = "orders", "topic", "outbox"
"""The sources of a round's work: one order from outside; the records of a consumer; the entries of the
outbox."""


class Approach(NamedTuple):
    """One approach. ``fills_outbox``: the service writes an outbox entry with each row. ``empties_outbox``:
    it deletes the entries of the records that it has sent. ``keeps_offsets``: it writes the consumer's
    offsets in the local transaction of the rows."""

    source: str
    acts: tuple[str, ...]
    fills_outbox: bool = False
    empties_outbox: bool = False
    keeps_offsets: bool = False


APPROACHES: dict[str, Approach] = {
    "row_then_record": Approach(ORDERS, (WRITE, COMMIT, SEND, FLUSH)),
    "record_then_row": Approach(ORDERS, (SEND, FLUSH, WRITE, COMMIT)),
    "record_before_commit": Approach(ORDERS, (WRITE, SEND, FLUSH, COMMIT)),
    "outbox": Approach(ORDERS, (WRITE, COMMIT), fills_outbox=True),
    "relay": Approach(OUTBOX, (SEND, FLUSH, WRITE, COMMIT), empties_outbox=True),
    "offsets_after_rows": Approach(TOPIC, (WRITE, COMMIT, STORE)),
    "offsets_before_rows": Approach(TOPIC, (STORE, WRITE, COMMIT)),
    "offsets_with_rows": Approach(TOPIC, (WRITE, COMMIT), keeps_offsets=True),
}
"""Dict of an approach's name (``services.….approach`` of a scenario) → the approach."""
