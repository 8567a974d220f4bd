"""The transactions of a run, with one entry for each; docs/websocket.md, `transactions`."""

from __future__ import annotations

from typing import Literal, TypedDict

TransactionResult = Literal["open", "committed", "aborted", "empty", "left"]


class TransactionLine(TypedDict):
    """One transaction: its client, its partitions, its first and last step with their virtual times in ms,
    and its state."""

    id: str
    client: str | None
    producer_id: int | str | None
    """A text when it is too large for a JSON number."""
    producer_epoch: int | None
    places: list[str]
    """The partitions of the transaction; for a transaction of the middleware, its participants."""
    more_places: int
    first_step: int
    last_step: int
    first_at: int
    last_at: int
    decided_step: int | None
    """The step at which the coordinator's outcome became durable; null before, and for a transaction of the
    middleware."""
    state: str
    result: TransactionResult
    over: bool


class TransactionLines(TypedDict):
    """The transactions of one branch of a session."""

    through: int
    """The last step that is included."""
    folded: int
    """Number of older transactions that are not listed."""
    lines: list[TransactionLine]
