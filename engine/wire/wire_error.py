"""The one error of this room: bytes that are not a message it reads."""


class WireError(ValueError):
    """The message says where (byte and field), what is wrong there, and what to send instead."""

    def __init__(self, place: str, reason: str, remedy: str) -> None:
        super().__init__(f"{place}: {reason}; {remedy}")
        self.place = place
        self.reason = reason
        self.remedy = remedy
