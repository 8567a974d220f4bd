"""Where the answers to made-up requests arrive: it takes note and does nothing (GEN-6)."""

from __future__ import annotations

from engine.apis import error_of
from engine.messages import Effects, Envelope, ProduceResponse
from engine.watching import Part, Watch


class Crafter:
    """A role that only listens."""

    name = "crafter"
    role = "crafter"
    alive = True

    def __init__(self, watch: Watch) -> None:
        self.watch = watch

    def handle(self, envelope: Envelope, now: int) -> Effects:
        body = envelope.body
        if isinstance(body, ProduceResponse):
            for partition, answer in body.partitions.items():
                self.watch.say(
                    "fault.crafted_answer",
                    ("GEN-6",),
                    partition=partition,
                    error=answer.error.name,
                    base_offset=answer.base_offset,
                )
            return []
        error = error_of(body)
        self.watch.say(
            # An answer of the middleware is a message of its own and carries no error.
            "fault.crafted_message_answered" if error is None else "fault.crafted_request_answered",
            ("GEN-6",),
            api=body.api,  # type: ignore[attr-defined]
            broker=envelope.source,
            error=error,
        )
        return []

    def next_timer(self) -> int | None:
        return None

    def on_timer(self, now: int) -> Effects:
        return []

    def parts(self) -> list[Part]:
        return []
