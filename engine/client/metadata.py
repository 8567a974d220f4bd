"""A client's metadata of the cluster: the leader of each topic-partition (MSG-1, SND-2).

This module owns the cached metadata and the time of the next request for it. ``metadata_requests`` chooses
the broker.
"""

from __future__ import annotations

from engine.errors import Error
from engine.messages import MetadataRequest, MetadataResponse
from engine.shapes.clients import MetadataView
from engine.topic_partition import topic_of
from engine.watching import Watch


class Metadata:
    """The cached metadata of one client. ``bootstrap``: the ids of the brokers in ``bootstrap.servers``.
    ``brokers``: the ids of the brokers that the client knows. ``leaders``: dict of topic-partition → broker
    id or None. ``led_by``: dict of broker id → the topic-partitions that it leads. ``rebootstraps``: whether
    the client may start again from ``bootstrap``."""

    __slots__ = (
        "bootstrap",
        "brokers",
        "errors",
        "last_attempt_at",
        "leaders",
        "led_by",
        "path",
        "rebootstraps",
        "request_in_flight",
        "topics",
        "update_requested",
        "updated_at",
        "version",
        "watch",
    )

    def __init__(
        self, owner: tuple[str, ...], brokers: tuple[int, ...], rebootstraps: bool, watch: Watch
    ) -> None:
        self.bootstrap = brokers
        self.rebootstraps = rebootstraps
        self.brokers = brokers
        self.leaders: dict[str, int | None] = {}
        self.led_by: dict[int, list[str]] = {}
        self.errors: dict[str, Error] = {}
        self.topics: dict[str, None] = {}
        self.version = 0
        self.updated_at: int | None = None
        self.last_attempt_at: int | None = None
        self.update_requested = False
        self.request_in_flight = False
        self.path = (*owner, "metadata")
        self.watch = watch

    def view(self) -> MetadataView:
        return {
            "updated_at": self.updated_at,
            "update_requested": self.update_requested,
            "leaders": dict(self.leaders),
        }

    def preset(self, leaders: dict[str, int | None], brokers: tuple[int, ...]) -> None:
        """For the initial state of a run: know these leaders and brokers, as if they had just been
        fetched."""
        self.brokers = brokers or self.brokers
        self._learn(leaders)
        self.updated_at = 0

    def _learn(self, leaders: dict[str, int | None]) -> None:
        self.leaders = leaders
        self.led_by = {}
        for partition, leader in leaders.items():
            self.topics[topic_of(partition)] = None
            if leader is not None:
                self.led_by.setdefault(leader, []).append(partition)
        self.version += 1
        self.watch.touch(self)

    def request_update(self) -> bool:
        """Mark that new metadata is needed; False when it was marked already."""
        if self.update_requested:
            return False
        self.update_requested = True
        self.watch.touch(self)
        return True

    def update_due_at(self, backoff_ms: int) -> int | None:
        """When needed metadata may be requested (virtual ms). None: it is not needed, or the request is in
        flight."""
        if not self.update_requested or self.request_in_flight:
            return None
        return 0 if self.last_attempt_at is None else self.last_attempt_at + backoff_ms

    def request(self, now: int) -> MetadataRequest:
        """Note that a Metadata request is sent now, and return it."""
        self.request_in_flight = True
        self.last_attempt_at = now
        return MetadataRequest(topics=tuple(self.topics))

    def rebootstrap(self) -> bool:
        """Forget all learned metadata except the topics, and know the bootstrap brokers alone
        (``Metadata.rebootstrap``). False: nothing had been learned."""
        if self.brokers == self.bootstrap and not self.led_by:
            return False
        self.brokers = self.bootstrap
        self._learn(dict.fromkeys(self.leaders))
        return True

    def request_failed(self) -> None:
        """Note that the connection ended before the response; new metadata is still needed."""
        self.request_in_flight = False

    def update(self, response: MetadataResponse, now: int) -> bool:
        """Apply a response; True when a leader or the set of brokers changed."""
        self.request_in_flight = False
        self.update_requested = False
        self.updated_at = now
        self.watch.touch(self)
        leaders = dict(self.leaders)
        for partition, known in response.partitions.items():
            leaders[partition] = known.leader if known.error is Error.NONE else None
        changed = leaders != self.leaders or response.brokers != self.brokers
        self.brokers = response.brokers or self.brokers
        if changed:
            self._learn(leaders)
        return changed
