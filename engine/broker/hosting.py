"""The interface of a coordinator that a broker hosts. The coordinator follows the leadership of an internal
topic (FND-7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from engine.messages import Effects
from engine.watching import Part


class Hosted(Protocol):
    """A coordinator in a broker. It serves the transactional ids or groups whose partition of the internal topic
    ``topic`` this broker leads."""

    @property
    def topic(self) -> str: ...

    def lead(self, partition: int, epoch: int, since: int, now: int) -> Effects:
        """This broker was elected leader of partition number ``partition`` at time ``since`` (ms), under the leader
        epoch ``epoch``."""

    def resign(self, partition: int, now: int) -> Effects:
        """This broker no longer leads the partition. Idempotent."""

    def next_timer(self) -> int | None: ...

    def on_timer(self, now: int) -> Effects: ...

    def crash(self) -> None: ...

    def parts(self) -> Sequence[Part]: ...
