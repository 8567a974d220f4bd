"""``kafka-transactions.sh``, which is a part of the view from its first command on."""

from __future__ import annotations

from typing import NotRequired, TypedDict


class AdminCallView(TypedDict):
    """The call of the admin client that the tool is carrying out."""

    name: str
    until: int
    """The virtual time in ms at which the call fails if it has not ended before."""
    unmapped: list[str]
    """The keys whose broker is not known yet: partitions or transactional ids, or one key that stands for all
    brokers or for the whole cluster."""
    mapped: dict[str, str]
    """Dict of key → the broker whose response about the key is needed."""
    retry_at: int | None
    answered: list[str]
    requests: list[str]
    """The requests without a response, each as API and broker."""


class ToolView(TypedDict):
    """The newest command of the tool, and the table that it printed."""

    command: str
    state: str
    """``running``, ``done`` or ``failed``."""
    columns: list[str]
    rows: list[list[str | int | None]]
    call: NotRequired[AdminCallView]
    next: NotRequired[list[str]]
    """The commands that begin one after the other when this one has ended."""
