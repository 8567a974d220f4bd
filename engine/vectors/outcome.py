"""How one test vector ends: `None` when it holds, a `Failure` when it does not, `Skip` when it is not run."""

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
