"""The phase P2: find the brokers with sendable batches (``RecordAccumulator.ready``, ACC-8..ACC-12)."""

from __future__ import annotations

from typing import cast

from engine.client.accumulator import Ready, RecordAccumulator
from engine.client.metadata import Metadata
from engine.client.setup import Setup
from engine.happenings.sender import BatchesReady
from engine.shapes.clients import ReadyFor, ReadyView

_NO_NODES: dict[int, list[tuple[str, str]]] = {}


class Readiness:
    """The phase P2. ``found``: the newest result of ``ready()``, from which P4 then removes the brokers that
    cannot take a request."""

    __slots__ = ("_accumulator", "_last", "_metadata", "_setup", "found", "path", "shown")

    def __init__(self, setup: Setup, accumulator: RecordAccumulator, metadata: Metadata) -> None:
        self._setup = setup
        self._accumulator = accumulator
        self._metadata = metadata
        self.found = Ready()
        self._last: dict[int, list[tuple[str, str]]] = {}
        self.path = ("clients", setup.name, "ready")
        self.shown: ReadyView
        self.show()

    def check(self, now: int) -> bool:
        """Run P2: store the new result of ``ready()`` in ``found``. Returns False: the pass continues."""
        ready = self.found = self._accumulator.ready(self._metadata.leaders, now)
        if ready.nodes and ready.nodes != self._last and self._setup.watch.hears(BatchesReady):
            self._emit()
        self._last = dict(ready.nodes) if ready.nodes else _NO_NODES
        return False

    def _emit(self) -> None:
        setup = self._setup
        nodes = self.found.nodes
        partition, _ = next(iter(nodes.values()))[0]
        head = self._accumulator.queues[partition].batches[0]
        again = head.attempts > 0
        setup.watch.emit(
            BatchesReady,
            setup.name,
            brokers=tuple(f"broker-{node}" for node in nodes),
            reasons=tuple(reason for found in nodes.values() for reason in found),
            partition=partition,
            linger=setup.config.linger_ms,
            backoff=self._accumulator.backoff_of(head) if again else setup.config.retry_backoff_ms,
            again=again,
        )

    def view(self) -> ReadyView:
        return self.shown

    def show(self) -> None:
        """Update the view's copy after a phase that did something."""
        ready = self.found
        self.shown = {
            "nodes": {
                str(node): cast("list[ReadyFor]", [[partition, reason] for partition, reason in reasons])
                for node, reasons in self._last.items()
            },
            "unknown_leader_topics": list(ready.unknown_leader_topics),
            "next_check_delay": ready.next_check_delay,
        }
