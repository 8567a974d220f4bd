"""The error of this package for a message that it cannot read or does not accept."""


class WireError(ValueError):
    """A message that cannot be read or is not accepted. The text names the place (a byte, a field or a partition), the
    fault, and what to send instead."""

    def __init__(self, place: str, reason: str, remedy: str) -> None:
        super().__init__(f"{place}: {reason}; {remedy}")
        self.place = place
        self.reason = reason
        self.remedy = remedy
