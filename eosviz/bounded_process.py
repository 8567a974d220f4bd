"""What runs a stranger's file or document does so in a process of its own, with bounded memory and time."""

from __future__ import annotations


def bound_this_process(processor_seconds: int, memory_bytes: int) -> None:
    """Beyond its memory or processor time the system ends this process."""
    try:
        import resource
    except ImportError:
        # Not everywhere; the bound of the clock, which its parent holds, is left.
        return
    for kind, most in ((resource.RLIMIT_CPU, processor_seconds), (resource.RLIMIT_DATA, memory_bytes)):
        _, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
