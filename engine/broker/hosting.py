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
        """Take over partition number ``partition``, because this broker was elected its leader at ``since``
        (virtual ms), under the leader epoch ``epoch``."""

    def resign(self, partition: int, now: int) -> Effects:
        """Give up the partition, because this broker no longer leads it. A second call has no effect."""

    def next_timer(self) -> int | None: ...

    def on_timer(self, now: int) -> Effects: ...

    def crash(self) -> None: ...

    def parts(self) -> Sequence[Part]: ...
