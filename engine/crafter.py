"""The receiver of the responses to hand-made requests: it records them (GEN-6)."""

from __future__ import annotations

from engine.apis import error_of
from engine.happenings.kernel import CraftedAnswer, CraftedRequestAnswered
from engine.messages import Effects, Envelope, ProduceResponse
from engine.watching import Part, Watch


class Crafter:
    """A role that only receives responses."""

    name = "crafter"
    role = "crafter"
    alive = True

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def handle(self, envelope: Envelope, now: int) -> Effects:
        body = envelope.body
        if isinstance(body, ProduceResponse):
            for partition, answer in body.partitions.items():
                self.watch.emit(CraftedAnswer, partition, answer.error, answer.base_offset)
            return []
        api: str = body.api  # type: ignore[attr-defined]
        self.watch.emit(CraftedRequestAnswered, api, envelope.source, error_of(body))
        return []

    def next_timer(self) -> int | None:
        return None

    def on_timer(self, now: int) -> Effects:
        return []

    def parts(self) -> list[Part]:
        return []
