"""The correlation ids of the requests that one broker sends: to the controller, to ZooKeeper and to other brokers."""

from __future__ import annotations

from engine.messages import Send


class Outgoing:
    """The counter of correlation ids of one broker; a crash does not reset it."""

    __slots__ = ("_newest",)

    def __init__(self) -> None:
        self._newest = 0

    def next_correlation(self) -> int:
        self._newest += 1
        return self._newest

    def to_controller(self, word: object) -> Send:
        return Send("controller", word, self.next_correlation())

    def to_zookeeper(self, word: object) -> Send:
        return Send("zookeeper", word, self.next_correlation())
