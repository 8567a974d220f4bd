"""The ways in which a service combines its database with Kafka, as rows.

A round of a service takes work from ``source`` and carries out ``acts`` in their order. Some acts take
effect: a commit, a stored record, a stored offset. A crash between two of these leaves the first one without
the second.
"""

from __future__ import annotations

from typing import NamedTuple

WRITE, COMMIT, SEND, FLUSH, STORE = "write", "commit", "send", "flush", "store_offsets"
ACTS = (WRITE, COMMIT, SEND, FLUSH, STORE)
"""The acts of a round: write rows; commit them; send records; wait for their results; commit offsets to the
consumer's group."""
ORDERS, TOPIC, OUTBOX = "orders", "topic", "outbox"
"""The sources of work: orders from outside, one in each round; a consumer; the outbox."""


class Approach(NamedTuple):
    """One row. ``fills_outbox``: an entry is written with each row. ``empties_outbox``: the entries of the
    sent records are deleted. ``keeps_offsets``: the consumer's offsets are written with the rows."""

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
"""The rows, each by the name that a document gives in ``services.….approach``."""
