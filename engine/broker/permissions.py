"""The operations that one broker denies to clients (GEN-6, LOG-1)."""

from __future__ import annotations

from engine.happenings.brokers import RightDenied, RightGiven
from engine.watching import Part, Watch


class Permissions:
    """The denials of one broker. Each denies an operation on a resource, for example ``Write`` on ``topic:t``
    (docs/scenarios.md). They stay after a crash. ``part``: the part of the view that shows them."""

    __slots__ = ("denied", "name", "part", "watch")

    def __init__(self, name: str, watch: Watch, part: Part) -> None:
        self.name = name
        self.watch = watch
        self.part = part
        self.denied: set[tuple[str, str]] = set()

    def is_denied(self, operation: str, resource: str) -> bool:
        return (operation, resource) in self.denied

    def deny(self, operation: str, resource: str, now: int) -> None:
        """Carry out the fault *deny authorization*, as every broker does: from now on this broker refuses
        ``operation`` on ``resource``."""
        self.denied.add((operation, resource))
        self._touch()
        self.watch.emit(RightDenied, self.name, operation, resource)

    def allow(self, operation: str, resource: str, now: int) -> None:
        """End a denial."""
        self.denied.discard((operation, resource))
        self._touch()
        self.watch.emit(RightGiven, self.name, operation, resource)

    def _touch(self) -> None:
        if self.watch.recording:
            self.watch.touch(self.part)

    def view(self) -> list[str]:
        return [f"{operation} {resource}" for operation, resource in sorted(self.denied)]
