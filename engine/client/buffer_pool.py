"""The producer's memory: a fixed number of bytes, allocated to batches, with a queue of the calls that wait
for memory (ACC-5).

The pool owns the bytes and the queue. It does not append the record of a call that gets memory.
"""

from __future__ import annotations

from dataclasses import dataclass

from engine.client.application import Call
from engine.errors import EngineError
from engine.shapes.clients import PoolView
from engine.watching import Watch


@dataclass(slots=True)
class Waiter:
    """A ``send()`` that waits for ``size`` bytes from ``since`` until ``deadline`` at most (virtual ms)."""

    call: Call
    size: int
    since: int
    deadline: int


class BufferPool:
    """A pool of ``total`` bytes, of which ``free`` are unused. The calls that wait are served in the order in
    which they came."""

    __slots__ = ("free", "path", "total", "waiters", "watch")

    def __init__(self, total: int, client: str, watch: Watch) -> None:
        self.total = total
        self.free = total
        self.waiters: list[Waiter] = []
        self.path = ("clients", client, "pool")
        self.watch = watch

    def view(self) -> PoolView:
        return {
            "total": self.total,
            "free": self.free,
            "waiters": [
                {
                    "serial": waiter.call.args.get("serial"),
                    "size": waiter.size,
                    "since": waiter.since,
                    "until": waiter.deadline,
                }
                for waiter in self.waiters
            ],
        }

    @property
    def exhausted(self) -> bool:
        """True while a caller waits for memory (``queued() > 0``, CTR-19)."""
        return bool(self.waiters)

    def allocate(self, size: int) -> bool:
        """Allocate ``size`` bytes now; False when they are not free, or when another call is already waiting."""
        if self.waiters or size > self.free:
            return False
        self.free -= size
        self.watch.touch(self)
        return True

    def wait(self, call: Call, size: int, now: int, deadline: int) -> None:
        self.waiters.append(Waiter(call, size, now, deadline))
        self.watch.touch(self)

    def release(self, size: int) -> None:
        """Return memory to the pool."""
        self.free += size
        if self.free > self.total:
            raise EngineError(
                f"{self.path[1]}: {self.free} of {self.total} bytes are free: memory returned twice"
            )
        self.watch.touch(self)

    def next_granted(self) -> Waiter | None:
        """Allocate memory for the oldest waiting call; None when too little is free."""
        if not self.waiters or self.waiters[0].size > self.free:
            return None
        waiter = self.waiters.pop(0)
        self.free -= waiter.size
        self.watch.touch(self)
        return waiter

    def expire(self, now: int) -> list[Waiter]:
        """Remove from the queue the calls whose ``max_block_ms`` is over, and return them; they get no
        memory."""
        over = [waiter for waiter in self.waiters if waiter.deadline <= now]
        if over:
            self.waiters = [waiter for waiter in self.waiters if waiter.deadline > now]
            self.watch.touch(self)
        return over

    def next_deadline(self) -> int | None:
        return min((waiter.deadline for waiter in self.waiters), default=None)
