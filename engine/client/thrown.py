"""The exceptions that an application's calls throw; their classes depend on the version (TXM-5, CTR-27)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from engine.errors import Cause, ClientError, Error
from engine.happenings.codes import Compared
from engine.happenings.producer import Refusal
from engine.machine import Row
from engine.profile import Profile

KAFKA_EXCEPTION, ILLEGAL_STATE_EXCEPTION = "KafkaException", "IllegalStateException"


class CallThrows(Exception):
    """A call that throws. ``error``: the error's name in the catalogue. ``exception``: the Java class that
    Kafka throws. ``why``: the row of the client's state machine that refuses the call, or another reason.
    ``compared``: the compared values (UIV-3)."""

    def __init__(
        self,
        why: Refusal | Row,
        rule: str,
        error: str,
        exception: str,
        compared: tuple[tuple[Compared, Any], ...],
    ) -> None:
        super().__init__(f"{rule}: {error}")
        self.why = why
        self.rule = rule
        self.error = error
        self.exception = exception
        self.compared = compared


@dataclass(frozen=True, slots=True, kw_only=True)
class Thrown:
    """The exceptions of calls in one version. ``as_they_are``: errors that have an exception of their own;
    others are wrapped in a KafkaException. ``as_they_are_at_send``: the same for ``send()``.
    ``in_wrong_state``: the exception for a call that the client's state machine does not allow."""

    as_they_are: Mapping[Cause, str]
    as_they_are_at_send: Mapping[Cause, str]
    in_wrong_state: str

    def for_error(self, error: Cause | None, unexpected: bool) -> str:
        """The exception of a call in an error state. ``unexpected``: whether the client has no reaction of
        its own to the error."""
        return _named(self.as_they_are, error, unexpected)

    def fencing_for(self, error: Error) -> Error:
        """The error that the application sees when the coordinator fenced the producer with ``error``."""
        return Error.PRODUCER_FENCED if Error.PRODUCER_FENCED in self.as_they_are else error

    def for_send(self, error: Cause | None, unexpected: bool) -> str:
        """The exception of ``send()`` in an error state."""
        return _named(self.as_they_are_at_send, error, unexpected)


def _named(as_they_are: Mapping[Cause, str], error: Cause | None, unexpected: bool) -> str:
    if error is None or unexpected:
        return KAFKA_EXCEPTION
    return as_they_are.get(error, KAFKA_EXCEPTION)


_FENCINGS: dict[Cause, str] = {
    ClientError.ILLEGAL_STATE: ILLEGAL_STATE_EXCEPTION,
    Error.PRODUCER_FENCED: "ProducerFencedException",
    Error.INVALID_PRODUCER_EPOCH: "InvalidProducerEpochException",
}
"""Errors that have an exception of their own in versions that show fencings (since 2.7). ILLEGAL_STATE occurs only
in versions in which an illegal change of state is fatal (KAFKA-14831)."""
_NONE: dict[Cause, str] = {}


def thrown_by(profile: Profile) -> Thrown:
    """The exceptions of a client of this version."""
    as_they_are = _FENCINGS if profile.shows_fencing else _NONE
    return Thrown(
        as_they_are=as_they_are,
        as_they_are_at_send=as_they_are if profile.wrong_state_is_fatal else _NONE,
        in_wrong_state=ILLEGAL_STATE_EXCEPTION if profile.wrong_state_is_fatal else KAFKA_EXCEPTION,
    )
