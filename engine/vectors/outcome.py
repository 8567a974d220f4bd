"""How one test vector ends: `None` when it holds, a `Failure` when it does not, `Skip` when it is not run."""

from collections.abc import Mapping
from dataclasses import dataclass


class Skip(Exception):
    """Raised instead of a verdict; the message is the reason, as one sentence that a user reads."""


@dataclass(frozen=True, slots=True)
class Failure:
    """The first step of a case that went otherwise than Kafka."""

    step: str
    """Which operation or field."""
    expected: object
    got: object


Outcome = Failure | None
UNKNOWN = object()
"""Equal to nothing that a case can expect."""


def first_difference(
    where: str, expected: Mapping[str, object], got: Mapping[str, object], missing: object = None
) -> Outcome:
    """The first expected field that came out otherwise, its name behind ``where``. A field that nothing came of counts
    as ``missing``: as null, or as ``UNKNOWN``."""
    for name, value in expected.items():
        if got.get(name, missing) != value:
            return Failure(f"{where}{name}", value, got.get(name))
    return None
