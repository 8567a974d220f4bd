"""The kinds of verdicts."""

from enum import StrEnum


class VerdictKind(StrEnum):
    """The kind of a verdict on an open transaction, or on a partition without one."""

    HEALTHY = "healthy"
    SLOW_BUT_ALIVE = "slow_but_alive"
    COORDINATOR_OWES_MARKER = "coordinator_owes_marker"
    ORPHAN = "orphan"
    FENCED_WRITER = "fenced_writer"
    LATE_WRITE = "late_write_after_marker"
    EVIDENCE_DELETED = "evidence_deleted"
    UNDECIDED = "undecided"


NOT_HEALTHY = tuple(kind for kind in VerdictKind if kind not in (VerdictKind.HEALTHY, VerdictKind.UNDECIDED))
OPEN = tuple(kind for kind in NOT_HEALTHY if kind is not VerdictKind.EVIDENCE_DELETED)
"""The kinds that are possible for a known open transaction. EVIDENCE_DELETED is not among them, because the
log itself shows whether the transaction's records were deleted."""
