"""The scenario's settings of the middleware and its nodes. The schema (engine/scenario/schema.py) has the
defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

INITIATOR, BUSINESS, MIDDLEWARE, MANAGER = "initiator", "business", "middleware", "manager"
"""Names of the nodes that exist once; each participant has a name of its own."""
NODES = (INITIATOR, BUSINESS, MIDDLEWARE, MANAGER)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParticipantConfiguration:
    name: str
    value: int
    """The participant's value before the first transaction."""
    operation: int
    """The amount that one transaction adds. It can be reserved while the value stays at or above 0 (MW-4)."""
    can_roll_back: bool
    """Whether the node can undo its committed transaction (strategy 2); in TCC, whether it has a cancel
    (strategy 4)."""
    keeps_log: bool
    """Whether the node writes a compensation record with each commit (strategy 3)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MiddlewareConfiguration:
    """The settings of the middleware. Times are virtual milliseconds."""

    strategy: str
    prepare_timeout_ms: int
    answer_timeout_ms: int
    check_after_ms: int
    max_checks: int
    max_retries: int
    scan_ms: int
    framework_retries: int
    framework_interval_ms: int
    resend_ms: int
    """Milliseconds until an undo without an answer is sent again."""
    manager: bool
    """Whether there is a transaction manager (strategy 4)."""
    one_node: bool
    """Whether initiator and business system are one node (CTR-38)."""
    local_run_ms: int
    confirm_after_ms: int
    """Milliseconds from the time when the result is in the local database until a task sends Confirm."""
    local_succeeds: bool
    participants: tuple[ParticipantConfiguration, ...]

    @classmethod
    def from_section(cls, section: dict[str, Any]) -> MiddlewareConfiguration:
        """The configuration from a checked ``middleware`` section (engine/scenario/schema.py)."""
        participants = tuple(ParticipantConfiguration(**row) for row in section["participants"])
        return cls(**{**section, "participants": participants})
