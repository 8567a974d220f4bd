"""Arithmetic of sequence numbers: 31 bits that wrap to 0 (SEQ-3, SEQ-4, SEQ-13)."""

from __future__ import annotations

from engine.messages import INT_MAX


def increment(sequence: int, by: int) -> int:
    """The sequence ``by`` places later (``DefaultRecordBatch.incrementSequence``, SEQ-3)."""
    if sequence > INT_MAX - by:
        return by - (INT_MAX - sequence) - 1
    return sequence + by


def decrement(sequence: int, by: int) -> int:
    """The sequence ``by`` places earlier (``DefaultRecordBatch.decrementSequence``, SEQ-4)."""
    if sequence < by:
        return INT_MAX - (by - sequence) + 1
    return sequence - by


def follows(last: int, first: int) -> bool:
    """True when ``first`` is the sequence right after ``last``; after -1 (no batch yet) only 0 is (SEQ-13)."""
    return first == last + 1 or (first == 0 and last == INT_MAX)


def precedes(first: int, last: int) -> bool:
    """True if ``first`` is ``last`` or one of the 2^30 - 1 sequences before it; numbers wrap."""
    return (last - first) % (INT_MAX + 1) < (INT_MAX + 1) // 2
