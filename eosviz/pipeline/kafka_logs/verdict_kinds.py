"""The verdicts that there are."""

from enum import StrEnum


class VerdictKind(StrEnum):
    """What a partition's transaction is, or the partition where none is open."""

    HEALTHY = "healthy"
    SLOW_BUT_ALIVE = "slow_but_alive"
    COORDINATOR_OWES_MARKER = "coordinator_owes_marker"
    ORPHAN = "orphan"
    FENCED_WRITER = "fenced_writer"
    LATE_WRITE = "late_write_after_marker"
    EVIDENCE_DELETED = "evidence_deleted"
    UNDECIDED = "undecided"


NOT_HEALTHY = tuple(kind for kind in VerdictKind if kind not in (VerdictKind.HEALTHY, VerdictKind.UNDECIDED))
