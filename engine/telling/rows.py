"""The sentence for each row of a state machine."""

from __future__ import annotations

from engine.machine import Row

_SPEAKERS = {
    "broker_lifecycle": "lifecycle",
    "broker_registration": "quorum",
    "business_transaction": "business",
    "group_pending_offset": "group",
    "marker_states": "markers",
    "middleware_transaction": "middleware",
    "participant_record": "middleware",
    "producer_id_allocation": "allocation",
    "producer_id_block": "broker",
    "transaction_manager": "manager",
    "transaction_states": "coordinator",
}
"""Dict of machine → section of the catalogue with the sentences of its rows, if this is not the machine's
name."""


def row_key(row: Row) -> str:
    """The key of the sentence for a row."""
    return f"{_SPEAKERS.get(row.machine, row.machine)}.{row.why}"
