"""The result of one case: `None` if the engine agrees with Kafka, a `Failure` if it differs, `Skip` if the case was
not run."""

from collections.abc import Mapping
from dataclasses import dataclass


class Skip(Exception):
    """Raised instead of a result; the message is the reason, as one sentence for users."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The first step of a case in which the engine differs from Kafka."""

    step: str
    """The operation or the field that differs."""
    expected: object
    got: object


Outcome = Failure | None
UNKNOWN = object()
"""A value that differs from every expected value."""


def first_difference(
    where: str, expected: Mapping[str, object], got: Mapping[str, object], missing: object = None
) -> Outcome:
    """The first expected field that differs, or None. ``where`` precedes the field's name. An absent field counts as
    ``missing``, which is null or ``UNKNOWN``."""
    for name, value in expected.items():
        if got.get(name, missing) != value:
            return Failure(f"{where}{name}", value, got.get(name))
    return None
