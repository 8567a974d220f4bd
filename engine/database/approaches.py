"""The ways in which a service combines its database with Kafka: one row each.

A round of a service takes work from ``source`` and carries out ``acts`` in their order. Every crash between two
acts that take effect, a commit and a stored record or offset, leaves the first one without the second.
"""

from __future__ import annotations

from typing import NamedTuple

WRITE, COMMIT, SEND, FLUSH, STORE = "write", "commit", "send", "flush", "store_offsets"
ACTS = (WRITE, COMMIT, SEND, FLUSH, STORE)
"""Write rows; commit them; send records; wait for their results; commit offsets to the consumer's group."""
ORDERS, TOPIC, OUTBOX = "orders", "topic", "outbox"
"""Work comes from outside, one order a round; from a consumer; from the outbox."""


class Approach(NamedTuple):
    """``fills_outbox``: an entry is written with each row; ``empties_outbox``: the entries of the sent records
    are deleted; ``keeps_offsets``: the consumer's offsets are written with the rows."""

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
"""By the name that a document gives under ``services.….approach``."""
